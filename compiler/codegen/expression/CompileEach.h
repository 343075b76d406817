// Many kernels, each compiled by itself, by as many threads as there are cores.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_COMPILEEACH_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_COMPILEEACH_H

#include "compiler/codegen/expression/KernelRequest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>

namespace smex::codegen {

/// Keeps what MLIR reports, for a defect's message.
struct Diagnostics {
  explicit Diagnostics(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &d) {
          if (text.empty())
            text = d.str();
          return mlir::success();
        }) {}
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// Requests that are compiled as one module, neighbours in the list of all.
using KernelGroup = llvm::ArrayRef<KernelRequest>;

/// What is made of a group: for each of the targets that share its module, in
/// their order, an object or a text.
using GroupCode = std::vector<std::string>;

/// What `compile` makes of each group of requests, in their order, or the error
/// of the first that has one. Setting up MLIR's and LLVM's passes takes a third
/// of what an average kernel does, so several are compiled at a time; which
/// ones, the list of requests alone says. Threads share nothing: each has a
/// context, prepared by `prepare`, so that the bytes are the same whichever
/// thread makes them. Where `busy` is valid, one core is left to others until
/// it is ready.
Result<std::vector<GroupCode>> compileEach(
    const std::vector<KernelRequest> &requests,
    const std::function<void(mlir::MLIRContext &)> &prepare,
    const std::function<Result<GroupCode>(mlir::MLIRContext &, KernelGroup)>
        &compile,
    const Busy &busy = {});

/// "kernel 'k'", or of several the first and the last, for messages.
std::string nameOf(KernelGroup group);

/// The text of a kernel that is not lowered yet; a defect where the module that
/// it stands in is malformed.
Result<std::string> textOf(const KernelRequest &request, mlir::ModuleOp module,
                           mlir::func::FuncOp function);

} // namespace smex::codegen

#endif
