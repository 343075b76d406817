#include "compiler/codegen/Codegen.h"

#include "compiler/codegen/Entry.h"
#include "compiler/codegen/Kernel.h"
#include "compiler/codegen/Lower.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"

#include <set>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

Error defect(const std::string &message) {
  Error error;
  error.message = message;
  error.fault = Fault::Defect;
  return error;
}

bool isIdentifier(const std::string &symbol) {
  return !symbol.empty() && !llvm::isDigit(symbol[0]) &&
         llvm::all_of(symbol, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Status check(const KernelRequest &request) {
  if (!isIdentifier(request.symbol))
    return defect("'" + request.symbol + "' can't be a kernel's name");
  if (Status valid = verify(request.lambda); !valid)
    return fail("kernel '", request.symbol, "': ", valid.error().message);
  if (request.lambda.body->kind == tdl::ExprKind::Opaque)
    return fail("kernel '", request.symbol, "': no code can be generated for the "
                "opaque function '", request.lambda.body->function, "'");
  return {};
}

/// Keeps what MLIR reports, for a defect's message.
struct Diagnostics {
  explicit Diagnostics(MLIRContext *context)
      : handler(context, [this](Diagnostic &d) {
          if (text.empty())
            text = d.str();
          return success();
        }) {}
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace

Result<std::string> codegen::kernelText(const KernelRequest &request) {
  if (Status valid = check(request); !valid)
    return valid.takeError();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  registerDialects(context);
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b, "");
  b.setInsertionPointToEnd(module->getBody());
  func::FuncOp function = buildKernel(b, request.symbol, request.lambda);
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text + "\n";
}

Result<std::string>
codegen::compileKernels(const std::vector<KernelRequest> &requests,
                        const CodegenOptions &options) {
  if (Status valid = checkOptions(options); !valid)
    return valid.takeError();
  std::set<std::string> symbols;
  for (const KernelRequest &request : requests) {
    if (Status valid = check(request); !valid)
      return valid.takeError();
    if (!symbols.insert(request.symbol).second)
      return defect("two kernels are named '" + request.symbol + "'");
  }

  MLIRContext context(MLIRContext::Threading::DISABLED);
  registerDialects(context);
  Diagnostics diagnostics(&context);
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToEnd(module->getBody());
  for (const KernelRequest &request : requests) {
    func::FuncOp kernel =
        buildKernel(b, request.symbol + ".kernel", request.lambda);
    buildEntry(b, request.symbol, request.lambda, kernel);
  }
  if (failed(verify(*module)))
    return defect("a generated kernel is malformed: " + diagnostics.text);
  if (Status lowered = lowerToLLVM(*module); !lowered)
    return defect(lowered.error().message + ": " + diagnostics.text);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*module, llvmContext, "kernels");
  if (!code)
    return defect("generated kernels do not become LLVM IR: " + diagnostics.text);
  Result<std::string> object =
      compileObject(*code, {symbols.begin(), symbols.end()}, options);
  if (!object)
    return object;
  return linkShared(*object);
}
