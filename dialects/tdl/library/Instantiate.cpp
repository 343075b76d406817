#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/library/Instantiation.h"

#include <algorithm>
#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

class Instantiation {
public:
  Instantiation(const Template &op, const std::vector<TensorType> &operands)
      : op(op), normalizer(operands), evaluator(op, environment, normalizer) {}

  /// `wide`: operands of 16 bits are read as f32, and so all that is made of
  /// them is f32.
  Result<Instance> run(const std::vector<TensorType> &operands,
                       const Attributes &attributes, bool wide) {
    if (Status bound = bind(op, operands, attributes, environment, evaluator);
        !bound)
      return bound.takeError();
    for (auto &[_, binding] : environment)
      if (wide && binding.kind == Binding::Tensor &&
          is16Bit(binding.tensor.type))
        binding.tensor.type = DType::F32;
    std::vector<int> results;
    for (const Definition &definition : op.definitions)
      if (!define(definition))
        return evaluator.takeError();
    for (const ResultDeclaration &result : op.results)
      if (!addResult(result, results))
        return evaluator.takeError();
    return normalizer.finish(results);
  }

private:
  bool define(const Definition &definition) {
    Binding binding;
    if (definition.lambda) {
      const auto source = evaluator.lambda(*definition.lambda);
      if (!source)
        return false;
      if (definition.detached)
        normalizer.detach(*source);
      if (definition.ties != Ties::Shared)
        normalizer.setTies(*source, definition.ties);
      binding.kind = Binding::Tensor;
      binding.tensor = normalizer.tensor(*source);
    } else {
      auto values = evaluator.expand(definition.value);
      if (!values)
        return false;
      binding.kind = definition.isPack ? Binding::Pack : Binding::Scalar;
      if (!definition.isPack) {
        if (values->size() != 1) {
          evaluator.fail(definition.place,
                         "several values: write " + definition.name + "... = ");
          return false;
        }
        binding.value = (*values)[0];
      }
      for (const Value &value : *values)
        if (value.kind == Value::Data && !isConstant(value.data)) {
          evaluator.fail(definition.place,
                         "'" + definition.name +
                             "' is not known: make it a lambda");
          return false;
        }
      binding.values = std::move(*values);
    }
    environment[definition.name] = std::move(binding);
    return true;
  }

  bool addResult(const ResultDeclaration &result, std::vector<int> &results) {
    if (result.lambda) {
      const auto source = evaluator.lambda(*result.lambda);
      if (source)
        results.push_back(*source);
      return source.has_value();
    }
    const auto named = environment.find(result.name);
    if (named == environment.end() || named->second.kind != Binding::Tensor) {
      evaluator.fail(result.place, "'" + result.name + "' is no tensor");
      return false;
    }
    results.push_back(named->second.tensor.source);
    return true;
  }

  const Template &op;
  Environment environment;
  Normalizer normalizer;
  TemplateEvaluator evaluator;
};

bool isExact(UnaryOp op) {
  switch (op) {
  case UnaryOp::Neg:
  case UnaryOp::Abs:
  case UnaryOp::Sign:
  case UnaryOp::Floor:
  case UnaryOp::Ceil:
  case UnaryOp::Round:
  case UnaryOp::Trunc:
    return true;
  default:
    return false;
  }
}

/// Operations that round their result, and constants that may have been.
bool rounds(const Expr &e) {
  if (!is16Bit(e.type))
    return false;
  switch (e.kind) {
  case ExprKind::Unary:
    return !isExact(e.unary);
  case ExprKind::Binary:
    return e.binary != BinaryOp::Min && e.binary != BinaryOp::Max;
  case ExprKind::Cast:
    return !is16Bit(e.children[0]->type);
  case ExprKind::Float: {
    constexpr double wholeNumbers = 256; // up to here any 16-bit type has all
    return std::isfinite(e.real) &&
           (e.real != std::trunc(e.real) || std::fabs(e.real) > wholeNumbers);
  }
  default:
    return false;
  }
}

