// The targets that LLVM generates code for here.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_TARGETS_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_TARGETS_H

namespace llvm {
class Target;
class Triple;
} // namespace llvm

namespace smex::codegen {

/// LLVM's target of an x86-64 processor or of a GPU. From any thread: all
/// targets are registered by the first call, before any of them is looked for,
/// since LLVM's list of targets may not grow while somebody reads it.
const llvm::Target *findTarget(const llvm::Triple &triple);

} // namespace smex::codegen

#endif
