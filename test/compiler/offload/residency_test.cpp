#include "compiler/offload/Residency.h"
#include "test/compiler/offload/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::offload;

namespace {

/// "load a, run f, drop a"
std::string listed(const Problem &problem, const Schedule &schedule) {
  std::string text;
  for (const Action &action : schedule) {
    const char *const kinds[] = {"load ", "store ", "drop ", "run "};
    text += (text.empty() ? "" : ", ") +
            std::string(kinds[size_t(action.kind)]) +
            (action.kind == Action::Kind::Run
                 ? problem.operations[size_t(action.what)].name
                 : problem.tensors[size_t(action.what)].name);
  }
  return text;
}

/// A weight is read, another result follows, and then it is updated in place,
/// by a gradient.
enum { x, w, a, g, next };
Problem training() {
  Problem problem;
  problem.capacities = {40};
  const auto tensor = [&](const char *name, Start start) {
    Tensor made;
    made.name = name;
    made.bytes = {10};
    made.moved = 10;
    made.start = start;
    problem.tensors.push_back(made);
  };
  tensor("x", Start::Either);
  tensor("w", Start::Either);
  tensor("a", Start::Nowhere);
  tensor("g", Start::Nowhere);
  tensor("w'", Start::Nowhere);
  problem.tensors[w].keepsPlace = true;
  problem.tensors[next].nextOf = w;
  problem.operations = {{"forward", {x, w}, {a}, -1},
                        {"backward", {a, x}, {g}, a},
                        {"update", {w, g}, {next}, w}};
  REQUIRE(validate(problem));
  return problem;
}

} // namespace

TEST_CASE("what nobody asks to leave stays, and a next value takes its place") {
  const Problem problem = training();
  Residency state(problem);
  for (int o = 0; o < 3; ++o) {
    CHECK(state.lacking(o)[0] <= 0);
    state.run(o);
  }
  CHECK(state.isOnDevice(next));
  CHECK_FALSE(state.isOnDevice(w));
  const Schedule schedule = std::move(state).finish();
  CHECK(listed(problem, schedule) ==
        "run forward, run backward, drop a, drop x, run update, drop g");
  const auto traffic = replay(problem, schedule);
  REQUIRE(traffic);
  CHECK(traffic->total() == 0);
  CHECK(traffic->peak[0] == 30);
}

TEST_CASE("what leaves before it is read has started on the host") {
  const Problem problem = training();
  Residency state(problem);
  CHECK(state.evictable(0).empty()); // both are operands
  state.evict(w);
  for (int o = 0; o < 3; ++o)
    state.run(o);
  const Schedule schedule = std::move(state).finish();
  CHECK(listed(problem, schedule) ==
        "drop w, load w, run forward, run backward, drop a, drop x, "
        "run update, drop w, drop g, store w', drop w'");
  CHECK(replay(problem, schedule)->total() == 20);
}

TEST_CASE("what leaves later was loaded before it was read first") {
  const Problem problem = training();
  Residency state(problem);
  state.run(0);
  CHECK(state.evictable(1) == std::vector<int>{w});
  state.evict(w);
  state.run(1);
  CHECK(state.lacking(2)[0] == 20 - 40); // g, and w' over w
  state.run(2);
  const Schedule schedule = std::move(state).finish();
  CHECK(listed(problem, schedule) ==
        "drop w, load w, run forward, drop w, run backward, drop a, drop x, "
        "load w, run update, drop w, drop g, store w', drop w'");
  CHECK(replay(problem, schedule)->total() == 30);
}

TEST_CASE("so it is of what has left its place to its next value") {
  Problem problem = training();
  problem.tensors.push_back(problem.tensors[a]);
  problem.tensors.back().name = "b";
  problem.operations.push_back({"later", {g}, {5}, -1});
  problem.operations[2].reads = {w, g};
  REQUIRE(validate(problem));
  Residency state(problem);
  for (int o = 0; o < 3; ++o)
    state.run(o);
  CHECK(state.evictable(3) == std::vector<int>{next});
  state.evict(next);
  state.run(3);
  const Schedule schedule = std::move(state).finish();
  CHECK(
      listed(problem, schedule) ==
      "drop w, load w, run forward, run backward, drop a, drop x, run update, "
      "drop w, store w', drop w', run later, drop g, drop b");
  CHECK(replay(problem, schedule)->total() == 20);
}

TEST_CASE("replay refuses what is on the device to leave after it was read") {
  const Problem problem = training();
  using Kind = Action::Kind;
  const auto refused = [&](const Schedule &schedule) {
    const auto traffic = replay(problem, schedule);
    return traffic ? "" : traffic.error().message;
  };
  CHECK(refused({{Kind::Run, 0}, {Kind::Drop, w}}) ==
        "\"w\" may not leave the device");
  CHECK(refused({{Kind::Store, w}}) == "\"w\" is not to be stored");
  CHECK(refused({{Kind::Run, 0},
                 {Kind::Run, 1},
                 {Kind::Run, 2},
                 {Kind::Store, next},
                 {Kind::Drop, next}}) == "\"w'\" may not leave the device");
  CHECK(refused({{Kind::Drop, w},
                 {Kind::Load, w},
                 {Kind::Run, 0},
                 {Kind::Run, 1},
                 {Kind::Run, 2},
                 {Kind::Drop, w}}) ==
        "\"w'\" is not where its value was before");
}

TEST_CASE("a next value that cannot be one is refused") {
  const auto refused = [](auto change) {
    Problem problem = training();
    change(problem);
    const Status valid = validate(problem);
    return valid ? "" : valid.error().message;
  };
  const std::string misplaced = "\"w'\" cannot take the place of \"w\"";
  CHECK(refused([](Problem &p) { p.operations[2].over = g; }) == misplaced);
  CHECK(refused([](Problem &p) { p.tensors[next].bytes = {11}; }) == misplaced);
  CHECK(refused([](Problem &p) {
          p.operations.push_back({"late", {w}, {}, -1});
        }) == misplaced);
  CHECK(refused([](Problem &p) { p.tensors[a].nextOf = w; }) ==
        "\"a\" cannot take the place of \"w\"");
  CHECK(refused([](Problem &p) {
          p.tensors.push_back(p.tensors[next]);
          p.operations[2].writes.push_back(5);
          p.operations[2].over = -1;
          p.operations[2].reads = {g};
        }) ==
        "\"w'\" is the next value of tensor 1, which has none, or another one");
  CHECK(refused([](Problem &p) { p.tensors[next].nextOf = x; }) ==
        "\"w'\" is the next value of tensor 0, which has none, or another one");
  CHECK(refused([](Problem &p) { p.tensors[x].toHost = true; }) ==
        "\"x\" starts anywhere, and may not move, or must");
}
