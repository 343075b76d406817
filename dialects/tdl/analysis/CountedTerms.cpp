#include "dialects/tdl/analysis/CountedTerms.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;

CountedTerms::CountedTerms(const tdl::Lambda &lambda, TermBounds of,
                           std::vector<std::vector<int64_t>> shapes,
                           KnownLists lists)
    : bounds(std::move(of)), shapes(std::move(shapes)), lists(std::move(lists)),
      perTerm(lambda.operands.size(), true) {
  std::vector<bool> isRead(perTerm.size());
  const auto visit = [&](const tdl::ExprRef &e) {
    if (e->kind != tdl::ExprKind::Read)
      return;
    const auto k = size_t(e->operand);
    isRead[k] = true;
    perTerm[k] = perTerm[k] &&
                 std::any_of(e->children.begin(), e->children.end(),
                             [&](const tdl::ExprRef &place) {
                               return place->kind == tdl::ExprKind::Index &&
                                      place->index == bounds.variable;
                             });
  };
  tdl::walk(lambda.body, visit);
  tdl::walk(lambda.guard, visit);
  for (size_t k = 0; k < perTerm.size(); ++k)
    perTerm[k] = perTerm[k] && isRead[k];
}

std::shared_ptr<const CountedTerms>
CountedTerms::of(const tdl::Lambda &lambda,
                 std::vector<std::vector<int64_t>> shapes, KnownLists lists) {
  if (std::none_of(lists.begin(), lists.end(),
                   [](const auto &list) { return list != nullptr; }) ||
      lambda.body->kind == tdl::ExprKind::Opaque)
    return nullptr;
  TermBounds bounds = boundsOf(lambda, lists);
  // Of one vertex each: more variables would be too many points to look at.
  if (bounds.variable < 0 || bounds.variables.size() > 1)
    return nullptr;
  return std::shared_ptr<const CountedTerms>(new CountedTerms(
      lambda, std::move(bounds), std::move(shapes), std::move(lists)));
}

std::optional<CountedTerms::Share>
CountedTerms::share(const Box &indices) const {
  if (isEmpty(indices))
    return std::nullopt;
  const Interval terms = indices[size_t(bounds.variable)];
  ListPoint point(lists, shapes, indices.size());
  double counted = 0, vertices = 1;
  const auto add = [&] {
    const Interval within = point.within(bounds, terms);
    counted += within.empty() ? 0 : double(within.size());
  };
  if (bounds.variables.empty()) {
    add();
  } else {
    const int vertex = bounds.variables.front();
    const Interval range = indices[size_t(vertex)];
    int64_t most = int64_t(1) << 20;
    for (const auto &list : lists)
      most += list ? int64_t(list->values.size()) : 0;
    if (range.size() > most)
      return std::nullopt;
    vertices = double(range.size());
    for (int64_t v = range.lo; v < range.hi; ++v) {
      point[vertex] = v;
      add();
    }
  }
  return Share{counted / (vertices * double(terms.size())),
               counted / double(terms.size())};
}
