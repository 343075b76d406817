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
