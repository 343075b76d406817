#include "runtime/backends/cpu/Segments.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace smex;
using namespace smex::runtime;

static tdl::Lambda lambdaOf(const char *text) {
  auto lambda = tdl::parseLambda(text);
  INFO((lambda ? "" : lambda.error().message));
  REQUIRE(lambda);
  return std::move(*lambda);
}

TEST_CASE("a reduction over segments is told by its condition") {
  const auto found = segmentsOf(
      lambdaOf("(x: f32[2], p: i32[1], o: i32[1]) -> f32: lambda h, v: "
               "Sum(lambda k: x[k, h] where p[k] != 0 and (i64(o[v]) <= k and "
               "k < i64(o[v + 1])))"));
  REQUIRE(found);
  CHECK(found->variable == 1);
  CHECK(found->operand == 2);
  CHECK_FALSE(segmentsOf(lambdaOf(
      "(x: f32[1]) -> f32: lambda v: Sum(lambda k: x[k] where v <= k)")));
  CHECK_FALSE(segmentsOf(lambdaOf("(x: f32[1], d: i64[1]) -> f32: lambda v: "
                                  "Sum(lambda k: x[k] where d[k] == v)")));
  CHECK_FALSE(segmentsOf(lambdaOf("(x: f32[1]) -> f32: lambda v: x[v]")));
}

TEST_CASE("parts have about the same number of terms") {
  const unsigned seed = GENERATE(range(1u, 41u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const int64_t results = 1 + random() % 300, ways = 1 + random() % 12;
  const bool isShort = seed % 2;
  // The buffer holds a part of the offsets; a hub every so often.
  const int64_t first = random() % 5;
  std::vector<int64_t> offsets = {int64_t(random() % 100)};
  int64_t most = 0;
  for (int64_t v = 0; v < results; ++v) {
    const int64_t terms = random() % 50 ? random() % 8 : 500;
    most = std::max(most, terms);
    offsets.push_back(offsets.back() + terms);
  }
  std::vector<int32_t> narrow(offsets.begin(), offsets.end());
  BufferView view;
  view.data = isShort ? reinterpret_cast<std::byte *>(narrow.data())
                      : reinterpret_cast<std::byte *>(offsets.data());
  view.box = {{first, first + results + 1}};
  view.type = {isShort ? DType::I32 : DType::I64, {first + results + 7}};

  const auto parts = balancedParts(view, {first, first + results}, ways);
  REQUIRE(int64_t(parts.size()) == ways + 1);
  CHECK(parts.front() == first);
  CHECK(parts.back() == first + results);
  CHECK(std::is_sorted(parts.begin(), parts.end()));
  const int64_t all = offsets.back() - offsets.front();
  for (int64_t p = 0; p < ways; ++p) {
    const int64_t terms = offsets[size_t(parts[size_t(p) + 1] - first)] -
                          offsets[size_t(parts[size_t(p)] - first)];
    // A result counts as four terms, and is not divided.
    CHECK(terms <= (all + 4 * results) / ways + most + 8);
  }
}

TEST_CASE("offsets that are none still give parts of the results") {
  std::vector<int64_t> offsets = {1LL << 62, -5, 7, -(1LL << 62), 0, 3};
  BufferView view;
  view.data = reinterpret_cast<std::byte *>(offsets.data());
  view.box = {{0, 6}};
  view.type = {DType::I64, {6}};
  const auto parts = balancedParts(view, {0, 5}, 4);
  CHECK(parts.front() == 0);
  CHECK(parts.back() == 5);
  CHECK(std::is_sorted(parts.begin(), parts.end()));
}
