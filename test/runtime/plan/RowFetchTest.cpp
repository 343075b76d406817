// Fetches that get rows: those that a graph's lists say, and no other.
#include "runtime/plan/CheckWeights.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/StoredLists.h"
#include "runtime/plan/Validate.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::plan;

namespace {

/// What the lists of neighbours() have there.
Result<std::vector<std::byte>> partOfList(int parameter, const Box &box) {
  const std::vector<int32_t> &list = neighbourLists()[size_t(parameter)];
  std::vector<std::byte> bytes(size_t(volume(box)) * 4);
  std::memcpy(bytes.data(), list.data() + box[0].lo, bytes.size());
  return bytes;
}

/// The plan saved, with its lists, and what is wrong with its rows.
std::string wrongRows(const Plan &plan) {
  const TemporaryFolder folder;
  const Status saved = save(plan, folder / "plan", partOfList);
  INFO((saved ? "" : saved.error().message));
  REQUIRE(saved);
  CHECK(isAsSchemasSay(folder / "plan"));
  const auto loaded = load(folder / "plan");
  INFO((loaded ? "" : loaded.error().message));
  REQUIRE(loaded);
  CHECK(loaded->partitioned.program.instructions[0].rows ==
        plan.partitioned.program.instructions[0].rows);
  return listed(checkRows(*loaded, folder / "plan"));
}

/// What validate() says of the plan with such rows.
std::string refused(std::vector<Runs> rows) {
  Plan plan = neighbours();
  plan.partitioned.program.instructions[0].rows = std::move(rows);
  const Status status = validate(plan);
  return status ? "" : status.error().message;
}

} // namespace

TEST_CASE("rows are saved, loaded, shown, counted, and the needed ones") {
  const Plan plan = neighbours();
  CHECK(plan.communicationBytes == (2 + 2) * 4 * 4);
  CHECK(received(plan.partitioned, 0) == std::vector<int64_t>{8, 8});
  CHECK(crossing(plan.partitioned, 0, 1) == std::vector<int64_t>{8, 8});
  CHECK(crossing(plan.partitioned, 0, 2) == std::vector<int64_t>{0, 0});
  CHECK(piecesOf(plan.partitioned, 0, 0) ==
        std::vector<Piece>{{0, {{0, 1}, {0, 4}}},
                           {1, {{3, 4}, {0, 4}}},
                           {1, {{5, 6}, {0, 4}}}});
  CHECK(piecesOf(plan.partitioned, 1, 0) ==
        std::vector<Piece>{{1, {{4, 6}, {0, 4}}}, {0, {{1, 3}, {0, 4}}}});
  CHECK_FALSE(collectiveOf(plan.partitioned, 0));
  CHECK(listed(check(plan)) == "");
  CHECK(wrongRows(plan) == "");
  CHECK_THAT(listing(plan.partitioned, 0),
             Catch::Contains("gpu1 [3:4, 0:4], gpu1 [5:6, 0:4]"));
  CHECK_THAT(inspect(plan), Catch::Contains("rows            1   64 B"));
}

TEST_CASE("a row that is read and not fetched is found, and one too many") {
  Plan plan = neighbours();
  Instruction &fetch = plan.partitioned.program.instructions[0];
  fetch.rows = {{{0, 1}, {3, 4}}, {{1, 3}, {4, 6}}};
  CHECK(wrongRows(plan) == "region: gpu0 instruction 0 (fetch, node \"sum\") "
                           "does not get row 5 of \"x\", which is read\n");
  fetch.rows = {{{0, 1}, {3, 4}, {5, 6}}, {{1, 6}}};
  CHECK(wrongRows(plan) == "region: gpu1 instruction 0 (fetch, node \"sum\") "
                           "gets row 3 of \"x\", which nobody reads\n");
}

