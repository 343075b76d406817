#include "dialects/support/Shares.h"
#include "test/dialects/support/RandomDivisions.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace smex;

TEST_CASE("shares follow the steps, most significant digit first") {
  const auto boxes =
      sharesOf({8, 6}, {Division::part(0), Division::part(1)}, {2, 2});
  REQUIRE(boxes.size() == 4);
  CHECK(boxes[0] == Box{{0, 4}, {0, 3}});
  CHECK(boxes[1] == Box{{0, 4}, {3, 6}});
  CHECK(boxes[2] == Box{{4, 8}, {0, 3}});
  CHECK(boxes[3] == Box{{4, 8}, {3, 6}});
  CHECK(digitsOf({2, 3}, 4) == std::vector<int64_t>{1, 1});
}

TEST_CASE("more workers than rows leave some with nothing") {
  const auto boxes =
      sharesOf({3}, {Division::part(0), Division::part(0)}, {2, 2});
  int64_t total = 0;
  for (const Box &box : boxes)
    total += volume(box);
  CHECK(total == 3);
  CHECK(std::any_of(boxes.begin(), boxes.end(), isEmpty));
}

TEST_CASE("what cannot be a division is named") {
  const auto message = [](const Divisions &divisions) {
    const Status status = validate(divisions, 2, {2, 3});
    return status ? std::string() : status.error().message;
  };
  const Division whole;
  CHECK(message({whole, Division::part(1)}) == "");
  CHECK(message({whole}) == "1 divisions for 2 steps");
  CHECK(message({whole, Division::part(2)}) == "step 2: no dimension 2");
  CHECK(message({Division::placed(2), whole}) == "step 1: no group 2 of 2");
  CHECK(message({Division::weighted(0, {1}), whole}) ==
        "step 1: 1 weights for 2 groups");
  CHECK(message({Division::weighted(0, {1, -1}), whole}) ==
        "step 1: a weight of -1");
  CHECK(message({Division::weighted(0, {0, 0}), whole}) ==
        "step 1: all weights are 0");
  CHECK(message({whole, Division::bounded(0, {{1, 2}})}) ==
        "step 2: bounds of 1 groups; there are 2");
  CHECK(message({whole, Division::bounded(0, {{1, 2}, {2, 1}})}) ==
        "step 2: bounds that are not 2 ascending numbers");
}

TEST_CASE("pieces cover what is wanted once for each term, from holders") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Draws random(seed);
    const std::vector<int64_t> shape = {1 + random.below(9),
                                        1 + random.below(9)};
    const Ways ways = seed % 2 ? Ways{2, 3} : Ways{3, 1, 2, 2};
    const Divisions divisions = randomDivisions(random, shape, ways);
    REQUIRE(validate(divisions, 2, ways));
    const std::vector<Box> held = sharesOf(shape, divisions, ways);
    int64_t terms = 1;
    for (size_t s = 0; s < ways.size(); ++s)
      terms *= divisions[s].isTerm() ? ways[s] : 1;
    for (int64_t worker = 0; worker < workersOf(ways); ++worker) {
      REQUIRE(held[size_t(worker)] == shareOf(shape, divisions, ways, worker));
      Box wanted;
      for (int64_t extent : shape) {
        const int64_t a = random.below(extent), b = random.below(extent + 1);
        wanted.push_back({std::min(a, b), std::max(a, b)});
      }
      std::vector<int> seen(size_t(shape[0] * shape[1]));
      int64_t own = 0;
      for (const Piece &piece :
           piecesOf(wanted, shape, divisions, ways, worker)) {
        REQUIRE(contains(held[size_t(piece.worker)], piece.box));
        own += piece.worker == worker ? volume(piece.box) : 0;
        for (int64_t i = piece.box[0].lo; i < piece.box[0].hi; ++i)
          for (int64_t j = piece.box[1].lo; j < piece.box[1].hi; ++j)
            ++seen[size_t(i * shape[1] + j)];
      }
      // Nothing that it has comes from another worker.
      const Box common = intersect(wanted, held[size_t(worker)]);
      REQUIRE(own == (isEmpty(common) ? 0 : volume(common)));
      for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j)
          REQUIRE(seen[size_t(i * shape[1] + j)] ==
                  (!isEmpty(wanted) && wanted[0].contains({i, i + 1}) &&
                           wanted[1].contains({j, j + 1})
                       ? int(terms)
                       : 0));
    }
  }
}

