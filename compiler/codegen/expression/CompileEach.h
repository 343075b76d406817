// Many kernels, each compiled by itself, by as many threads as there are cores.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_COMPILEEACH_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_COMPILEEACH_H

#include "compiler/codegen/expression/KernelCache.h"
#include "compiler/codegen/expression/KernelRequest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

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

/// What kernels are compiled with, whatever the processor.
struct Surroundings {
  /// Where valid, one core is left to others until it is ready.
  Busy busy;
  SharedCache cache;
  /// All that the code depends on but the request and the compiler.
  std::string options;
};

/// What `compile` makes of each request, in their order, or the error of the
/// first that has one. Threads share nothing: each has a context, prepared by
/// `prepare`, so that the bytes are the same whichever thread makes them. Each
/// kernel is compiled by itself, so that they do not depend on the others
/// either, and it may be kept.
Result<std::vector<KernelCode>> compileEach(
    const std::vector<KernelRequest> &requests,
    const Surroundings &surroundings,
    const std::function<void(mlir::MLIRContext &)> &prepare,
    const std::function<Result<KernelCode>(mlir::MLIRContext &,
                                           const KernelRequest &)> &compile);

/// "kernel 'k'", for messages.
std::string nameOf(const KernelRequest &request);

/// The text of a kernel that is not lowered yet; a defect where the module that
/// it stands in is malformed.
Result<std::string> textOf(const KernelRequest &request, mlir::ModuleOp module,
                           mlir::func::FuncOp function);

} // namespace smex::codegen

#endif
