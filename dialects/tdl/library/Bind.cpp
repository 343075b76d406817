// Operands and attributes of a use against the declarations of a template.
#include "dialects/tdl/library/Functions.h"
#include "dialects/tdl/library/Instantiation.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

const std::string fromAttributes = "the attributes";

Value valueOf(const Attribute &attribute) {
  if (auto integer = std::get_if<int64_t>(&attribute))
    return Value::of(*integer);
  if (auto real = std::get_if<double>(&attribute))
    return Value::of(*real);
  if (auto type = std::get_if<DType>(&attribute))
    return Value::of(*type);
  return Value::of(*std::get_if<std::string>(&attribute));
}

class Matcher {
public:
  Matcher(const Template &op, const std::vector<TensorType> &operands,
          const Attributes &attributes, Environment &environment,
          TemplateEvaluator &evaluator)
      : op(op), operands(operands), attributes(attributes),
        environment(environment), evaluator(evaluator) {}

  bool run() {
    return tensors() && given() && defaults(false) && shapes() &&
           defaults(true);
  }

private:
  bool fail(Place place, std::string message) {
    evaluator.fail(place, std::move(message));
    return false;
  }

  bool tensors() {
    if (operands.size() != op.operands.size())
      return fail(op.place,
                  "takes " + std::to_string(op.operands.size()) +
                      (op.operands.size() == 1 ? " operand" : " operands") +
                      ", got " + std::to_string(operands.size()));
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!byteCount(operands[i]))
        return fail(op.operands[i].place,
                    op.operands[i].name + " is " + toString(operands[i]) +
                        ", which is no shape that fits in memory");
      Binding binding;
      binding.kind = Binding::Tensor;
      binding.tensor = {int(i), operands[i].dtype, operands[i].shape};
      environment[op.operands[i].name] = std::move(binding);
    }
    return true;
  }

  /// The attributes of the use.
  bool given() {
    for (const auto &[name, attribute] : attributes) {
      const std::string &wanted = name;
      const auto declared = std::find_if(
          op.attributes.begin(), op.attributes.end(),
          [&](const AttributeDeclaration &a) { return a.name == wanted; });
      if (declared == op.attributes.end())
        return fail(op.place, "there is no attribute '" + name + "'");
      Binding binding;
      binding.origin = fromAttributes;
      const auto *integers = std::get_if<std::vector<int64_t>>(&attribute);
      const auto *reals = std::get_if<std::vector<double>>(&attribute);
      if (declared->isPack != (integers || reals))
        return fail(declared->place,
                    "attribute '" + name + "' is " +
                        (declared->isPack ? "a list" : "a single value"));
      if (integers)
        for (int64_t value : *integers)
          binding.values.push_back(Value::of(value));
      else if (reals)
        for (double value : *reals)
          binding.values.push_back(Value::of(value));
      else
        binding.value = valueOf(attribute);
      binding.kind = declared->isPack ? Binding::Pack : Binding::Scalar;
      environment[name] = std::move(binding);
    }
    return true;
  }

  /// Defaults may use extents, and shapes may use attributes: those defaults
  /// that need nothing of the shapes come first.
  bool defaults(bool afterShapes) {
    for (const AttributeDeclaration &attribute : op.attributes) {
      if (environment.count(attribute.name))
        continue;
      if (!attribute.standard) {
        if (attributes.count(attribute.name) ||
            (!afterShapes && isDimension(attribute.name)))
          continue;
        return fail(attribute.place,
                    "attribute '" + attribute.name + "' is missing");
      }
      if (!afterShapes && !isBound(attribute.standard))
        continue;
      Binding binding;
      binding.kind = attribute.isPack ? Binding::Pack : Binding::Scalar;
      binding.origin = fromAttributes;
      auto values = evaluator.expand(attribute.standard);
      if (!values)
        return false;
      if (attribute.isPack)
        binding.values = std::move(*values);
      else if (values->size() == 1)
        binding.value = (*values)[0];
      else
        return fail(attribute.place,
                    "the default of '" + attribute.name + "' is a list");
      environment[attribute.name] = std::move(binding);
    }
    return true;
  }

  bool isDimension(const std::string &name) const {
    for (const OperandPattern &operand : op.operands)
      for (const Pattern &pattern : operand.shape)
        if (pattern.name == name)
          return true;
    return false;
  }

  bool isBound(const NodeRef &node) const {
    if (!node)
      return true;
    if (node->kind == NodeKind::Name && !isReserved(node->text))
      return environment.count(node->text) != 0;
    return std::all_of(node->children.begin(), node->children.end(),
                       [&](const NodeRef &child) { return isBound(child); }) &&
           isBound(node->otherwise);
  }

  /// Shapes in any order, as each may give what another needs.
  bool shapes() {
    std::vector<bool> done(operands.size());
    for (size_t left = operands.size(); left > 0;) {
      const size_t before = left;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (done[i])
          continue;
        std::vector<int64_t> lengths;
        bool isOpen = false;
        if (!packLengths(op.operands[i], operands[i].rank(), lengths, isOpen))
          return false;
        if (isOpen)
          continue;
        if (!shape(op.operands[i], operands[i].shape, lengths))
          return false;
        done[i] = true;
        --left;
      }
      if (left < before)
        continue;
      const size_t i =
          size_t(std::find(done.begin(), done.end(), false) - done.begin());
      return fail(op.operands[i].place,
                  "the lengths of the packs in the shape of " +
                      op.operands[i].name +
                      " are not given: at most one may be left open");
    }
    return true;
  }

  /// The number of dimensions of each pattern. `isOpen`: not known yet.
  bool packLengths(const OperandPattern &operand, int64_t rank,
                   std::vector<int64_t> &lengths, bool &isOpen) {
    int64_t total = 0;
    std::optional<size_t> open;
    for (const Pattern &pattern : operand.shape) {
      int64_t length = 1;
      if (pattern.kind == Pattern::Pack) {
        const auto bound = environment.find(pattern.name);
        if (pattern.length) {
          if (!isBound(pattern.length)) {
            isOpen = true;
            return true;
          }
          const auto known =
              evaluator.integer(pattern.length, "the length of a pack");
          if (!known)
            return false;
          length = *known;
          if (length < 0 || length > rank)
            return fail(pattern.place, "the length of " + pattern.name +
                                           " is " + std::to_string(length) +
                                           ", and " + operand.name +
                                           " has rank " + std::to_string(rank));
        } else if (bound != environment.end()) {
          length = int64_t(bound->second.values.size());
        } else if (open) {
          isOpen = true;
          return true;
        } else {
          open = lengths.size();
          length = 0;
        }
      }
      lengths.push_back(length);
      total += length;
    }
    if (open && total <= rank)
      lengths[*open] = rank - total;
    else if (total != rank)
      return fail(operand.place, operand.name + " has rank " +
                                     std::to_string(rank) + ", " +
                                     (open ? "at least " : "") +
                                     std::to_string(total) + " expected");
    return true;
  }

  bool shape(const OperandPattern &operand, const std::vector<int64_t> &extents,
             const std::vector<int64_t> &lengths) {
    auto extent = extents.begin();
    for (size_t i = 0; i < operand.shape.size(); ++i) {
      const std::vector<int64_t> part(extent, extent + lengths[i]);
      extent += lengths[i];
      if (!dimension(operand, operand.shape[i], part,
                     extent - extents.begin() - lengths[i]))
        return false;
    }
    return true;
  }

  bool dimension(const OperandPattern &operand, const Pattern &pattern,
                 const std::vector<int64_t> &extents, int64_t first) {
    if (pattern.kind == Pattern::Number) {
      if (extents[0] == pattern.number)
        return true;
      return fail(pattern.place, "dimension " + std::to_string(first) + " of " +
                                     operand.name + " is " +
                                     std::to_string(extents[0]) + ", not " +
                                     std::to_string(pattern.number));
    }
    const bool isPack = pattern.kind == Pattern::Pack;
    const auto bound = environment.find(pattern.name);
    if (bound == environment.end()) {
      Binding binding;
      binding.kind = isPack ? Binding::Pack : Binding::Scalar;
      binding.origin = operand.name;
      for (int64_t extent : extents)
        binding.values.push_back(Value::of(extent));
      if (!isPack)
        binding.value = binding.values[0];
      environment.emplace(pattern.name, std::move(binding));
      return true;
    }
    const Binding &other = bound->second;
    const std::vector<Value> before =
        isPack ? other.values : std::vector<Value>{other.value};
    if (before.size() != extents.size())
      return fail(pattern.place,
                  pattern.name + " has " + std::to_string(before.size()) +
                      " dimensions in " + other.origin + " and " +
                      std::to_string(extents.size()) + " in " + operand.name);
    for (size_t i = 0; i < extents.size(); ++i) {
      if (knownWhole(before[i]) == extents[i])
        continue;
      const std::string which =
          isPack ? pattern.name + "[" + std::to_string(i) + "]" : pattern.name;
      return fail(pattern.place, which + " is " + describe(before[i]) + " in " +
                                     other.origin + " and " +
                                     std::to_string(extents[i]) + " in " +
                                     operand.name);
    }
    return true;
  }

  const Template &op;
  const std::vector<TensorType> &operands;
  const Attributes &attributes;
  Environment &environment;
  TemplateEvaluator &evaluator;
};

} // namespace

Status tdl::bind(const Template &op, const std::vector<TensorType> &operands,
                 const Attributes &attributes, Environment &environment,
                 TemplateEvaluator &evaluator) {
  if (Matcher(op, operands, attributes, environment, evaluator).run())
    return {};
  return evaluator.takeError();
}
