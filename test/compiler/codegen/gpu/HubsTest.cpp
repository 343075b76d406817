// Segments that are too long for one block, on an emulated GPU: their parts are
// computed by a launch before. With small sizes, so that hubs are short.
#include "compiler/codegen/gpu/Codegen.h"
#include "test/compiler/codegen/Trial.h"
#include "test/compiler/codegen/gpu/Device.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>

using namespace smex;
using namespace smex::codegen;

namespace {

/// Segments of 24 terms take a block, those of 48 have parts of 16.
GpuOptions smallSizes() {
  GpuOptions options;
  options.processor.segmentThreads = 128;
  options.processor.longSegment = 24;
  options.processor.hubSegment = 48;
  options.processor.partOfHub = 16;
  return options;
}

/// Terms of each vertex: hubs first, last, beside each other, of as many terms
/// as make one, and of one more than parts have.
const std::vector<int64_t> degrees = {100, 3, 0, 48, 47, 49, 64, 65, 23,
                                      24,  0, 0, 1,  48, 16, 17, 0,  97};
constexpr int64_t before = 5, behind = 9; // terms of no vertex

int64_t edges() {
  return std::accumulate(degrees.begin(), degrees.end(), before + behind);
}

/// The first term of each vertex, and behind the last.
Tensor rowsOf(DType type) {
  Tensor rows{{type, {int64_t(degrees.size()) + 1}}, {}};
  rows.bytes.resize(size_t(byteSize(type)) * (degrees.size() + 1));
  int64_t at = before;
  for (size_t v = 0; v <= degrees.size(); ++v) {
    if (type == DType::I64)
      rows.data<int64_t>()[v] = at;
    else
      rows.data<int32_t>()[v] = int32_t(at);
    at += v < degrees.size() ? degrees[v] : 0;
  }
  return rows;
}

Result<GpuCode> compiled(const std::string &text) {
  return compilePtx({{"k", lambdaOf(text)}}, smallSizes());
}

Buffer wholeOf(const Tensor &tensor) {
  return bufferOf(tensor, wholeBox(tensor.type.shape));
}

} // namespace

