// Products with products inside, on GPUs that run instruction by instruction
// and on this processor, against the reference interpreter: an attention's
// kernels, forward and backward.
#include "compiler/codegen/cpu/Schedule.h"
#include "compiler/codegen/gpu/Codegen.h"
#include "compiler/codegen/gpu/Schedule.h"
#include "test/compiler/codegen/Trial.h"
#include "test/compiler/codegen/gpu/Device.h"
#include "test/compiler/codegen/gpu/Ptxas.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace smex;
using namespace smex::codegen;

namespace {

/// Sum(lambda c < terms: left[.., c] * right[.., c]), written out.
std::string inner(const std::string &left, const std::string &right,
                  int terms) {
  std::string text;
  for (int c = 0; c < terms; ++c) {
    const std::string at = ", " + std::to_string(c) + "])";
    text += (c ? " + f32(" : "f32(") + left + at + " * f32(" + right + at;
  }
  return "(" + text + ")";
}

struct Kernel {
  std::string text;
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> operands;
  bool exact; // of small integers, to the bit
};

/// With scores of so many terms, of 16-bit floats.
std::vector<Kernel> kernelsOf(const std::string &type, int terms, int64_t rows,
                              int64_t keys, int64_t columns) {
  const int64_t batch = 2;
  const std::string qk =
      "q: " + type + "[3], k: " + type + "[3], v: " + type + "[3]";
  const std::vector<int64_t> q = {batch, rows, terms}, k = {batch, keys, terms},
                             v = {batch, keys, columns}, m = {batch, rows};
  const std::string dot = inner("q[b, i", "k[b, r", terms),
                    score = "f32(" + type + dot + ")",
                    masked = "(" + score + " if r <= i else -inf)";
  const std::vector<int64_t> row = {batch, rows, keys},
                             product = {batch, rows, columns, keys};
  return {
      {"(" + qk + ") -> f32: lambda b, i: Max(lambda r: " + score + ")",
       row,
       {q, k, v},
       true},
      {"(" + qk + ") -> f32: lambda b, i: Max(lambda r: " + masked + ")",
       row,
       {q, k, v},
       true},
      {"(" + qk +
           ", m: f32[2]) -> f32: lambda b, i: Sum(lambda r: exp(0.125 * " +
           score + " - m[b, i]))",
       row,
       {q, k, v, m},
       false},
      // Values whose places are sums.
      {"(" + qk + ") -> " + type + ": lambda b, i, d: Sum(lambda r: " + type +
           "(" + score + ") * v[b, r, b + d])",
       {batch, rows, columns - 1, keys},
       {q, k, v},
       true},
      {"(" + qk + ") -> " + type + ": lambda b, i, d: Sum(lambda r: " + type +
           "(" + score + ") * v[b, r, d])",
       product,
       {q, k, v},
       true},
      // The other factor first, rows and columns in another order, weights
      // that a condition leaves out, and numbers of terms and of rows.
      {"(" + qk + ", m: f32[2], n: f32[2]) -> " + type +
           ": lambda b, d, i: Sum(lambda r: v[b, r, d] * " + type + "(exp(" +
           masked +
           " * 0.125 - m[b, i]) * (1 / m[b, i] if m[b, i] != 0 else "
           "0) + n[b, r]))",
       {batch, columns, rows, keys},
       {q, k, v, m, {batch, keys}},
       false},
      // Two of them: the gradient of scores.
      {"(" + qk + ", g: " + type + "[3], w: " + type + "[3]) -> " + type +
           ": lambda b, i, d: Sum(lambda r: " + type + "(" + dot + " * " +
           inner("g[b, i", "w[b, r", terms) + " * 0.25) * v[b, r, d])",
       product,
       {q, k, v, q, k},
       false},
      {"(" + qk + ", g: " + type + "[3], w: " + type +
           "[3]) -> f32: lambda b, i: Sum(lambda r: " + dot + " * " +
           inner("w[b, r", "g[b, i", terms) + ")",
       row,
       {q, k, v, q, k},
       true},
  };
}

std::vector<Kernel> allKernels() {
  std::vector<Kernel> all;
  const auto add = [&](std::vector<Kernel> some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  add(kernelsOf("bf16", 16, 70, 131, 40)); // parts of tiles, aligned rows
  add(kernelsOf("f16", 9, 5, 7, 67));      // nothing is aligned
  add(kernelsOf("bf16", 64, 65, 64, 64));
  return all;
}

using Run =
    std::function<void(size_t kernel, int number, const Box &indices,
                       Buffer &result, const std::vector<Buffer> &operands)>;

void check(const std::vector<Kernel> &all,
           const std::vector<KernelRequest> &requests, const Run &run) {
  Random random(17);
  for (size_t n = 0; n < all.size(); ++n) {
    const Kernel &each = all[n];
    const tdl::Lambda &lambda = requests[n].lambda;
    INFO(each.text.substr(0, 400));
    std::vector<Buffer> operands;
    for (size_t i = 0; i < each.operands.size(); ++i) {
      const Tensor tensor =
          randomTensor(random, {lambda.operands[i].type, each.operands[i]},
                       each.exact ? -1 : -2, each.exact ? 1 : 2, !each.exact);
      operands.push_back(bufferOf(tensor, wholeBox(tensor.type.shape)));
    }
    // A factor is rounded to 16 bits, and sums go in another order.
    const double relative = each.exact                    ? 0
                            : lambda.result == DType::F32 ? 2e-5
                            : lambda.result == DType::F16 ? 2e-3
                                                          : 1.6e-2;
    checkWholeAndParts(lambda, each.extents, operands, relative, random,
                       [&](int number, const Box &indices, Buffer &result) {
                         run(n, number, indices, result, operands);
                       });
  }
}

std::vector<KernelRequest> requestsOf(const std::vector<Kernel> &all) {
  std::vector<KernelRequest> requests;
  for (const Kernel &each : all)
    requests.push_back(
        {"k" + std::to_string(requests.size()), lambdaOf(each.text)});
  return requests;
}

} // namespace

TEST_CASE("products with products inside, on a GPU") {
  const std::vector<Kernel> all = allKernels();
  const std::vector<KernelRequest> requests = requestsOf(all);
  for (const KernelRequest &each : requests)
    CHECK(chooseGpuSchedule(each.lambda).form == GpuSchedule::Form::Nested);
  const Result<GpuCode> code = compilePtx(requests);
  if (!code)
    FAIL(code.error().message);
  for (const char *type : {"bf16", "f16"}) {
    const std::string name = type;
    CHECK(code->ptx.find("mma.sync.aligned.m16n8k16.row.col.f32." + name + "." +
                         name + ".f32") != std::string::npos);
  }
  if (const std::string ptxas = test::findPtxas(); !ptxas.empty()) {
    const Status assembled = test::assemble(ptxas, code->ptx);
    INFO((assembled ? "" : assembled.error().message));
    CHECK(bool(assembled));
  }
  Device device(code->ptx);
  // The grid changes nothing, either.
  check(all, requests,
        [&](size_t n, int number, const Box &indices, Buffer &result,
            const std::vector<Buffer> &operands) {
          device.run(requests[n].symbol, code->launches[n], indices, result,
                     operands, uint32_t(number));
        });
}

TEST_CASE("products with products inside, on a processor") {
  const std::vector<Kernel> all = allKernels();
  const std::vector<KernelRequest> requests = requestsOf(all);
  for (const KernelRequest &each : requests)
    CHECK(chooseSchedule(each.lambda).form == Schedule::Form::Nested);
  const Loaded loaded(requests);
  check(all, requests,
        [&](size_t n, int, const Box &indices, Buffer &result,
            const std::vector<Buffer> &operands) {
          call(loaded.function(requests[n].symbol), indices, result, operands);
        });
}
