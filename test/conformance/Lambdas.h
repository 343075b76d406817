#ifndef SMEX_TEST_CONFORMANCE_LAMBDAS_H
#define SMEX_TEST_CONFORMANCE_LAMBDAS_H

#include "test/conformance/Session.h"

namespace smex::conformance {

/// Every lambda (Applications.h), once: divided at random, against the
/// interpreter's result of whole tensors.
void runLambdas(Session &session);

} // namespace smex::conformance

#endif
