// The gradient of a pooling window's extremum: `Sum(lambda r: x[(i - r) // 2]
// where (i - r) % 2 == 0 and r == key[(i - r) // 2])` asks, for each i, for all
// places q = (i - r) // 2 of windows that it is in, and few of these keys point
// back at i. The other way round: fill the result with the identity, then for
// each q work out r from its key, and add to element i = 2 * q + r. Each
// element gets its terms in the order of q.
#include "compiler/codegen/Conditions.h"
#include "compiler/codegen/Nest.h"

#include "dialects/tdl/lambda/IndexSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// place = (output - reduction + offset) // stride.
struct Side {
  int output, reduction;
  int64_t stride, offset;
  ExprRef place;
};

/// A reduction variable and its factor in what the key must be.
struct Digit {
  int reduction;
  int64_t weight;
};

struct Window {
  std::vector<Side> sides;   // the place on side k is index variable count + k
  std::vector<Digit> digits; // heaviest first; each weight divides the last
  ExprRef key;               // by places
  ExprRef term;              // the same, without the condition on the key
};

bool isEquality(const ExprRef &e) {
  return e->kind == ExprKind::Binary && e->binary == BinaryOp::Eq &&
         e->children[0]->type == DType::I64;
}

/// a * 9 + b * 3 + c, over all reduction variables.
std::optional<std::vector<Digit>> digitsOf(const tdl::Lambda &lambda,
                                           const tdl::IndexSum &sum) {
  std::vector<Digit> digits;
  for (const tdl::IndexSum::Term &term : sum.terms) {
    if (term.atom->kind != ExprKind::Index || term.factor < 1 ||
        term.atom->index < lambda.rank())
      return std::nullopt;
    digits.push_back({term.atom->index, term.factor});
  }
  std::sort(digits.begin(), digits.end(),
            [](const Digit &a, const Digit &b) { return a.weight > b.weight; });
  for (size_t d = 1; d < digits.size(); ++d)
    if (digits[d - 1].weight == digits[d].weight ||
        digits[d - 1].weight % digits[d].weight != 0)
      return std::nullopt;
  if (digits.size() != lambda.reductions.size() || digits.empty() ||
      digits.back().weight != 1)
    return std::nullopt;
  return digits;
}

std::optional<Side> sideOf(const tdl::Lambda &lambda, const ExprRef &place) {
  Side side{-1, -1, 1, 0, place};
  ExprRef numerator = place;
  if (place->kind == ExprKind::Binary && place->binary == BinaryOp::FloorDiv &&
      place->children[1]->kind == ExprKind::Int) {
    numerator = place->children[0];
    side.stride = place->children[1]->integer;
  }
  const tdl::IndexSum sum = tdl::indexSum(numerator);
  side.offset = sum.constant;
  for (const tdl::IndexSum::Term &term : sum.terms) {
    if (term.atom->kind != ExprKind::Index)
      return std::nullopt;
    const int variable = term.atom->index;
    const bool isOutput = variable < lambda.rank();
    int &which = isOutput ? side.output : side.reduction;
    if (which >= 0 || term.factor != (isOutput ? 1 : -1))
      return std::nullopt;
    which = variable;
  }
  constexpr int64_t most = int64_t(1) << 30;
  if (side.output < 0 || side.reduction < 0 || side.stride < 1 ||
      side.stride > most || std::abs(side.offset) > most)
    return std::nullopt;
  return side;
}

/// The condition that a place lies on the grid: numerator % stride == 0.
bool isOnGrid(const ExprRef &part, const Side &side) {
  if (!isEquality(part) || !tdl::equal(part->children[1], tdl::constant(0)))
    return false;
  const ExprRef &rest = part->children[0];
  return rest->kind == ExprKind::Binary && rest->binary == BinaryOp::Mod &&
         tdl::equal(rest->children[0], side.place->children[0]) &&
         tdl::equal(rest->children[1], side.place->children[1]);
}

bool usesReductions(const tdl::Lambda &lambda, const ExprRef &e) {
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
    if (uses(e, r))
      return true;
  return false;
}

/// The sides of the window that the key's indices tell: one per reduction
/// variable, each with an output of its own.
std::optional<std::vector<Side>> sidesOf(const tdl::Lambda &lambda,
                                         const tdl::Expr &key) {
  std::vector<Side> sides;
  std::vector<bool> taken(size_t(lambda.indexCount()));
  for (const ExprRef &index : key.children) {
    if (!usesReductions(lambda, index))
      continue;
    const auto side = sideOf(lambda, index);
    if (!side || taken[size_t(side->output)] || taken[size_t(side->reduction)])
      return std::nullopt;
    taken[size_t(side->output)] = taken[size_t(side->reduction)] = true;
    sides.push_back(*side);
  }
  if (sides.size() != lambda.reductions.size())
    return std::nullopt;
  return sides;
}

