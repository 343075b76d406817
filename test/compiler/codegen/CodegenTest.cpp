// What compileKernels promises besides right values: the same bytes each time,
// the same bits however a range is cut, time linear in the work, errors by
// name.
#include "test/compiler/codegen/Harness.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>
#include <cstring>

using namespace smex;
using namespace smex::codegen;

namespace {

KernelRequest request(const std::string &symbol, const std::string &text) {
  return {symbol, lambdaOf(text)};
}

double seconds(const std::function<void()> &run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

Buffer whole(const Tensor &tensor) {
  return bufferOf(tensor, wholeBox(tensor.type.shape));
}

} // namespace

// Where a processor has no bf16, LLVM makes calls of what it does with it.
TEST_CASE("bf16 is a matter of integers") {
  for (const char *text :
       {"(x: bf16[1], y: bf16[1]) -> bf16: lambda i: x[i] if i64(y[i]) == 3 "
        "else bf16(1.5)",
        "(x: bf16[2]) -> bf16: lambda i, j: x[j, i] * bf16(3)",
        "(x: bf16[2]) -> bf16: lambda i: Sum(lambda j: exp(x[i, j]))",
        "(x: bf16[1], k: i64[1]) -> bf16: lambda i: Max(lambda e: x[e] where "
        "k[e] == i)",
        "(x: f64[1]) -> bf16: lambda i: bf16(x[i])"}) {
    const auto made = kernelText(request("k", text));
    INFO(text << (made ? *made : made.error().message));
    REQUIRE(made);
    CHECK(made->find("bf16") == std::string::npos);
  }
}

TEST_CASE("bits do not depend on how the result is cut") {
  struct {
    const char *text;
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> operands;
  } const cases[] = {
      {"(x: f32[2]) -> f32: lambda i, j: exp(x[i, j]) * tanh(x[i, j]) + "
       "erf(x[i, j])",
       {7, 83},
       {{7, 83}}},
      {"(x: f32[2]) -> f32: lambda i, j: sin(x[i, j]) ** f32(2.5) + log(x[i, "
       "j])",
       {5, 61},
       {{5, 61}}},
      {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
       {23, 777},
       {{23, 777}}},
      {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: exp(x[i, j]))",
       {23, 777},
       {{23, 777}}},
      {"(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
       {1237, 37},
       {{37, 1237}}},
      {"(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * "
       "b[k, j])",
       {23, 45, 67},
       {{23, 67}, {67, 45}}},
      {"(x: f16[2]) -> f16: lambda i: Sum(lambda j: x[i, j] * x[i, j])",
       {23, 777},
       {{23, 777}}},
      {"(x: f32[2], w: f32[2]) -> f32: lambda y, z: Sum(lambda k, l: "
       "(x[y + k - 1, z + l - 1] else f32(0)) * w[k, l])",
       {29, 77, 3, 3},
       {{29, 77}, {3, 3}}},
      {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
       {300, 300},
       {{300}}},
      {"(x: f32[3], y: f32[3], s: i64[1]) -> f32: lambda e, h: Sum(lambda f: "
       "x[s[e], h, f] * y[e, h, f])",
       {29, 21, 8},
       {{3, 21, 8}, {29, 21, 8}, {29}}},
      {"(x: f32[3], y: f32[3], s: i64[1]) -> f32: lambda e, h: Sum(lambda f: "
       "x[s[e], h, f] * y[e, h, f])",
       {29, 21, 13},
       {{3, 21, 13}, {29, 21, 13}, {29}}},
      {"(x: f32[2], y: f32[2], s: i64[1]) -> f32: lambda e, h: "
       "exp(x[s[e], h] - y[s[e], h]) / y[e, h]",
       {29, 21},
       {{3, 21}, {29, 21}, {29}}},
      {"(x: f32[3], w: f32[2], s: i64[1], at: i64[1]) -> f32: lambda v, h, f: "
       "Sum(lambda e: x[s[e], h, f] * w[at[e], h])",
       {3, 9, 16, 31},
       {{3, 9, 16}, {3, 9}, {31}, {31}}},
      {"(x: f32[3], w: f32[2], s: i64[1], at: i64[1]) -> f32: lambda v, h, f: "
       "Sum(lambda e: x[s[e], h, f] * w[at[e], h])",
       {3, 19, 8, 31},
       {{3, 19, 8}, {3, 19}, {31}, {31}}},
  };
  std::vector<KernelRequest> requests;
  for (const auto &c : cases)
    requests.push_back(request("k" + std::to_string(requests.size()), c.text));
  const Loaded loaded(requests);
  Random random(5);
  for (size_t k = 0; k < requests.size(); ++k) {
    INFO(cases[k].text);
    const tdl::Lambda &lambda = requests[k].lambda;
    std::vector<Buffer> operands;
    for (size_t i = 0; i < cases[k].operands.size(); ++i)
      operands.push_back(whole(
          randomTensor(random, {lambda.operands[i].type, cases[k].operands[i]},
                       0, 2, true)));
    const std::vector<int64_t> shape(cases[k].extents.begin(),
                                     cases[k].extents.begin() + lambda.rank());
    Tensor reference = makeTensor({lambda.result, shape});
    Buffer all = emptyBuffer(lambda.result, shape, wholeBox(shape));
    call(loaded.function(requests[k].symbol), wholeBox(cases[k].extents), all,
         operands);
    reference.bytes = all.bytes;
    for (int trial = 0; trial < 40; ++trial) {
      Box part = wholeBox(cases[k].extents);
      for (int d = 0; d < lambda.rank(); ++d) {
        part[size_t(d)].lo = pick(random, 0, shape[size_t(d)] - 1);
        part[size_t(d)].hi =
            pick(random, part[size_t(d)].lo + 1, shape[size_t(d)]);
      }
      const Box outputs(part.begin(), part.begin() + lambda.rank());
      Buffer result = emptyBuffer(lambda.result, shape, outputs);
      call(loaded.function(requests[k].symbol), part, result, operands);
      CHECK((result.bytes == bufferOf(reference, outputs).bytes));
    }
  }
}

