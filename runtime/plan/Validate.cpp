#include "runtime/plan/Validate.h"

#include "runtime/plan/Files.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Target.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::plan;

namespace {

/// Groups of a level are made of those of the level below.
void validateMachine(const MachineInfo &machine, int64_t gpus,
                     Complaint &complaint) {
  int64_t inner = 1;
  for (const LinkLevel &level : machine.links) {
    if (level.gpus <= inner || level.gpus % inner != 0 ||
        gpus % level.gpus != 0)
      complaint.add("machine.links: groups of ", level.gpus,
                    " GPUs, made of groups of ", inner, ", of ", gpus, " GPUs");
    if (level.bytesPerSecond < 1 || level.bytes < 0)
      complaint.add("machine.links: a rate or a number of bytes is negative");
    if (complaint)
      return;
    inner = level.gpus;
  }
  if (inner != gpus)
    complaint.add("machine.links: the largest group has ", inner, " of ", gpus,
                  " GPUs");
}

Status validateSummary(const Plan &plan, Complaint complaint) {
  const size_t gpus = plan.partitioned.workers.size();
  if (gpus < 1 || gpus > size_t(gpuLimit))
    complaint.add("gpus: ", gpus, " is not in 1 .. ", gpuLimit);
  if (plan.modelName.find('/') != std::string::npos)
    complaint.add("model.name: is not a file name without folders");
  if (!isSha256(plan.modelSha256))
    complaint.add("model.sha256: is not a SHA-256 in lower case");
  if (plan.peakBytes.size() != gpus)
    complaint.add("totals.peak_bytes: ", plan.peakBytes.size(), " numbers for ",
                  gpus, " GPUs");
  if (plan.unpartitioned.workers.size() > 1)
    complaint.add("the unpartitioned program has more than one worker");
  int64_t least = std::min({plan.communicationBytes, plan.parameterBytes,
                            plan.flops, plan.search.lowerBoundBytes,
                            plan.hostTraffic.toHost, plan.hostTraffic.fromHost,
                            plan.search.hostLowerBoundBytes.value_or(0)});
  if (const auto &recomputing = plan.search.recomputing)
    least = std::min({least, recomputing->bytes, recomputing->nanoseconds});
  for (int64_t bytes : plan.peakBytes)
    least = std::min(least, bytes);
  for (const SearchStep &step : plan.search.steps)
    least = std::min({least, step.ways - 1, step.bytes, step.lowerBoundBytes});
  if (plan.machine)
    validateMachine(*plan.machine, int64_t(gpus), complaint);
  if (least < 0)
    complaint.add("a total or a step of the search is negative");
  return complaint ? Status(complaint.take()) : Status();
}

/// `folder` as in messages, with a slash at the end.
Status validatePartitioned(const Partitioned &partitioned,
                           const std::string &folder, bool hasWeights) {
  Complaint complaint(folder + "program.json");
  std::vector<tdl::Lambda> lambdas;
  const size_t workers = partitioned.workers.size();
  validateProgram(partitioned.program, workers, lambdas, complaint);
  if (complaint)
    return complaint.take();
  validateBoxes(partitioned.program, workers, complaint);
  if (complaint)
    return complaint.take();
  // Analyses number the instructions of all workers.
  if (partitioned.program.instructions.size() >
      size_t(std::numeric_limits<int>::max()) / workers)
    return fail(folder, "program.json: instructions: too many for ", workers,
                " GPUs");
  for (size_t k = 0; k < workers; ++k) {
    Complaint own(folder + gpuFile(k, ".json"));
    validateWorker(partitioned, int(k), lambdas, hasWeights, own);
    if (own)
      return own.take();
  }
  return {};
}

/// All targets have the code that they need, or none has any.
Status validateCode(const Plan &plan, const std::string &directory) {
  const auto needsCode = [&](const std::string &target) {
    for (const Partitioned *part : {&plan.unpartitioned, &plan.partitioned})
      for (const Kernel &kernel : part->program.kernels)
        if (isGenerated(kernel, target))
          return true;
    return false;
  };
  const bool hasCode =
      std::any_of(plan.code.begin(), plan.code.end(),
                  [](const Artifact &each) { return !each.bytes.empty(); });
  for (const Artifact &each : plan.code)
    if (hasCode && each.bytes.empty() && needsCode(each.target))
      return fail(directory,
                  "/plan.json: files: has code for some targets, "
                  "but no \"",
                  codeFile(each.target), "\"");
  for (const Artifact &each : plan.code)
    if (kindOf(each.target) == TargetKind::Cuda && !each.bytes.empty()) {
      Complaint complaint(directory + "/" + launchFile(each.target));
      validateLaunches(plan, each, complaint);
      if (complaint)
        return complaint.take();
    }
  return {};
}

} // namespace

Status plan::validate(const Plan &plan, const std::string &directory) {
  Status status = validateSummary(plan, Complaint(directory + "/plan.json"));
  if (status)
    status = validatePartitioned(plan.partitioned, directory + "/", true);
  // Its constants are in no file by which rows could be proven.
  for (const Instruction &each : plan.unpartitioned.program.instructions)
    if (status && !each.rows.empty())
      status = fail(directory, "/unpartitioned/program.json: rows: one worker "
                               "has all rows already");
  if (status && !plan.unpartitioned.workers.empty())
    status = validatePartitioned(plan.unpartitioned,
                                 directory + "/unpartitioned/", false);
  if (status && !plan.unpartitioned.program.edgeRows.empty())
    status = fail(directory, "/unpartitioned/program.json: edge_rows: are said "
                             "of the whole plan, not of this program");
  const auto &rows = plan.partitioned.program.edgeRows;
  if (status && plan.edgeOrders.size() != rows.size())
    status = fail(directory, ": ", plan.edgeOrders.size(),
                  " orders of edges for ", rows.size(), " edge_rows");
  for (size_t k = 0; status && k < rows.size(); ++k)
    status = validateEdgeOrder(rows[k], plan.edgeOrders[k],
                               directory + "/" + edgesFile(k));
  return status ? validateCode(plan, directory) : status;
}
