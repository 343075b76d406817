// What the plans of a row had: instructions, divisions, reducers, collectives,
// element types.
#ifndef SMEX_TEST_CONFORMANCE_COVERAGE_H
#define SMEX_TEST_CONFORMANCE_COVERAGE_H

#include "dialects/support/Division.h"
#include "runtime/plan/Plan.h"

#include <set>

namespace smex::conformance {

class Coverage {
public:
  void add(const plan::Program &program);
  void add(const Division &division);

  /// What a row must have had once all its cases have run, and has not.
  std::set<std::string> missing() const;
  /// "all-gather, compute, ..".
  std::string text() const;

private:
  std::set<std::string> seen;
};

/// "a, b".
std::string listed(const std::set<std::string> &names);

} // namespace smex::conformance

#endif
