// The gradient of a lambda against finite differences: for each float operand,
//
//     <dy, (f(x + h*v) - f(x - h*v)) / 2h>  =  <adjoint(dy), v>
//
// for random dy and v, everything in f64 (the lambda's text with wider types),
// at the given operands, moved a little so that no kink is hit.
#ifndef SMEX_TEST_COMPILER_TRAINING_FINITEDIFFERENCES_H
#define SMEX_TEST_COMPILER_TRAINING_FINITEDIFFERENCES_H

#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <random>
#include <set>

namespace smex::test {

class FiniteDifferences {
public:
  explicit FiniteDifferences(uint64_t seed) : seed(seed) {}

  /// Nothing, or which operand's gradient is wrong, and by how much.
  std::string check(const tdl::Lambda &lambda,
                    const std::vector<int64_t> &extents,
                    const std::vector<const Tensor *> &operands);

  /// What was tried: gradients that are right or wrong, operands without
  /// influence, gradients that take the interpreter too long.
  int gradients = 0, flat = 0, large = 0;
  std::set<std::string> refused; // reasons why there is no gradient

private:
  double draw(); // in [-1, 1], never near 0
  Tensor drawTensor(const std::vector<int64_t> &shape);
  std::string checkOperand(const tdl::Lambda &lambda,
                           const std::vector<int64_t> &extents,
                           std::vector<const Tensor *> operands,
                           const Tensor &y, const Tensor &dy, int operand);

  const uint64_t seed;
  std::mt19937_64 random;
};

} // namespace smex::test

#endif
