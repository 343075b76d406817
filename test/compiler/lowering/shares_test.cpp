#include "compiler/lowering/Shares.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex;
using namespace smex::lowering;

TEST_CASE("shares follow the steps, most significant digit first") {
  const auto boxes = shares({8, 6}, {0, 1}, {2, 2});
  REQUIRE(boxes.size() == 4);
  CHECK(boxes[0] == Box{{0, 4}, {0, 3}});
  CHECK(boxes[1] == Box{{0, 4}, {3, 6}});
  CHECK(boxes[2] == Box{{4, 8}, {0, 3}});
  CHECK(boxes[3] == Box{{4, 8}, {3, 6}});
}

TEST_CASE("more workers than rows leave some with nothing") {
  const auto boxes = shares({3}, {0, 0}, {2, 2});
  int64_t total = 0;
  for (const Box &box : boxes)
    total += volume(box);
  CHECK(total == 3);
  CHECK(std::any_of(boxes.begin(), boxes.end(), isEmpty));
}

TEST_CASE("a gather covers what is wanted exactly once, its own part first") {
  std::mt19937 random(20240501);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::vector<int64_t> shape = {int64_t(1 + random() % 9),
                                        int64_t(1 + random() % 9)};
    const auto pick = [&] { return int64_t(random() % 3) - 1; };
    const std::vector<int64_t> ways = {2, 3};
    const auto held = shares(shape, {pick(), pick()}, ways);
    for (int worker = 0; worker < 6; ++worker) {
      Box wanted;
      for (int64_t extent : shape) {
        const int64_t a = random() % extent, b = random() % (extent + 1);
        wanted.push_back({std::min(a, b), std::max(a, b)});
      }
      std::vector<int> seen(shape[0] * shape[1]);
      int64_t own = 0;
      for (const Piece &piece : gather(wanted, worker, held)) {
        REQUIRE(contains(held[piece.worker], piece.box));
        own += piece.worker == worker ? volume(piece.box) : 0;
        for (int64_t i = piece.box[0].lo; i < piece.box[0].hi; ++i)
          for (int64_t j = piece.box[1].lo; j < piece.box[1].hi; ++j)
            ++seen[i * shape[1] + j];
      }
      CHECK(own == (isEmpty(intersect(wanted, held[worker]))
                        ? 0
                        : volume(intersect(wanted, held[worker]))));
      for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j)
          CHECK(seen[i * shape[1] + j] ==
                int(!isEmpty(wanted) && wanted[0].contains({i, i + 1}) &&
                    wanted[1].contains({j, j + 1})));
    }
  }
}

TEST_CASE("nobody holds it: no pieces") {
  CHECK(gather({{0, 4}}, 0, {Box{{0, 2}}, Box{{3, 4}}}).empty());
}

TEST_CASE("partial results are listed group by group, for every worker alike") {
  // Workers 0 and 1 computed the same share, 2 and 3 the other.
  const std::vector<Box> held(4, Box{{0, 4}});
  const std::vector<int> groups = {0, 0, 1, 1};
  const auto pieces = gatherPartials({{0, 4}}, 1, held, groups);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].worker == 1); // its own rather than worker 0's
  CHECK(pieces[1].worker == 2);
}
