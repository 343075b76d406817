// Kernels of kind Contraction: the lambda says which index variable is where in
// the operands, the buffers say with which stride.
#include "runtime/backends/cpu/Gemm.h"

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
                       body.children[0]->kind == tdl::ExprKind::Read &&
                       body.children[1]->kind == tdl::ExprKind::Read &&
                       body.children[0]->type == lambda.result;
  if (!product)
    return bindReference(binding); // slow, but what the lambda says
  std::vector<int64_t> strides[2];
  int64_t offsets[2];
  const BufferView *views[2];
  for (int side = 0; side < 2; ++side) {
    const tdl::Expr &read = *body.children[side];
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
  const int64_t size = byteSize(lambda.result);
  return BoundKernelPtr(new ContractionKernel(
      std::make_unique<Gemm>(lambda.result, std::move(indices),
                             binding.workspace, binding.threads),
      binding.result.data + start * size, views[0]->data + offsets[0] * size,
      views[1]->data + offsets[1] * size));
}
