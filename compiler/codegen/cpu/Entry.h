// The exported function with the signature of runtime/plan/README.md,
//
//     void symbol(char *const *pointers, const int64_t *numbers)
//
// which unpacks its arguments and calls the kernel's.
#ifndef SMEX_COMPILER_CODEGEN_CPU_ENTRY_H
#define SMEX_COMPILER_CODEGEN_CPU_ENTRY_H

#include "compiler/codegen/expression/Scalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace smex::codegen {

void buildEntry(LocBuilder &b, const std::string &symbol,
                const tdl::Lambda &lambda, mlir::func::FuncOp kernel);

} // namespace smex::codegen

#endif
