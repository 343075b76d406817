// Reductions whose terms are rows that data says the place of: the features of
// an edge's source. A tile of one result's elements stays in vector registers
// while the loop goes over the terms, each of which is read once per tile:
//
//     for v: for tile: a = 0; for k in segment v: a += x[src[k], tile]
//
// Elements get their terms one after the other, as in any tile (Reduction.cpp),
// so the bits are the same.
#include "compiler/codegen/Conditions.h"
#include "compiler/codegen/LoopOrder.h"
#include "compiler/codegen/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Elements per tile: registers for half of the vectors there are, then halves
/// of it. The last width is masked where fewer elements are left.
constexpr int64_t widths[] = {64, 32, 16, 8};

/// Whether lanes can hold the expression at neighbouring values of `variable`.
bool hasLanes(const ExprRef &e, int variable) {
  if (!uses(e, variable))
    return true;
  const auto all = [&](const std::vector<ExprRef> &children) {
    for (const ExprRef &child : children)
      if (!hasLanes(child, variable))
        return false;
    return true;
  };
  if (e->type != DType::F32 && e->type != DType::F64)
    return false;
  switch (e->kind) {
  case ExprKind::Read: {
    for (size_t d = 0; d + 1 < e->children.size(); ++d)
      if (uses(e->children[d], variable))
        return false;
    const auto last = linearIn(e->children.back(), variable);
    return !e->otherwise && last && last->factor == 1 &&
           !readsData(e->children.back());
  }
  case ExprKind::Unary:
    return e->unary == tdl::UnaryOp::Neg && all(e->children);
  case ExprKind::Binary:
    return (e->binary == BinaryOp::Add || e->binary == BinaryOp::Sub ||
            e->binary == BinaryOp::Mul || e->binary == BinaryOp::Div) &&
           all(e->children);
  default:
    return false;
  }
}

/// What guards a term decides for all lanes alike.
bool hasLanes(const tdl::Lambda &lambda, const ExprRef &term, int variable) {
  const bool guarded =
      term->kind == ExprKind::Select &&
      equal(term->children[2], tdl::identity(lambda.reducer, lambda.result));
  if (guarded)
    return !uses(term->children[0], variable) &&
           hasLanes(lambda, term->children[1], variable);
  return uses(term, variable) && hasLanes(term, variable);
}

/// A read's place in memory is data.
bool readsRows(const ExprRef &term) {
  bool found = false;
  walk(term, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      for (const ExprRef &index : e->children)
        found |= readsData(index);
  });
  return found;
}

class Rows {
public:
  Rows(Kernel &kernel, const ReductionOrder &order)
      : kernel(kernel), b(kernel.b), order(order),
        variable(size_t(order.output)) {}

  void build(const ExprRef &term) {
    std::vector<int> outputs;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      if (i != order.output)
        outputs.push_back(i);
    Nest(kernel, outputs).emit(term, Nest::Body([&](const ExprRef &term) {
                                 tiles(term);
                               }));
  }

private:
  /// As many of the widest tiles as fit, then of the next.
  void tiles(const ExprRef &term) {
    Value start = kernel.lo[variable];
    const Value end = kernel.hi[variable];
    for (int64_t width : widths) {
      type = VectorType::get({width}, kernel.accumulatorMemory());
      Value step = kernel.constant(width);
      Value left = kernel.max(kernel.sub(end, start), kernel.constant(0));
      Value whole =
          arith::MulIOp::create(b, arith::DivUIOp::create(b, left, step), step);
      Value stop = kernel.add(start, whole);
      mask = nullptr;
      kernel.loop(start, stop, width, [&](Value at) { tile(term, at); });
      start = stop;
    }
    Value left = kernel.sub(end, start);
    kernel.when(kernel.less(kernel.constant(0), left), [&] {
      auto bits = VectorType::get(type.getShape(), b.getI1Type());
      mask = vector::CreateMaskOp::create(b, bits, left);
      tile(term, start);
    });
  }

  void tile(const ExprRef &term, Value at) {
    // One element of vector type: promoted to registers, since it is only
    // loaded and stored as a whole.
    Value sum = kernel.scratch(type, 1);
    const Values first = {kernel.constant(0)};
    Value nothing = vector::BroadcastOp::create(b, type, kernel.identity());
    memref::StoreOp::create(b, nothing, sum, first);
    kernel.at[variable] = at;
    Nest nest(kernel, order.reductions);
    nest.skip(tdl::identity(kernel.lambda.reducer, kernel.lambda.result));
    nest.emit(term, Nest::Body([&](const ExprRef &term) { add(term, sum); }));
    Value total = memref::LoadOp::create(b, sum, first);
    if (mask)
      vector::MaskedStoreOp::create(b, kernel.result, kernel.resultIndices(),
                                    mask, total);
    else
      vector::StoreOp::create(b, total, kernel.result, kernel.resultIndices());
    kernel.at[variable] = nullptr;
  }

  void add(const ExprRef &term, Value sum) {
    const bool guarded =
        term->kind == ExprKind::Select &&
        equal(term->children[2],
              tdl::identity(kernel.lambda.reducer, kernel.lambda.result));
    if (guarded)
      return kernel.when(kernel.emit(term->children[0]),
                         [&] { add(term->children[1], sum); });
    const Values first = {kernel.constant(0)};
    Value value = lanes(term);
    Value old = memref::LoadOp::create(b, sum, first);
    memref::StoreOp::create(b, kernel.combine(old, value), sum, first);
  }

  Value lanes(const ExprRef &e) {
    if (!uses(e, order.output))
      return vector::BroadcastOp::create(b, type, kernel.emit(e));
    if (e->kind == ExprKind::Unary)
      return arith::NegFOp::create(b, lanes(e->children[0]));
    if (e->kind == ExprKind::Binary) {
      Value left = lanes(e->children[0]);
      return emitBinary(b, e->binary, e->type, left, lanes(e->children[1]));
    }
    Value memory = kernel.operands[size_t(e->operand)];
    const Values indices = kernel.readIndices(*e);
    if (!mask)
      return vector::LoadOp::create(b, type, memory, indices);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, type, memory, indices, mask, zero);
  }

  Kernel &kernel;
  LocBuilder &b;
  const ReductionOrder &order;
  const size_t variable;
  VectorType type;
  Value mask; // none for whole tiles
};

} // namespace

bool codegen::buildRows(Kernel &kernel) {
  const ExprRef term = termOf(kernel.lambda);
  const ReductionOrder order = chooseOrder(kernel.lambda, term);
  const DType type = kernel.lambda.result;
  if (order.output < 0 || kernel.accumulator() != type ||
      (type != DType::F32 && type != DType::F64) || !readsRows(term) ||
      !hasLanes(kernel.lambda, term, order.output))
    return false;
  Rows(kernel, order).build(term);
  return true;
}
