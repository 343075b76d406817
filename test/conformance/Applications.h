// Every lambda that the product has, each applied once to tensors at small
// sizes.
#ifndef SMEX_TEST_CONFORMANCE_APPLICATIONS_H
#define SMEX_TEST_CONFORMANCE_APPLICATIONS_H

#include "dialects/tdl/lambda/Lambda.h"
#include "test/conformance/Session.h"

namespace smex::conformance {

/// A lambda where it has the fewest elements to compute, and on what.
struct Application {
  tdl::Lambda lambda;
  std::vector<int64_t> extents;
  std::vector<Tensor> operands;
  int64_t work = 0;
  /// More cost too long to run everywhere.
  bool isSmall() const { return work <= 5000000; }
};

/// By the lambda's text.
using Applications = std::map<std::string, Application>;

struct Collected {
  Applications all;
  /// What is missing, a line for each: an operator of the library that no line
  /// of operators.jsonl uses, or one that cannot be used as its line says.
  std::vector<std::string> problems;
};

/// Once for the program, of four sources: ONNX's cases of single operators, the
/// models of operators at their edges, each operator of the standard library as
/// operators.jsonl uses it, and the gradients of all of these.
const Collected &collected();

/// Operations that are rounded as IEEE 754 says, and no sums of floats, whose
/// order is anybody's: results are equal to the bit.
Agreement agreementOf(const tdl::Lambda &lambda);

} // namespace smex::conformance

#endif
