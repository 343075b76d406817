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

#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace smex::analysis {

class CountedTerms {
public:
  /// Null where no known list bounds the terms. The lambda's guard stays as it
  /// is; `shapes` are those of its operands.
  static std::shared_ptr<const CountedTerms>
  of(const tdl::Lambda &lambda, std::vector<std::vector<int64_t>> shapes,
     KnownLists lists);

  struct Share {
    double ofPoints; // of the box
    double ofTerms;  // of the reduction's, one vertex's after the other's
  };
  /// What counts. Nothing if the box is empty, or has far more vertices than
  /// the lists have elements, as only files made by hand have. What is found is
  /// kept, for a worker's parts of many kernels are alike: asked by one thread
  /// at a time.
  std::optional<Share> share(const Box &indices) const;

  /// Operands that have an element, or a row, for each term: of them only those
  /// of terms that count are read, if any. A flag each.
  const std::vector<bool> &hasTerms() const { return perTerm; }

private:
  CountedTerms(const tdl::Lambda &lambda, TermBounds bounds,
               std::vector<std::vector<int64_t>> shapes, KnownLists lists);
  double count(Interval vertices, Interval terms, size_t variables) const;

  const TermBounds bounds;
  const std::vector<std::vector<int64_t>> shapes;
  const KnownLists lists;
  std::vector<bool> perTerm;
  int64_t mostVertices;                     // that are looked at
  mutable std::vector<Interval> ofVertices; // the terms of each, so far
  mutable std::map<std::array<int64_t, 4>, double> found; // by both intervals
};

/// Of many operators: those that are alike share what is found.
class CountedTermsTable {
public:
  /// As CountedTerms::of. Lambdas are told apart by where they are: they stay.
  std::shared_ptr<const CountedTerms>
  of(const tdl::Lambda &lambda, std::vector<std::vector<int64_t>> shapes,
     KnownLists lists);

private:
  std::map<std::tuple<const tdl::Lambda *, std::vector<std::vector<int64_t>>,
                      KnownLists>,
           std::shared_ptr<const CountedTerms>>
      known;
};

} // namespace smex::analysis

#endif
