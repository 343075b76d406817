// The reference backend: what a plan means, without the kernels and without the
// luck of timing.
#ifndef SMEX_RUNTIME_BACKENDS_REFERENCE_REFERENCEBACKEND_H
#define SMEX_RUNTIME_BACKENDS_REFERENCE_REFERENCEBACKEND_H

#include "runtime/backends/Backend.h"

namespace smex::runtime {

std::unique_ptr<Backend> makeReferenceBackend();

} // namespace smex::runtime

#endif
