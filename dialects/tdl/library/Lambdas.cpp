// Lambdas of templates: their variables, and the reductions and opaque
// functions in them that become applications of their own.
#include "dialects/tdl/library/Functions.h"
#include "dialects/tdl/library/Instantiation.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

std::optional<TemplateEvaluator::Opened>
TemplateEvaluator::open(const std::vector<Binder> &binders) {
  // All extents first: those of a lambda can't depend on its own indices.
  std::vector<Values> extents;
  for (const Binder &binder : binders) {
    if (!binder.extent)
      return fail(binder.place, "'" + binder.name + "' needs an extent: " +
                                    binder.name + " < ...");
    if (binder.isPack != (binder.extent->kind == NodeKind::Spread))
      return fail(binder.extent->place,
                  binder.isPack
                      ? "the extents of the pack '" + binder.name +
                            "' must be spread: d..."
                      : "'" + binder.name + "' has one extent: write " +
                            binder.name + "...");
    auto values = expand(binder.extent);
    if (!values)
      return std::nullopt;
    extents.push_back(std::move(*values));
  }
  Opened opened;
  for (size_t i = 0; i < binders.size(); ++i) {
    const Binder &binder = binders[i];
    Binding binding;
    binding.kind = binder.isPack ? Binding::Pack : Binding::Scalar;
    for (const Value &value : extents[i]) {
      const auto extent = knownWhole(value);
      if (!extent || *extent < 0) {
        close(opened);
        return fail(binder.extent->place,
                    "the extent of '" + binder.name +
                        "' must be a known integer, not negative, got " +
                        describe(value));
      }
      const int variable = normalizer.addVariable(*extent);
      opened.variables.push_back(variable);
      binding.value = Value::of(indexVar(variable));
      binding.values.push_back(binding.value);
    }
    if (!environment.emplace(binder.name, std::move(binding)).second) {
      close(opened);
      return fail(binder.place,
                  "the name '" + binder.name + "' is given twice");
    }
    opened.names.push_back(binder.name);
  }
  scope.insert(scope.end(), opened.variables.begin(), opened.variables.end());
  return opened;
}

void TemplateEvaluator::close(const Opened &opened) {
  for (const std::string &name : opened.names)
    environment.erase(name);
  // Nothing was added to it yet where `open` failed.
  if (scope.size() >= opened.variables.size() &&
      std::equal(opened.variables.begin(), opened.variables.end(),
                 scope.end() - std::ptrdiff_t(opened.variables.size())))
    scope.resize(scope.size() - opened.variables.size());
}

/// The reduction as guard and body of a draft; without variables it is its
/// only term.
bool TemplateEvaluator::reduce(const Node &node, Draft &draft) {
  const auto opened = open(node.binders);
  if (!opened)
    return false;
  const auto guard = node.guard ? condition(node.guard) : Value::of(true);
  const auto test =
      guard ? at(node.place, asType(*guard, DType::Bool)) : std::nullopt;
  // A guard that is never true leaves only the type of the body to be known.
  const auto value = test ? evaluate(node.children[0]) : std::nullopt;
  const auto body =
      value ? at(node.children[0]->place, asExpr(*value)) : std::nullopt;
  close(*opened);
  if (!body)
    return false;
  const DType type = (*body)->type;
  if (type == DType::Bool &&
      (node.reducer == Reducer::Sum || node.reducer == Reducer::Prod)) {
    fail(node.place,
         std::string(tdl::name(node.reducer)) + " is not defined for bool");
    return false;
  }
  const ExprRef nothing = identity(node.reducer, type);
  if (opened->variables.empty() || isConstant(*test)) {
    const bool empty = isConstant(*test) && !(*test)->integer;
    if (opened->variables.empty() || empty) {
      draft.body = empty ? nothing : select(*test, *body, nothing);
      return true;
    }
  } else {
    draft.guard = *test;
  }
  draft.body = *body;
  draft.reducer = node.reducer;
  draft.reductions = opened->variables;
  return true;
}

/// An application whose outputs are those variables around that it uses; an
/// element of it.
std::optional<Value> TemplateEvaluator::extract(Place place, Draft draft) {
  std::vector<ExprRef> index;
  for (int variable : scope)
    if (uses(draft.body, variable) || uses(draft.guard, variable)) {
      draft.outputs.push_back(variable);
      index.push_back(indexVar(variable));
    }
  const auto source = at(place, normalizer.add(draft));
  if (!source)
    return std::nullopt;
  return Value::of(tdl::read(*source, draft.body->type, std::move(index)));
}

std::optional<Value> TemplateEvaluator::reduction(const Node &node) {
  Draft draft;
  if (!reduce(node, draft))
    return std::nullopt;
  if (draft.reducer == Reducer::None)
    return Value::of(draft.body);
  return extract(node.place, std::move(draft));
}

std::optional<Value> TemplateEvaluator::opaqueValue(const Node &node,
                                                    ExprRef e) {
  if (&node == outermost)
    return Value::of(std::move(e));
  Draft draft;
  draft.body = std::move(e);
  return extract(node.place, std::move(draft));
}

std::optional<int> TemplateEvaluator::lambda(const LambdaSyntax &lambda) {
  const auto opened = open(lambda.binders);
  if (!opened)
    return std::nullopt;
  Draft draft;
  draft.outputs = opened->variables;
  bool done = false;
  NodeRef body = branch(lambda.body);
  if (body && body->kind == NodeKind::Reduce) {
    done = reduce(*body, draft);
  } else if (body) {
    outermost = body.get();
    const auto value = evaluate(body);
    outermost = nullptr;
    const auto e = value ? at(body->place, asExpr(*value)) : std::nullopt;
    done = e.has_value();
    if (done)
      draft.body = *e;
  }
  close(*opened);
  if (!done)
    return std::nullopt;
  return at(lambda.place, normalizer.add(draft));
}

/// The branch of a choice that is made already: its reduction is outermost.
NodeRef TemplateEvaluator::branch(NodeRef body) {
  while (body->kind == NodeKind::Select) {
    const auto test = condition(body->children[0]);
    if (!test)
      return nullptr;
    const auto known = knownBool(*test);
    if (!known)
      return body;
    body = body->children[*known ? 1 : 2];
  }
  return body;
}
