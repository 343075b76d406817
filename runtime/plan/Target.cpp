#include "runtime/plan/Target.h"

#include "runtime/plan/ConvolutionRoles.h"

#include <algorithm>

using namespace smex;
using namespace smex::plan;

TargetKind plan::kindOf(const std::string &target) {
  const std::string prefix = "sm_";
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return target.size() > prefix.size() &&
                 target.compare(0, prefix.size(), prefix) == 0 &&
                 isDigit(target[prefix.size()])
             ? TargetKind::Cuda
             : TargetKind::Cpu;
}

std::optional<int> plan::capabilityOf(const std::string &target) {
  if (kindOf(target) != TargetKind::Cuda || target.size() > 7)
    return std::nullopt;
  int capability = 0;
  for (size_t i = 3; i < target.size(); ++i) {
    if (target[i] < '0' || target[i] > '9')
      return std::nullopt;
    capability = 10 * capability + (target[i] - '0');
  }
  return capability;
}

/// @f(x[i, :])[p], @f(x[i, :])[0] or @f(x[i, :, :])[]: a function of slices of
/// whatever tensors, of which each element of the result is one element. Which
/// slices, neither data says nor the number of the result.
static bool isOfSlices(const tdl::Lambda &lambda) {
  const tdl::Expr &call = *lambda.body;
  if (call.children.size() > 1 || lambda.guard ||
      lambda.reducer != tdl::Reducer::None)
    return false;
  const tdl::ExprRef place = call.children.empty() ? nullptr : call.children[0];
  const bool isVariable = place && place->kind == tdl::ExprKind::Index;
  if (place && !isVariable && place->kind != tdl::ExprKind::Int)
    return false;
  for (const tdl::Expr::Slice &slice : call.slices)
    for (const tdl::ExprRef &at : slice.index)
      if (at && (tdl::readsData(at) || (isVariable && uses(at, place->index))))
        return false;
  return true;
}

bool plan::hasCode(TargetKind target, const tdl::Lambda &lambda) {
  if (lambda.body->kind != tdl::ExprKind::Opaque)
    return true;
  const std::string &function = lambda.body->function;
  return target == TargetKind::Cuda && isOfSlices(lambda) &&
         (function == "topk_values" || function == "topk_indices" ||
          function == "nonzero_places" || function == "det" ||
          function == "unique_numbers" || function == "unsuppressed_boxes" ||
          function.rfind("bits_", 0) == 0);
}

namespace {

/// More calls of a library than this for one contraction, and a kernel of its
/// own is as good.
constexpr int64_t mostCalls = 64;

/// A read that is a factor, maybe of 16 bits and converted.
const tdl::Expr &readOf(const tdl::Expr &factor) {
  return factor.kind == tdl::ExprKind::Cast ? *factor.children[0] : factor;
}

bool is16Bit(DType type) { return type == DType::F16 || type == DType::BF16; }
bool isF32OrHalf(DType type) { return type == DType::F32 || is16Bit(type); }

/// cuBLASLt: "cublasLtMatmul", "Datatypes Supported" of NVIDIA's manual, those
/// that sum in f32, or in f64.
bool cublasHas(const Kernel &kernel, const tdl::Lambda &lambda,
               const Sizes &sizes) {
  if (lambda.operands.size() != 2)
    return false;
  const DType type = lambda.operands[0].type;
  const bool isHalf = is16Bit(type);
  if ((!isHalf && type != DType::F32 && type != DType::F64) ||
      lambda.operands[1].type != type ||
      (lambda.result != type && (!isHalf || lambda.result != DType::F32)))
    return false;
  if (sizes.extents.size() != size_t(lambda.indexCount()))
    return false;
  const std::vector<int64_t> result(sizes.extents.begin(),
                                    sizes.extents.begin() + lambda.rank());
  const auto indices =
      productIndices(kernel, lambda, sizes.extents, result, sizes.shapes);
  if (!indices)
    return false;
  const auto product = matrixProduct(*indices, addsUp(lambda));
  return product && product->calls() <= mostCalls;
}

/// cuDNN has convolutions of one to three spatial dimensions, whose result has
/// the operands' type: sums of 16-bit floats come out rounded.
bool cudnnHas(const Kernel &kernel, const tdl::Lambda &lambda) {
  const size_t spatial = kernel.convolution.strides.size();
  if (!isConvolution(kernel.kind) || lambda.operands.size() != 2 ||
      !isF32OrHalf(lambda.result) || spatial < 1 || spatial > 3)
    return false;
  for (const tdl::Operand &operand : lambda.operands)
    if (operand.type != lambda.result || operand.rank != int(spatial) + 2)
      return false;
  return lambda.rank() == int(spatial) + 2;
}

} // namespace

