// Small random models of one element type: maps, transposes, windows, products,
// reductions by each reducer, on matrices, vectors and scalars.
#ifndef SMEX_TEST_CONFORMANCE_RANDOMMODEL_H
#define SMEX_TEST_CONFORMANCE_RANDOMMODEL_H

#include "test/conformance/Divided.h"

namespace smex::conformance {

/// `operators` operators on three inputs; all that they compute is an output.
/// Values are small integers, so that sums are exact, in any order.
Evaluated randomModel(Random &random, DType type, size_t operators = 6);

/// The same of values that are no ordinary numbers: NaN, infinities, -0,
/// denormal and largest ones, the ends of integers. Only operators whose
/// results are the same in any order.
Evaluated specialModel(Random &random, DType type, size_t operators = 6);

} // namespace smex::conformance

#endif
