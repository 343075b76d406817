// GPU kernels against the reference interpreter: the PTX that a GPU's driver
// would translate, run instruction by instruction (test/emulated/ptx), which
// also watches every access to memory, and threads that race for it.
#include "compiler/codegen/gpu/Codegen.h"
#include "test/compiler/codegen/Trial.h"
#include "test/compiler/codegen/gpu/Device.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::codegen;

TEST_CASE("GPU kernels compute what the interpreter computes") {
  const std::vector<Case> all = allCases();
  const std::vector<KernelRequest> requests = requestsOf(all);
  const Result<GpuCode> code = compilePtx(requests);
  if (!code)
    FAIL(code.error().message);
  Device device(code->ptx);
  Random random(7);
  for (size_t k = 0; k < requests.size(); ++k) {
    const tdl::Lambda &lambda = requests[k].lambda;
    const plan::Launch &how = code->launches[k];
    INFO(requests[k].symbol << ": " << all[k].text);
    for (int number = 0; number < 3; ++number) {
      const Trial trial = drawTrial(all[k], lambda, random, number % 2);
      INFO("part " << toString(trial.part));
      // The buffer may be larger than the part: what is outside stays.
      Buffer result =
          emptyBuffer(lambda.result, trial.shape, wholeBox(trial.shape));
      device.run(requests[k].symbol, how, trial.part, result, trial.operands,
                 0);
      Tensor whole{{lambda.result, trial.shape}, result.bytes};
      const Buffer inside = bufferOf(whole, trial.outputs);
      CHECK(same({trial.want.type, inside.bytes}, trial.want));
      // Nor does the grid matter, to the bit.
      Buffer again = emptyBuffer(lambda.result, trial.shape, trial.outputs);
      device.run(requests[k].symbol, how, trial.part, again, trial.operands,
                 uint32_t(pick(random, 1, 3)));
      CHECK((again.bytes == inside.bytes));
    }
  }
}