TEST_CASE("sums of reals are close to the reference") {
  const KernelRequest k = request("k", "(x: f32[2], y: f32[2]) -> f32: lambda "
                                       "i: Sum(lambda j: x[i, j] * y[i, j])");
  const Loaded loaded({k});
  Random random(6);
  const Tensor x = randomTensor(random, {DType::F32, {9, 5000}}, -1, 1, true);
  const Tensor y = randomTensor(random, {DType::F32, {9, 5000}}, -1, 1, true);
  const Result<Tensor> want = tdl::interpret(k.lambda, {9, 5000}, {&x, &y});
  REQUIRE(want);
  Buffer got = emptyBuffer(DType::F32, {9}, {{0, 9}});
  call(loaded.function("k"), {{0, 9}, {0, 5000}}, got, {whole(x), whole(y)});
  for (size_t i = 0; i < 9; ++i) {
    float value;
    std::memcpy(&value, &got.bytes[4 * i], 4);
    CHECK(std::fabs(value - want->data<float>()[i]) < 1e-4);
  }
}

TEST_CASE("a NaN survives Max and Min, in any lane") {
  const Loaded loaded({
      request("row", "(x: f32[2]) -> f32: lambda i: Max(lambda j: x[i, j])"),
      request("column", "(x: f32[2]) -> f32: lambda i: Min(lambda j: x[j, i])"),
  });
  for (int64_t at : {0, 1, 31, 32, 40, 69}) {
    Tensor x = makeTensor({DType::F32, {70, 70}});
    for (int i = 0; i < 70; ++i)
      x.data<float>()[i * 70 + (i + at) % 70] = NAN;
    for (const char *symbol : {"row", "column"}) {
      Buffer got = emptyBuffer(DType::F32, {70}, {{0, 70}});
      call(loaded.function(symbol), {{0, 70}, {0, 70}}, got, {whole(x)});
      for (size_t i = 0; i < 70; ++i) {
        float value;
        std::memcpy(&value, &got.bytes[4 * i], 4);
        CHECK(std::isnan(value));
      }
    }
  }
}

