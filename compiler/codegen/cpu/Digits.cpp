#include "compiler/codegen/cpu/Digits.h"

#include "compiler/codegen/expression/LoopOrder.h"
#include "compiler/codegen/expression/Nest.h"
#include "dialects/tdl/lambda/Simplify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <set>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Shorter loops than a vector or two are not worth the loop around.
constexpr int64_t leastBase = 16, mostBase = int64_t(1) << 20;
/// More than any extent; products of two are still exact.
constexpr int64_t many = int64_t(1) << 31;

bool isDivision(const ExprRef &e) {
  return e->kind == ExprKind::Binary && e->type == DType::I64 &&
         (e->binary == BinaryOp::FloorDiv || e->binary == BinaryOp::Mod);
}

} // namespace

std::optional<Digits> codegen::findDigits(const tdl::Lambda &lambda,
                                          const ExprRef &term) {
  const int last = lambda.rank() - 1, q = lambda.indexCount(), r = q + 1;
  std::set<int64_t> bases;
  walk(term, [&](const ExprRef &e) {
    if (!isDivision(e) || !uses(e->children[0], last) ||
        e->children[1]->kind != ExprKind::Int)
      return;
    const int64_t base = e->children[1]->integer;
    if (base >= leastBase && base <= mostBase)
      bases.insert(base);
  });
  for (int64_t base : bases) {
    std::vector<ExprRef> variables;
    std::vector<Interval> ranges;
    for (int i = 0; i < lambda.indexCount(); ++i) {
      variables.push_back(tdl::indexVar(i));
      ranges.push_back({0, many});
    }
    ranges.push_back({0, many / base});
    ranges.push_back({0, base});
    variables[size_t(last)] = tdl::binary(
        BinaryOp::Add,
        tdl::binary(BinaryOp::Mul, tdl::indexVar(q), tdl::constant(base)),
        tdl::indexVar(r));
    const ExprRef split =
        tdl::simplify(tdl::substitute(term, variables), ranges);
    bool divides = false;
    walk(split,
         [&](const ExprRef &e) { divides |= isDivision(e) && uses(e, r); });
    if (!divides && readCost(split, r) < readCost(term, last))
      return Digits{base, split};
  }
  return std::nullopt;
}

void codegen::buildDigits(CpuKernel &kernel, const Digits &digits) {
  const auto last = size_t(kernel.lambda.rank() - 1);
  const int q = kernel.lambda.indexCount(), r = q + 1;
  Value base = kernel.constant(digits.base), zero = kernel.constant(0);
  Value lo = kernel.lo[last], hi = kernel.hi[last];
  kernel.at.resize(size_t(r) + 1);
  kernel.lo.push_back(arith::FloorDivSIOp::create(kernel.b, lo, base));
  kernel.hi.push_back(arith::CeilDivSIOp::create(kernel.b, hi, base));
  kernel.lo.push_back(zero);
  kernel.hi.push_back(base);

  std::vector<int> order;
  for (size_t i = 0; i < last; ++i)
    order.push_back(int(i));
  order.push_back(q);
  Nest(kernel, order).emit(digits.term, Nest::Body([&](const ExprRef &term) {
                             Value start = arith::MulIOp::create(
                                 kernel.b, kernel.at[size_t(q)], base);
                             Nest row(kernel, {r});
                             row.setRange(
                                 r, kernel.max(kernel.sub(lo, start), zero),
                                 kernel.min(kernel.sub(hi, start), base));
                             row.emit(
                                 term, Nest::Body([&](const ExprRef &term) {
                                   kernel.at[last] =
                                       kernel.add(start, kernel.at[size_t(r)]);
                                   kernel.store(kernel.emit(term));
                                   kernel.at[last] = nullptr;
                                 }));
                           }));
}