namespace {

/// Large enough for whole blocks, several tiles, and what is left of them.
struct Large {
  const char *text;
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> operands;
};

const Large large[] = {
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
     {3, 5000},
     {{3, 5000}}},
    {"(x: f32[3]) -> f32: lambda j: Sum(lambda i, k: x[i, j, k])",
     {3, 70, 61},
     {{70, 3, 61}}},
    {"(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
     {45, 1100},
     {{1100, 45}}},
    {"(x: f16[2]) -> f16: lambda j: Sum(lambda i: exp(x[i, j]))",
     {33, 1100},
     {{1100, 33}}},
    {"(a: f32[3], b: f32[3]) -> f32: lambda n, i, j: Sum(lambda k: a[n, i, k] "
     "* b[n, k, j])",
     {2, 70, 67, 37},
     {{2, 70, 37}, {2, 37, 67}}},
    {"(a: f16[2], b: f16[2]) -> f16: lambda j, i: Sum(lambda k: a[i, k] * "
     "b[k, j])",
     {67, 9, 37},
     {{9, 37}, {37, 67}}},
    {"(x: f32[4], w: f32[4]) -> f32: lambda n, m, y, z: Sum(lambda c, k, l: "
     "(x[n, c, y * 2 + k - 1, z * 2 + l - 1] else f32(0)) * w[m, c, k, l])",
     {2, 5, 6, 7, 3, 3, 3},
     {{2, 3, 12, 14}, {5, 3, 3, 3}}},
    {"(x: f32[2], row: i64[1], key: i64[1]) -> f32: lambda v, f: Sum(lambda e: "
     "x[key[e], f] where row[v] <= e and e < row[v + 1])",
     {40, 37, 2500},
     {{40, 37}, {41}, {2500}}},
    {"(x: f32[1], row: i32[1]) -> f32: lambda v: Max(lambda e: x[e] where "
     "i64(row[v]) <= e and e < i64(row[v + 1]))",
     {40, 2500},
     {{2500}, {41}}},
    {"(x: f32[2], key: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
     "where key[e] == v)",
     {300, 40, 600},
     {{600, 40}, {600}}},
    {"(x: f32[1], key: i64[1]) -> f32: lambda v: Sum(lambda e: x[e] where "
     "key[e] == v)",
     {8300, 600},
     {{600}, {600}}},
    {"(x: f32[2]) -> f32: lambda i, j: exp(x[i, j]) * tanh(x[i, j])",
     {9, 203},
     {{9, 203}}},
    // Neighbours that are read at once, where they are aligned.
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j + 1])",
     {3, 5000},
     {{3, 5001}}},
    {"(x: f32[4], m: f32[1]) -> f32: lambda c: Sum(lambda n, y, z: (x[n, c, y, "
     "z] - m[c]) * x[n, c, y, z])",
     {3, 4, 36, 32},
     {{4, 3, 36, 32}, {3}}},
    {"(x: f16[2]) -> f32: lambda i: Sum(lambda j: f32(x[i, j]))",
     {70, 260},
     {{70, 260}}},
    {"(x: bf16[2], y: f32[2]) -> bf16: lambda i, j: bf16(f32(x[i, j]) * y[i, "
     "j])",
     {9, 203},
     {{9, 203}, {9, 203}}},
    // What coordinates guard: all neighbours are on one side of them, or not.
    {"(x: bf16[2], m: f32[1]) -> f32: lambda i, j: exp((f32(x[i, j]) * 2 if j "
     "<= i else -inf) - m[i])",
     {21, 24},
     {{21, 24}, {21}}},
    {"(x: f32[2], y: f32[2]) -> f32: lambda i, j: x[i, j] if j < 13 else y[i, "
     "j - 13]",
     {5, 37},
     {{5, 13}, {5, 24}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, j] if j == i else (x[i, j] + 1 if "
     "j < i or j >= 20 else 0)",
     {12, 24},
     {{12, 24}}},
    {"(x: bf16[2], g: f32[1]) -> bf16: lambda i, j: bf16((g[i] if g[i] == "
     "f32(j % 3) else f32(1)) + f32(x[i, j])) if j < 203 else bf16(0)",
     {9, 208},
     {{9, 208}, {9}}},
};

/// Segments of most lengths up to 40, but for two long ones.
void fillRows(Tensor &tensor, int64_t edges, Random &random) {
  int64_t offset = 0;
  for (int64_t v = 0; v < tensor.type.shape[0]; ++v) {
    if (tensor.type.dtype == DType::I64)
      tensor.data<int64_t>()[v] = offset;
    else
      tensor.data<int32_t>()[v] = int32_t(offset);
    offset += v == 3 ? 700 : v == 20 ? 513 : pick(random, 0, 40);
    offset = std::min(offset, edges);
  }
}

} // namespace

TEST_CASE("on a GPU, bits do not depend on how the result is cut") {
  std::vector<KernelRequest> requests;
  for (const Large &c : large)
    requests.push_back(
        {"k" + std::to_string(requests.size()), lambdaOf(c.text)});
  const Result<GpuCode> code = compilePtx(requests);
  if (!code)
    FAIL(code.error().message);
  Device device(code->ptx);
  Random random(11);
  for (size_t k = 0; k < requests.size(); ++k) {
    const Large &c = large[k];
    const tdl::Lambda &lambda = requests[k].lambda;
    INFO(c.text);
    std::vector<Buffer> operands;
    for (size_t i = 0; i < c.operands.size(); ++i) {
      const DType type = lambda.operands[i].type;
      Tensor tensor =
          randomTensor(random, {type, c.operands[i]}, isFloat(type) ? -2 : 0,
                       isFloat(type) ? 2 : 39, true);
      if (lambda.operands[i].name == "row")
        fillRows(tensor, c.extents.back(), random);
      operands.push_back(bufferOf(tensor, wholeBox(tensor.type.shape)));
    }
    checkWholeAndParts(
        lambda, c.extents, operands, lambda.result == DType::F16 ? 1e-3 : 1e-5,
        random, [&](int number, const Box &indices, Buffer &result) {
          // The part's grids: as the launch says, and one block.
          device.run(requests[k].symbol, code->launches[k], indices, result,
                     operands, number == 2 ? 1 : 0);
        });
  }
}

