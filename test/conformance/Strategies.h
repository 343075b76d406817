#ifndef SMEX_TEST_CONFORMANCE_STRATEGIES_H
#define SMEX_TEST_CONFORMANCE_STRATEGIES_H

#include "test/conformance/Session.h"

namespace smex::conformance {

/// Every strategy of every lambda (Applications.h), over 2 and over 3 workers
/// that have uneven shares of it, against the interpreter's result of whole
/// tensors. A plan has many applications, each cut along one index variable.
void runStrategies(Session &session);

} // namespace smex::conformance

#endif
