#include "compiler/training/Adjoint.h"

#include "compiler/training/Derivative.h"
#include "compiler/training/Factors.h"
#include "compiler/training/Preimage.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Conjuncts.h"
#include "dialects/tdl/lambda/Opaque.h"
#include "dialects/tdl/lambda/Simplify.h"

#include <limits>
#include <map>
#include <set>

using namespace smex;
using namespace smex::tdl;

namespace {

/// What must hold for a term, taken apart: pairs of equal integers, which a
/// preimage solves, and all else.
struct Conditions {
  std::vector<std::pair<ExprRef, ExprRef>> equations;
  ExprRef others;

  explicit Conditions(const ExprRef &guard) {
    for (const ExprRef &part : conjuncts(guard))
      if (part->kind == ExprKind::Binary && part->binary == BinaryOp::Eq &&
          part->children[0]->type == DType::I64)
        equations.push_back({part->children[0], part->children[1]});
      else
        others = both(others, part);
  }
};

/// Numbers for operands in the order in which expressions read them.
class Operands {
public:
  /// `sources`: per operand number of the expressions, what it stands for.
  Operands(const std::vector<Operand> &operands, std::vector<int> sources)
      : operands(operands), sources(std::move(sources)) {}

  ExprRef renumber(const ExprRef &e) {
    return rebuild(e, [&](const Expr &node, std::vector<ExprRef> children,
                          ExprRef otherwise, std::vector<Expr::Slice> slices) {
      if (node.kind == ExprKind::Read)
        return read(numberOf(node.operand), node.type, std::move(children),
                    std::move(otherwise));
      if (node.kind == ExprKind::Extent)
        return extentOf(numberOf(node.operand), node.dim);
      for (Expr::Slice &slice : slices)
        slice.operand = numberOf(slice.operand);
      return withChildren(node, std::move(children), std::move(otherwise),
                          std::move(slices));
    });
  }

  std::vector<Operand> used;
  std::vector<int> usedSources;

private:
  int numberOf(int operand) {
    const auto [entry, isNew] = numbers.try_emplace(operand, int(used.size()));
    if (isNew) {
      used.push_back(operands[size_t(operand)]);
      usedSources.push_back(sources[size_t(operand)]);
    }
    return entry->second;
  }

  const std::vector<Operand> &operands;
  std::vector<int> sources;
  std::map<int, int> numbers;
};

class AdjointBuilder {
public:
  AdjointBuilder(const Lambda &lambda, const std::vector<int64_t> &extents,
                 const analysis::Shapes &shapes, Ties ties)
      : lambda(lambda), extents(extents), shapes(shapes), ties(ties),
        operands(lambda.operands) {
    const int count = int(operands.size());
    for (int i = 0; i < count + 2; ++i)
      sources.push_back(i);
    operands.push_back({"y", lambda.result, lambda.rank()});
    operands.push_back({"dy", lambda.result, lambda.rank()});
    result = atOutputs(count);
    gradient = atOutputs(count + 1);
    value = lambda.body;
    // Of what is rounded at the end, the slope is that of what is rounded.
    const bool isRounded =
        value->kind == ExprKind::Cast && is16Bit(value->type) &&
        isFloat(value->children[0]->type) &&
        (lambda.reducer == Reducer::None || lambda.reducer == Reducer::Sum);
    if (isRounded) {
      value = value->children[0];
      result = cast(value->type, result);
      gradient = cast(value->type, gradient);
    }
  }

