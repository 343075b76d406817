#include "test/conformance/WrittenPlan.h"

#include "compiler/emit/Emit.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/exec/ir/Exec.h"
#include "dialects/support/Sha256.h"
#include "runtime/plan/Totals.h"

#include "mlir/Parser/Parser.h"

using namespace smex;

Result<plan::Plan> conformance::planOf(
    mlir::MLIRContext &context, const char *text,
    const std::vector<std::string> &targets, bool library,
    const std::function<void(mlir::OpPassManager &)> &addPasses) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return fail("the program cannot be read");
  mlir::PassManager manager(&context);
  addPasses(manager.nest<exec::ProgramOp>());
  if (mlir::failed(manager.run(*module)))
    return fail("a pass of the memory planner fails");

  emit::KernelTable kernels(targets, library);
  plan::Plan plan;
  plan.modelName = "by hand";
  plan.modelSha256 = sha256(text);
  for (auto program : module->getOps<exec::ProgramOp>())
    (program.getSymName() == "whole" ? plan.unpartitioned : plan.partitioned) =
        emit::emit(program, kernels);
  const plan::Totals totals = plan::totals(plan.partitioned);
  plan.peakBytes = totals.peakBytes;
  plan.communicationBytes = totals.communicationBytes;
  plan.hostTraffic = totals.hostTraffic;
  for (const std::string &target : targets)
    plan.code.push_back({target, ""});
  for (plan::Artifact &artifact : plan.code) {
    auto generated = pipeline::regenerateKernels(plan, artifact.target);
    if (!generated)
      return generated.takeError();
    artifact = std::move(*generated);
  }
  return plan;
}
