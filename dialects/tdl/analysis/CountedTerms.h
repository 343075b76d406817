// How many terms of a sum over neighbours a part of its index space has, where
// lists say which are whose and their values are known:
//
//     Sum(lambda e: x[src[e], f] where offsets[v] <= e and e < offsets[v + 1])
//     for v in [2, 4): offsets[4] - offsets[2] terms, for each f
//
// The index space has all edges for each vertex; what a worker does depends on
// the edges of its own vertices.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_COUNTEDTERMS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_COUNTEDTERMS_H

#include "dialects/tdl/analysis/ListValues.h"

#include <optional>

namespace smex::analysis {

class CountedTerms {
public:
  /// Null where no known list bounds the terms. The lambda's guard stays as it
  /// is; `shapes` are those of its operands.
  static std::shared_ptr<const CountedTerms>
  of(const tdl::Lambda &lambda, std::vector<std::vector<int64_t>> shapes,
     KnownLists lists);

  /// Of the points of the box, the share whose term counts. Nothing if it has
  /// none, or has far more vertices than the lists have elements, as only files
  /// made by hand have.
  std::optional<double> share(const Box &indices) const;

private:
  CountedTerms(TermBounds bounds, std::vector<std::vector<int64_t>> shapes,
               KnownLists lists)
      : bounds(std::move(bounds)), shapes(std::move(shapes)),
        lists(std::move(lists)) {}

  const TermBounds bounds;
  const std::vector<std::vector<int64_t>> shapes;
  const KnownLists lists;
};

} // namespace smex::analysis

#endif
