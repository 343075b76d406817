#include "runtime/backends/cuda/nccl/Messages.h"

#include "runtime/backends/cuda/nccl/Api.h"
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

/// Of terms of a tensor of 4 x 6, of which both workers have all, or what
/// `terms` says; what each wants.
struct Terms {
  ProgramBuilder b{2};
  DType type = DType::F32;
  std::string reducer = "Sum";
  int64_t staging = 192; // of the second one
  std::vector<Box> have = {wholeBox({4, 6}), wholeBox({4, 6})};
  /// The second worker adds up its own term alone.
  bool isOneMissing = false;

  std::optional<Sum> sum(const Box &first, const Box &second,
                         CollectiveKind kind) {
    const int x = b.tensor("x", {4, 6}, type);
    const int from = b.buffer(x, have, true), to = b.buffer(x, {first, second});
    std::vector<Piece> others = {{1, second}};
    if (!isOneMissing)
      others.push_back({0, second});
    const int number = b.move("x", Opcode::Reduce, from, to,
                              {{{0, first}, {1, first}}, others}, {});
    plan::Instruction &what = b.result.program.instructions[size_t(number)];
    what.collective = Collective{kind, 1};
    what.reducer = reducer;
    b.result.workers[0].stagingBytes = 192;
    b.result.workers[1].stagingBytes = staging;
    const auto made = sumOf(b.result, 1, number);
    // Every member comes to the same answer.
    const auto theirs = sumOf(b.result, 0, number);
    CHECK(bool(made) == bool(theirs));
    if (made)
      CHECK((made->members == theirs->members &&
             made->packed == theirs->packed &&
             made->elements == theirs->elements));
    return made;
  }
};

const Box all{{0, 4}, {0, 6}}, top{{0, 2}, {0, 6}}, bottom{{2, 4}, {0, 6}},
    left{{0, 4}, {0, 3}}, right{{0, 4}, {3, 6}};

} // namespace

TEST_CASE("a library adds up terms that all want the sum of") {
  const auto sum = Terms().sum(all, all, CollectiveKind::AllReduce);
  REQUIRE(sum);
  CHECK(sum->members == std::vector<int>{0, 1});
  CHECK_FALSE(sum->isScattered);
  CHECK(sum->elements == 24);
  CHECK(sum->type == typeFloat32);
  CHECK(sum->packed.empty());
}

TEST_CASE("a library adds up terms of which each wants a share") {
  const auto rows = Terms().sum(top, bottom, CollectiveKind::ReduceScatter);
  REQUIRE(rows);
  CHECK(rows->isScattered);
  CHECK(rows->elements == 12);
  CHECK(rows->packed.empty());
  const auto columns = Terms().sum(left, right, CollectiveKind::ReduceScatter);
  REQUIRE(columns);
  CHECK(columns->packed == std::vector<Box>{left, right});
  const auto turned = Terms().sum(bottom, top, CollectiveKind::ReduceScatter);
  REQUIRE(turned);
  CHECK(turned->packed == std::vector<Box>{bottom, top});
}

TEST_CASE("shares that are packed have room in each member's staging") {
  Terms terms;
  terms.staging = 95;
  CHECK_FALSE(terms.sum(left, right, CollectiveKind::ReduceScatter));
  CHECK(terms.sum(top, bottom, CollectiveKind::ReduceScatter)); // in place
}

TEST_CASE("what no library adds up as a plan does") {
  const auto of = [](DType type, const char *reducer) {
    Terms terms;
    terms.type = type;
    terms.reducer = reducer;
    return bool(terms.sum(all, all, CollectiveKind::AllReduce));
  };
  CHECK(of(DType::I32, "Sum"));
  CHECK(of(DType::F64, "Sum"));
  for (DType type : {DType::F16, DType::BF16, DType::I16, DType::Bool})
    CHECK_FALSE(of(type, "Sum"));
  for (const char *reducer : {"Max", "Min", "Prod"})
    CHECK_FALSE(of(DType::F32, reducer));
  CHECK_FALSE(Terms().sum({{0, 1}, {0, 6}}, {{1, 4}, {0, 6}},
                          CollectiveKind::ReduceScatter)); // uneven
  CHECK_FALSE(Terms().sum(all, all, CollectiveKind::Reduce));
  CHECK_FALSE(Terms().sum(top, top, CollectiveKind::AllReduce));
  Terms partial;
  partial.have = {top, all};
  CHECK_FALSE(partial.sum(top, top, CollectiveKind::AllReduce));
  Terms missing;
  missing.isOneMissing = true;
  CHECK_FALSE(missing.sum(all, all, CollectiveKind::AllReduce));
}

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
