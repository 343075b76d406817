// What can be said against a template before it is used: names that nothing
// binds, packs where a single value belongs, functions that don't exist.
#include "dialects/tdl/lambda/Opaque.h"
#include "dialects/tdl/library/Functions.h"
#include "dialects/tdl/library/Template.h"

#include <map>

using namespace smex;
using namespace smex::tdl;

namespace {

enum class Kind { Scalar, Pack, Tensor };

class Checker {
public:
  explicit Checker(const Template &op) : op(op) {}

  Status run() {
    if (declarations() && definitions() && results())
      return {};
    return std::move(*problem);
  }

private:
  bool fail(Place place, std::string message) {
    if (!problem)
      problem = smex::fail(toString(op.file, place), op.name, ": ", message);
    return false;
  }

  bool declare(Place place, const std::string &name, Kind kind) {
    return names.emplace(name, kind).second ||
           fail(place, "the name '" + name + "' is given twice");
  }

  bool declarations() {
    for (const OperandPattern &operand : op.operands)
      if (!declare(operand.place, operand.name, Kind::Tensor))
        return false;
    for (const AttributeDeclaration &attribute : op.attributes)
      if (!declare(attribute.place, attribute.name,
                   attribute.isPack ? Kind::Pack : Kind::Scalar))
        return false;
    // Dimensions may be attributes and may occur again, as long as they agree.
    for (const OperandPattern &operand : op.operands)
      for (const Pattern &pattern : operand.shape) {
        const Kind kind =
            pattern.kind == Pattern::Pack ? Kind::Pack : Kind::Scalar;
        if (pattern.kind == Pattern::Number)
          continue;
        if (const auto [entry, isNew] = names.emplace(pattern.name, kind);
            !isNew && entry->second != kind)
          return fail(pattern.place, "'" + pattern.name + "' is " +
                                         described(entry->second) +
                                         " elsewhere");
      }
    for (const OperandPattern &operand : op.operands)
      for (const Pattern &pattern : operand.shape)
        if (pattern.length && !value(pattern.length, false))
          return false;
    for (const AttributeDeclaration &attribute : op.attributes)
      if (attribute.standard && !value(attribute.standard, attribute.isPack))
        return false;
    return true;
  }

  bool definitions() {
    for (const Definition &definition : op.definitions) {
      const Kind kind = definition.lambda   ? Kind::Tensor
                        : definition.isPack ? Kind::Pack
                                            : Kind::Scalar;
      if (!(definition.lambda ? lambda(*definition.lambda)
                              : value(definition.value, definition.isPack)) ||
          !declare(definition.place, definition.name, kind))
        return false;
    }
    return true;
  }

  bool results() {
    for (const ResultDeclaration &result : op.results) {
      if (result.lambda) {
        if (!lambda(*result.lambda))
          return false;
        continue;
      }
      const auto entry = names.find(result.name);
      if (entry == names.end())
        return unknown(result.place, result.name);
      if (entry->second != Kind::Tensor)
        return fail(result.place, "'" + result.name + "' is no tensor");
    }
    return true;
  }

  bool unknown(Place place, const std::string &name) {
    return fail(place, "unknown name '" + name + "'");
  }

  static std::string described(Kind kind) {
    return kind == Kind::Tensor ? "a tensor"
           : kind == Kind::Pack ? "a pack"
                                : "a single value";
  }

  bool lambda(const LambdaSyntax &lambda) {
    return binders(lambda.binders) && value(lambda.body, false) &&
           close(lambda.binders);
  }

  bool binders(const std::vector<Binder> &binders) {
    for (const Binder &binder : binders) {
      if (!binder.extent)
        return fail(binder.place, "'" + binder.name + "' needs an extent: " +
                                      binder.name + " < ...");
      if (!value(binder.extent, binder.isPack))
        return false;
      if (binder.isPack && binder.extent->kind != NodeKind::Spread)
        return fail(binder.extent->place, "the extents of the pack '" +
                                              binder.name +
                                              "' must be spread: d...");
    }
    for (const Binder &binder : binders)
      if (!declare(binder.place, binder.name,
                   binder.isPack ? Kind::Pack : Kind::Scalar))
        return false;
    return true;
  }

  bool close(const std::vector<Binder> &binders) {
    for (const Binder &binder : binders)
      names.erase(binder.name);
    return true;
  }

