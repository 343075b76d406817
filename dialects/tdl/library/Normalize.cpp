#include "dialects/tdl/library/Normalize.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

Normalizer::Normalizer(const std::vector<TensorType> &types) {
  for (const TensorType &type : types)
    operands.push_back({int(operands.size()), type.dtype, type.shape});
}

int Normalizer::addVariable(int64_t extent) {
  variables.push_back({0, extent});
  return int(variables.size()) - 1;
}

namespace {

/// Numbers of a lambda's own for those of the instance, in order of use.
class Renumbering {
public:
  explicit Renumbering(const Draft &draft) {
    for (const std::vector<int> *group : {&draft.outputs, &draft.reductions})
      for (int variable : *group)
        indices.emplace(variable, int(indices.size()));
  }

  /// As read in the text: x[src[e]] has x before src.
  void number(const ExprRef &e) {
    walk(e, [&](const ExprRef &node) {
      if (node->kind == ExprKind::Read || node->kind == ExprKind::Extent)
        operand(node->operand);
      for (const Expr::Slice &slice : node->slices)
        operand(slice.operand);
    });
  }

  ExprRef apply(const ExprRef &e) {
    return transform(e, [&](const ExprRef &node) -> ExprRef {
      switch (node->kind) {
      case ExprKind::Index:
        return indexVar(indices.at(node->index));
      case ExprKind::Extent:
        return extentOf(operand(node->operand), node->dim);
      case ExprKind::Read:
        return read(operand(node->operand), node->type, node->children,
                    node->otherwise);
      case ExprKind::Opaque: {
        std::vector<Expr::Slice> slices = node->slices;
        for (Expr::Slice &slice : slices)
          slice.operand = operand(slice.operand);
        return opaque(node->function, node->type, node->arguments,
                      std::move(slices), node->children);
      }
      default:
        return nullptr;
      }
    });
  }

  std::vector<int> sources;

private:
  int operand(int source) {
    const auto at = std::find(sources.begin(), sources.end(), source);
    const int number = int(at - sources.begin());
    if (at == sources.end())
      sources.push_back(source);
    return number;
  }
  std::map<int, int> indices;
};

} // namespace

Result<int> Normalizer::add(const Draft &draft) {
  Renumbering renumbering(draft);
  renumbering.number(draft.body);
  renumbering.number(draft.guard);
  Application application;
  Lambda &lambda = application.lambda;
  lambda.reducer = draft.reducer;
  lambda.body = renumbering.apply(draft.body);
  lambda.guard = renumbering.apply(draft.guard);
  lambda.result = draft.body->type;
  lambda.outputs.resize(draft.outputs.size());
  lambda.reductions.resize(draft.reductions.size());
  for (int source : renumbering.sources)
    lambda.operands.push_back(
        {"", tensor(source).type, int(tensor(source).shape.size())});
  lambda = canonicalize(std::move(lambda));
  application.operands = std::move(renumbering.sources);
  for (const std::vector<int> *group : {&draft.outputs, &draft.reductions})
    for (int variable : *group)
      application.extents.push_back(variables[size_t(variable)].hi);
  const std::vector<int64_t> shape(application.extents.begin(),
                                   application.extents.begin() + lambda.rank());
  if (!elementCount(application.extents) || !byteCount({lambda.result, shape}))
    return fail("the extents of the lambda overflow: ",
                toString(TensorType{lambda.result, application.extents}));
  if (Status valid = verify(lambda); !valid)
    return valid.takeError();

  std::string key = toString(lambda);
  for (int source : application.operands)
    key += " " + std::to_string(source);
  for (int64_t extent : application.extents)
    key += "," + std::to_string(extent);
  const int source = ~int(applications.size());
  const auto [entry, isNew] = known.emplace(std::move(key), source);
  if (!isNew)
    return entry->second;
  results.push_back({source, lambda.result, shape});
  applications.push_back(std::move(application));
  return source;
}

Instance Normalizer::finish(const std::vector<int> &wanted) const {
  std::vector<bool> needed(applications.size());
  const auto need = [&](int source) {
    if (source < 0)
      needed[size_t(~source)] = true;
  };
  std::for_each(wanted.begin(), wanted.end(), need);
  for (size_t i = applications.size(); i-- > 0;)
    if (needed[i])
      std::for_each(applications[i].operands.begin(),
                    applications[i].operands.end(), need);

  Instance instance;
  std::vector<int> number(applications.size());
  const auto renumber = [&](int source) {
    return source < 0 ? ~number[size_t(~source)] : source;
  };
  for (size_t i = 0; i < applications.size(); ++i) {
    if (!needed[i])
      continue;
    number[i] = int(instance.applications.size());
    instance.applications.push_back(applications[i]);
    for (int &source : instance.applications.back().operands)
      source = renumber(source);
  }
  for (int source : wanted)
    instance.results.push_back(renumber(source));
  return instance;
}