TEST_CASE("of readers that share a buffer, each one's rows are needed") {
  // Another sum, of which the first worker has a vertex more.
  Plan plan = neighbours();
  Program &program = plan.partitioned.program;
  const Division halves = Division::bounded(0, {{4}});
  const auto region = [&](std::vector<int64_t> extents) {
    Region made;
    made.kind = Region::Kind::Divided;
    made.extents = std::move(extents);
    made.divisions = {halves};
    program.regions.push_back(made);
    return int(program.regions.size()) - 1;
  };
  BufferInfo result = program.buffers.back();
  result.tensor = int(program.tensors.size());
  result.region = region({6, 4});
  result.offsets = {384};
  program.tensors.push_back({"z", {DType::F32, {6, 4}}});
  program.buffers.push_back(result);
  Instruction sum = program.instructions[1];
  sum.to = int(program.buffers.size()) - 1;
  sum.indices = region({6, 4, 7});
  program.instructions.push_back(sum);
  program.outputs.push_back({"z", sum.to});
  for (Worker &worker : plan.partitioned.workers)
    worker.arenaBytes = 480;
  evaluate(program, *lambdasOf(program));
  layoutWeights(plan.partitioned);

  const auto &sources = neighbourLists()[0], &offsets = neighbourLists()[1];
  std::vector<Runs> needed;
  for (const Interval vertices : {Interval{0, 4}, Interval{3, 6}})
    needed.push_back(runsOf(
        std::vector<int64_t>(sources.begin() + offsets[size_t(vertices.lo)],
                             sources.begin() + offsets[size_t(vertices.hi)])));
  std::vector<Runs> &rows = program.instructions[0].rows;
  const std::vector<Runs> ofOne = rows;
  REQUIRE(needed[0] != ofOne[0]);
  rows = needed;
  CHECK(wrongRows(plan) == "");
  rows = ofOne;
  CHECK_THAT(wrongRows(plan), Catch::Contains("gpu0 instruction 0") &&
                                  Catch::Contains("which is read"));
  rows = needed;
  program.instructions.pop_back();
  program.outputs.pop_back();
  CHECK_THAT(wrongRows(plan), Catch::Contains("gpu0 instruction 0") &&
                                  Catch::Contains("which nobody reads"));
}

TEST_CASE("totals that count other rows are found") {
  Plan plan = neighbours();
  plan.communicationBytes += 16;
  CHECK_THAT(listed(check(plan)), Catch::Contains("communication_bytes"));
}

TEST_CASE("rows that are none are refused") {
  CHECK_THAT(refused({{{0, 1}}}),
             Catch::Contains("rows: of 1 workers, there are 2"));
  CHECK_THAT(refused({{{3, 4}, {0, 1}}, {}}), Catch::Contains("not in order"));
  CHECK_THAT(refused({{{0, 7}}, {}}),
             Catch::Contains("rows: 0:7 are not in the buffer written"));
  Plan plan = neighbours();
  plan.partitioned.program.instructions[1].rows = {{}, {}};
  CHECK_FALSE(validate(plan));
}

TEST_CASE("the unpartitioned program fetches no rows") {
  Plan plan = neighbours();
  plan.unpartitioned = plan.partitioned;
  plan.unpartitioned.workers.resize(1);
  plan.unpartitioned.program.instructions[0].rows = {{}};
  const Status status = validate(plan);
  REQUIRE_FALSE(status);
  INFO(status.error().message);
  CHECK_THAT(status.error().message,
             Catch::Contains("one worker has all rows already"));
}

