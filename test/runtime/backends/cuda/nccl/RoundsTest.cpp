// The rounds of fetches and reductions that are drawn at random, with little
// staging: element by element, each comes once, with all of its terms in their
// order; and what is in one round lies apart, within the staging.
#include "runtime/backends/cuda/nccl/Rounds.h"
#include "test/runtime/backends/cuda/nccl/RandomExchange.h"

#include <catch2/catch.hpp>

#include <map>

using namespace smex;
using namespace smex::nccl;
using Catch::Matchers::Contains;
using plan::Opcode;
using runtime::ProgramBuilder;
using test::elementsOf;
using test::holds;

namespace {

using Coordinates = std::vector<int64_t>;

/// By looking at every element's place.
bool isRun(const Box &whole, const Box &part) {
  const auto all = elementsOf(whole), some = elementsOf(part);
  const auto first = std::find(all.begin(), all.end(), some.front());
  return size_t(all.end() - first) >= some.size() &&
         std::equal(some.begin(), some.end(), first);
}

/// What the rounds of instruction 0 have to be, however much staging there is.
class Expected {
public:
  explicit Expected(const plan::Partitioned &partitioned)
      : partitioned(partitioned), what(partitioned.program.instructions[0]) {}

  void require(const std::vector<Round> &rounds) {
    for (const Round &round : rounds) {
      taken.assign(partitioned.workers.size(), {});
      std::vector<int> parts(partitioned.workers.size());
      for (const Unit &unit : round) {
        requireUnit(unit);
        shared += ++parts[size_t(unit.to)] == 2 && isReduction();
      }
    }
    for (size_t w = 0; w < what.pieces.size(); ++w) {
      if (isReduction())
        for (const Coordinates &at : elementsOf(boxOf(int(w), what.to)))
          REQUIRE(seen[{int(w), at}] == 1);
      for (const Piece &piece : what.pieces[w])
        for (const Coordinates &at : elementsOf(piece.box))
          REQUIRE(seen[{int(w), at}] == 1);
    }
  }

  /// Rounds with several parts of one worker's result.
  int shared = 0;

private:
  bool isReduction() const { return what.op == Opcode::Reduce; }
  const Box &boxOf(int worker, int buffer) const {
    return partitioned.box(worker, buffer);
  }

  void requireUnit(const Unit &unit) {
    const auto &pieces = what.pieces[size_t(unit.to)];
    REQUIRE(isRun(isReduction() ? boxOf(unit.to, what.to)
                                : pieces.at(unit.messages.at(0).number).box,
                  unit.box));
    for (const Coordinates &at : elementsOf(unit.box)) {
      ++seen[{unit.to, at}];
      std::vector<size_t> terms, expected;
      for (const StagedMessage &message : unit.messages)
        if (holds(message.box, at))
          terms.push_back(message.number);
      for (size_t p = 0; p < pieces.size(); ++p)
        if (holds(pieces[p].box, at))
          expected.push_back(p);
      REQUIRE(terms == expected);
    }
    for (const StagedMessage &message : unit.messages) {
      REQUIRE(message.to == unit.to);
      REQUIRE(message.from == pieces[message.number].worker);
      const bool crosses = message.from != message.to;
      const bool isPacked =
          crosses && !isRun(boxOf(message.from, what.from), message.box);
      const bool isBrought =
          crosses &&
          (isReduction() || !isRun(boxOf(message.to, what.to), message.box));
      REQUIRE(message.packedAt.has_value() == isPacked);
      REQUIRE(message.broughtAt.has_value() == isBrought);
      const int64_t bytes = volume(message.box) * 4;
      if (isPacked)
        take(message.from, *message.packedAt, bytes);
      if (isBrought)
        take(message.to, *message.broughtAt, bytes);
    }
  }

  /// Nobody else in the round has these bytes of the worker's staging.
  void take(int worker, int64_t begin, int64_t bytes) {
    REQUIRE(begin % plan::stagingAlignment == 0);
    REQUIRE(begin >= 0);
    REQUIRE(begin + bytes <= partitioned.workers[size_t(worker)].stagingBytes);
    for (const Interval &other : taken[size_t(worker)])
      REQUIRE((begin + bytes <= other.lo || other.hi <= begin));
    taken[size_t(worker)].push_back({begin, begin + bytes});
  }