TEST_CASE("hubs are what the interpreter computes, however they are cut") {
  const int64_t vertices = int64_t(degrees.size());
  struct Case {
    std::string text;
    std::vector<int64_t> extents; // without the edges
    double tolerance;
  };
  const std::string where = " where row[v] <= e and e < row[v + 1])";
  const std::vector<Case> cases = {
      {"(x: f32[2], row: i64[1], key: i64[1]) -> f32: lambda v, f: Sum(lambda "
       "e: x[key[e], f]" +
           where,
       {vertices, 37},
       1e-5},
      {"(x: f64[1], row: i64[1]) -> f64: lambda v: Sum(lambda e: x[e]" + where,
       {vertices},
       1e-14},
      {"(x: f16[2], row: i64[1]) -> f16: lambda v, f: Sum(lambda e: x[e, f]" +
           where,
       {vertices, 3},
       1e-2},
      {"(x: bf16[2], row: i64[1]) -> bf16: lambda v, f: Max(lambda e: x[e, f]" +
           where,
       {vertices, 3},
       0},
      {"(x: i32[2], row: i64[1]) -> i32: lambda v, f: Sum(lambda e: x[e, f]" +
           where,
       {vertices, 33},
       0},
      {"(x: i64[2], row: i64[1]) -> i64: lambda v, f: Min(lambda e: x[e, f]" +
           where,
       {vertices, 2},
       0},
      {"(x: f32[1], row: i32[1]) -> f32: lambda v: Max(lambda e: x[e] where "
       "i64(row[v]) <= e and e < i64(row[v + 1]))",
       {vertices},
       0},
      {"(x: f32[1], row: i64[1]) -> f32: lambda v: Prod(lambda e: x[e]" + where,
       {vertices},
       1e-5},
      // Columns before the vertex and behind it.
      {"(x: f32[3], row: i64[1]) -> f32: lambda h, v, f: Sum(lambda e: x[e, h, "
       "f]" +
           where,
       {3, vertices, 25},
       1e-5},
  };
  Random random(5);
  for (const Case &c : cases) {
    INFO(c.text);
    const tdl::Lambda lambda = lambdaOf(c.text);
    const auto code = compiled(c.text);
    if (!code)
      FAIL(code.error().message);
    CHECK(code->launches[0].parts.size == 16);
    std::vector<Buffer> operands;
    for (const tdl::Operand &operand : lambda.operands) {
      if (operand.name == "row") {
        operands.push_back(wholeOf(rowsOf(operand.type)));
        continue;
      }
      std::vector<int64_t> shape = {edges()};
      for (size_t d = 0; d < c.extents.size() && operand.rank > 1; ++d)
        if (c.extents[d] != vertices)
          shape.push_back(c.extents[d]);
      const bool isFactor = lambda.reducer == tdl::Reducer::Prod;
      operands.push_back(wholeOf(
          operand.name == "key"
              ? randomTensor(random, {operand.type, shape}, 0, edges() - 1)
              : randomTensor(random, {operand.type, shape}, isFactor ? 1 : -9,
                             isFactor ? 1 : 9, isFloat(operand.type))));
    }
    std::vector<int64_t> extents = c.extents;
    extents.push_back(edges());
    Device device(code->ptx);
    // As many blocks as the launch says, one, and some.
    for (uint32_t blocks : {0u, 1u, 7u})
      checkWholeAndParts(lambda, extents, operands, c.tolerance, random,
                         [&](int number, const Box &indices, Buffer &result) {
                           device.run("k", code->launches[0], indices, result,
                                      operands, number == 0 ? 0 : blocks);
                         });
  }
}

TEST_CASE("segments that overlap, and go down, have the same bits") {
  const tdl::Lambda lambda = lambdaOf(
      "(x: f32[2], lo: i64[1], hi: i64[1]) -> f32: lambda v, f: Sum(lambda e: "
      "x[e, f] where lo[v] <= e and e < hi[v])");
  const auto code = compilePtx({{"k", lambda}}, smallSizes());
  if (!code)
    FAIL(code.error().message);
  constexpr int64_t features = 35, terms = 500;
  Random random(17);
  const Tensor x =
      randomTensor(random, {DType::F32, {terms, features}}, -9, 9, true);
  using Segments = std::vector<std::pair<int64_t, int64_t>>;
  const auto sums = [&](const Segments &segments) {
    const int64_t count = int64_t(segments.size());
    Tensor lo = randomTensor(random, {DType::I64, {count}}, 0, 0), hi = lo;
    for (size_t v = 0; v < segments.size(); ++v) {
      lo.data<int64_t>()[v] = segments[v].first;
      hi.data<int64_t>()[v] = segments[v].second;
    }
    const std::vector<Buffer> operands = {wholeOf(x), wholeOf(lo), wholeOf(hi)};
    Buffer result =
        emptyBuffer(DType::F32, {count, features}, wholeBox({count, features}));
    Device device(code->ptx);
    device.run("k", code->launches[0], wholeBox({count, features, terms}),
               result, operands, 0);
    return result.bytes;
  };
  const Segments ascending = {{0, 100}, {100, 160}, {160, 170}, {175, 400}};
  const std::vector<std::byte> want = sums(ascending);
  const auto rowOf = [&](const std::vector<std::byte> &all, size_t v) {
    const size_t row = features * sizeof(float);
    return std::vector<std::byte>(all.begin() + long(v * row),
                                  all.begin() + long((v + 1) * row));
  };
  // Descending, each twice, and beside others that begin in the same stretches.
  const Segments shuffled = {
      {175, 400}, {160, 170},         {0, 100},
      {0, 90},    {0, 100},           {175, 400},
      {3, 99},    {100, 160},         {176, 390},
      {175, 400}, {-1000, INT64_MAX}, {INT64_MAX, INT64_MIN},
      {400, 175}};
  const std::vector<std::byte> got = sums(shuffled);
  for (size_t v = 0; v < shuffled.size(); ++v)
    for (size_t w = 0; w < ascending.size(); ++w)
      if (shuffled[v] == ascending[w]) {
        INFO("segment " << shuffled[v].first << " .. " << shuffled[v].second);
        CHECK((rowOf(got, v) == rowOf(want, w)));
      }
  // All terms, in parts of 16.
  const std::vector<std::byte> all = sums({{0, terms}});
  CHECK((rowOf(got, 10) == rowOf(all, 0)));
}