TEST_CASE("a list in another buffer of its tensor proves nothing") {
  // What the sum reads is another constant that calls itself "sources", too.
  Plan plan = neighbours();
  Program &program = plan.partitioned.program;
  program.buffers.push_back(program.buffers[1]);
  program.buffers.back().offsets = {384};
  program.parameters.push_back(program.parameters[0]);
  program.parameters.back().name = "others";
  program.parameters.back().buffer = int(program.buffers.size()) - 1;
  for (Worker &worker : plan.partitioned.workers)
    worker.arenaBytes = 448;
  layoutWeights(plan.partitioned);
  const TemporaryFolder folder;
  REQUIRE(save(plan, folder / "plan", [](int parameter, const Box &box) {
    std::vector<int32_t> list = neighbourLists()[size_t(parameter % 2)];
    if (parameter == 2)
      std::fill(list.begin(), list.end(), 0); // all neighbours are vertex 0
    std::vector<std::byte> bytes(size_t(volume(box)) * 4);
    std::memcpy(bytes.data(), list.data() + box[0].lo, bytes.size());
    return Result<std::vector<std::byte>>(std::move(bytes));
  }));
  const auto loaded = load(folder / "plan");
  INFO((loaded ? "" : loaded.error().message));
  REQUIRE(loaded);
  CHECK(listed(checkRows(*loaded, folder / "plan")) == "");
  Plan wrong = *loaded;
  wrong.partitioned.program.instructions[1].operands[0] =
      wrong.partitioned.program.parameters[2].buffer;
  CHECK_THAT(listed(checkRows(wrong, folder / "plan")),
             Catch::Contains("gets row 3 of \"x\", which nobody reads"));
}

TEST_CASE("lists are read that are wanted, and of them guards read offsets") {
  const Plan plan = neighbours();
  const Program &program = plan.partitioned.program;
  const std::vector<bool> inGuards = tensorsInGuards(program);
  REQUIRE(inGuards.size() == program.tensors.size());
  for (size_t t = 0; t < inGuards.size(); ++t)
    CHECK(inGuards[t] == (program.tensors[t].name == "offsets"));
  const TemporaryFolder folder;
  REQUIRE(save(plan, folder / "plan", partOfList));
  for (const bool all : {false, true}) {
    const auto lists =
        storedLists(plan.partitioned, folder / "plan",
                    all ? std::vector<bool>(inGuards.size(), true) : inGuards);
    REQUIRE(lists);
    REQUIRE(lists->size() == program.buffers.size());
    for (size_t b = 0; b < lists->size(); ++b) {
      const auto of = std::find_if(
          program.parameters.begin(), program.parameters.end(),
          [&](const Parameter &each) { return each.buffer == int(b); });
      const auto &list = (*lists)[b];
      if (of == program.parameters.end() || !(all || of->name == "offsets")) {
        CHECK(list == nullptr);
        continue;
      }
      REQUIRE(list);
      const auto &values =
          neighbourLists()[size_t(of - program.parameters.begin())];
      CHECK(list->values == std::vector<int64_t>(values.begin(), values.end()));
    }
  }
}

TEST_CASE("moves in a circle end") {
  Plan plan = neighbours();
  Program &program = plan.partitioned.program;
  const int onHost = int(program.buffers.size());
  const int rows = program.instructions[0].to;
  program.buffers.push_back(program.buffers[size_t(rows)]);
  program.buffers.back().space = Space::Host;
  program.buffers.back().offsets = {0};
  Instruction move;
  move.node = "sum";
  for (const Opcode op : {Opcode::ToHost, Opcode::FromHost}) {
    move.op = op;
    move.from = op == Opcode::ToHost ? rows : onHost;
    move.to = op == Opcode::ToHost ? onHost : rows;
    program.instructions.push_back(move);
  }
  const TemporaryFolder folder;
  REQUIRE(save(neighbours(), folder / "plan", partOfList));
  CHECK(listed(checkRows(plan, folder / "plan")) == "");
}

TEST_CASE("rows in a file that are none are refused") {
  const TemporaryFolder folder;
  REQUIRE(save(neighbours(), folder / "plan", [](int, const Box &box) {
    return Result<std::vector<std::byte>>(
        std::vector<std::byte>(size_t(volume(box)) * 4));
  }));
  for (const Json &rows : {Json{{0, 1, 3}}, Json{{5, 6, 0, 1}},
                           Json{{0, 1, 1, 2}}, Json{{-1, 2}}, Json::array()}) {
    edit(folder / "plan", "gpu0.json", "/rows", rows);
    const auto loaded = load(folder / "plan");
    REQUIRE_FALSE(loaded);
    CHECK_THAT(loaded.error().message, Catch::Contains("gpu0.json"));
  }
}