  /// An opaque function whose results are elements of its slice becomes a read
  /// of these, at the places that its partner gives.
  Status readAtPlaces(std::string_view partner) {
    const Expr &function = *lambda.body;
    Lambda made;
    made.outputs = names(0, lambda.rank());
    made.result = DType::I64;
    made.body = opaque(std::string(partner), DType::I64, function.arguments,
                       function.slices, function.children);
    const auto number = add(std::move(made), extents);
    if (!number)
      return number.error();
    std::vector<ExprRef> outputs;
    for (int i = 0; i < lambda.rank(); ++i)
      outputs.push_back(indexVar(i));
    const ExprRef place = read(*number, DType::I64, std::move(outputs));
    std::vector<ExprRef> index = function.slices[0].index;
    for (ExprRef &at : index)
      if (!at)
        at = place;
    lambda.body =
        read(function.slices[0].operand, lambda.result, std::move(index));
    value = lambda.body;
    return {};
  }

  Result<Instance> run(int operand) {
    for (const ExprRef &target :
         training::differentiableReads(lambda, operand)) {
      ExprRef term = training::product(
          gradient, throughResult(training::derivative(value, target)));
      if (!term) // slopes that cancel, as in x - x
        continue;
      const Conditions conditions(lambda.guard);
      ExprRef guard = conditions.others;
      if (lambda.reducer == Reducer::Prod)
        term = training::product(term, otherFactors());
      else if (lambda.reducer == Reducer::Max ||
               lambda.reducer == Reducer::Min) {
        if (ties == Ties::First) {
          guard = both(guard, isFirstExtremum());
        } else {
          term = binary(BinaryOp::Div, term, extremumCount());
          guard = both(guard, isExtremum());
        }
      }
      if (Status added =
              collect(operand, target, term, conditions.equations, guard);
          !added)
        return added.takeError();
    }
    return std::move(instance);
  }

private:
  ExprRef atOutputs(int operand) const {
    std::vector<ExprRef> index;
    for (int i = 0; i < lambda.rank(); ++i)
      index.push_back(indexVar(i));
    return read(operand, lambda.result, std::move(index));
  }

  /// The slope of a map with what its result tells read from there, where that
  /// makes an operand needless: exp(x) is the result, and max(x, 0) is above 0
  /// where x is.
  ExprRef throughResult(const ExprRef &slope) const {
    const ExprRef &body = value;
    if (!slope || lambda.reducer != Reducer::None ||
        body->kind == ExprKind::Read)
      return slope;
    const bool isMax = body->kind == ExprKind::Binary &&
                       body->binary == BinaryOp::Max &&
                       isConstant(body->children[1]);
    const bool isMin = body->kind == ExprKind::Binary &&
                       body->binary == BinaryOp::Min &&
                       isConstant(body->children[1]);
    const ExprRef told = transform(slope, [&](const ExprRef &e) -> ExprRef {
      if (equal(e, body))
        return result;
      const bool compares = e->kind == ExprKind::Binary &&
                            ((isMax && e->binary == BinaryOp::Gt) ||
                             (isMin && e->binary == BinaryOp::Lt)) &&
                            equal(e->children[0], body->children[0]) &&
                            equal(e->children[1], body->children[1]);
      return compares ? binary(e->binary, result, e->children[1]) : nullptr;
    });
    return operandsIn(told) < operandsIn(slope) ? told : slope;
  }

  /// Operands of the lambda itself that the expression reads.
  size_t operandsIn(const ExprRef &e) const {
    std::set<int> found;
    walk(e, [&](const ExprRef &node) {
      if (node->kind == ExprKind::Read &&
          size_t(node->operand) < lambda.operands.size())
        found.insert(node->operand);
    });
    return found.size();
  }

  std::vector<std::string> names(int first, int count) const {
    std::vector<std::string> list;
    for (int i = first; i < first + count; ++i)
      list.push_back("v" + std::to_string(i));
    return list;
  }

  /// Adds an application and makes its result an operand; its number.
  Result<int> add(Lambda made, std::vector<int64_t> itsExtents) {
    Operands used(operands, sources);
    made.body = used.renumber(made.body);
    if (made.guard)
      made.guard = used.renumber(made.guard);
    made.operands = used.used;
    made = canonicalize(std::move(made));
    if (Status valid = verify(made); !valid)
      return valid.takeError();
    operands.push_back({"t", made.result, made.rank()});
    sources.push_back(~int(instance.applications.size()));
    instance.applications.push_back(
        {std::move(made), std::move(used.usedSources), std::move(itsExtents)});
    return int(operands.size()) - 1;
  }

