// Kernels of kind Contraction: the lambda says which index variable is where in
// the operands, the buffers say with which stride.
#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/backends/cpu/Gemm.h"
#include "runtime/backends/cpu/HalfProduct.h"

using namespace smex;
using namespace smex::runtime;

namespace {
class ContractionKernel : public BoundKernel {
public:
  ContractionKernel(std::unique_ptr<Gemm> gemm, std::byte *result,
                    const std::byte *left, const std::byte *right)
      : gemm(std::move(gemm)), result(result), left(left), right(right) {}
  Status run() override {
    gemm->run(result, left, right);
    return {};
  }

private:
  std::unique_ptr<Gemm> gemm;
  std::byte *result;
  const std::byte *left, *right;
};

class HalfContractionKernel : public BoundKernel {
public:
  HalfContractionKernel(HalfProduct product, std::byte *result,
                        const std::byte *left, const std::byte *right)
      : product(std::move(product)), result(result), left(left), right(right) {}
  Status run() override {
    product.run(result, left, right);
    return {};
  }

private:
  const HalfProduct product;
  std::byte *result;
  const std::byte *left, *right;
};

/// The read that is a factor, maybe of 16 bits and converted; or null.
const tdl::Expr *readOf(const tdl::ExprRef &factor) {
  const tdl::ExprRef &e = factor->kind == tdl::ExprKind::Cast &&
                                  factor->type == DType::F32 &&
                                  tdl::is16Bit(factor->children[0]->type)
                              ? factor->children[0]
                              : factor;
  return e->kind == tdl::ExprKind::Read ? e.get() : nullptr;
}

/// Where an operand is read: the stride of every index variable, and the offset
/// of the first point. False if some index is not a plain variable or constant.
bool locate(const tdl::Expr &read, const BufferView &view, const Box &indices,
            std::vector<int64_t> &strides, int64_t &offset) {
  const std::vector<int64_t> own = view.strides();
  strides.assign(indices.size(), 0);
  offset = 0;
  for (size_t d = 0; d < read.children.size(); ++d) {
    const tdl::Expr &index = *read.children[d];
    int64_t first;
    if (index.kind == tdl::ExprKind::Index) {
      strides[size_t(index.index)] += own[d];
      first = indices[size_t(index.index)].lo;
    } else if (index.kind == tdl::ExprKind::Int) {
      first = index.integer;
    } else {
      return false;
    }
    offset += (first - view.box[d].lo) * own[d];
  }
  return true;
}

/// The plan promises that operands hold what is read; memory is not taken on
/// trust.
bool holds(const tdl::Expr &read, const BufferView &view, const Box &indices) {
  for (size_t d = 0; d < read.children.size(); ++d) {
    const tdl::Expr &index = *read.children[d];
    const Interval needed = index.kind == tdl::ExprKind::Index
                                ? indices[size_t(index.index)]
                                : Interval{index.integer, index.integer + 1};
    if (!view.box[d].contains(needed))
      return false;
  }
  return true;
}
} // namespace

Result<BoundKernelPtr> runtime::bindContraction(const Binding &binding) {
  const tdl::Lambda &lambda = binding.lambda;
  const tdl::Expr &body = *lambda.body;
  const bool product = lambda.reducer == tdl::Reducer::Sum && !lambda.guard &&
                       body.kind == tdl::ExprKind::Binary &&
                       body.binary == tdl::BinaryOp::Mul &&
                       readOf(body.children[0]) && readOf(body.children[1]);
  const auto type = factorType(lambda);
  if (!product || !type)
    return bindReference(binding); // slow, but what the lambda says
  std::vector<int64_t> strides[2];
  int64_t offsets[2];
  const BufferView *views[2];
  for (int side = 0; side < 2; ++side) {
    const tdl::Expr &read = *readOf(body.children[size_t(side)]);
    views[side] = &binding.operands[size_t(read.operand)];
    if (!locate(read, *views[side], binding.indices, strides[side],
                offsets[side]))
      return bindReference(binding);
    if (!isEmpty(binding.indices) &&
        !holds(read, *views[side], binding.indices))
      return fail("operand ", read.operand,
                  " does not hold what is read of it");
  }

  const std::vector<int64_t> result = binding.result.strides();
  std::vector<cpu::ContractionIndex> indices;
  int64_t start = 0;
  for (size_t i = 0; i < binding.indices.size(); ++i) {
    const bool summed = i >= binding.rank();
    if (!summed)
      start += (binding.indices[i].lo - binding.result.box[i].lo) * result[i];
    indices.push_back({binding.indices[i].size(), summed,
                       summed ? 0 : result[i], strides[0][i], strides[1][i]});
  }
  const int64_t size = byteSize(*type);
  std::byte *to = binding.result.data + start * byteSize(lambda.result);
  const std::byte *left = views[0]->data + offsets[0] * size;
  const std::byte *right = views[1]->data + offsets[1] * size;
  if (*type == lambda.result) {
    auto gemm = std::make_unique<Gemm>(*type, indices, binding.workspace,
                                       binding.threads);
    if (gemm->usesLibrary() || !tdl::is16Bit(*type))
      return BoundKernelPtr(
          new ContractionKernel(std::move(gemm), to, left, right));
  }
  return BoundKernelPtr(new HalfContractionKernel(
      {*type, lambda.result, HalfProblem::of(indices), binding.threads}, to,
      left, right));
}

std::optional<DType> runtime::factorType(const tdl::Lambda &lambda) {
  if (lambda.operands.size() != 2 ||
      lambda.operands[0].type != lambda.operands[1].type)
    return std::nullopt;
  const DType type = lambda.operands[0].type;
  if (type != lambda.result &&
      (!tdl::is16Bit(type) || lambda.result != DType::F32))
    return std::nullopt;
  return type;
}
