#include "dialects/tdl/analysis/RowReads.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

namespace {

using List = std::shared_ptr<const KnownList>;

List list(std::vector<int64_t> values) {
  const int64_t size = int64_t(values.size());
  return std::make_shared<const KnownList>(
      KnownList{{size}, std::move(values)});
}

// 0 <- 3, 5; 1 <- nobody; 2 <- 0; 3 <- 1, 2, 5
const List kSources = list({3, 5, 0, 1, 2, 5}),
           kOffsets = list({0, 2, 2, 3, 6});
constexpr const char *kSumOfNeighbours =
    "(src: i32[1], x: f32[2], offsets: i32[1]) -> f32: lambda v, f: "
    "Sum(lambda k: x[i64(src[k]), f] where i64(offsets[v]) <= k and "
    "k < i64(offsets[v + 1]))";

} // namespace

TEST_CASE("rows of neighbours, and where a vertex's edges are") {
  const auto reads = rowReads(parse(kSumOfNeighbours), {{6}, {6, 8}, {5}},
                              {kSources, nullptr, kOffsets});
  REQUIRE(reads[0]);
  REQUIRE(reads[1]);
  CHECK_FALSE(reads[2]); // offsets[v], offsets[v + 1]: an interval
  CHECK(reads[1]->variables() == std::vector<int>{0, 2});
  const auto of = [&](Interval v, Interval k) {
    return reads[1]->of({v, {0, 8}, k});
  };
  CHECK(of({0, 4}, {0, 6}) == Runs{{0, 4}, {5, 6}});
  CHECK(of({0, 2}, {0, 6}) == Runs{{3, 4}, {5, 6}});
  CHECK(of({1, 2}, {0, 6}).empty());
  CHECK(of({2, 4}, {0, 6}) == Runs{{0, 3}, {5, 6}});
  // A part of the terms only.
  CHECK(of({2, 4}, {0, 5}) == Runs{{0, 3}});
  CHECK(of({2, 2}, {0, 6}).empty());
  CHECK(reads[0]->of({{2, 4}, {0, 8}, {0, 6}}) == Runs{{2, 6}});
  CHECK(reads[0]->of({{0, 3}, {0, 8}, {0, 6}}) == Runs{{0, 3}});
}

TEST_CASE("without the lists, nothing is known of rows") {
  const tdl::Lambda lambda = parse(kSumOfNeighbours);
  const auto without = [&](KnownLists lists) {
    return rowReads(lambda, {{6}, {6, 8}, {5}}, lists);
  };
  CHECK_FALSE(without({nullptr, nullptr, nullptr})[1]);
  CHECK_FALSE(without({nullptr, nullptr, kOffsets})[1]);
  CHECK(without({nullptr, nullptr, kOffsets})[0]);
  // Of all terms, where it is not known which results have them.
  const auto all = without({kSources, nullptr, nullptr});
  REQUIRE(all[1]);
  CHECK(all[1]->of({{1, 2}, {0, 8}, {0, 6}}) == Runs{{0, 4}, {5, 6}});
}

TEST_CASE("values are what their types hold, and small files bound the work") {
  const auto wrapped = rowReads(
      parse("(src: i64[1], x: f32[2]) -> f32: lambda e, f: "
            "x[i64(i32(src[e])) + i64(i32(4611686018427387904) * i32(2)), f]"),
      {{2}, {6, 8}}, {list({(int64_t(1) << 32) + 3, 5}), nullptr});
  REQUIRE(wrapped[1]);
  CHECK(wrapped[1]->of({{0, 2}, {0, 8}}) == Runs{{3, 4}, {5, 6}});

  // 2^40 terms for six elements.
  const int64_t many = int64_t(1) << 40;
  const auto large =
      rowReads(parse("(src: i64[1], x: f32[2]) -> f32: lambda f: Sum(lambda e: "
                     "x[src[e], f])"),
               {{6}, {many, 8}}, {kSources, nullptr});
  REQUIRE(large[1]);
  CHECK(large[1]->of({{0, 8}, {0, many}}) == Runs{{0, many}});
  CHECK(large[1]->of({{0, 8}, {1, 4}}) == Runs{{0, 2}, {5, 6}});
}