TEST_CASE("a hub is shared by blocks") {
  const tdl::Lambda lambda = lambdaOf(
      "(x: f32[2], row: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
      "where row[v] <= e and e < row[v + 1])");
  const auto code = compilePtx({{"k", lambda}}, smallSizes());
  if (!code)
    FAIL(code.error().message);
  constexpr int64_t features = 4, terms = 3200;
  Random random(19);
  const Tensor x = randomTensor(random, {DType::F32, {terms, features}}, -9, 9);
  Tensor row = randomTensor(random, {DType::I64, {4}}, 0, 0);
  for (size_t v : {2, 3})
    row.data<int64_t>()[v] = terms;
  Buffer result =
      emptyBuffer(DType::F32, {3, features}, wholeBox({3, features}));
  Device device(code->ptx);
  // A thread adds 4 terms of a part, or combines 200 parts: one of a block that
  // had all to itself ran 8500 instructions.
  device.mostInstructions = 4000;
  device.run("k", code->launches[0], wholeBox({3, features, terms}), result,
             {wholeOf(x), wholeOf(row)}, 0);
  std::vector<float> want(3 * features);
  for (int64_t e = 0; e < terms; ++e)
    for (int64_t f = 0; f < features; ++f)
      want[size_t(features + f)] += x.data<float>()[e * features + f];
  CHECK(std::memcmp(result.bytes.data(), want.data(), result.bytes.size()) ==
        0);
}

TEST_CASE("parts cost nothing where there can be no hub") {
  const tdl::Lambda lambda = lambdaOf(
      "(x: f32[3], row: i64[1]) -> f32: lambda h, v, f: Sum(lambda e: x[e, h, "
      "f] where row[v] <= e and e < row[v + 1])");
  const plan::Launch launch = launchOf(chooseGpuSchedule(lambda), lambda);
  REQUIRE(launch.parts.along == 3);
  CHECK((launch.parts.columns == std::vector<int>{0, 2}));
  const auto blocks = [&](std::vector<int64_t> numbers) {
    return plan::blocksForParts(launch, numbers.data());
  };
  const auto bytes = [&](std::vector<int64_t> numbers) {
    return plan::partsBytes(launch, numbers.data());
  };
  CHECK(blocks({0, 2, 0, 100, 0, 40, 0, 32767}) == 0);
  CHECK(bytes({0, 2, 0, 100, 0, 40, 0, 32767}) == 0);
  // Two stretches of 16384, 80 columns.
  CHECK(blocks({0, 2, 0, 100, 0, 40, 7, 32775}) == 3 * 4);
  CHECK(bytes({0, 2, 0, 100, 0, 40, 7, 32775}) == 4 * 8 * 81);
  CHECK(blocks({0, 2, 0, 100, 0, 40, 0, 100000000}) == 3 * 512);
  constexpr int64_t large = int64_t(1) << 40;
  CHECK(blocks({0, large, 0, 1, 0, large, 0, large}) == INT32_MAX);
  CHECK(bytes({0, large, 0, 1, 0, large, 0, large}) == int64_t(1) << 60);
}
