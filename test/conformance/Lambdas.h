#ifndef SMEX_TEST_CONFORMANCE_LAMBDAS_H
#define SMEX_TEST_CONFORMANCE_LAMBDAS_H

#include "test/conformance/Session.h"

namespace smex::conformance {

/// Every distinct lambda of ONNX's cases of single operators, and of the models
/// of operators at their edges, once, at the smallest sizes that it has there,
/// with the values that it has there: divided at random, against the
/// interpreter's result of whole tensors.
void runLambdas(Session &session);

} // namespace smex::conformance

#endif
