// Opaque functions on GPUs have the interpreter's bits, ties, NaN and zeros of
// both signs included, whatever the grid and whichever part is computed.
#include "compiler/codegen/gpu/Codegen.h"
#include "test/compiler/codegen/Trial.h"
#include "test/compiler/codegen/gpu/Device.h"
#include "test/compiler/codegen/gpu/Ptxas.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace smex;
using namespace smex::codegen;

namespace {

struct Call {
  std::string text;
  std::vector<int64_t> result, operand; // shapes
  std::vector<int64_t> other = {};      // of a second operand
};

std::vector<Call> calls() {
  std::vector<Call> list;
  const auto top = [&](const std::string &function, const std::string &type,
                       int64_t rows, int64_t n, int64_t k, bool largest) {
    const std::string result = function == "topk_indices" ? "i64" : type;
    list.push_back({"(x: " + type + "[2]) -> " + result + ": lambda i, j: @" +
                        function + "(x[i, :], " + std::to_string(k) +
                        (largest ? ", 1" : ", 0") + ")[j]",
                    {rows, k},
                    {rows, n}});
  };
  for (const char *type :
       {"f32", "f64", "f16", "bf16", "i64", "i32", "i8", "u8", "u64", "bool"})
    for (const bool largest : {true, false}) {
      top("topk_values", type, 5, 37, 4, largest);
      top("topk_indices", type, 5, 37, 37, largest);
    }
  top("topk_indices", "f32", 70, 8, 2, true); // a gate of experts
  top("topk_values", "f32", 1, 1500, 3, true);
  top("topk_values", "f32", 1, 1, 1, true);
  list.push_back({"(x: f32[3]) -> f32: lambda j, i, l: @topk_values(x[i, :, l "
                  "+ 1], 3, 1)[j]",
                  {3, 4, 5},
                  {4, 9, 6}});
  list.push_back({"(x: f32[2]) -> i64: lambda i: @topk_indices(x[:, i], 3, "
                  "1)[2]",
                  {6},
                  {9, 6}});
  list.push_back({"(x: i32[1]) -> i64: lambda i: @topk_indices(x[:], 20, 0)[i]",
                  {20},
                  {20}});
  for (const char *type : {"f32", "bf16", "i64", "bool"}) {
    list.push_back({"(x: " + std::string(type) +
                        "[1]) -> i64: lambda i: @nonzero_places(x[:])[i]",
                    {700},
                    {700}});
    list.push_back({"(x: " + std::string(type) +
                        "[2]) -> i64: lambda i, j: @nonzero_places(x[j, "
                        ":])[i]",
                    {30, 4},
                    {4, 30}});
  }
  const std::vector<std::string> widths[] = {{"i8", "u8", "bool"},
                                             {"i16", "u16", "f16", "bf16"},
                                             {"i32", "u32", "f32"},
                                             {"i64", "u64", "f64"}};
  for (const std::vector<std::string> &types : widths)
    for (const std::string &from : types)
      for (const std::string &to : types)
        list.push_back({"(x: " + from + "[2]) -> " + to +
                            ": lambda i, j: @bits_" + to + "(x[i, :])[j]",
                        {3, 21},
                        {3, 21}});
  return list;
}

std::vector<Call> determinants() {
  std::vector<Call> list;
  for (const char *type : {"f32", "f64", "f16", "bf16"})
    for (const int64_t n : {0, 1, 2, 3, 7, 33})
      list.push_back({"(x: " + std::string(type) + "[3]) -> " + type +
                          ": lambda i: @det(x[i, :, :])[]",
                      {n < 8 ? 9 : 2},
                      {n < 8 ? 9 : 2, n, n}});
  list.push_back({"(x: f64[2]) -> f64: lambda: @det(x[:, :])[]", {}, {40, 40}});
  // more than a column has threads
  list.push_back({"(x: f64[2]) -> f64: lambda: @det(x[:, :])[]", {}, {9, 9}});
  list.push_back({"(x: f32[4]) -> f32: lambda i, j: @det(x[:, j, :, i + 1])[]",
                  {2, 3},
                  {4, 3, 4, 3}});
  // more slices than blocks with scratch memory
  list.push_back({"(x: f64[3]) -> f64: lambda i: @det(x[i, :, :])[]",
                  {plan::mostBlocksWithScratch + 40},
                  {plan::mostBlocksWithScratch + 40, 2, 2}});
  return list;
}

std::vector<Call> uniques() {
  std::vector<Call> list;
  const auto rows = [&](const std::string &type, int64_t n, int64_t m) {
    for (const char *ascending : {"1", "0"})
      list.push_back({"(x: " + type +
                          "[2]) -> i64: lambda i: @unique_numbers(x[:, :], " +
                          ascending + ")[i]",
                      {n},
                      {n, m}});
  };
  for (const char *type :
       {"f32", "f64", "f16", "bf16", "i64", "i32", "i8", "u8", "u64", "bool"})
    rows(type, 37, 1);
  for (const int64_t n : {0, 1, 2, 3, 4, 5, 300})
    rows("f32", n, 2);
  rows("i64", 9, 0); // rows without elements are equal
  rows("f64", 64, 3);
  list.push_back({"(x: f32[3]) -> i64: lambda j, i: @unique_numbers(x[:, i + "
                  "1, :], 0)[j]",
                  {30, 3},
                  {30, 5, 2}});
  list.push_back(
      {"(x: f32[2]) -> i64: lambda i: @unique_numbers(x[:, :], 1)[4]",
       {2},
       {9, 1}});
  return list;
}

std::vector<Call> boxes() {
  std::vector<Call> list;
  const auto add = [&](const std::string &type, int64_t n, int64_t classes,
                       const std::string &arguments) {
    list.push_back({"(x: " + type + "[3], s: " + type +
                        "[3]) -> i64: lambda i, k, j: @unsuppressed_boxes(x[i, "
                        ":, :], s[i, k, :], " +
                        arguments + ")[j]",
                    {2, classes, n},
                    {2, n, 4},
                    {2, classes, n}});
  };
  for (const char *type : {"f32", "f64", "f16"})
    for (const char *arguments :
         {"9.0, 0.5, 0.0, 1.0, 0.0", "2.0, 0.3, -1.0, 1.0, 1.0",
          "inf, 0.0, 0.0, 0.0, 0.0", "1.5, 0.1, 0.0, 0.0, 1.0",
          "0.0, 0.5, 0.0, 0.0, 0.0"})
      add(type, 23, 2, arguments);
  for (const int64_t n : {0, 1, 2, 300})
    add("f32", n, 1, "50.0, 0.2, -2.0, 1.0, 0.0");
  add("f32", 8, 0, "50.0, 0.2, -2.0, 1.0, 0.0");
  return list;
}

/// Few different values, some of them rare ones.
Tensor drawn(Random &random, const TensorType &type, bool specials) {
  Tensor tensor = randomTensor(random, type, isFloat(type.dtype) ? -3 : 0, 3);
  const auto place = [&](auto *elements) {
    for (int64_t i = 0; i < *elementCount(type.shape); ++i)
      switch (pick(random, 0, 9)) {
      case 0:
        elements[i] = NAN;
        break;
      case 1:
        elements[i] = -0.0f;
        break;
      case 2:
        elements[i] = i % 2 ? INFINITY : -INFINITY;
        break;
      }
  };
  if (type.dtype == DType::F32 && specials)
    place(tensor.data<float>());
  if (type.dtype == DType::F64 && specials)
    place(tensor.data<double>());
  return tensor;
}

void compare(const std::vector<Call> &all) {
  std::vector<KernelRequest> requests;
  for (const Call &call : all)
    requests.push_back(
        {"k" + std::to_string(requests.size()), lambdaOf(call.text)});
  const Result<GpuCode> code = compilePtx(requests);
  if (!code)
    FAIL(code.error().message);
  if (const std::string ptxas = test::findPtxas(); !ptxas.empty()) {
    const Status assembled = test::assemble(ptxas, code->ptx);
    INFO((assembled ? "" : assembled.error().message));
    CHECK(bool(assembled));
  }
  Device device(code->ptx);
  Random random(5);
  for (size_t k = 0; k < all.size(); ++k) {
    INFO(all[k].text);
    const tdl::Lambda &lambda = requests[k].lambda;
    const std::vector<int64_t> &shape = all[k].result;
    for (uint32_t trial = 0; trial < 4; ++trial) {
      std::vector<Buffer> operands;
      std::vector<tdl::OperandView> views;
      for (size_t i = 0; i < lambda.operands.size(); ++i) {
        const auto &of = i == 0 ? all[k].operand : all[k].other;
        const Tensor x =
            drawn(random, {lambda.operands[i].type, of}, trial % 2 == 0);
        operands.push_back(bufferOf(x, wholeBox(of)));
      }
      for (const Buffer &each : operands)
        views.push_back({each.shape, each.box, each.bytes.data()});
      Box part = wholeBox(shape);
      if (trial % 2 && !isEmpty(part))
        for (Interval &side : part) {
          side.lo = pick(random, 0, side.hi - 1);
          side.hi = pick(random, side.lo + 1, side.hi);
        }
      const Result<Tensor> want = tdl::interpret(lambda, part, views);
      REQUIRE(want);
      Buffer result = emptyBuffer(lambda.result, shape, part);
      device.run(requests[k].symbol, code->launches[k], part, result, operands,
                 trial == 2 ? 3 : 0);
      CHECK(
          (result.bytes == want->bytes ||
           isFloat(lambda.result) && same({want->type, result.bytes}, *want)));
    }
  }
}

} // namespace

TEST_CASE("opaque functions have the interpreter's bits") { compare(calls()); }

TEST_CASE("determinants have the interpreter's bits") {
  compare(determinants());
}
TEST_CASE("numbers of equal rows are the interpreter's") { compare(uniques()); }
TEST_CASE("boxes that are kept are the interpreter's") { compare(boxes()); }

TEST_CASE("other opaque functions have no code for GPUs, by name") {
  for (const char *text :
       {// a result whose number says data
        "(x: f32[2], k: i64[0]) -> i64: lambda: @unique_numbers(x[:, :], "
        "1)[k[]]",
        // which row says data
        "(x: f32[2], k: i64[1]) -> f32: lambda i, j: @topk_values(x[k[i], :], "
        "2, 1)[j]"}) {
    INFO(text);
    const Result<GpuCode> code = compilePtx({{"k", lambdaOf(text)}});
    REQUIRE(!code);
    CHECK_THAT(code.error().message, Catch::Contains("opaque function"));
  }
}