  const plan::Partitioned &partitioned;
  const plan::Instruction &what;
  std::map<std::pair<int, Coordinates>, int> seen;
  std::vector<std::vector<Interval>> taken; // in the round, per worker
};

} // namespace

TEST_CASE("rounds of random fetches and reductions, with little staging") {
  int several = 0, shared = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    test::RandomExchange drawn(seed);
    drawn.add(/*disjoint=*/false);
    plan::Partitioned &partitioned = drawn.partitioned();
    const int64_t enough = plan::stagingAlignment * (drawn.workers - 1);
    bool isEnough = true;
    for (plan::Worker &worker : partitioned.workers) {
      worker.stagingBytes = drawn.draw(0, 9) ? drawn.draw(enough, 4 * enough)
                                             : drawn.draw(0, enough);
      isEnough &= worker.stagingBytes >= enough;
    }
    const auto rounds = roundsOf(partitioned, 0);
    if (!rounds) {
      REQUIRE_FALSE(isEnough);
      ++refused;
      continue;
    }
    Expected expected(partitioned);
    expected.require(*rounds);
    several += rounds->size() > 1;
    shared += expected.shared;
    for (plan::Worker &worker : partitioned.workers)
      worker.stagingBytes = 1 << 20;
    REQUIRE(roundsOf(partitioned, 0)->size() <= 1);
  }
  CHECK(several > 300);
  CHECK(shared > 5);
  CHECK(refused > 30);
}

TEST_CASE("parts of one result that share a round have staging of their own") {
  // Worker 1's terms are rows of a wider buffer. It has no room to pack more
  // than one row, and a row it need not pack: all four parts go at once.
  ProgramBuilder b(2);
  const int x = b.tensor("x", {4, 8});
  const Box result{{0, 4}, {0, 4}}, none = Box::absent(2);
  const int from = b.buffer(x, {none, wholeBox({4, 8})}, true),
            to = b.buffer(x, {result, none});
  b.move("x", Opcode::Reduce, from, to, {{{1, result}}, {}}, {});
  b.result.workers[0].stagingBytes = 64;
  b.result.workers[1].stagingBytes = 16;
  const auto rounds = roundsOf(b.result, 0);
  REQUIRE(rounds);
  REQUIRE(rounds->size() == 1);
  REQUIRE(rounds->front().size() == 4);
  std::vector<int64_t> begins;
  for (const Unit &unit : rounds->front())
    begins.push_back(unit.messages.at(0).broughtAt.value());
  CHECK(begins == std::vector<int64_t>{0, 16, 32, 48});
}

TEST_CASE("workers take turns, so that rounds are full") {
  // Each of four workers wants a column of all others: half of it fits.
  ProgramBuilder b(4);
  const int x = b.tensor("x", {4, 32});
  std::vector<Box> rows, columns;
  std::vector<std::vector<Piece>> pieces(4);
  for (int64_t w = 0; w < 4; ++w) {
    rows.push_back({{w, w + 1}, {0, 32}});
    columns.push_back({{0, 4}, {8 * w, 8 * w + 8}});
    for (int64_t o = 0; o < 4; ++o)
      pieces[size_t(w)].push_back({int(o), {{o, o + 1}, {8 * w, 8 * w + 8}}});
  }
  b.move("x", Opcode::Reduce, b.buffer(x, rows, true), b.buffer(x, columns),
         pieces, {});
  for (plan::Worker &worker : b.result.workers)
    worker.stagingBytes = 64;
  const auto rounds = roundsOf(b.result, 0);
  REQUIRE(rounds);
  CHECK(rounds->size() == 2);
}

TEST_CASE("too little staging for a single element") {
  ProgramBuilder b(3);
  const int x = b.tensor("x", {2});
  const Box all{{0, 2}}, none = Box::absent(1);
  b.move("x", Opcode::Reduce, b.buffer(x, {all, all, all}, true),
         b.buffer(x, {all, none, none}),
         {{{0, all}, {1, all}, {2, all}}, {}, {}}, {});
  b.result.workers[0].stagingBytes = 16;
  const auto rounds = roundsOf(b.result, 0);
  REQUIRE_FALSE(rounds);
  CHECK_THAT(rounds.error().message,
             Contains("GPU 0 of the plan keeps 16 bytes of staging") &&
                 Contains("takes 32"));
  b.result.workers[0].stagingBytes = 32;
  CHECK(roundsOf(b.result, 0));
}
