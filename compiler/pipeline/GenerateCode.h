// The code of a plan: the functions that each target's libraries do not have,
// by the code generator of its kind.
#ifndef SMEX_COMPILER_PIPELINE_GENERATECODE_H
#define SMEX_COMPILER_PIPELINE_GENERATECODE_H

#include "compiler/codegen/expression/KernelCache.h"
#include "compiler/codegen/expression/KernelRequest.h"
#include "compiler/emit/Kernels.h"
#include "runtime/plan/Plan.h"

namespace smex::pipeline {

/// One artifact for each target, in their order; those whose libraries have all
/// have no bytes. `cache`: where the code of each is kept, if anywhere.
Result<plan::Code> generateCode(const std::vector<emit::Function> &functions,
                                const std::vector<std::string> &targets,
                                const codegen::SharedCache &cache,
                                const codegen::Busy &busy = {});

} // namespace smex::pipeline

#endif
