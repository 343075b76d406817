#include "compiler/codegen/cpu/Codegen.h"

#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/cpu/Entry.h"
#include "compiler/codegen/cpu/Lower.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include <atomic>
#include <set>
#include <thread>

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
         llvm::all_of(symbol,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Status check(const KernelRequest &request) {
  if (!isIdentifier(request.symbol))
    return defect("'" + request.symbol + "' can't be a kernel's name");
  if (Status valid = verify(request.lambda); !valid)
    return fail("kernel '", request.symbol, "': ", valid.error().message);
  if (request.lambda.body->kind == tdl::ExprKind::Opaque)
    return fail("kernel '", request.symbol,
                "': no code can be generated for the "
                "opaque function '",
                request.lambda.body->function, "'");
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
  PassManager passes(&context);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (mlir::failed(passes.run(*module)))
    return defect("kernel '" + request.symbol + "' is malformed");
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text + "\n";
}

namespace {

Result<std::string> compileKernel(MLIRContext &context,
                                  const KernelRequest &request,
                                  const CodegenOptions &options) {
  Diagnostics diagnostics(&context);
  const auto failed = [&](const std::string &what) {
    return defect("kernel '" + request.symbol + "' " + what + ": " +
                  diagnostics.text);
  };
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToEnd(module->getBody());
  func::FuncOp kernel =
      buildKernel(b, request.symbol + ".kernel", request.lambda);
  buildEntry(b, request.symbol, request.lambda, kernel);
  if (mlir::failed(verify(*module)))
    return failed("is malformed");
  if (!lowerToLLVM(*module))
    return failed("does not lower to LLVM");
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*module, llvmContext, "kernels");
  if (!code)
    return failed("does not become LLVM IR");
  return compileObject(*code, request.symbol, mayShareMemory(request.lambda),
                       options);
}

} // namespace

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

  if (requests.empty())
    return std::string(); // a plan of library kernels alone has no code

  // One object per kernel, so that threads share nothing; each is the same
  // whichever thread compiles it.
  std::vector<std::string> objects(requests.size());
  std::vector<std::optional<Error>> errors(requests.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    registerDialects(context);
    for (size_t i = next++; i < requests.size(); i = next++) {
      Result<std::string> object = compileKernel(context, requests[i], options);
      if (object)
        objects[i] = std::move(*object);
      else
        errors[i] = object.takeError();
    }
  };
  struct Threads : std::vector<std::thread> {
    ~Threads() {
      for (std::thread &thread : *this)
        thread.join();
    }
  };
  {
    Threads threads;
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    try {
      for (size_t t = 1; t < std::min(cores, requests.size()); ++t)
        threads.emplace_back(work);
    } catch (const std::exception &) {
      // The system starts no more of them: this one does the work.
    }
    work();
  }
  for (std::optional<Error> &error : errors)
    if (error)
      return std::move(*error);
  return linkShared(objects);
}