  /// `several`: a pack, spread, may stand here. `zipping` counts the spreads
  /// around, within which packs stand for their elements.
  bool value(const NodeRef &node, bool several) {
    switch (node->kind) {
    case NodeKind::Integer:
    case NodeKind::Real:
    case NodeKind::String:
      return true;
    case NodeKind::Name:
      return name(*node);
    case NodeKind::Spread:
      if (!several)
        return fail(node->place,
                    "'...' gives several values where one is needed");
      return spread(*node);
    case NodeKind::List:
      if (!several && !zipping)
        return fail(node->place,
                    "a list gives several values where one is needed");
      return all(node->children, true);
    case NodeKind::Range:
      return fail(node->place, "':' belongs between the brackets of a slice");
    case NodeKind::Call:
      return call(*node, several);
    case NodeKind::Subscript:
      return subscript(*node);
    case NodeKind::Opaque:
      return opaque(*node);
    case NodeKind::Reduce:
      return binders(node->binders) && value(node->children[0], false) &&
             (!node->guard || value(node->guard, false)) &&
             close(node->binders);
    default:
      return all(node->children, false);
    }
  }

  bool all(const std::vector<NodeRef> &nodes, bool several) {
    for (const NodeRef &node : nodes)
      if (!value(node, several))
        return false;
    return true;
  }

  bool name(const Node &node) {
    if (isReserved(node.text))
      return true;
    const auto entry = names.find(node.text);
    if (entry == names.end())
      return unknown(node.place, node.text);
    if (entry->second == Kind::Tensor)
      return fail(node.place,
                  "'" + node.text + "' is a tensor: read it with [...]");
    if (entry->second == Kind::Pack && !zipping)
      return fail(node.place,
                  "'" + node.text + "' is a pack: write " + node.text + "...");
    return true;
  }

  bool spread(const Node &node) {
    const NodeRef &repeated = node.children[0];
    if (repeated->kind == NodeKind::Name) {
      const auto entry = names.find(repeated->text);
      if (entry != names.end() && entry->second == Kind::Scalar)
        return fail(repeated->place, "'" + repeated->text + "' is no pack");
    }
    const int before = zipping++;
    const bool valid = value(repeated, false);
    zipping = before;
    return valid;
  }

  /// Arguments of pack functions are evaluated once: what is zipped around
  /// them does not reach them.
  bool arguments(const std::vector<NodeRef> &nodes) {
    const int before = zipping;
    zipping = 0;
    const bool valid = all(nodes, true);
    zipping = before;
    return valid;
  }

  bool call(const Node &node, bool several) {
    if (isFunction(node.text))
      return all(node.children, true);
    if (isPackFunction(node.text)) {
      if (!several && !zipping)
        return fail(node.place, "'" + node.text + "' gives a pack: write " +
                                    node.text + "(...)...");
      return arguments(node.children);
    }
    if (!isTemplateFunction(node.text))
      return fail(node.place, "there is no function '" + node.text + "'");
    // Tensors may be named where their type or rank is asked for.
    for (const NodeRef &child : node.children) {
      const auto entry = names.find(child->text);
      const bool isTensor = child->kind == NodeKind::Name &&
                            entry != names.end() &&
                            entry->second == Kind::Tensor;
      if (!(isTensor && takesTensor(node.text)) && !value(child, true))
        return false;
    }
    return true;
  }

  bool subscript(const Node &node) {
    const NodeRef &base = node.children[0];
    if (base->kind == NodeKind::Name) {
      const auto entry = names.find(base->text);
      if (entry == names.end())
        return unknown(base->place, base->text);
      if (entry->second == Kind::Scalar)
        return fail(base->place, "only tensors and packs have elements");
    } else if (base->kind != NodeKind::Call && base->kind != NodeKind::List &&
               base->kind != NodeKind::Subscript) {
      return fail(base->place, "only tensors and packs have elements");
    } else if (!value(base, true)) {
      return false;
    }
    return indices({node.children.begin() + 1, node.children.end()}) &&
           (!node.otherwise || value(node.otherwise, false));
  }

  bool indices(const std::vector<NodeRef> &nodes) {
    for (const NodeRef &node : nodes) {
      if (node->kind != NodeKind::Range) {
        if (!value(node, true))
          return false;
        continue;
      }
      for (const NodeRef &end : node->children)
        if (end && !arguments({end}))
          return false;
    }
    return true;
  }

  bool opaque(const Node &node) {
    if (!findOpaque(node.text)) {
      std::string known;
      for (std::string_view name : opaqueNames())
        known += (known.empty() ? "" : ", ") + std::string(name);
      return fail(node.place, "there is no opaque function '" + node.text +
                                  "'; there are: " + known);
    }
    return all(node.children, true) && indices(node.result);
  }

  const Template &op;
  std::map<std::string, Kind, std::less<>> names;
  int zipping = 0;
  std::optional<Error> problem;
};

} // namespace

Status tdl::check(const Template &op) { return Checker(op).run(); }
