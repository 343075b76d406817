// A lambda without reduction as loops over its result. Where nothing cuts these
// loops, they are a linalg.generic: reads whose indices are sums of multiples
// of the index variables become its inputs, others load by hand.
#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/cpu/Digits.h"
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/Nest.h"

#include "dialects/tdl/lambda/IndexSum.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// A read as an input of linalg.generic: where the first element lies and how
/// the index variables move it.
struct Input {
  ExprRef read;
  Value view;
  AffineMap map;
};

/// sum(factor * (lo + d)) + constant - origin: the offset takes what does not
/// depend on d, the map the rest. Negative factors would leave the view.
std::optional<Input> inputOf(CpuKernel &kernel, const ExprRef &read) {
  MLIRContext *context = kernel.b.getContext();
  SmallVector<AffineExpr> map;
  SmallVector<tdl::IndexSum> sums;
  for (const ExprRef &index : read->children) {
    sums.push_back(tdl::indexSum(index));
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (const auto &[atom, factor] : sums.back().terms) {
      if (atom->kind != ExprKind::Index || factor < 0)
        return std::nullopt;
      sum = sum + getAffineDimExpr(unsigned(atom->index), context) * factor;
    }
    map.push_back(sum);
  }
  LocBuilder &b = kernel.b;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (const auto &[d, sum] : llvm::enumerate(sums)) {
    Value offset = kernel.constant(sum.constant), size = kernel.constant(1);
    for (const auto &[atom, factor] : sum.terms) {
      const auto i = size_t(atom->index);
      Value steps = kernel.sub(kernel.sub(kernel.hi[i], kernel.lo[i]),
                               kernel.constant(1));
      const auto times = [&](Value v) -> Value {
        return factor == 1
                   ? v
                   : arith::MulIOp::create(b, v, kernel.constant(factor))
                         .getResult();
      };
      offset = kernel.add(offset, times(kernel.lo[i]));
      size = kernel.add(size, times(steps));
    }
    offsets.push_back(
        kernel.sub(offset, kernel.operandOrigin[size_t(read->operand)][d]));
    sizes.push_back(size);
    strides.push_back(b.getIndexAttr(1));
  }
  Value operand = kernel.operands[size_t(read->operand)];
  Value view = operand;
  if (!sums.empty())
    view = memref::SubViewOp::create(b, operand, offsets, sizes, strides);
  return Input{read, view,
               AffineMap::get(unsigned(kernel.lambda.rank()), 0, map, context)};
}

void buildGeneric(CpuKernel &kernel, const ExprRef &term) {
  LocBuilder &b = kernel.b;
  const auto rank = size_t(kernel.lambda.rank());
  std::vector<Input> inputs;
  const auto find = [&](const ExprRef &read) {
    return llvm::find_if(inputs,
                         [&](const Input &i) { return equal(i.read, read); });
  };
  // A branch that is not taken may read out of range: those load by hand.
  std::function<void(const ExprRef &)> collect = [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read && find(e) == inputs.end())
      if (std::optional<Input> input = inputOf(kernel, e)) {
        inputs.push_back(std::move(*input));
        return;
      }
    const bool lazy = e->kind == ExprKind::Select ||
                      (e->kind == ExprKind::Binary && e->type == DType::Bool);
    for (const ExprRef &child : e->children) {
      collect(child);
      if (lazy)
        break;
    }
  };
  collect(term);

  SmallVector<Value> views;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    views.push_back(input.view);
    maps.push_back(input.map);
  }
  Value target = kernel.result;
  if (rank) {
    SmallVector<OpFoldResult> offsets, sizes,
        strides(rank, OpFoldResult(b.getIndexAttr(1)));
    for (size_t d = 0; d < rank; ++d) {
      offsets.push_back(kernel.sub(kernel.lo[d], kernel.resultOrigin[d]));
      sizes.push_back(kernel.sub(kernel.hi[d], kernel.lo[d]));
    }
    target = memref::SubViewOp::create(b, target, offsets, sizes, strides);
  }
  maps.push_back(b.getMultiDimIdentityMap(unsigned(rank)));
  const SmallVector<utils::IteratorType> iterators(
      rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, TypeRange(), views, ValueRange{target}, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        for (size_t d = 0; d < rank; ++d)
          kernel.at[d] =
              kernel.add(linalg::IndexOp::create(b, int64_t(d)), kernel.lo[d]);
        kernel.elementAtHand = [&](const ExprRef &read) -> Value {
          const auto input = find(read);
          if (input == inputs.end())
            return {};
          return fromMemory(b, read->type,
                            elements[size_t(input - inputs.begin())]);
        };
        Value value = toMemory(b, kernel.lambda.result, kernel.emit(term));
        linalg::YieldOp::create(b, value);
        kernel.elementAtHand = nullptr;
      });
}

