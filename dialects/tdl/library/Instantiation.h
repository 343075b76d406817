// The expansion of one operator template for one use.
#ifndef SMEX_DIALECTS_TDL_LIBRARY_INSTANTIATION_H
#define SMEX_DIALECTS_TDL_LIBRARY_INSTANTIATION_H

#include "dialects/tdl/lambda/Evaluator.h"
#include "dialects/tdl/library/Normalize.h"
#include "dialects/tdl/library/Template.h"

#include <map>

namespace smex::tdl {

/// What a name stands for in a use of an operator.
struct Binding {
  enum Kind : uint8_t { Scalar, Pack, Tensor } kind = Scalar;
  Value value;
  std::vector<Value> values;
  ArrayShape tensor;
  std::string origin; // what bound it, for messages: "x"
};

using Environment = std::map<std::string, Binding, std::less<>>;

/// Values in a template: packs are spread and zipped, reductions that are not
/// outermost become applications of their own.
class TemplateEvaluator : public Evaluator {
public:
  TemplateEvaluator(const Template &op, Environment &environment,
                    Normalizer &normalizer)
      : Evaluator(op.file, op.name + ": "), environment(environment),
        normalizer(normalizer) {}

  /// A value that is known, of the kind an extent or a length has.
  std::optional<int64_t> integer(const NodeRef &node, std::string_view what);
  /// All values of a node: of a pack its elements, of anything else itself.
  std::optional<std::vector<Value>> expand(const NodeRef &node);
  /// Adds the applications of a lambda; the number of the last, complemented.
  std::optional<int> lambda(const LambdaSyntax &lambda);

  using Evaluator::fail;

protected:
  std::optional<Value> name(const Node &node) override;
  std::optional<Array> array(std::string_view name) override;
  std::optional<Value> reduction(const Node &node) override;
  std::optional<Value> call(const Node &node) override;
  std::optional<Value> element(const Node &node) override;
  std::optional<Value> several(const Node &node) override;
  std::optional<std::vector<std::optional<Value>>>
  values(const std::vector<NodeRef> &items) override;
  std::optional<Value> opaqueValue(const Node &node, ExprRef e) override;
  Result<Value> apply(BinaryOp op, const Value &a, const Value &b) override;
  ExprRef simplified(ExprRef e) override;
  ExprRef readOf(const Array &array, std::vector<ExprRef> index,
                 ExprRef otherwise) override;

private:
  using Values = std::vector<Value>;

  const Binding *find(std::string_view name) const;
  /// True for what stands for several values: a pack, a list, a slice, a
  /// function that returns a pack.
  bool isPack(const Node &node) const;
  std::optional<Values> packOf(const Node &node);
  std::optional<Values> spread(const Node &node);
  void packsIn(const NodeRef &node, std::vector<const Node *> &found) const;

  // Functions (Functions.cpp).
  std::optional<std::vector<Values>> groups(const Node &node);
  std::optional<Values> packFunction(const Node &node);
  std::optional<Values> selectPack(const Node &node,
                                   const std::vector<Values> &all);
  std::optional<Values> splitPack(const Node &node,
                                  const std::vector<Values> &all);
  std::optional<Values> broadcastShape(const Node &node,
                                       const std::vector<Values> &all);
  std::optional<Values> broadcastIndex(const Node &node,
                                       const std::vector<Values> &all);
  std::optional<Value> fold(const Node &node);
  std::optional<Value> joined(const Node &node,
                              const std::vector<Values> &groups);
  bool isSmall(const Node &node, const Value &value);
  Value simplifiedValue(Value value);
  std::optional<DType> typeOf(const NodeRef &node);
  std::optional<int64_t> position(const Node &node, const Value &value,
                                  int64_t count);

  // Lambdas (Lambdas.cpp).
  struct Opened {
    std::vector<int> variables;
    std::vector<std::string> names;
  };
  std::optional<Opened> open(const std::vector<Binder> &binders);
  void close(const Opened &opened);
  bool reduce(const Node &node, Draft &draft);
  std::optional<Value> extract(Place place, Draft draft);
  NodeRef branch(NodeRef body);

  Environment &environment;
  Normalizer &normalizer;
  /// Variables of the lambda and of the reductions around what is evaluated.
  std::vector<int> scope;
  /// The body of the lambda, where an opaque function stays as it is.
  const Node *outermost = nullptr;
  /// Packs that are being zipped, by the node that names them, and where.
  struct Zipped {
    const Values *values;
    size_t at;
  };
  std::map<const Node *, Zipped> zipped;
};

/// Binds operands' extents and attributes to the names of the template.
Status bind(const Template &op, const std::vector<TensorType> &operands,
            const Attributes &attributes, Environment &environment,
            TemplateEvaluator &evaluator);

} // namespace smex::tdl

#endif