/// True where 16-bit values are rounded, or leave their range, before the
/// result is: the sum of 4096 numbers of 100 has no f16, their mean has. False
/// where a reduction or one operation is all there is: that rounds once anyway
/// (Accumulated.h), and stays a lambda that libraries have kernels for.
bool roundsOnTheWay(const Instance &instance) {
  int roundings = 0;
  bool opaque = false;
  for (const Application &application : instance.applications) {
    const Lambda &lambda = application.lambda;
    const bool isSum =
        lambda.reducer == Reducer::Sum || lambda.reducer == Reducer::Prod;
    roundings += isSum && is16Bit(lambda.result);
    walk(lambda.body, [&](const ExprRef &e) {
      // Terms are f32.
      roundings += (!isSum || e->kind == ExprKind::Float) && rounds(*e);
      opaque |= e->kind == ExprKind::Opaque;
    });
  }
  // A slice's function is of the type that the slice has.
  if (opaque)
    return false;
  const bool isOneReduction =
      instance.applications.size() == 1 &&
      instance.applications[0].lambda.reducer != Reducer::None;
  return roundings > 1 && !isOneReduction;
}

DType typeOf(const Instance &instance, int source,
             const std::vector<TensorType> &operands) {
  return source >= 0 ? operands[size_t(source)].dtype
                     : instance.applications[size_t(~source)].lambda.result;
}

/// Makes results of the types that `plain` has: by a map that makes one, if it
/// is only that, else by a map of its own.
void roundResults(Instance &wide, const Instance &plain,
                  const std::vector<TensorType> &operands) {
  for (size_t i = 0; i < wide.results.size(); ++i) {
    const int source = wide.results[i];
    const DType type = typeOf(plain, plain.results[i], operands);
    if (typeOf(wide, source, operands) == type)
      continue;
    Application &made = wide.applications[size_t(~source)];
    const auto reads = [&](const Application &application) {
      return std::count(application.operands.begin(),
                        application.operands.end(), source) > 0;
    };
    const bool isOnlyResult =
        made.lambda.reducer == Reducer::None &&
        std::count(wide.results.begin(), wide.results.end(), source) == 1 &&
        std::none_of(wide.applications.begin(), wide.applications.end(), reads);
    if (isOnlyResult) {
      made.lambda.body = cast(type, made.lambda.body);
      made.lambda.result = type;
      made.lambda = canonicalize(std::move(made.lambda));
      continue;
    }
    Application rounding;
    Lambda &lambda = rounding.lambda;
    const int rank = made.lambda.rank();
    std::vector<ExprRef> index;
    for (int d = 0; d < rank; ++d)
      index.push_back(indexVar(d));
    lambda.outputs.resize(size_t(rank));
    lambda.operands = {{"", made.lambda.result, rank}};
    lambda.body = cast(type, read(0, made.lambda.result, std::move(index)));
    lambda.result = type;
    lambda = canonicalize(std::move(lambda));
    rounding.operands = {source};
    rounding.extents.assign(made.extents.begin(), made.extents.begin() + rank);
    wide.results[i] = ~int(wide.applications.size());
    wide.applications.push_back(std::move(rounding));
  }
}

} // namespace

Result<Instance> tdl::instantiate(const Template &op,
                                  const std::vector<TensorType> &operands,
                                  const Attributes &attributes) {
  auto plain = Instantiation(op, operands).run(operands, attributes, false);
  const bool isHalf = std::any_of(
      operands.begin(), operands.end(),
      [](const TensorType &operand) { return is16Bit(operand.dtype); });
  if (!plain || !isHalf || !roundsOnTheWay(*plain))
    return plain;
  auto wide = Instantiation(op, operands).run(operands, attributes, true);
  // A template that casts to a type of 16 bits by name may not mix with f32.
  if (!wide)
    return plain;
  roundResults(*wide, *plain, operands);
  return wide;
}
