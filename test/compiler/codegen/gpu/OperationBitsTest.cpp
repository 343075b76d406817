// Each operation on each type has the CPU's bits on a GPU: elementary functions
// are the same IEEE operations, and nothing is rounded otherwise.
#include "compiler/codegen/gpu/Codegen.h"
#include "test/compiler/codegen/Operations.h"
#include "test/compiler/codegen/gpu/Device.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::UnaryOp;

namespace {

/// The first element that differs, but that any NaN is one; -1: none does.
int64_t firstDifference(const Buffer &a, const Buffer &b) {
  const auto size = size_t(byteSize(a.dtype));
  for (size_t i = 0; i * size < a.bytes.size(); ++i) {
    const std::byte *x = &a.bytes[i * size], *y = &b.bytes[i * size];
    if (std::memcmp(x, y, size) == 0)
      continue;
    const double p = tdl::load(a.dtype, x).real, q = tdl::load(b.dtype, y).real;
    if (!isFloat(a.dtype) || p == p || q == q)
      return int64_t(i);
  }
  return -1;
}

void checkSameBits(const std::vector<KernelRequest> &requests, size_t most) {
  const Loaded cpu(requests);
  const Result<GpuCode> code = compilePtx(requests);
  if (!code)
    FAIL(code.error().message);
  Device gpu(code->ptx);
  Random random(5);
  for (size_t k = 0; k < requests.size(); ++k) {
    const tdl::Lambda &lambda = requests[k].lambda;
    const DType type = lambda.operands[0].type;
    std::vector<tdl::Scalar> values = valuesOf(type, random);
    values.resize(std::min(values.size(), most));
    const Tensor tensor = tensorOf(type, values);
    const std::vector<Buffer> operands(
        lambda.operands.size(), bufferOf(tensor, wholeBox(tensor.type.shape)));
    const std::vector<int64_t> shape(lambda.outputs.size(),
                                     int64_t(values.size()));
    const Box all = wholeBox(shape);
    Buffer want = emptyBuffer(lambda.result, shape, all), got = want;
    call(cpu.function(requests[k].symbol), all, want, operands);
    gpu.run(requests[k].symbol, code->launches[k], all, got, operands, 0);
    INFO(toString(lambda));
    CHECK(firstDifference(got, want) == -1);
  }
}

std::string nextSymbol(const std::vector<KernelRequest> &requests) {
  return "k" + std::to_string(requests.size());
}

} // namespace

TEST_CASE("unary operations have the CPU's bits on a GPU") {
  std::vector<KernelRequest> requests;
  for (int o = int(UnaryOp::Neg); o <= int(UnaryOp::IsInf); ++o)
    for (DType type : allTypes)
      if (accepts(UnaryOp(o), type) &&
          unaryLambda(UnaryOp(o), type).body->kind == tdl::ExprKind::Unary)
        requests.push_back(
            {nextSymbol(requests), unaryLambda(UnaryOp(o), type)});
  checkSameBits(requests, 300);
}

TEST_CASE("binary operations have the CPU's bits on a GPU") {
  std::vector<KernelRequest> requests;
  for (int o = int(BinaryOp::Add); o <= int(BinaryOp::Ge); ++o)
    for (DType type : allTypes)
      if (accepts(BinaryOp(o), type))
        requests.push_back(
            {nextSymbol(requests), binaryLambda(BinaryOp(o), type)});
  checkSameBits(requests, 80);
}

TEST_CASE("casts have the CPU's bits on a GPU") {
  std::vector<KernelRequest> requests;
  for (DType from : allTypes)
    for (DType to : allTypes)
      if (from != to)
        requests.push_back({nextSymbol(requests), castLambda(from, to)});
  checkSameBits(requests, 300);
}
