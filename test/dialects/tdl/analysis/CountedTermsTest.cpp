#include "dialects/tdl/analysis/CountedTerms.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

#include <random>

using namespace smex;
using namespace smex::analysis;

namespace {

constexpr const char *kSumOfNeighbours =
    "(src: i32[1], x: f32[2], offsets: i32[1]) -> f32: lambda v, f: "
    "Sum(lambda k: x[i64(src[k]), f] where i64(offsets[v]) <= k and "
    "k < i64(offsets[v + 1]))";

std::shared_ptr<const KnownList> list(std::vector<int64_t> values) {
  const int64_t size = int64_t(values.size());
  return std::make_shared<const KnownList>(
      KnownList{{size}, std::move(values)});
}

} // namespace

TEST_CASE("terms that count, against trying each, on random graphs") {
  const unsigned seed = GENERATE(range(0u, 40u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto draw = [&](int64_t most) {
    return int64_t(random() % unsigned(most + 1));
  };
  const int64_t vertices = 1 + draw(8);
  std::vector<int64_t> offsets = {0};
  for (int64_t v = 0; v < vertices; ++v)
    offsets.push_back(offsets.back() + draw(5));
  const int64_t edges = offsets.back();
  const auto terms = CountedTerms::of(parse(kSumOfNeighbours),
                                      {{edges}, {vertices, 3}, {vertices + 1}},
                                      {nullptr, nullptr, list(offsets)});
  REQUIRE(terms);
  CHECK(terms->hasTerms() == std::vector<bool>{true, false, false});
  for (int trial = 0; trial < 40; ++trial) { // some of the same parts again
    const int64_t v = draw(vertices), k = draw(edges);
    const Box box = {
        {v, v + draw(vertices - v)}, {1, 3}, {k, k + draw(edges - k)}};
    int64_t counted = 0;
    for (int64_t at = box[0].lo; at < box[0].hi; ++at)
      for (int64_t e = box[2].lo; e < box[2].hi; ++e)
        counted += offsets[size_t(at)] <= e && e < offsets[size_t(at + 1)];
    const auto share = terms->share(box);
    REQUIRE(share.has_value() == !isEmpty(box));
    if (!share)
      continue;
    CHECK(share->ofPoints * double(box[0].size() * box[2].size()) ==
          Approx(double(counted)));
    CHECK(share->ofTerms * double(box[2].size()) == Approx(double(counted)));
  }
}

TEST_CASE("what no known list bounds is not counted") {
  const tdl::Lambda lambda = parse(kSumOfNeighbours);
  CHECK(readByGuard(lambda) == std::vector<bool>{false, false, true});
  CHECK_FALSE(CountedTerms::of(lambda, {{6}, {4, 8}, {5}},
                               {nullptr, nullptr, nullptr}));
  CHECK_FALSE(CountedTerms::of(lambda, {{6}, {4, 8}, {5}},
                               {list({3, 2, 0, 1, 2, 1}), nullptr, nullptr}));
  // Far more vertices than offsets: a file made by hand.
  const auto terms = CountedTerms::of(
      lambda, {{6}, {4, 8}, {5}}, {nullptr, nullptr, list({0, 2, 2, 3, 6})});
  REQUIRE(terms);
  CHECK_FALSE(terms->share({{0, int64_t(1) << 40}, {0, 8}, {0, 6}}));
}