TEST_CASE("scatters, prefixes and rows take linear time") {
  const int64_t n = 200000;
  const Loaded loaded({
      request("scatter", "(x: f32[1], key: i64[1]) -> f32: lambda i: "
                         "Sum(lambda e: x[e] where key[e] == i)"),
      request("prefix",
              "(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)"),
      request("suffix",
              "(x: f32[1]) -> f32: lambda i: Max(lambda k: x[k] where i < k)"),
      request("rows",
              "(x: f32[1], row: i64[1]) -> f32: lambda v: Sum(lambda e: x[e] "
              "where row[v] <= e and e < row[v + 1])"),
      request("window",
              "(x: f32[1]) -> f32: lambda i: Max(lambda k: x[k] where "
              "i <= k + 3 and k <= i + 3)"),
      request("transposed",
              "(x: f32[1]) -> f32: lambda i: Sum(lambda o, k: x[o] "
              "where o * 2 + k - 1 == i)"),
  });
  Random random(7);
  Buffer x = whole(randomTensor(random, {DType::F32, {n}}, -4, 4));
  Tensor key = makeTensor({DType::I64, {n}}),
         row = makeTensor({DType::I64, {n + 1}});
  for (int64_t i = 0; i < n; ++i) {
    key.data<int64_t>()[i] = pick(random, -1, n);
    row.data<int64_t>()[i + 1] = i + 1;
  }
  Buffer result = emptyBuffer(DType::F32, {n}, {{0, n}});
  const Box square = {{0, n}, {0, n}};
  // Quadratic, each would take 10 seconds and more.
  CHECK(seconds([&] {
          call(loaded.function("scatter"), square, result, {x, whole(key)});
          call(loaded.function("prefix"), square, result, {x});
          call(loaded.function("suffix"), square, result, {x});
          call(loaded.function("rows"), square, result, {x, whole(row)});
          call(loaded.function("window"), square, result, {x});
          call(loaded.function("transposed"), {{0, n}, {0, n / 2}, {0, 3}},
               result, {x});
        }) < 1);
}

TEST_CASE("the same requests give the same bytes") {
  const std::vector<KernelRequest> requests = {
      request("a", "(x: f32[2]) -> f32: lambda i: Sum(lambda j: exp(x[i, j]))"),
      request("b", "(x: f32[1]) -> f32: lambda i: sin(x[i])"),
      request("c", "(x: f32[2]) -> f32: lambda i, j: x[j, i]"),
      request("d", "(x: f64[1]) -> f64: lambda i: cos(x[i])"),
  };
  const Result<std::string> first = compileKernels(requests);
  const Result<std::string> second = compileKernels(requests);
  REQUIRE(first);
  REQUIRE(second);
  CHECK((*first == *second));
  CodegenOptions other;
  other.cpuArch = "x86-64-v4";
  const Result<std::string> third = compileKernels(requests, other);
  REQUIRE(third);
  CHECK((*first != *third));
  for (int level : {0, 1, 3}) {
    CodegenOptions options;
    options.optLevel = level;
    CHECK(compileKernels(requests, options));
  }
  CHECK(compileKernels({}));
}

TEST_CASE("errors name the kernel or the option") {
  const KernelRequest good =
      request("good", "(x: f32[1]) -> f32: lambda i: x[i]");
  const auto fault = [](const Result<std::string> &result, const char *text) {
    REQUIRE(!result);
    CHECK_THAT(result.error().message, Catch::Contains(text));
    return result.error().fault;
  };
  CodegenOptions options;
  options.cpuArch = "pentium9";
  CHECK(fault(compileKernels({good}, options), "pentium9") == Fault::Usage);
  options.cpuArch = "x86-64-v2";
  CHECK(fault(compileKernels({good}, options), "x86-64-v3") == Fault::Usage);
  KernelRequest opaque = good;
  opaque.symbol = "top";
  opaque.lambda.operands = {{"x", DType::F32, 2}};
  opaque.lambda.outputs = {"i", "j"};
  opaque.lambda.body =
      tdl::opaque("topk_values", DType::F32, {3, 1},
                  {{0, {tdl::indexVar(0), nullptr}}}, {tdl::indexVar(1)});
  CHECK(fault(compileKernels({opaque}), "top") == Fault::Input);
  CHECK(fault(kernelText(opaque), "top") == Fault::Input);
  KernelRequest named = good;
  named.symbol = "no good";
  CHECK(fault(compileKernels({named}), "no good") == Fault::Defect);
  CHECK(fault(compileKernels({good, good}), "good") == Fault::Defect);
}

