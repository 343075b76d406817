#include "runtime/plan/KernelCode.h"

#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/IndexSum.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

using namespace smex;
using namespace smex::plan;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Beyond any extent; differences are still exact.
constexpr int64_t mostShift = int64_t(1) << 40;

/// What is known of one dimension of an operand.
struct Dimension {
  std::optional<int64_t> least; // constant of a read
  bool isFixed = false;         // coordinates stay as they are
};

} // namespace

Shifts plan::shiftsOf(const tdl::Lambda &lambda) {
  std::vector<std::vector<Dimension>> known;
  for (const tdl::Operand &operand : lambda.operands)
    known.emplace_back(size_t(operand.rank));
  const auto visit = [&](const ExprRef &e) {
    if (e->kind == ExprKind::Opaque)
      for (auto &dims : known)
        for (Dimension &dim : dims)
          dim.isFixed = true;
    if (e->kind == ExprKind::Extent)
      known[size_t(e->operand)][size_t(e->dim)].isFixed = true;
    if (e->kind != ExprKind::Read)
      return;
    for (size_t d = 0; d < e->children.size(); ++d) {
      Dimension &dim = known[size_t(e->operand)][d];
      const int64_t constant = tdl::indexSum(e->children[d]).constant;
      dim.least = std::min(dim.least.value_or(constant), constant);
      dim.isFixed |= e->otherwise || tdl::readsData(e->children[d]) ||
                     constant > mostShift || constant < -mostShift;
    }
  };
  const bool followsData = lambda.guard && tdl::readsData(lambda.guard);
  tdl::walk(lambda.body, visit);
  tdl::walk(lambda.guard, visit);
  Shifts shifts;
  for (const auto &dims : known) {
    shifts.emplace_back();
    for (const Dimension &dim : dims)
      shifts.back().push_back(
          dim.isFixed || followsData ? 0 : dim.least.value_or(0));
  }
  return shifts;
}

tdl::Lambda plan::codeOf(const tdl::Lambda &lambda) {
  const Shifts shifts = shiftsOf(lambda);
  const auto make = [&](const Expr &e, std::vector<ExprRef> children,
                        ExprRef otherwise, std::vector<Expr::Slice> slices) {
    if (e.kind == ExprKind::Read)
      for (size_t d = 0; d < children.size(); ++d)
        if (const int64_t shift = shifts[size_t(e.operand)][d]) {
          tdl::IndexSum sum = tdl::indexSum(children[d]);
          sum.constant -= shift;
          children[d] = sum.build();
        }
    return tdl::withChildren(e, std::move(children), std::move(otherwise),
                             std::move(slices));
  };
  tdl::Lambda code = lambda;
  code.body = tdl::rebuild(lambda.body, make);
  code.guard = tdl::rebuild(lambda.guard, make);
  return code;
}

std::vector<int64_t>
plan::callNumbers(const Box &indices, const Box &result,
                  const std::vector<CalledOperand> &operands,
                  const Shifts &shifts) {
  std::vector<int64_t> numbers;
  for (Interval side : indices) {
    numbers.push_back(side.lo);
    numbers.push_back(side.hi);
  }
  const std::vector<int64_t> strides = rowMajorStrides(extents(result));
  for (size_t d = 0; d < strides.size(); ++d) {
    numbers.push_back(result[d].lo);
    numbers.push_back(strides[d]);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto &[box, shape] = operands[i];
    const std::vector<int64_t> strides = rowMajorStrides(extents(*box));
    for (size_t d = 0; d < strides.size(); ++d) {
      numbers.push_back((*box)[d].lo - shifts[i][d]);
      numbers.push_back(strides[d]);
      numbers.push_back((*shape)[d]);
    }
  }
  return numbers;
}
