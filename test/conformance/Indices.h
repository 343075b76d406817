#ifndef SMEX_TEST_CONFORMANCE_INDICES_H
#define SMEX_TEST_CONFORMANCE_INDICES_H

#include "test/conformance/Session.h"

namespace smex::conformance {

/// Lambdas whose indices are data, with indices at and beyond the ends of what
/// they are for, and of their types.
void runIndices(Session &session);

} // namespace smex::conformance

#endif