std::optional<Window> match(const tdl::Lambda &lambda) {
  if (!lambda.guard || accumulatorType(lambda.result) != lambda.result)
    return std::nullopt;
  std::vector<ExprRef> parts = conjuncts(lambda.guard);
  const auto keyed = std::find_if(parts.begin(), parts.end(), tdl::readsData);
  if (keyed == parts.end() || !isEquality(*keyed))
    return std::nullopt;
  const bool first = readsData((*keyed)->children[0]);
  const ExprRef key = (*keyed)->children[first ? 0 : 1];
  const tdl::IndexSum wanted = tdl::indexSum((*keyed)->children[first ? 1 : 0]);
  parts.erase(keyed);
  if (key->kind != ExprKind::Read || key->otherwise)
    return std::nullopt;
  const auto digits = digitsOf(lambda, wanted);
  const auto sides = sidesOf(lambda, *key);
  if (!digits || !sides)
    return std::nullopt;
  for (const Side &side : *sides) {
    const auto grid =
        std::find_if(parts.begin(), parts.end(), [&](const ExprRef &part) {
          return side.stride > 1 && isOnGrid(part, side);
        });
    if (grid != parts.end())
      parts.erase(grid);
    else if (side.stride > 1)
      return std::nullopt; // several i at the same place
  }

  const int count = lambda.indexCount();
  const auto byPlaces = [&](const ExprRef &e) {
    return tdl::transform(e, [&](const ExprRef &node) -> ExprRef {
      for (size_t k = 0; k < sides->size(); ++k)
        if (equal(node, (*sides)[k].place))
          return tdl::indexVar(count + int(k));
      return nullptr;
    });
  };
  const auto isByPlaces = [&](const ExprRef &e) {
    return !usesReductions(lambda, e) &&
           std::none_of(sides->begin(), sides->end(),
                        [&](const Side &side) { return uses(e, side.output); });
  };
  Window window{
      *sides, *digits,
      tdl::binary(BinaryOp::Sub, byPlaces(key), tdl::constant(wanted.constant)),
      byPlaces(makeConditionsExplicit(lambda.body))};
  ExprRef guard = tdl::constant(1, DType::Bool);
  for (const ExprRef &part : parts)
    guard = tdl::binary(BinaryOp::And, guard, byPlaces(part));
  guard = makeConditionsExplicit(guard);
  if (!isByPlaces(window.key) || !isByPlaces(window.term) || !isByPlaces(guard))
    return std::nullopt;
  // The key is read before what is left of the guard is looked at, but for what
  // the loops over places are cut at.
  for (const ExprRef &part : conjuncts(guard)) {
    bool cuts = tdl::isConstant(part);
    for (size_t k = 0; k < sides->size(); ++k)
      cuts |= !readsData(part) && cutOf(part, count + int(k)).has_value();
    if (!cuts)
      return std::nullopt;
  }
  window.term = tdl::select(guard, window.term,
                            tdl::identity(lambda.reducer, lambda.result));
  return window;
}

class WindowBuilder {
public:
  WindowBuilder(KernelBuilder &kernel, const Window &window)
      : kernel(kernel), b(kernel.b), window(window),
        count(kernel.lambda.indexCount()) {}

