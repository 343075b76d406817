#include "compiler/codegen/expression/CompileEach.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

/// Enough for the passes' set-up to be little, and few enough that small plans
/// keep many cores busy.
static constexpr size_t groupSize = 4;

std::string codegen::nameOf(KernelGroup group) {
  std::string name = "kernel '" + group.front().symbol + "'";
  if (group.size() > 1)
    name += ", or one of those up to '" + group.back().symbol + "',";
  return name;
}

Result<std::vector<GroupCode>> codegen::compileEach(
    const std::vector<KernelRequest> &requests,
    const std::function<void(MLIRContext &)> &prepare,
    const std::function<Result<GroupCode>(MLIRContext &, KernelGroup)> &compile,
    const Busy &busy) {
  const size_t groups = (requests.size() + groupSize - 1) / groupSize;
  std::vector<GroupCode> results(groups);
  std::vector<std::optional<Error>> errors(groups);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    prepare(context);
    for (size_t i = next++; i < groups; i = next++) {
      Result<GroupCode> result = compile(context, KernelGroup(requests)
                                                      .drop_front(i * groupSize)
                                                      .take_front(groupSize));
      if (result)
        results[i] = std::move(*result);
      else
        errors[i] = result.takeError();
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
      for (size_t t = 1; t < std::min(cores, groups); ++t)
        threads.emplace_back(work);
    } catch (const std::exception &) {
      // The system starts no more of them: this one does the work.
    }
    while (busy.valid() && next < groups &&
           busy.wait_for(std::chrono::milliseconds(1)) !=
               std::future_status::ready) {
    }
    work();
  }
  for (std::optional<Error> &error : errors)
    if (error)
      return std::move(*error);
  return results;
}

Result<std::string> codegen::textOf(const KernelRequest &request,
                                    ModuleOp module, func::FuncOp function) {
  PassManager passes(module.getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (mlir::failed(passes.run(module)))
    return defect("kernel '" + request.symbol + "' is malformed");
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text + "\n";
}
