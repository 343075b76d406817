// Kernels for NVIDIA GPUs from lambdas: one PTX text for all kernels of a plan,
// and what launching each takes. README.md says how arguments are passed.
// Neither CUDA's libraries nor its tools are needed.
#ifndef SMEX_COMPILER_CODEGEN_GPU_CODEGEN_H
#define SMEX_COMPILER_CODEGEN_GPU_CODEGEN_H

#include "compiler/codegen/expression/KernelCache.h"
#include "compiler/codegen/expression/KernelRequest.h"
#include "compiler/codegen/gpu/Schedule.h"
#include "runtime/plan/Launch.h"

namespace smex::codegen {

struct GpuOptions {
  /// What LLVM and ptxas call the architecture. PTX for one runs on all later
  /// ones: sm_80 on every GPU since Ampere, sm_90 since Hopper.
  std::string arch = "sm_80";
  int optLevel = 2; // of the code generator, as LLVM's; 0: as it is made
  GpuProcessor processor = {};
  /// Leaves a core to what is done meanwhile; the text is the same.
  Busy busy = {};
  /// Where code is kept and looked for; null: nowhere. The text is the same.
  SharedCache cache = {};
};

struct GpuCode {
  std::string ptx;                    // entries in the order of the requests
  std::vector<plan::Launch> launches; // one per request
};

/// Same requests and options, same text, on any machine and whatever the number
/// of threads that it compiles with. The text calls and declares no functions
/// but its own. No requests: no text.
/// Errors: those of checkRequests; an unknown architecture (Usage).
Result<GpuCode> compilePtx(const std::vector<KernelRequest> &requests,
                           const GpuOptions &options = {});

/// The same for each of these architectures, whatever options.arch is. All but
/// writing the texts is done once; each is what it would be alone.
Result<std::vector<GpuCode>>
compilePtx(const std::vector<KernelRequest> &requests,
           const std::vector<std::string> &archs,
           const GpuOptions &options = {});

/// The kernel as MLIR text before anything is lowered. A launch that it has
/// before, of parts, is not in it.
Result<std::string> gpuKernelText(const KernelRequest &request);

} // namespace smex::codegen

#endif
