// Several lambdas in one plan: compiling many plans takes longer, and of a
// larger one nobody sees what failed.
#ifndef SMEX_TEST_CONFORMANCE_BATCH_H
#define SMEX_TEST_CONFORMANCE_BATCH_H

#include "test/conformance/Applications.h"

namespace smex::conformance {

/// Lambdas of one plan: with their texts.
using Lambdas = std::vector<Applications::const_pointer>;

/// All lambdas whose results agree so, in the order of their texts. Those that
/// are too large are skipped.
std::vector<Lambdas> lambdasBy(Session &session, Agreement agreement);

/// A model of lambdas that have nothing to do with each other.
struct Batch {
  Evaluated model;
  /// What each application is cut along (DivideOptions::cuts), where they are
  /// to be.
  std::vector<int> cuts;
  int lambdas = 0;

  /// Of the first lambda, and how many more there are.
  std::string name() const;

  /// The lambda once.
  Status add(const std::string &text, const Application &application);
  /// Once for each of its strategies, on the same operands; once whole where it
  /// has none.
  Status addStrategies(Session &session, const std::string &text,
                       const Application &application);

private:
  std::string first; // the text of the first lambda
  std::vector<int> addOperands(const Application &application);
  Status apply(const Application &application,
               const std::vector<int> &operands);
};

} // namespace smex::conformance

#endif
