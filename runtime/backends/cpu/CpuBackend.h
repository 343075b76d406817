// The cpu backend: workers are threads of this process, arenas are its memory,
// and a fetch is a copy from another worker's arena.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_CPUBACKEND_H
#define SMEX_RUNTIME_BACKENDS_CPU_CPUBACKEND_H

#include "runtime/backends/Backend.h"

namespace smex::runtime {

std::unique_ptr<Backend> makeCpuBackend();

} // namespace smex::runtime

#endif
