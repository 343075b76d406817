// How calls of opaque functions are shared among threads, and what memory they
// take: of the lambda alone, for who launches them, builds them or plans
// memory.
#ifndef SMEX_COMPILER_CODEGEN_GPU_OPAQUELAUNCH_H
#define SMEX_COMPILER_CODEGEN_GPU_OPAQUELAUNCH_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Launch.h"

#include <vector>

namespace smex::codegen {

/// How the threads share the work of a call.
enum class OpaqueWork {
  PerElement, ///< a thread takes an element of the first slice
  PerSlice,   ///< a block takes all slices of a call
};
OpaqueWork workOf(const tdl::Lambda &lambda);

/// Result variables by which slices differ: all but the one that numbers the
/// function's results.
std::vector<int> sliceVariables(const tdl::Lambda &lambda);

/// How a call that there is code for (plan::hasCode) is launched, but for the
/// place of its arguments. Each block has its scratch memory to itself.
plan::Launch opaqueLaunch(const tdl::Lambda &lambda, int64_t threads);

} // namespace smex::codegen

#endif