  /// The product of all other terms, for each term: indexed by all variables.
  ExprRef otherFactors() {
    Lambda made;
    const int count = lambda.indexCount();
    made.outputs = names(0, count);
    made.reductions = names(count, count - lambda.rank());
    made.result = lambda.result;
    made.reducer = Reducer::Prod;
    std::vector<ExprRef> others;
    std::vector<int64_t> itsExtents = extents;
    ExprRef same;
    for (int i = 0; i < count; ++i) {
      const bool output = i < lambda.rank();
      others.push_back(indexVar(output ? i : count + i - lambda.rank()));
      if (output)
        continue;
      itsExtents.push_back(extents[size_t(i)]);
      same = both(same, binary(BinaryOp::Eq, indexVar(i), others.back()));
    }
    made.body = substitute(lambda.body, others);
    made.guard = unary(UnaryOp::Not, same);
    if (lambda.guard)
      made.guard = both(made.guard, substitute(lambda.guard, others));
    const auto number = add(std::move(made), std::move(itsExtents));
    if (!number)
      return failed(number, lambda.result);
    std::vector<ExprRef> index;
    for (int i = 0; i < count; ++i)
      index.push_back(indexVar(i));
    return read(*number, lambda.result, std::move(index));
  }

  /// The number of a point among the reduction's.
  ExprRef position() const {
    ExprRef at = constant(0);
    for (int i = lambda.rank(); i < lambda.indexCount(); ++i)
      at = binary(BinaryOp::Add,
                  binary(BinaryOp::Mul, at, constant(extents[size_t(i)])),
                  indexVar(i));
    return at;
  }

  ExprRef isExtremum() const {
    return binary(BinaryOp::Eq, lambda.body, result);
  }

  /// Over the terms that are the extremum, read at the outputs.
  ExprRef ofExtrema(Reducer reducer, ExprRef body) {
    Lambda made;
    made.outputs = names(0, lambda.rank());
    made.reductions = names(lambda.rank(), lambda.indexCount() - lambda.rank());
    made.result = body->type;
    made.reducer = reducer;
    made.body = std::move(body);
    made.guard = both(lambda.guard, isExtremum());
    const DType type = made.result;
    const auto number = add(std::move(made), extents);
    if (!number)
      return failed(number, type);
    std::vector<ExprRef> index;
    for (int i = 0; i < lambda.rank(); ++i)
      index.push_back(indexVar(i));
    return read(*number, type, std::move(index));
  }

  ExprRef isFirstExtremum() {
    return binary(BinaryOp::Eq, position(),
                  ofExtrema(Reducer::Min, position()));
  }

  ExprRef extremumCount() {
    return ofExtrema(Reducer::Sum, tdl::constant(1.0, lambda.result));
  }

  /// Remembers the error; what is returned in its stead goes nowhere.
  ExprRef failed(const Result<int> &number, DType type) {
    problem = number.error();
    return constant(1, type);
  }

  /// Extents of operands as numbers: a gradient is for these shapes anyway, and
  /// many a condition is certain then.
  ExprRef withNumbers(const ExprRef &e) const {
    return transform(e, [&](const ExprRef &part) -> ExprRef {
      if (part->kind != ExprKind::Extent ||
          size_t(part->operand) >= shapes.size())
        return nullptr;
      return constant(shapes[size_t(part->operand)][size_t(part->dim)]);
    });
  }

  /// A map of an operand's elements, as `body` says.
  template <typename F>
  Result<int> map(int operand, const std::vector<int64_t> &shape, F &&body) {
    const Operand &what = operands[size_t(operand)];
    Lambda made;
    made.outputs = names(0, what.rank);
    std::vector<ExprRef> index;
    for (int i = 0; i < what.rank; ++i)
      index.push_back(indexVar(i));
    made.body = body(read(operand, what.type, std::move(index)));
    made.result = made.body->type;
    return add(std::move(made), shape);
  }

