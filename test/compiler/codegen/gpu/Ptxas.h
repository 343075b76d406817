// The assembler of CUDA's toolkit, where a machine has one: whether it takes a
// text.
#ifndef SMEX_TEST_COMPILER_CODEGEN_GPU_PTXAS_H
#define SMEX_TEST_COMPILER_CODEGEN_GPU_PTXAS_H

#include "dialects/support/Result.h"

#include <string>
#include <vector>

namespace smex::test {

/// Empty where there is none: neither in PATH nor in /usr/local/cuda/bin.
std::string findPtxas();

/// Of the architectures that code of plans runs on, from sm_80 to sm_120, those
/// that this ptxas knows.
std::vector<std::string> architectures(const std::string &ptxas);

/// An error with what ptxas says, if it refuses the text for this one.
Status assembleFor(const std::string &arch, const std::string &ptxas,
                   const std::string &ptx);

/// An error with what ptxas says, if it refuses the text for one of the
/// architectures that it can run on: its own, which `.target` says, and later
/// ones, as far as this ptxas knows them, to 12.0.
Status assemble(const std::string &ptxas, const std::string &ptx);

} // namespace smex::test

#endif
