#include "compiler/pipeline/GenerateCode.h"

#include "compiler/codegen/cpu/Codegen.h"
#include "compiler/codegen/gpu/Codegen.h"
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <future>
#include <memory>

using namespace smex;

namespace {

/// Targets whose code has the same functions; of GPUs several, which share all
/// but the writing of their texts.
using Targets = std::vector<std::string>;

Result<plan::Code>
generatePtx(const std::vector<codegen::KernelRequest> &requests,
            const Targets &targets, const codegen::SharedCache &cache,
            const codegen::Busy &busy) {
  codegen::GpuOptions options;
  options.busy = busy;
  options.cache = cache;
  auto texts = codegen::compilePtx(requests, targets, options);
  if (!texts)
    return texts.takeError();
  plan::Code code;
  for (size_t t = 0; t < targets.size(); ++t) {
    code.push_back({targets[t], std::move((*texts)[t].ptx)});
    for (size_t i = 0; i < requests.size(); ++i)
      code.back().launches.emplace(requests[i].symbol, (*texts)[t].launches[i]);
  }
  return code;
}

bool isOfGpu(const std::string &target) {
  return plan::kindOf(target) == plan::TargetKind::Cuda;
}

Result<plan::Code> generate(const std::vector<emit::Function> &functions,
                            const Targets &targets,
                            const codegen::SharedCache &cache,
                            const codegen::Busy &busy) {
  const std::string &target = targets.front();
  std::vector<codegen::KernelRequest> requests;
  for (const emit::Function &each : functions)
    if (llvm::is_contained(each.targets, target))
      requests.push_back({each.symbol, each.lambda});
  if (isOfGpu(target))
    return generatePtx(requests, targets, cache, busy);
  codegen::CodegenOptions options;
  options.cpuArch = target;
  options.busy = busy;
  options.cache = cache;
  auto bytes = codegen::compileKernels(requests, options);
  if (!bytes)
    return bytes.takeError();
  return plan::Code{{target, std::move(*bytes), {}}};
}

/// Neighbours in the list, which keep their order.
std::vector<Targets> together(const std::vector<emit::Function> &functions,
                              const std::vector<std::string> &targets) {
  const auto areAlike = [&](const std::string &one, const std::string &other) {
    return isOfGpu(one) && isOfGpu(other) &&
           llvm::all_of(functions, [&](const emit::Function &each) {
             return llvm::is_contained(each.targets, one) ==
                    llvm::is_contained(each.targets, other);
           });
  };
  std::vector<Targets> all;
  for (const std::string &target : targets) {
    if (all.empty() || !areAlike(all.back().front(), target))
      all.emplace_back();
    all.back().push_back(target);
  }
  return all;
}

} // namespace

Result<plan::Code>
pipeline::generateCode(const std::vector<emit::Function> &functions,
                       const std::vector<std::string> &targets,
                       const codegen::SharedCache &cache,
                       const codegen::Busy &busy) {
  // Beside each other: few kernels leave cores without work at the end.
  const std::vector<Targets> groups = together(functions, targets);
  std::vector<std::future<Result<plan::Code>>> others;
  for (size_t i = 1; i < groups.size(); ++i)
    others.push_back(std::async(std::launch::async, [&, i] {
      return generate(functions, groups[i], cache, busy);
    }));
  std::vector<Result<plan::Code>> made;
  if (!groups.empty())
    made.push_back(generate(functions, groups.front(), cache, busy));
  for (auto &other : others)
    made.push_back(other.get());
  plan::Code code;
  for (Result<plan::Code> &part : made) {
    if (!part)
      return part.takeError();
    std::move(part->begin(), part->end(), std::back_inserter(code));
  }
  return code;
}

pipeline::Regenerate
pipeline::regenerateTogether(const codegen::SharedCache &cache) {
  const auto kept = std::make_shared<plan::Code>();
  return [kept, cache](const plan::Plan &plan,
                       const std::string &target) -> Result<plan::Artifact> {
    const auto isAsked = [&](const plan::Artifact &each) {
      return each.target == target;
    };
    if (const auto made = llvm::find_if(*kept, isAsked); made != kept->end())
      return std::move(*made);
    Targets targets = {target};
    for (const plan::Artifact &each : plan.code)
      if (each.target != target && isOfGpu(each.target) && isOfGpu(target))
        targets.push_back(each.target);
    auto code = generateCode(emit::functionsOf(plan), targets, cache);
    if (!code) // by another one, perhaps
      return regenerateKernels(plan, target, cache);
    *kept = std::move(*code);
    return std::move(kept->front());
  };
}

Result<plan::Artifact>
pipeline::regenerateKernels(const plan::Plan &plan, const std::string &target,
                            const codegen::SharedCache &cache) {
  auto code = generate(emit::functionsOf(plan), {target}, cache, {});
  if (!code)
    return code.takeError();
  return std::move(code->front());
}