TEST_CASE("the text of a kernel shows its loops") {
  const auto text = [](const char *lambda) {
    const Result<std::string> result = kernelText(request("kernel", lambda));
    REQUIRE(result);
    return *result;
  };
  using Catch::Contains;
  // A map is one linalg.generic; its reads are inputs.
  const std::string map =
      text("(x: f32[2], b: f32[1]) -> f32: lambda i, j: exp(x[i, j] + b[j])");
  CHECK_THAT(map, Contains("linalg.generic"));
  CHECK_THAT(map, Contains("affine_map<(d0, d1) -> (d1)>"));
  CHECK_THAT(map, Contains("math.exp"));
  CHECK_THAT(map, !Contains("memref.load"));
  // The interior of a padded read has no condition.
  CHECK_THAT(text("(x: f32[1]) -> f32: lambda i: x[i - 1] else f32(0)"),
             !Contains("scf.if"));
  CHECK_THAT(text("(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] if i < 5 else "
                  "y[i - 5]"),
             !Contains("scf.if"));
  // Data decides: a condition.
  CHECK_THAT(
      text("(x: f32[1], k: i64[1]) -> f32: lambda i: x[k[i]] else f32(0)"),
      Contains("scf.if"));
  // A reshape has a loop along what lies together.
  CHECK_THAT(text("(x: f32[3]) -> f32: lambda i, j: x[j // 64, i, j % 64]"),
             !Contains("remui"));
  // A row that is cut at a label has no part that is rare.
  CHECK_THAT(text("(k: i64[1], x: f32[1], y: f32[2]) -> f32: lambda i, j: "
                  "(x[i] if k[i] - j == 0 else f32(0)) + exp(y[i, j])"),
             !Contains("vectorize"));
  // The gradient of an extremum looks at each window once, not at each element
  // of each window: the data's condition is solved.
  CHECK_THAT(
      text("(x: f32[1], y: i64[1]) -> f32: lambda i: Sum(lambda p: "
           "x[(i - p) // 2] where (i - p) % 2 == 0 and ((i - p) // 2 >= 0 and "
           "((i - p) // 2 < 9 and p == y[(i - p) // 2])))"),
      !Contains("cmpi eq"));
  // Rows of features are asked for ahead; not where a condition says whether
  // they are there.
  CHECK_THAT(text("(x: f32[2], row: i64[1], s: i64[1]) -> f32: lambda v, f: "
                  "Sum(lambda e: x[s[e], f] where row[v] <= e and "
                  "e < row[v + 1])"),
             Contains("memref.prefetch"));
  CHECK_THAT(text("(x: f32[2], k: i64[1], s: i64[1]) -> f32: lambda v, f: "
                  "Sum(lambda e: x[s[k[e]], f] where k[e] >= v)"),
             !Contains("memref.prefetch"));
  CHECK_THAT(text("(x: f32[2], y: f32[2], s: i64[1]) -> f32: lambda e, h: "
                  "Sum(lambda f: x[s[e], f] * y[h, f])"),
             Contains("memref.prefetch"));
  // Short rows are whole vectors.
  CHECK_THAT(text("(x: f32[2], s: i64[1]) -> f32: lambda e, h: "
                  "exp(x[s[e], h])"),
             Contains("width = 8"));
  // A tile of accumulators would hold the same sum over and over.
  CHECK_THAT(text("(x: f32[2], y: f32[2]) -> f32: lambda i, j: Sum(lambda k: "
                  "x[i, k] * y[i, k])"),
             !Contains("memref<1024xf32>"));
}

