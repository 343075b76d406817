// Expressions over lists of integers whose values are known, such as the
// sources of a graph's edges, and what these say of the terms of a sum.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_LISTVALUES_H
#define SMEX_DIALECTS_TDL_ANALYSIS_LISTVALUES_H

#include "dialects/support/Box.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace smex::analysis {

/// A tensor of integers whose values are known.
struct KnownList {
  std::vector<int64_t> shape; // of rank 1 or 2
  std::vector<int64_t> values;
};

/// One per operand of a lambda, or per buffer of a program; null: nothing is
/// known of it.
using KnownLists = std::vector<std::shared_ptr<const KnownList>>;

/// Such tensors by name: constants of a model.
using NamedLists = std::map<std::string, std::shared_ptr<const KnownList>>;

/// Whether the expression can be worked out from lists and indices alone.
bool isKnown(const tdl::ExprRef &e, const KnownLists &lists);

/// The index variables in these expressions, ascending.
std::vector<int> variablesOf(const std::vector<tdl::ExprRef> &expressions);

/// The operands that a guard reads, whose values could say which terms count. A
/// flag each.
std::vector<bool> readByGuard(const tdl::Lambda &lambda);

/// Terms that count have low <= variable < high, for all of these.
struct TermBounds {
  int variable = -1; // none
  std::vector<tdl::ExprRef> lows, highs;
  std::vector<int> variables; // that these depend on
};

/// The conditions of the guard that keep a reduction variable between what
/// lists say, of the first variable that has some.
TermBounds boundsOf(const tdl::Lambda &lambda, const KnownLists &lists);

/// Values of known expressions where each index variable has a value.
class ListPoint {
public:
  /// Both stay alive. `shapes`: of the lambda's operands.
  ListPoint(const KnownLists &lists,
            const std::vector<std::vector<int64_t>> &shapes, size_t variables)
      : lists(lists), shapes(shapes), at(variables) {}

  int64_t &operator[](int variable) { return at[size_t(variable)]; }
  int64_t value(const tdl::ExprRef &e) const;
  /// Which of these terms count.
  Interval within(const TermBounds &bounds, Interval terms) const;

private:
  int64_t combined(const tdl::ExprRef &e) const;
  int64_t element(const tdl::Expr &e) const;

  const KnownLists &lists;
  const std::vector<std::vector<int64_t>> &shapes;
  std::vector<int64_t> at;
};

} // namespace smex::analysis

#endif
