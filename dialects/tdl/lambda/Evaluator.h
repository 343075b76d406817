// From the syntax of a value to the value. What names mean is left to the two
// users: the text form of a Lambda (indices and operands) and operator
// templates (extents, attributes, packs, nested reductions).
#ifndef SMEX_DIALECTS_TDL_LAMBDA_EVALUATOR_H
#define SMEX_DIALECTS_TDL_LAMBDA_EVALUATOR_H

#include "dialects/tdl/lambda/Syntax.h"
#include "dialects/tdl/lambda/Value.h"

namespace smex::tdl {

/// Something that can be read: an operand, or in a template the result of an
/// earlier lambda.
struct Array {
  int operand; // as Expr::operand
  DType type;
  int rank;
};

class Evaluator {
public:
  /// `subject`, if any, is named in messages after the place: "conv: ".
  explicit Evaluator(std::string_view file, std::string subject = "")
      : file(file), subject(std::move(subject)) {}
  virtual ~Evaluator() = default;

  /// Nothing after an error, which takeError() then gives.
  std::optional<Value> evaluate(const NodeRef &node);
  bool failed() const { return problem.has_value(); }
  Error takeError() { return std::move(*problem); }

protected:
  virtual std::optional<Value> name(const Node &node) = 0;
  virtual std::optional<Array> array(std::string_view name) = 0;
  virtual std::optional<Value> reduction(const Node &node) = 0;
  /// Functions other than those of applyFunction.
  virtual std::optional<Value> call(const Node &node) = 0;
  /// A subscript of something that is not an array.
  virtual std::optional<Value> element(const Node &node) = 0;
  /// Packs, ranges and lists, where a single value is needed.
  virtual std::optional<Value> several(const Node &node) = 0;
  /// The values of a list; templates expand packs in it. A null is `:`.
  virtual std::optional<std::vector<std::optional<Value>>>
  values(const std::vector<NodeRef> &items);
  /// An opaque function as a value.
  virtual std::optional<Value> opaqueValue(const Node &, ExprRef e) {
    return Value::of(e);
  }
  virtual Result<Value> apply(BinaryOp op, const Value &a, const Value &b) {
    return applyBinary(op, a, b);
  }
  virtual ExprRef simplified(ExprRef e) { return e; }
  /// `otherwise` where the indices make it certain, and the plain read too.
  virtual ExprRef readOf(const Array &array, std::vector<ExprRef> index,
                         ExprRef otherwise);

  /// Records the first error; nothing, for `return fail(...)`.
  std::nullopt_t fail(Place place, std::string message);
  /// The value, or its error at this place.
  template <typename T> std::optional<T> at(Place place, Result<T> result) {
    if (result)
      return std::move(*result);
    return fail(place, result.error().message);
  }
  /// Counts steps of work; false when there were too many.
  bool step(Place place, size_t count = 1);
  /// The value of a condition.
  std::optional<Value> condition(const NodeRef &node);
  std::optional<std::vector<Value>> scalars(const Node &node,
                                            const std::vector<NodeRef> &items);

  std::string_view file;
  std::string subject;

private:
  std::optional<Value> compute(const Node &node);
  std::optional<Value> unary(const Node &node);
  std::optional<Value> binary(const Node &node);
  std::optional<Value> choice(const Node &node);
  std::optional<Value> read(const Node &node, const Array &array);
  std::optional<Value> opaque(const Node &node);
  std::optional<Expr::Slice> slice(const Node &node);
  std::optional<std::vector<ExprRef>>
  indices(Place place, const std::vector<NodeRef> &items);

  int64_t steps = 0;
  std::optional<Error> problem;
};

} // namespace smex::tdl

#endif