TEST_CASE("a map may overwrite what it reads at its own index") {
  const Loaded loaded({
      request("k", "(x: f32[2], b: f32[1]) -> f32: lambda i, j: x[i, j] * x[i, "
                   "j] + b[j]"),
      request("cut",
              "(x: f32[2]) -> f32: lambda i, j: x[i, j] if j < i else f32(3)"),
      request("edges", "(x: f32[2], a: f32[2], e: i64[1]) -> f32: lambda i, j: "
                       "x[i, j] * a[e[i], j]"),
  });
  Random random(8);
  for (const int64_t width : {57, 5})
    for (const std::string symbol : {"k", "cut", "edges"}) {
      INFO(symbol << " of " << width);
      std::vector<Buffer> operands = {
          whole(randomTensor(random, {DType::F32, {13, width}}, -4, 4))};
      if (symbol == "k")
        operands.push_back(
            whole(randomTensor(random, {DType::F32, {width}}, -4, 4)));
      if (symbol == "edges") {
        operands.push_back(
            whole(randomTensor(random, {DType::F32, {4, width}}, -4, 4)));
        operands.push_back(
            whole(randomTensor(random, {DType::I64, {13}}, 0, 3)));
      }
      Buffer apart =
          emptyBuffer(DType::F32, {13, width}, wholeBox({13, width}));
      call(loaded.function(symbol), apart.box, apart, operands);
      call(loaded.function(symbol), apart.box, operands[0], operands);
      CHECK((operands[0].bytes == apart.bytes));
    }
}

TEST_CASE("long sums have the same bits whether their rows follow each other "
          "or not") {
  const Loaded loaded({
      request("sum",
              "(x: f32[3]) -> f32: lambda c: Sum(lambda n, i: x[n, c, i])"),
      request("all",
              "(x: f32[3]) -> f32: lambda: Sum(lambda n, c, i: x[n, c, i])"),
      request(
          "exp",
          "(x: f32[3]) -> f32: lambda n: Sum(lambda c, i: exp(x[n, c, i]))"),
  });
  Random random(9);
  const std::vector<int64_t> shape = {5, 6, 49}, padded = {7, 8, 60};
  const Tensor x = randomTensor(random, {DType::F32, padded}, -1, 1, true);
  const Box part = wholeBox(shape);
  const std::vector<std::pair<const char *, Box>> kernels = {
      {"sum", {part[1], part[0], part[2]}}, {"all", part}, {"exp", part}};
  for (const auto &[symbol, indices] : kernels) {
    Box outputs = {indices[0]};
    if (symbol == std::string("all"))
      outputs = Box();
    std::vector<Buffer> results;
    for (const Box &box : {part, wholeBox(padded)}) {
      results.push_back(emptyBuffer(DType::F32, extents(outputs), outputs));
      call(loaded.function(symbol), indices, results.back(),
           {bufferOf(x, box)});
    }
    CHECK((results[0].bytes == results[1].bytes));
  }
}

TEST_CASE("an index that data gives never leads out of its operand") {
  // The last element instead: which one does not matter, memory does.
  const Loaded kernels({{"gather", lambdaOf("(x: f32[1], i: i64[1]) -> f32: "
                                            "lambda n: x[i[n]]")}});
  Tensor x = makeTensor({DType::F32, {4}}), i = makeTensor({DType::I64, {5}});
  for (int e = 0; e < 4; ++e)
    x.data<float>()[e] = float(10 + e);
  const int64_t indices[] = {2, int64_t(1) << 40, -1, INT64_MIN, INT64_MAX};
  std::memcpy(i.bytes.data(), indices, sizeof indices);
  Buffer result = emptyBuffer(DType::F32, {5}, {{0, 5}});
  call(kernels.function("gather"), {{0, 5}}, result,
       {bufferOf(x, {{0, 4}}), bufferOf(i, {{0, 5}})});
  float values[5];
  std::memcpy(values, result.bytes.data(), sizeof values);
  CHECK(values[0] == 12);
  for (int e = 1; e < 5; ++e)
    CHECK(values[e] == 13);
}