TEST_CASE("long segments that are neighbours are taken by different blocks") {
  const tdl::Lambda lambda = lambdaOf(
      "(x: f32[2], row: i64[1], key: i64[1]) -> f32: lambda v, f: Sum(lambda "
      "e: x[key[e], f] where row[v] <= e and e < row[v + 1])");
  const Result<GpuCode> code = compilePtx({{"k", lambda}});
  if (!code)
    FAIL(code.error().message);
  constexpr int64_t vertices = 600, features = 64, hubs = 20, edges = 14580;
  Random random(13);
  Tensor row = randomTensor(random, {DType::I64, {vertices + 1}}, 0, 0);
  for (int64_t v = 0; v < vertices; ++v) // by falling degree
    row.data<int64_t>()[v + 1] = row.data<int64_t>()[v] + (v < hubs ? 700 : 1);
  REQUIRE(row.data<int64_t>()[vertices] == edges);
  const Tensor x =
      randomTensor(random, {DType::F32, {vertices, features}}, -2, 2);
  const Tensor key =
      randomTensor(random, {DType::I64, {edges}}, 0, vertices - 1);
  std::vector<Buffer> operands;
  for (const Tensor *tensor :
       std::initializer_list<const Tensor *>{&x, &row, &key})
    operands.push_back(bufferOf(*tensor, wholeBox(tensor->type.shape)));
  const Box indices = wholeBox({vertices, features, edges});
  Buffer result = emptyBuffer(DType::F32, {vertices, features},
                              wholeBox({vertices, features}));
  Device device(code->ptx);
  // A thread has its part of 32 columns of one of them, and no more: a block
  // that took all had 40 times as many.
  device.mostInstructions = 5000;
  device.run("k", code->launches[0], indices, result, operands, 0);
  // Small integers: sums are exact.
  Tensor want = randomTensor(random, {DType::F32, {vertices, features}}, 0, 0);
  for (int64_t v = 0; v < vertices; ++v)
    for (int64_t e = row.data<int64_t>()[v]; e < row.data<int64_t>()[v + 1];
         ++e)
      for (int64_t f = 0; f < features; ++f)
        want.data<float>()[v * features + f] +=
            x.data<float>()[key.data<int64_t>()[e] * features + f];
  CHECK((result.bytes == want.bytes));
}

TEST_CASE("arguments in a GPU's memory") {
  std::string names, sum;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "x" + std::to_string(i);
    names += (i ? ", " : "") + name + ": i32[3]";
    sum += (i ? " + " : "") + name + "[i, j, k]";
  }
  const tdl::Lambda lambda =
      lambdaOf("(" + names + ") -> i32: lambda i, j, k: " + sum);
  const Result<GpuCode> code = compilePtx({{"k", lambda}});
  if (!code)
    FAIL(code.error().message);
  REQUIRE(code->launches[0].inMemory);
  Random random(3);
  const std::vector<int64_t> shape = {3, 4, 5};
  std::vector<Buffer> operands;
  std::vector<tdl::OperandView> views;
  for (int i = 0; i < 60; ++i)
    operands.push_back(bufferOf(
        randomTensor(random, {DType::I32, shape}, -9, 9), wholeBox(shape)));
  for (const Buffer &operand : operands)
    views.push_back({operand.shape, operand.box, operand.bytes.data()});
  Buffer result = emptyBuffer(DType::I32, shape, wholeBox(shape));
  Device device(code->ptx);
  device.run("k", code->launches[0], wholeBox(shape), result, operands, 0);
  const Result<Tensor> want = tdl::interpret(lambda, wholeBox(shape), views);
  REQUIRE(want);
  CHECK((result.bytes == want->bytes));
}