TEST_CASE("a copy comes from the same side, and the first part is the own") {
  // Step 1 copies, step 2 parts: worker 3 needs nobody of the other copy.
  const auto pieces = piecesOf(
      {{0, 4}}, {4}, {Division::whole(), Division::part(0)}, {2, 2}, 3);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0] == Piece{3, {{2, 4}}});
  CHECK(pieces[1] == Piece{2, {{0, 2}}});
}

TEST_CASE("a group: who differs in these steps only") {
  CHECK(groupOf({2, 3, 2}, 7, 0) == std::vector<int>{7});
  CHECK(groupOf({2, 3, 2}, 7, 1) == std::vector<int>{1, 7});
  CHECK(groupOf({2, 3, 2}, 7, 2) == std::vector<int>{7, 9, 11});
  CHECK(groupOf({2, 3, 2}, 7, 5) == std::vector<int>{0, 1, 6, 7});
  CHECK(differences({2, 3, 2}, 7, 7) == 0);
  CHECK(differences({2, 3, 2}, 7, 0) == 5);
  CHECK(differences({2, 3, 2}, 7, 8) == 6);
}

TEST_CASE("what is received, and over which steps: as the pieces say") {
  int withTerms = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Draws random(seed);
    // The last dimension is a reduction; in every third case it is the
    // tensor's, too.
    const std::vector<int64_t> extents = {1 + random.below(9),
                                          1 + random.below(9)};
    const size_t rank = seed % 3 ? 1 : 2;
    const Ways ways = seed % 2 ? Ways{2, 3} : Ways{3, 1, 2, 2};
    const Divisions divisions = randomDivisions(random, extents, ways);
    const std::vector<Box> held = sharesOf(extents, divisions, ways);
    std::vector<Box> own, wanted;
    for (const Box &box : held) {
      own.push_back(rank < 2 && box[1].empty() ? Box::absent(rank)
                                               : front(box, rank));
      wanted.emplace_back();
      for (size_t d = 0; d < rank; ++d) {
        const int64_t a = random.below(extents[d]),
                      b = random.below(extents[d] + 1);
        wanted.back().push_back({std::min(a, b), std::max(a, b)});
      }
    }
    StepSet crossed = 0;
    std::vector<int64_t> received(held.size());
    // From other groups of the first steps, for each number of these.
    std::vector<std::vector<int64_t>> crossing(ways.size() + 1, received);
    for (size_t w = 0; w < held.size(); ++w) {
      Interval last; // term
      for (const Piece &piece :
           termsOf(wanted[w], extents, divisions, ways, int64_t(w))) {
        REQUIRE(piece.box.size() == rank);
        REQUIRE(contains(own[size_t(piece.worker)], piece.box));
        crossed |= differences(ways, int64_t(w), piece.worker);
        received[w] += piece.worker == int(w) ? 0 : volume(piece.box);
        for (size_t steps = 0; steps <= ways.size(); ++steps)
          if (differences(ways, int64_t(w), piece.worker) &
              ((StepSet(1) << steps) - 1))
            crossing[steps][w] += volume(piece.box);
        if (rank < 2) {
          const Interval term = held[size_t(piece.worker)][1];
          REQUIRE(term.lo >= last.lo); // terms are in order
          withTerms += term.lo > last.lo;
          last = term;
        }
      }
    }
    REQUIRE(receivedOf(wanted, own, extents, divisions, ways) == received);
    for (size_t steps = 0; steps <= ways.size(); ++steps)
      REQUIRE(crossingOf(wanted, extents, divisions, ways, steps) ==
              crossing[steps]);
    REQUIRE(crossedSteps(wanted, extents, divisions, ways) == crossed);
  }
  CHECK(withTerms > 100);
}
