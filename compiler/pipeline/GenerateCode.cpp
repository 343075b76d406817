#include "compiler/pipeline/GenerateCode.h"

#include "compiler/codegen/cpu/Codegen.h"
#include "compiler/codegen/gpu/Codegen.h"
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <future>

using namespace smex;

namespace {

Result<plan::Artifact>
generatePtx(const std::vector<codegen::KernelRequest> &requests,
            const std::string &target, const codegen::Busy &busy) {
  codegen::GpuOptions options;
  options.arch = target;
  options.busy = busy;
  auto code = codegen::compilePtx(requests, options);
  if (!code)
    return code.takeError();
  plan::Artifact artifact{target, std::move(code->ptx)};
  for (size_t i = 0; i < requests.size(); ++i)
    artifact.launches.emplace(requests[i].symbol, code->launches[i]);
  return artifact;
}

Result<plan::Artifact> generate(const std::vector<emit::Function> &functions,
                                const std::string &target,
                                const codegen::Busy &busy) {
  std::vector<codegen::KernelRequest> requests;
  for (const emit::Function &each : functions)
    if (llvm::is_contained(each.targets, target))
      requests.push_back({each.symbol, each.lambda});
  if (plan::kindOf(target) == plan::TargetKind::Cuda)
    return generatePtx(requests, target, busy);
  codegen::CodegenOptions options;
  options.cpuArch = target;
  options.busy = busy;
  auto bytes = codegen::compileKernels(requests, options);
  if (!bytes)
    return bytes.takeError();
  return plan::Artifact{target, std::move(*bytes)};
}

} // namespace

Result<plan::Code>
pipeline::generateCode(const std::vector<emit::Function> &functions,
                       const std::vector<std::string> &targets,
                       const codegen::Busy &busy) {
  // Beside each other: few kernels leave cores without work at the end.
  std::vector<std::future<Result<plan::Artifact>>> others;
  for (size_t i = 1; i < targets.size(); ++i)
    others.push_back(std::async(std::launch::async, [&, i] {
      return generate(functions, targets[i], busy);
    }));
  std::vector<Result<plan::Artifact>> made;
  if (!targets.empty())
    made.push_back(generate(functions, targets.front(), busy));
  for (auto &other : others)
    made.push_back(other.get());
  plan::Code code;
  for (Result<plan::Artifact> &artifact : made) {
    if (!artifact)
      return artifact.takeError();
    code.push_back(std::move(*artifact));
  }
  return code;
}

Result<plan::Artifact> pipeline::regenerateKernels(const plan::Plan &plan,
                                                   const std::string &target) {
  return generate(emit::functionsOf(plan), target, {});
}
