// Which rows of an operand a part of a lambda reads where a list of integers
// says so, and the list's values are known. Access.h has no smaller box than
// the whole dimension for such a read; here the list is looked at:
//
//     Sum(lambda k: x[src[k], f] where offsets[v] <= k and k < offsets[v + 1])
//     x's rows for v in [2, 4): src[k] for offsets[2] <= k < offsets[4]
//     src's own rows: offsets[2] to offsets[4]
//
// This is what a worker fetches of its remote neighbours in Roc's partition of
// a graph: each row once, and no other.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_ROWREADS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_ROWREADS_H

#include "dialects/support/Runs.h"
#include "dialects/tdl/analysis/ListValues.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace smex::analysis {

/// How a lambda reads the rows of one operand.
class RowReads {
public:
  /// A place where the operand is read: its row, an expression that can be
  /// worked out from the lists.
  struct Site {
    tdl::ExprRef row;
    std::vector<int> variables; // index variables that it depends on
    bool isGuarded = false;     // by the conditions on RowReads' variable
    bool canMiss = false;       // out of range, nothing is read
  };
  RowReads(std::vector<Site> sites, TermBounds bounds, KnownLists lists,
           std::vector<std::vector<int64_t>> shapes, int64_t extent);

  /// The index variables that rows depend on, ascending.
  const std::vector<int> &variables() const { return used; }

  /// Exactly the rows that are read where conditions of selects are left out
  /// of account; none where `indices` are empty; all, where that would take far
  /// more steps than the lists have elements. What is found is kept.
  const Runs &of(const Box &indices) const;

private:
  Runs find(const Box &indices) const;

  const std::vector<Site> sites;
  const TermBounds bounds;
  const KnownLists lists;
  const std::vector<std::vector<int64_t>> shapes;
  const int64_t extent;
  std::vector<int> used;
  mutable std::mutex mutex;
  mutable std::map<std::vector<int64_t>, Runs> found;
};

/// One per operand. Null where lists make no difference, or are not known:
/// then its Access says what is read.
std::vector<std::shared_ptr<const RowReads>>
rowReads(const tdl::Lambda &lambda,
         const std::vector<std::vector<int64_t>> &operandShapes,
         const KnownLists &known);

/// The same, found once for each lambda, the shapes of its operands and the
/// lists: what is alike has the same RowReads, which know what they found.
/// Lambdas are known by their address and have to stay where they are.
class RowReadsTable {
public:
  const std::vector<std::shared_ptr<const RowReads>> &
  of(const tdl::Lambda &lambda,
     const std::vector<std::vector<int64_t>> &operandShapes,
     const KnownLists &known) {
    const auto [entry, isNew] =
        table.try_emplace({&lambda, operandShapes, known});
    if (isNew)
      entry->second = rowReads(lambda, operandShapes, known);
    return entry->second;
  }

private:
  std::map<std::tuple<const tdl::Lambda *, std::vector<std::vector<int64_t>>,
                      KnownLists>,
           std::vector<std::shared_ptr<const RowReads>>>
      table;
};

} // namespace smex::analysis

#endif