/// A transposition in squares: computed along the operand's rows, turned in the
/// first-level cache, stored along the result's. Rows are often a power of two
/// apart and compete for the same lines of the cache, so that each had better
/// be used up at once.
void buildTransposed(CpuKernel &kernel, const ExprRef &term) {
  const int variable = kernel.schedule.along;
  const int64_t side = kernel.schedule.tiles.front();
  const int last = kernel.lambda.rank() - 1;
  std::vector<int> outer;
  for (int i = 0; i < last; ++i)
    if (i != variable)
      outer.push_back(i);
  LocBuilder &b = kernel.b;
  Type element = memoryType(b.getContext(), kernel.lambda.result);
  Value square = kernel.scratch(element, side * side);
  const auto each = [&](int i, llvm::function_ref<void(Value, Value)> body) {
    Value hi = kernel.hi[size_t(i)];
    kernel.loop(kernel.lo[size_t(i)], hi, side, [&](Value start) {
      body(start, kernel.min(kernel.add(start, kernel.constant(side)), hi));
    });
  };
  Nest(kernel, outer)
      .emit(term, Nest::Body([&](const ExprRef &term) {
              each(variable, [&](Value rowLo, Value rowHi) {
                each(last, [&](Value lo, Value hi) {
                  const auto slot = [&]() -> Value {
                    Value row = kernel.sub(kernel.at[size_t(last)], lo);
                    Value start =
                        arith::MulIOp::create(b, row, kernel.constant(side));
                    return kernel.add(
                        start, kernel.sub(kernel.at[size_t(variable)], rowLo));
                  };
                  const auto over = [&](int outside, int inside) {
                    Nest nest(kernel, {outside, inside});
                    nest.setRange(variable, rowLo, rowHi);
                    nest.setRange(last, lo, hi);
                    return nest;
                  };
                  over(last, variable)
                      .emit(term, Nest::Body([&](const ExprRef &term) {
                              Value value = toMemory(b, kernel.lambda.result,
                                                     kernel.emit(term));
                              memref::StoreOp::create(b, value, square, slot());
                            }));
                  const ExprRef nothing =
                      tdl::constant(0, kernel.lambda.result);
                  over(variable, last)
                      .emit(nothing, Nest::Body([&](const ExprRef &) {
                              Value value =
                                  memref::LoadOp::create(b, square, slot());
                              memref::StoreOp::create(b, value, kernel.result,
                                                      kernel.resultIndices());
                            }));
                });
              });
            }));
}

} // namespace

void codegen::buildMap(CpuKernel &kernel) {
  const ExprRef term = mapTerm(kernel.lambda);
  const Schedule &schedule = kernel.schedule;
  switch (schedule.form) {
  case Schedule::Form::Digits:
    return buildDigits(kernel, *findDigits(kernel.lambda, term));
  case Schedule::Form::Squares:
    return buildTransposed(kernel, term);
  case Schedule::Form::Gather: {
    Value size = kernel.size(schedule.along);
    const int64_t most = schedule.tiles.front();
    Value isShort = kernel.less(size, kernel.constant(most));
    Value isLong = kernel.less(kernel.constant(most - 1), size);
    kernel.when(isShort, [&] { buildGather(kernel, term); });
    return kernel.when(isLong, [&] { buildGeneric(kernel, term); });
  }
  case Schedule::Form::Generic:
    return buildGeneric(kernel, term);
  default:
    Nest(kernel, schedule.order)
        .emit(term, Nest::Body([&](const ExprRef &term) {
                kernel.store(kernel.emit(term));
              }));
  }
}