  Status collect(int operand, const ExprRef &target, const ExprRef &term,
                 const std::vector<std::pair<ExprRef, ExprRef>> &equations,
                 const ExprRef &guard) {
    if (problem)
      return *problem;
    const training::Preimage points =
        training::preimage(target, extents, shapes, equations);
    const auto &shape = shapes[size_t(operand)];
    const int rank = int(shape.size());
    Lambda made;
    made.outputs = names(0, rank);
    made.reductions = names(rank, int(points.free.size()));
    made.result = lambda.operands[size_t(operand)].type;
    std::vector<int64_t> itsExtents = shape;
    for (const auto &free : points.free)
      itsExtents.push_back(free.extent);
    ExprRef body = substitute(term, points.values);
    // A sum of what is wider than 16 bits is rounded once it is whole.
    const DType type = made.result;
    const bool isWide = is16Bit(type) && !is16Bit(body->type) &&
                        isFloat(body->type) && !points.free.empty();
    if (isWide)
      made.result = body->type;
    else if (body->type != type)
      body = cast(type, body);
    ExprRef conditions = guard ? substitute(guard, points.values) : nullptr;
    for (const ExprRef &condition : points.conditions)
      conditions = both(condition, conditions);
    std::vector<Interval> ranges;
    for (int64_t extent : itsExtents)
      ranges.push_back({0, std::max<int64_t>(extent, 1)});
    body = simplify(withNumbers(body), ranges);
    if (conditions) {
      conditions = simplify(withNumbers(conditions), ranges);
      if (conditions->kind == ExprKind::Int && conditions->integer)
        conditions = nullptr;
    }
    if (points.free.empty()) {
      made.body = conditions
                      ? select(conditions, body, constant(0.0, made.result))
                      : body;
    } else {
      made.reducer = Reducer::Sum;
      made.body = body;
      made.guard = conditions;
    }
    ExprRef common;
    // A sum of 16-bit numbers that are not scaled yet may be out of range.
    if (made.reducer == Reducer::Sum && !conditions &&
        byteSize(made.result) >= 4)
      if (training::Factors split = training::factors(body, rank);
          split.rest && split.common && readsData(split.common)) {
        made.body = split.rest;
        common = split.common;
      }
    auto number = add(std::move(made), std::move(itsExtents));
    if (number && common)
      number = map(*number, shape, [&](ExprRef e) {
        return binary(BinaryOp::Mul, std::move(e), common);
      });
    if (number && isWide)
      number = map(*number, shape,
                   [&](ExprRef e) { return cast(type, std::move(e)); });
    if (!number)
      return number.error();
    instance.results.push_back(sources.back());
    return {};
  }

  Lambda lambda;
  const std::vector<int64_t> &extents;
  const analysis::Shapes &shapes;
  const Ties ties;
  std::vector<Operand> operands; // the lambda's, y, dy, then those made
  std::vector<int> sources;      // what each stands for
  ExprRef value;                 // the body, before it is rounded to 16 bits
  ExprRef result, gradient;      // y and dy at the outputs, of its type
  Instance instance;
  std::optional<Error> problem;
};

} // namespace

Result<Instance> training::adjoint(const Lambda &lambda,
                                   const std::vector<int64_t> &extents,
                                   const analysis::Shapes &shapes, int operand,
                                   Ties ties) {
  AdjointBuilder builder(lambda, extents, shapes, ties);
  if (lambda.body->kind == ExprKind::Opaque) {
    const OpaqueFunction *function = findOpaque(lambda.body->function);
    if (!function || function->places.empty())
      return fail("@", lambda.body->function, " has no gradient");
    if (Status known = builder.readAtPlaces(function->places); !known)
      return known.takeError();
  }
  return builder.run(operand);
}
