// CPU kernels from lambdas: whatever no library kernel is bound to becomes a
// function with the signature of runtime/plan/README.md, and all functions of a
// plan one shared object without imports. README.md says how a lambda becomes
// loops.
#ifndef SMEX_COMPILER_CODEGEN_CPU_CODEGEN_H
#define SMEX_COMPILER_CODEGEN_CPU_CODEGEN_H

#include "compiler/codegen/expression/KernelCache.h"
#include "compiler/codegen/expression/KernelRequest.h"

namespace smex::codegen {

struct CodegenOptions {
  /// What LLVM calls the CPU (`-mcpu`). The default is the level that every
  /// x86-64 server since 2013 (Haswell, Zen) has: 256-bit vectors, FMA, and
  /// conversions from and to f16. Never the host's own CPU: plans would differ
  /// between the machines that compile them. An architecture without FMA is
  /// refused, as a call to the C library's fma would be an import.
  std::string cpuArch = "x86-64-v3";
  /// LLVM's. 3 makes copies of loops for conditions that do not change in them,
  /// which takes a quarter more time; the kernels have few.
  int optLevel = 2; // 0 .. 3
  /// Leaves a core to what is done meanwhile; the bytes are the same.
  Busy busy = {};
  /// Where code is kept and looked for; null: nowhere. The bytes are the same.
  SharedCache cache = {};
};

/// The bytes of an ELF shared object that exports the requested symbols and
/// imports nothing. Same requests and options, same bytes, on any machine and
/// whatever the number of threads that it compiles with.
/// Errors: an opaque lambda, or one that fails tdl::verify, by its symbol
/// (Input); an unknown architecture (Usage); no temporary files (Environment).
Result<std::string> compileKernels(const std::vector<KernelRequest> &requests,
                                   const CodegenOptions &options = {});

/// The kernel as MLIR text before anything is lowered: the loops, with
/// `linalg.generic` for maps. The function's arguments are views of the
/// tensors, the range of every index variable, and the numbers of the ABI.
Result<std::string> kernelText(const KernelRequest &request);

} // namespace smex::codegen

#endif
