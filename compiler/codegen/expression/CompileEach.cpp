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

std::string codegen::nameOf(const KernelRequest &request) {
  return "kernel '" + request.symbol + "'";
}

namespace {

/// One thread's: a context, once it is needed.
class OwnContext {
public:
  explicit OwnContext(const std::function<void(MLIRContext &)> &prepare)
      : prepare(prepare) {}

  MLIRContext &get() {
    if (!made) {
      made.emplace(MLIRContext::Threading::DISABLED);
      prepare(*made);
    }
    return *made;
  }

private:
  const std::function<void(MLIRContext &)> &prepare;
  std::optional<MLIRContext> made;
};

struct Threads : std::vector<std::thread> {
  ~Threads() {
    for (std::thread &thread : *this)
      thread.join();
  }
};

} // namespace

Result<std::vector<KernelCode>> codegen::compileEach(
    const std::vector<KernelRequest> &requests,
    const Surroundings &surroundings,
    const std::function<void(MLIRContext &)> &prepare,
    const std::function<Result<KernelCode>(MLIRContext &,
                                           const KernelRequest &)> &compile) {
  const KernelCache *cache = surroundings.cache.get();
  std::vector<KernelCode> results(requests.size());
  std::vector<std::optional<Error>> errors(requests.size());
  const auto makeOne = [&](OwnContext &context, size_t i) {
    const KernelRequest &request = requests[i];
    std::string name;
    if (cache) {
      name = surroundings.options + "\n" + request.symbol + "\n" +
             tdl::toString(request.lambda);
      if (auto kept = cache->find(name)) {
        results[i] = std::move(*kept);
        return;
      }
    }
    Result<KernelCode> result = compile(context.get(), request);
    if (!result) {
      errors[i] = result.takeError();
      return;
    }
    if (cache)
      cache->keep(name, *result);
    results[i] = std::move(*result);
  };
  std::atomic<size_t> next{0};
  const auto work = [&] {
    OwnContext context(prepare);
    for (size_t i = next++; i < requests.size(); i = next++)
      makeOne(context, i);
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
    const Busy &busy = surroundings.busy;
    while (busy.valid() && next < requests.size() &&
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
    return defect(nameOf(request) + " is malformed");
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text + "\n";
}