bool plan::addsUp(const tdl::Lambda &lambda) { return !is16Bit(lambda.result); }

std::optional<std::vector<ProductIndex>>
plan::productIndices(const Kernel &kernel, const tdl::Lambda &lambda,
                     const std::vector<int64_t> &extents,
                     const std::vector<int64_t> &result,
                     const std::vector<std::vector<int64_t>> &operands) {
  const size_t count = size_t(lambda.indexCount());
  const tdl::Expr &body = *lambda.body;
  if (body.kind != tdl::ExprKind::Binary || operands.size() != 2 ||
      kernel.roles.size() != count || extents.size() != count ||
      result.size() != size_t(lambda.rank()))
    return std::nullopt;
  std::vector<ProductIndex> indices;
  for (size_t i = 0; i < count; ++i)
    indices.push_back({extents[i], kernel.roles[i]});
  const std::vector<int64_t> own = rowMajorStrides(result);
  for (size_t d = 0; d < own.size(); ++d)
    indices[d].result = own[d];
  for (const tdl::ExprRef &factor : body.children) {
    const tdl::Expr &read = readOf(*factor);
    if (read.kind != tdl::ExprKind::Read ||
        read.children.size() != operands[size_t(read.operand)].size())
      return std::nullopt;
    const std::vector<int64_t> strides =
        rowMajorStrides(operands[size_t(read.operand)]);
    for (size_t d = 0; d < read.children.size(); ++d) {
      if (read.children[d]->kind != tdl::ExprKind::Index)
        return std::nullopt;
      ProductIndex &index = indices[size_t(read.children[d]->index)];
      (read.operand == 0 ? index.left : index.right) += strides[d];
    }
  }
  return indices;
}

bool plan::libraryHas(const std::string &target, const Kernel &kernel,
                      const tdl::Lambda &lambda, const Sizes &sizes) {
  if (kernel.kind == KernelKind::Generated ||
      kernel.kind == KernelKind::Reference || lambda.operands.empty())
    return false;
  if (kindOf(target) == TargetKind::Cuda)
    return kernel.kind == KernelKind::Contraction
               ? cublasHas(kernel, lambda, sizes)
               : cudnnHas(kernel, lambda);
  // oneDNN, which takes f16 and bf16 by way of f32.
  return isF32OrHalf(lambda.operands.front().type);
}

bool plan::isGenerated(const Kernel &kernel, const std::string &target) {
  const std::vector<std::string> &targets = kernel.generatedFor;
  return kernel.kind == KernelKind::Generated ||
         std::find(targets.begin(), targets.end(), target) != targets.end();
}

std::vector<std::string>
plan::generatedFor(const Kernel &kernel, const tdl::Lambda &lambda,
                   const Sizes &sizes,
                   const std::vector<std::string> &targets) {
  std::vector<std::string> list;
  for (const std::string &target : targets)
    if (!libraryHas(target, kernel, lambda, sizes) &&
        hasCode(kindOf(target), lambda))
      list.push_back(target);
  return list;
}