  void build() {
    const ExprRef nothing =
        tdl::identity(kernel.lambda.reducer, kernel.lambda.result);
    std::vector<int> outer, inner, places;
    for (int i = 0; i < kernel.lambda.rank(); ++i) {
      const bool isSide =
          std::any_of(window.sides.begin(), window.sides.end(),
                      [&](const Side &side) { return side.output == i; });
      (isSide ? inner : outer).push_back(i);
    }
    Value any; // without terms, there may be no keys
    for (size_t k = 0; k < window.sides.size(); ++k) {
      const Side &side = window.sides[k];
      addPlaces(side);
      places.push_back(count + int(k));
      for (int i : {side.output, side.reduction}) {
        Value some = kernel.less(kernel.lo[size_t(i)], kernel.hi[size_t(i)]);
        any = any ? arith::AndIOp::create(b, any, some).getResult() : some;
      }
    }
    // Plane by plane, which stays in the cache.
    const auto plane = [&](const ExprRef &term) {
      Nest(kernel, inner).emit(nothing, Nest::Body([&](const ExprRef &e) {
                                 kernel.store(kernel.emit(e));
                               }));
      kernel.when(any, [&] {
        Nest nest(kernel, places);
        nest.skip(nothing);
        nest.emit(term, Nest::Body([&](const ExprRef &term) { point(term); }));
      });
    };
    Nest(kernel, outer).emit(window.term, Nest::Body(plane));
  }

private:
  /// 0 <= x < limit.
  Value below(Value x, Value limit) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, limit);
  }
  Value within(Value x, int variable) {
    const auto v = size_t(variable);
    return below(kernel.sub(x, kernel.lo[v]),
                 kernel.sub(kernel.hi[v], kernel.lo[v]));
  }

  /// What the key at this place points to.
  void point(const ExprRef &term) {
    Value key = kernel.emitIndex(window.key);
    // Arithmetic on what no sum of digits is might overflow.
    Value sane = below(key, kernel.constant(int64_t(1) << 60));
    kernel.when(sane, [&] { solve(window.digits.size() - 1, key, term); });
  }

  /// Those from which some output of the range is reached.
  void addPlaces(const Side &side) {
    const auto i = size_t(side.output), r = size_t(side.reduction);
    Value stride = kernel.constant(side.stride);
    Value offset = kernel.constant(side.offset), one = kernel.constant(1);
    Value least = kernel.add(
        kernel.sub(kernel.lo[i], kernel.sub(kernel.hi[r], one)), offset);
    Value most = kernel.add(
        kernel.sub(kernel.sub(kernel.hi[i], one), kernel.lo[r]), offset);
    kernel.at.push_back(nullptr);
    kernel.lo.push_back(kernel.max(arith::CeilDivSIOp::create(b, least, stride),
                                   kernel.constant(0)));
    kernel.hi.push_back(
        kernel.add(arith::FloorDivSIOp::create(b, most, stride), one));
  }

  /// Digit `d` and those before it make up `value`: all that do, one unless
  /// the digit's range is longer than its weight allows.
  void solve(size_t d, Value value, const ExprRef &term) {
    const int variable = window.digits[d].reduction;
    const auto r = size_t(variable);
    if (d == 0) {
      kernel.when(within(value, variable), [&] {
        kernel.at[r] = value;
        addTerm(term);
        kernel.at[r] = nullptr;
      });
      return;
    }
    const int64_t base = window.digits[d - 1].weight / window.digits[d].weight;
    Value divisor = kernel.constant(base);
    Value ahead = kernel.sub(value, kernel.lo[r]);
    Value rounds = arith::FloorDivSIOp::create(b, ahead, divisor);
    Value whole = arith::MulIOp::create(b, rounds, divisor);
    Value start = kernel.add(kernel.lo[r], kernel.sub(ahead, whole));
    const bool wasRare = kernel.isRare;
    kernel.isRare = true; // once, nearly always
    kernel.loop(start, kernel.hi[r], base, [&](Value at) {
      kernel.isRare = wasRare;
      kernel.at[r] = at;
      Value rest = kernel.sub(value, at);
      solve(d - 1, arith::FloorDivSIOp::create(b, rest, divisor), term);
      kernel.at[r] = nullptr;
    });
    kernel.isRare = wasRare;
  }

  void addTerm(const ExprRef &term) {
    Value inside;
    for (size_t k = 0; k < window.sides.size(); ++k) {
      const Side &side = window.sides[k];
      Value corner = arith::MulIOp::create(b, kernel.at[size_t(count) + k],
                                           kernel.constant(side.stride));
      Value i =
          kernel.sub(kernel.add(corner, kernel.at[size_t(side.reduction)]),
                     kernel.constant(side.offset));
      kernel.at[size_t(side.output)] = i;
      Value here = within(i, side.output);
      inside =
          inside ? arith::AndIOp::create(b, inside, here).getResult() : here;
    }
    kernel.when(inside, [&] {
      Value old =
          memref::LoadOp::create(b, kernel.result, kernel.resultIndices());
      kernel.storeAccumulated(kernel.combine(old, kernel.emitTerm(term)));
    });
    for (const Side &side : window.sides)
      kernel.at[size_t(side.output)] = nullptr;
  }

  KernelBuilder &kernel;
  LocBuilder &b;
  const Window &window;
  const int count; // index variables of the lambda
};

} // namespace

bool codegen::buildWindow(KernelBuilder &kernel) {
  if (kernel.stored != kernel.lambda.result)
    return false; // it adds to results in memory, which have no room for sums
  const std::optional<Window> window = match(kernel.lambda);
  if (!window)
    return false;
  WindowBuilder(kernel, *window).build();
  return true;
}
