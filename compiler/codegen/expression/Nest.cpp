#include "compiler/codegen/expression/Nest.h"

#include "compiler/codegen/expression/Conditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {
int countComparisons(const ExprRef &term) {
  int count = 0;
  walk(term, [&](const ExprRef &e) {
    count += e->kind == tdl::ExprKind::Binary && tdl::isComparison(e->binary) &&
             e->children[0]->type == DType::I64;
  });
  return count;
}
} // namespace

Nest::Nest(KernelBuilder &kernel, std::vector<int> order)
    : kernel(kernel), order(std::move(order)), lo(kernel.lo), hi(kernel.hi),
      ends(kernel.hi) {
  for (Value value : kernel.at)
    bound.push_back(bool(value));
}

void Nest::setRange(int variable, Value low, Value high) {
  lo[size_t(variable)] = low;
  hi[size_t(variable)] = high;
}

void Nest::emit(const ExprRef &term, const Body &each) {
  body = each;
  level(0, term, mostCopies);
}

void Nest::emit(const ExprRef &term, const InnerLoop &loop) {
  inner = loop;
  level(0, term, mostCopies);
}

void Nest::level(size_t depth, const ExprRef &term, int budget) {
  if (depth == order.size())
    return body(term);
  const auto variable = size_t(order[depth]);
  Value low = lo[variable], high = hi[variable];
  tighten(order[depth], term, low, high);
  range(depth, low, high, term, budget);
}

void Nest::tighten(int variable, const ExprRef &term, Value &low, Value &high) {
  if (!skipped || !isGuarded(term, skipped))
    return;
  for (const ExprRef &part : conjuncts(term->children[0])) {
    const std::optional<Cut> cut =
        readsData(part) ? std::nullopt : cutOf(part, variable);
    // Free variables at the end of their range that leaves the most room.
    std::vector<int> free;
    bool linear = bool(cut);
    for (int i = 0; cut && i < int(bound.size()); ++i)
      if (!bound[size_t(i)] && uses(cut->numerator, i)) {
        const auto moves = linearIn(cut->numerator, i);
        linear &= bool(moves);
        if (moves)
          kernel.at[size_t(i)] =
              cut->below == (moves->factor > 0)
                  ? kernel.sub(hi[size_t(i)], kernel.constant(1))
                  : lo[size_t(i)];
        free.push_back(i);
      }
    if (linear && !free.empty()) {
      Value point = cutPoint(kernel, *cut);
      (cut->below ? high : low) =
          cut->below ? kernel.min(high, point) : kernel.max(low, point);
    }
    for (int i : free)
      kernel.at[size_t(i)] = nullptr;
  }
}

Value codegen::cutPoint(KernelBuilder &kernel, const Cut &cut) {
  Value numerator = kernel.emitIndex(cut.numerator);
  Value quotient = numerator;
  if (cut.divisor != 1) {
    Value divisor = kernel.constant(cut.divisor);
    if (cut.next)
      quotient = arith::FloorDivSIOp::create(kernel.b, numerator, divisor);
    else
      quotient = arith::CeilDivSIOp::create(kernel.b, numerator, divisor);
  }
  if (!cut.next)
    return quotient;
  // Data may be the largest number that there is, and no loop goes so far.
  if (readsData(cut.numerator))
    quotient = kernel.min(quotient, kernel.constant(int64_t(1) << 62));
  return kernel.add(quotient, kernel.constant(1));
}

Value Nest::firstCongruent(Value low, const Congruence &congruence) {
  Value ahead = kernel.sub(kernel.emitIndex(congruence.remainder), low);
  Value divisor = kernel.constant(congruence.divisor);
  Value rounds = arith::FloorDivSIOp::create(kernel.b, ahead, divisor);
  Value whole = arith::MulIOp::create(kernel.b, rounds, divisor);
  return kernel.add(low, kernel.sub(ahead, whole));
}

void Nest::range(size_t depth, Value low, Value high, const ExprRef &term,
                 int budget) {
  if (skipped && equal(term, skipped))
    return;
  const int variable = order[depth];
  std::optional<Cut> cut = findCut(term, variable, bound);
  if (cut) {
    const ExprRef below = assume(term, cut->comparison, cut->below);
    const ExprRef above = assume(term, cut->comparison, !cut->below);
    const auto dropped = [&](const ExprRef &e) {
      return skipped && equal(e, skipped);
    };
    // A cut that only shortens the loop costs nothing.
    const bool isFree = dropped(below) || dropped(above);
    if (isFree || budget > 1) {
      Value point = kernel.max(kernel.min(cutPoint(kernel, *cut), high), low);
      // Conditions that are left on one side only need the whole budget there;
      // of two, the interior is where they are true.
      int belowBudget = budget, aboveBudget = budget;
      if (!isFree) {
        const int b = countComparisons(below), a = countComparisons(above);
        const int rest = budget - 1;
        belowBudget = b == 0 ? 1
                      : a == 0
                          ? rest
                          : std::max(1, cut->below ? rest * 3 / 4 : rest / 4);
        aboveBudget = std::max(1, budget - belowBudget);
      }
      const bool border = isBoundsCheck(cut->comparison);
      {
        const llvm::SaveAndRestore rare(
            kernel.isRare, kernel.isRare || (border && !cut->below));
        range(depth, low, point, below, belowBudget);
      }
      const llvm::SaveAndRestore rare(kernel.isRare,
                                      kernel.isRare || (border && cut->below));
      return range(depth, point, high, above, aboveBudget);
    }
  }
  if (inner && depth + 1 == order.size())
    return inner(term, low, high);
  ExprRef rest = term;
  int64_t step = 1;
  if (auto congruence = skipped && isGuarded(term, skipped)
                            ? findCongruence(term, variable, bound)
                            : std::nullopt) {
    step = congruence->divisor;
    low = firstCongruent(low, *congruence);
    rest = assume(term, congruence->comparison, true);
  }
  kernel.loop(low, high, step, [&](Value at) {
    if (variable < kernel.lambda.indexCount())
      at.setLoc(NameLoc::get(
          kernel.b.getStringAttr(kernel.lambda.indexName(variable))));
    kernel.at[size_t(variable)] = at;
    ends[size_t(variable)] = high;
    bound[size_t(variable)] = true;
    level(depth + 1, rest, budget);
    bound[size_t(variable)] = false;
    kernel.at[size_t(variable)] = nullptr;
  });
}
