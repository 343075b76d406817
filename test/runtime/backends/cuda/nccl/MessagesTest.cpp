#include "runtime/backends/cuda/nccl/Messages.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::nccl;
using plan::Opcode;
using runtime::ProgramBuilder;

namespace {

/// A tensor of 4 x 6, of which two workers have parts, and want all.
struct Whole {
  ProgramBuilder b{2};
  const Box all{{0, 4}, {0, 6}};
  const int x = b.tensor("x", {4, 6});
  int64_t staging = 192; // of the second one

  std::optional<Gather> gather(const Box &first, const Box &second,
                               CollectiveKind kind, Opcode op = Opcode::Fetch) {
    const int from = b.buffer(x, {first, second}, op == Opcode::Reduce),
              to = b.buffer(x, {all, all});
    // A worker's own piece may come first.
    const std::vector<Piece> pieces = {{0, first}, {1, second}},
                             others = {{1, second}, {0, first}};
    const int number = b.move("x", op, from, to, {pieces, others}, {});
    b.result.program.instructions[size_t(number)].collective =
        Collective{kind, 1};
    b.result.workers[0].stagingBytes = 192;
    b.result.workers[1].stagingBytes = staging;
    return gatherOf(b.result, 1, number);
  }
};

} // namespace

TEST_CASE("messages are listed by receivers, and empty ones left out") {
  ProgramBuilder b(2);
  const Box all{{0, 4}}, none{{0, 0}};
  const int x = b.tensor("x", {4}), from = b.buffer(x, {{{0, 3}}, {{3, 4}}}),
            to = b.buffer(x, {all, none});
  b.move("all", Opcode::Fetch, from, to,
         {{{0, {{0, 3}}}, {1, {{3, 3}}}, {1, {{3, 4}}}}, {}}, {});
  const auto messages = messagesOf(b.result, 0);
  REQUIRE(messages.size() == 2);
  CHECK((messages[0].from == 0 && messages[0].to == 0));
  CHECK((messages[1].from == 1 && messages[1].number == 2));
}

TEST_CASE("equal rows are gathered where they are wanted") {
  const auto gather = Whole().gather({{0, 2}, {0, 6}}, {{2, 4}, {0, 6}},
                                     CollectiveKind::AllGather);
  REQUIRE(gather);
  CHECK(gather->members == std::vector<int>{0, 1});
  CHECK(gather->bytes == 48);
  CHECK(gather->numbers == std::vector<size_t>{1, 0});
  CHECK(gather->isWanted);
}

TEST_CASE("equal columns are gathered, and then put together") {
  const auto gather = Whole().gather({{0, 4}, {0, 3}}, {{0, 4}, {3, 6}},
                                     CollectiveKind::AllGather);
  REQUIRE(gather);
  CHECK(gather->bytes == 48);
  CHECK_FALSE(gather->isWanted);
}

TEST_CASE("terms are gathered, and then combined") {
  Whole whole;
  const auto gather = whole.gather(whole.all, whole.all,
                                   CollectiveKind::AllReduce, Opcode::Reduce);
  REQUIRE(gather);
  CHECK(gather->bytes == 96);
  CHECK_FALSE(gather->isWanted);
}

TEST_CASE("terms are gathered in as many parts as their staging takes") {
  Whole whole;
  const auto partsIn = [&](int64_t staging) {
    whole.staging = staging;
    return whole
        .gather(whole.all, whole.all, CollectiveKind::AllReduce, Opcode::Reduce)
        .value()
        .parts;
  };
  CHECK(partsIn(192) == std::vector<Box>{whole.all});
  CHECK(partsIn(191) == std::vector<Box>{{{0, 2}, {0, 6}}, {{2, 4}, {0, 6}}});
  CHECK(partsIn(95).size() == 4);
  CHECK(partsIn(8).size() == 24);
  whole.staging = 7;
  CHECK_FALSE(whole.gather(whole.all, whole.all, CollectiveKind::AllReduce,
                           Opcode::Reduce));
}

TEST_CASE("what is put together where it has no room is no all-gather") {
  const Box left{{0, 4}, {0, 3}}, right{{0, 4}, {3, 6}};
  const Box top{{0, 2}, {0, 6}}, bottom{{2, 4}, {0, 6}};
  Whole whole;
  whole.staging = 96;
  CHECK(whole.gather(left, right, CollectiveKind::AllGather));
  whole.staging = 80;
  CHECK_FALSE(whole.gather(left, right, CollectiveKind::AllGather));
  CHECK(whole.gather(top, bottom, CollectiveKind::AllGather)); // in place
}

TEST_CASE("what no all-gather does") {
  CHECK_FALSE(Whole().gather({{0, 1}, {0, 6}}, {{1, 4}, {0, 6}},
                             CollectiveKind::AllGather)); // uneven
  CHECK_FALSE(Whole().gather({{0, 2}, {0, 6}}, {{2, 4}, {0, 6}},
                             CollectiveKind::AllToAll));
  CHECK_FALSE(Whole().gather({{2, 4}, {0, 6}}, {{0, 2}, {0, 0}},
                             CollectiveKind::AllGather));
}
