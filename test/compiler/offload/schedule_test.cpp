#include "compiler/offload/Schedule.h"
#include "compiler/offload/Search.h"
#include "test/compiler/offload/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::offload;
using Kind = Action::Kind;

namespace {

/// x is read by both operations; only two units fit.
Problem twoReaders() {
  Problem problem;
  problem.capacities = {2};
  problem.tensors = {{"x", {1}, 1, Start::Device, false, true},
                     {"y", {1}, 1, Start::Nowhere, false, true},
                     {"z", {1}, 1, Start::Nowhere, true, true}};
  problem.operations = {{"first", {0}, {1}}, {"second", {0}, {2}}};
  return problem;
}

std::string refused(const Problem &problem, const Schedule &schedule) {
  const auto traffic = replay(problem, schedule);
  return traffic ? "" : traffic.error().message;
}

} // namespace

TEST_CASE("a schedule is replayed, and counted both ways") {
  const Schedule schedule = {
      {Kind::Run, 0},  {Kind::Drop, 1}, {Kind::Store, 0}, {Kind::Drop, 0},
      {Kind::Load, 0}, {Kind::Run, 1},  {Kind::Store, 2}, {Kind::Drop, 0}};
  const auto traffic = replay(twoReaders(), schedule);
  REQUIRE(traffic);
  CHECK(traffic->loaded == 1);
  CHECK(traffic->stored == 2);
  CHECK(traffic->peak == std::vector<int64_t>{2});
}

TEST_CASE("what is wrong with a schedule is noticed") {
  const Problem problem = twoReaders();
  CHECK(refused(problem, {{Kind::Run, 0}, {Kind::Run, 1}}) ==
        "at \"second\", 3 bytes are there of 2");
  CHECK(refused(problem, {{Kind::Drop, 0}, {Kind::Run, 0}}) ==
        "\"first\" reads \"x\", which is not there");
  CHECK(refused(problem, {{Kind::Drop, 0}, {Kind::Load, 0}}) ==
        "\"x\" is not to be loaded"); // never stored
  CHECK(refused(problem, {{Kind::Run, 0}, {Kind::Run, 0}}) ==
        "operation \"first\" is not to run again");
  CHECK(refused(problem, {{Kind::Run, 0}}) ==
        "operation \"second\" does not run");
  CHECK(refused(problem, {{Kind::Run, 0}, {Kind::Drop, 1}, {Kind::Run, 1}}) ==
        "\"z\" is not on the host at the end");
  Problem fixed = problem;
  fixed.tensors[0].isMovable = false;
  CHECK(refused(fixed, {{Kind::Store, 0}, {Kind::Drop, 0}}) ==
        "\"x\" may not leave the device");
}

TEST_CASE("a problem that is none is refused") {
  Problem problem = twoReaders();
  problem.operations[0].reads = {2};
  CHECK(search(problem).error().message ==
        "operation \"first\" reads tensor 2, which is not there");
  problem = twoReaders();
  problem.tensors[0].bytes = {-1};
  CHECK(search(problem).error().message == "\"x\" has -1 bytes");
  problem = twoReaders();
  problem.operations[1].writes = {1};
  CHECK(search(problem).error().message ==
        "operation \"second\" writes tensor 1, which is there already");
}

TEST_CASE("what runs again is counted, and only where it may") {
  Problem problem = twoReaders();
  problem.operations[0].again = 3;
  problem.operations.push_back({"third", {1}, {}});
  REQUIRE(validate(problem));
  // y leaves for z, and comes again.
  const Schedule schedule = {{Kind::Run, 0},   {Kind::Drop, 1}, {Kind::Run, 1},
                             {Kind::Store, 2}, {Kind::Drop, 2}, {Kind::Run, 0},
                             {Kind::Run, 2}};
  const auto traffic = replay(problem, schedule);
  REQUIRE(traffic);
  CHECK(traffic->again == 3);
  CHECK(traffic->moved() == 1);
  CHECK(traffic->total() == 4);
  CHECK(refused(problem, {{Kind::Run, 0}, {Kind::Run, 0}}) ==
        "operation \"first\" is not to run again"); // y is there
  CHECK(refused(problem, {{Kind::Run, 0}, {Kind::Drop, 1}, {Kind::Run, 7}}) ==
        "there is no operation 7");
  problem.moves = false;
  problem.tensors[2].toHost = false;
  CHECK(refused(problem, {{Kind::Store, 0}}) == "\"x\" is not to be stored");
}

TEST_CASE("what cannot run again is refused") {
  const auto refusedAs = [](auto change) {
    Problem problem = twoReaders();
    change(problem);
    const Status valid = validate(problem);
    return valid ? "" : valid.error().message;
  };
  CHECK(refusedAs([](Problem &p) { p.operations[0].again = -2; }) ==
        "operation \"first\" costs -2 bytes when it runs again");
  CHECK(refusedAs([](Problem &p) {
          p.operations[0].again = 1;
          p.operations[0].writes.clear();
          p.tensors[1].start = Start::Device;
        }) == "operation \"first\" runs again, and writes no tensor, several, "
              "or a next value");
  CHECK(refusedAs([](Problem &p) { p.moves = false; }) ==
        "nothing may move, and something is to be on the host");
}
