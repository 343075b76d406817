// One node of an ONNX graph, as a row of the import table sees it: its
// operands, its attributes, and the lambdas that it turns into.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_NODE_H
#define SMEX_COMPILER_FRONTEND_ONNX_NODE_H

#include "compiler/frontend/Builder.h"
#include "compiler/frontend/onnx/Reader.h"

#include <set>

namespace smex::frontend {

/// Why a node cannot be imported. Thrown by Node and caught where nodes are
/// visited, nowhere else: a row of the table then reads as what it does, and a
/// refusal in the middle cannot be forgotten.
struct Refusal {
  std::string reason;
};

/// An operand that is left out.
constexpr ValueId noValue = -1;

/// A name that stands for nothing: an operand that a function's caller left
/// out, an optional without a value. A node that has it as operand sees
/// noValue.
constexpr ValueId absentValue = -3;

using AttributeMap = std::map<std::string, const onnx::AttributeProto *>;

class Node {
public:
  Node(Builder &builder, const onnx::NodeProto &proto,
       const TensorSource &source)
      : builder(builder), proto(proto), source(source) {}

  std::string name, firstOutput; // as the model's values are called
  int64_t opset = 0;             // version of its domain
  /// Under --train: for operators whose mode is the run's, not an operand.
  bool training = false;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs; // to fill; noValue where not wanted
  AttributeMap attributes;
  Builder &builder;

  const std::string &op() const { return proto.op_type(); }

  // Operands.
  bool has(size_t i) const { return i < inputs.size() && inputs[i] >= 0; }
  /// Refuses where it is left out.
  ValueId in(size_t i) const;
  /// The elements of an operand that is a sequence.
  const std::vector<ValueId> &sequence(size_t i) const;
  const TensorType &type(ValueId v) const { return builder.type(v); }
  const TensorType &inType(size_t i) const { return type(in(i)); }
  const std::vector<int64_t> &shape(size_t i) const { return inType(i).shape; }
  int64_t rank(size_t i) const { return inType(i).rank(); }
  /// Refuses unless it is known at compile time.
  std::shared_ptr<const Tensor> constant(size_t i) const;
  std::vector<int64_t> constantInts(size_t i) const;
  std::vector<double> constantReals(size_t i) const;
  int64_t constantInt(size_t i) const;
  double constantReal(size_t i) const;

  // Attributes. Each one that is not asked for is refused at the end, or the
  // plan would silently compute something else.
  bool hasAttribute(const char *name) const { return attributes.count(name); }
  int64_t integer(const char *name, std::optional<int64_t> otherwise = {});
  double real(const char *name, std::optional<double> otherwise = {});
  std::string text(const char *name, std::optional<std::string> otherwise = {});
  std::vector<int64_t> integers(const char *name);
  std::vector<double> reals(const char *name);
  std::vector<std::string> texts(const char *name);
  Tensor tensor(const char *name);
  Tensor sparseTensor(const char *name);
  /// An element type as ONNX's number; JSON models spell it.
  int64_t elementNumber(const char *name,
                        std::optional<int64_t> otherwise = {});
  DType dtype(const char *name, std::optional<DType> otherwise = {});
  /// The same; nothing where it is not given, or 0: ONNX's "undefined".
  std::optional<DType> optionalDtype(const char *name);
  const onnx::GraphProto *graph(const char *name);
  /// Says nothing about the result.
  void ignore(const char *name) { used.insert(name); }
  std::string unusedAttribute() const;
  /// Every attribute under its own name.
  tdl::Attributes allAttributes();

  /// The attribute or, from some opset on, the constant operand i.
  std::vector<int64_t> integersOrInput(const char *name, size_t i);

  // Results.
  int outputCount() const { return proto.output_size(); }
  bool wants(size_t i) const {
    return int(i) < proto.output_size() && !proto.output(int(i)).empty();
  }
  void out(size_t i, ValueId v);
  /// Applies a template of one result, or several.
  ValueId apply(std::string_view op, const std::vector<ValueId> &operands,
                const tdl::Attributes &attributes = {});
  std::vector<ValueId> applyAll(std::string_view op,
                                const std::vector<ValueId> &operands,
                                const tdl::Attributes &attributes = {});
  /// Applies a template made for this node: text after the operator's name.
  std::vector<ValueId> applyText(const std::string &text,
                                 const std::vector<ValueId> &operands,
                                 const tdl::Attributes &attributes = {});
  ValueId addConstant(Tensor tensor);
  ValueId addSequence(std::vector<ValueId> elements) {
    return builder.addSequence(std::move(elements));
  }
  /// The attribute as a value; a large one stays where it is.
  ValueId addTensor(const char *name);
  ValueId addInts(const std::vector<int64_t> &values);
  ValueId addReals(const std::vector<double> &values,
                   std::vector<int64_t> shape, DType type = DType::F32);
  /// The same elements in another shape.
  ValueId reshape(ValueId v, std::vector<int64_t> shape);
  ValueId cast(ValueId v, DType type);
  /// In the type that sums of it are kept in: the sum of many numbers of 16
  /// bits is soon out of their range, what is made of it may not be.
  ValueId summable(ValueId v);
  ValueId transpose(ValueId v, std::vector<int64_t> permutation);
  /// Elements first, first + step, ... of one dimension.
  ValueId slice(ValueId v, int64_t axis, int64_t first, int64_t count,
                int64_t step = 1);
  /// One element of a dimension, which goes away.
  ValueId take(ValueId v, int64_t axis, int64_t at);
  ValueId concat(const std::vector<ValueId> &parts, int64_t axis);
  /// A template of reduction.tdl over these axes (ops/reductions.cpp).
  ValueId reduce(std::string_view op, ValueId v,
                 const std::vector<int64_t> &axes, bool keep);
  /// numpy's matmul (ops/linear.cpp).
  ValueId matmul(ValueId a, ValueId b);
  /// A convolution without bias, by this node's attributes
  /// (ops/convolution.cpp).
  ValueId convolution(ValueId x, ValueId w);
  ValueId expand(ValueId v, const std::vector<int64_t> &shape);

  /// The axis counted from the front; refuses one out of range.
  int64_t axis(int64_t axis, int64_t rank) const;
  std::vector<int64_t> axes(std::vector<int64_t> axes, int64_t rank) const;

  template <typename... Parts>
  [[noreturn]] void refuse(Parts &&...parts) const {
    throw Refusal{fail(std::forward<Parts>(parts)...).message};
  }
  /// Refuses an operand unless its first dimension has this extent, a row per
  /// `what` of a graph.
  void requireRows(size_t operand, int64_t rows, const char *what) const;
  void require(bool condition, const char *reason) const {
    if (!condition)
      throw Refusal{reason};
  }

private:
  const onnx::AttributeProto *attribute(const char *name, int type);
  std::string inputName(size_t i) const;

  const onnx::NodeProto &proto;
  const TensorSource &source;
  std::set<std::string> used;
};

/// Elements of a constant, whatever its type.
std::vector<int64_t> asInts(const Tensor &tensor);
std::vector<double> asReals(const Tensor &tensor);

} // namespace smex::frontend

#endif