TEST_CASE("a row per edge, through one list or two") {
  const auto one = rowReads(
      parse("(src: i64[1], x: f32[2]) -> f32: lambda e, f: x[src[e], f]"),
      {{6}, {6, 8}}, {kSources, nullptr});
  REQUIRE(one[1]);
  CHECK_FALSE(one[0]);
  CHECK(one[1]->of({{1, 4}, {0, 8}}) == Runs{{0, 2}, {5, 6}});
  CHECK(one[1]->variables() == std::vector<int>{0});
  const auto two =
      rowReads(parse("(order: i64[1], src: i64[1], x: f32[1]) -> f32: "
                     "lambda e: x[src[order[e]]]"),
               {{6}, {6}, {6}}, {list({5, 4, 3, 2, 1, 0}), kSources, nullptr});
  REQUIRE(two[1]);
  REQUIRE(two[2]);
  CHECK(two[1]->of({{0, 2}}) == Runs{{4, 6}});
  CHECK(two[2]->of({{0, 2}}) == Runs{{2, 3}, {5, 6}});
}

TEST_CASE("several reads of one operand, and what is out of range") {
  const auto both = rowReads(parse("(src: i64[1], x: f32[1]) -> f32: "
                                   "lambda e: x[src[e]] - x[e]"),
                             {{6}, {6}}, {kSources, nullptr});
  REQUIRE(both[1]);
  CHECK(both[1]->of({{0, 2}}) == Runs{{0, 2}, {3, 4}, {5, 6}});
  const auto otherwise = rowReads(parse("(src: i64[1], x: f32[1]) -> f32: "
                                        "lambda e: (x[src[e] - 1] else 0)"),
                                  {{6}, {6}}, {kSources, nullptr});
  REQUIRE(otherwise[1]);
  CHECK(otherwise[1]->of({{2, 4}}) == Runs{{0, 1}});
  // Floats that choose a row are no list.
  CHECK_FALSE(rowReads(parse("(src: i64[1], x: f32[1]) -> f32: "
                             "lambda e: x[i64(x[e]) + src[e]]"),
                       {{6}, {6}}, {kSources, nullptr})[1]);
}

TEST_CASE("neighbours of many vertices are read as those of few are") {
  // A bit for each row, and numbers alone where a file says that there are
  // very many rows.
  for (const int64_t rows : {int64_t(6), int64_t(1) << 40}) {
    const auto reads = rowReads(parse(kSumOfNeighbours), {{6}, {rows, 8}, {5}},
                                {kSources, nullptr, kOffsets});
    REQUIRE(reads[1]);
    CHECK(reads[1]->of({{2, 4}, {0, 8}, {0, 6}}) == Runs{{0, 3}, {5, 6}});
    CHECK(reads[1]->of({{0, 4}, {0, 8}, {0, 6}}) == Runs{{0, 4}, {5, 6}});
  }
  // Terms beyond the list read its last element, as kernels do.
  const auto beyond = rowReads(parse(kSumOfNeighbours), {{6}, {6, 8}, {5}},
                               {kSources, nullptr, list({0, 2, 2, 5, 9})});
  CHECK(beyond[1]->of({{3, 4}, {0, 8}, {0, 9}}) == Runs{{5, 6}});
  CHECK(beyond[1]->of({{2, 3}, {0, 8}, {0, 9}}) == Runs{{0, 3}});
  CHECK(beyond[0]->of({{3, 4}, {0, 8}, {0, 9}}) == Runs{{5, 6}});
  CHECK(beyond[0]->of({{2, 4}, {0, 8}, {0, 9}}) == Runs{{2, 6}});
  CHECK(beyond[0]->of({{3, 4}, {0, 8}, {7, 9}}) == Runs{{5, 6}});
  const auto missed =
      rowReads(parse("(src: f32[1], offsets: i32[1]) -> f32: lambda v: "
                     "Sum(lambda k: (src[k] else 0) where i64(offsets[v]) <= k "
                     "and k < i64(offsets[v + 1]))"),
               {{6}, {5}}, {nullptr, list({0, 2, 2, 5, 9})});
  REQUIRE(missed[0]);
  CHECK(missed[0]->of({{3, 4}, {0, 9}}) == Runs{{5, 6}});
  CHECK(missed[0]->of({{3, 4}, {7, 9}}).empty());
  // Only casts that keep a value may be left out.
  const auto wrapped = rowReads(
      parse("(src: i64[1], x: f32[2], offsets: i32[1]) -> f32: lambda v, f: "
            "Sum(lambda k: x[i64(i32(src[k])), f] where i64(offsets[v]) <= k "
            "and k < i64(offsets[v + 1]))"),
      {{2}, {6, 8}, {2}},
      {list({(int64_t(1) << 32) + 3, 1}), nullptr, list({0, 2})});
  REQUIRE(wrapped[1]);
  CHECK(wrapped[1]->of({{0, 1}, {0, 8}, {0, 2}}) == Runs{{1, 2}, {3, 4}});
}
