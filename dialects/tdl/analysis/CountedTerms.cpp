#include "dialects/tdl/analysis/CountedTerms.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::analysis;

CountedTerms::CountedTerms(const tdl::Lambda &lambda, TermBounds of,
                           std::vector<std::vector<int64_t>> shapes,
                           KnownLists lists)
    : bounds(std::move(of)), shapes(std::move(shapes)), lists(std::move(lists)),
      perTerm(lambda.operands.size(), true), mostVertices(int64_t(1) << 20) {
  const auto visit = [&](const tdl::ExprRef &e) {
    if (e->kind == tdl::ExprKind::Read &&
        std::none_of(e->children.begin(), e->children.end(),
                     [&](const tdl::ExprRef &place) {
                       return place->kind == tdl::ExprKind::Index &&
                              place->index == bounds.variable;
                     }))
      perTerm[size_t(e->operand)] = false;
  };
  tdl::walk(lambda.body, visit);
  tdl::walk(lambda.guard, visit);
  for (const auto &list : this->lists)
    mostVertices += list ? int64_t(list->values.size()) : 0;
}

std::shared_ptr<const CountedTerms>
CountedTerms::of(const tdl::Lambda &lambda,
                 std::vector<std::vector<int64_t>> shapes, KnownLists lists) {
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
  const Interval terms = indices[size_t(bounds.variable)],
                 vertices = bounds.variables.empty()
                                ? Interval{0, 1}
                                : indices[size_t(bounds.variables.front())];
  if (vertices.size() > mostVertices)
    return std::nullopt;
  const auto [entry, isNew] =
      found.try_emplace({vertices.lo, vertices.hi, terms.lo, terms.hi});
  if (isNew)
    entry->second = count(vertices, terms, indices.size());
  const double counted = entry->second;
  return Share{counted / (double(vertices.size()) * double(terms.size())),
               counted / double(terms.size())};
}

double CountedTerms::count(Interval vertices, Interval terms,
                           size_t variables) const {
  ListPoint point(lists, shapes, variables);
  constexpr Interval all = {std::numeric_limits<int64_t>::min(),
                            std::numeric_limits<int64_t>::max()};
  for (int64_t v = int64_t(ofVertices.size()); v < vertices.hi; ++v) {
    for (int variable : bounds.variables)
      point[variable] = v;
    ofVertices.push_back(point.within(bounds, all));
  }
  double counted = 0;
  for (int64_t v = vertices.lo; v < vertices.hi; ++v)
    counted += double(intersect(ofVertices[size_t(v)], terms).size());
  return counted;
}

std::shared_ptr<const CountedTerms>
CountedTermsTable::of(const tdl::Lambda &lambda,
                      std::vector<std::vector<int64_t>> shapes,
                      KnownLists lists) {
  const auto [entry, isNew] =
      known.try_emplace({&lambda, shapes, lists}, nullptr);
  if (isNew)
    entry->second =
        CountedTerms::of(lambda, std::move(shapes), std::move(lists));
  return entry->second;
}
