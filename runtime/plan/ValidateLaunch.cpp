#include "runtime/plan/Files.h"
#include "runtime/plan/PtxEntries.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Validate.h"

#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

/// Pointers and numbers of a call (README.md, "Kernels").
int64_t argumentsOf(const tdl::Lambda &lambda, const Launch &launch) {
  int64_t count = 1 + int64_t(lambda.operands.size()) + hasScratch(launch) +
                  2 * lambda.indexCount() + 2 * lambda.rank();
  for (const tdl::Operand &operand : lambda.operands)
    count += 3 * operand.rank;
  return count;
}

/// How one kernel is launched, and what its code says of it.
class LaunchValidator {
public:
  LaunchValidator(const std::string &symbol, const Launch &launch,
                  Complaint &complaint)
      : symbol(symbol), launch(launch), complaint(complaint) {}

  /// A grid that follows from it has no more blocks than elements are computed.
  void variables(const tdl::Lambda &lambda) {
    std::set<int> seen;
    for (const Launch::Tile &tile : launch.item)
      for (int variable : tile.along)
        once(variable, 0, lambda.rank(), lambda, seen);
    for (int variable : launch.terms)
      once(variable, lambda.rank(), lambda.indexCount(), lambda, seen);
  }

  /// The grid of the entry for parts follows from them, and their memory.
  void parts(const tdl::Lambda &lambda) {
    if (launch.parts.along < 0)
      return;
    std::set<int> seen;
    once(launch.parts.along, lambda.rank(), lambda.indexCount(), lambda, seen);
    for (int variable : launch.parts.columns)
      once(variable, 0, lambda.rank(), lambda, seen);
    if (launch.scratch.bytes > 0)
      refuse("has both parts and scratch, and one pointer for them");
  }

  void arguments(const tdl::Lambda &lambda) {
    const int64_t count = argumentsOf(lambda, launch);
    if (launch.inMemory != (count > mostParameters))
      refuse("in_memory is ", launch.inMemory ? "true" : "false",
             ", but a kernel has room for ", mostParameters,
             " parameters, and the lambda has ", count, " arguments");
  }

  /// Whether its memory is made of words, by extents that there are.
  bool scratch(const tdl::Lambda &lambda) {
    if (launch.scratch.bytes % 8 != 0) {
      refuse("scratch: ", launch.scratch.bytes,
             " bytes are no number of words of 8 bytes");
      return false;
    }
    for (const Launch::Scratch::Extent &extent : launch.scratch.extents)
      if (extent.operand < 0 || extent.dimension < 0 ||
          size_t(extent.operand) >= lambda.operands.size() ||
          extent.dimension >= lambda.operands[size_t(extent.operand)].rank) {
        refuse("scratch: the lambda has no dimension ", extent.dimension,
               " of an operand ", extent.operand);
        return false;
      }
    return true;
  }

  void code(const tdl::Lambda &lambda,
            const std::map<std::string, PtxEntry> &entries,
            const std::string &file) {
    this->entry(lambda, entries, symbol, file);
    if (launch.parts.along >= 0)
      this->entry(lambda, entries, partsSymbol(symbol), file);
  }

  template <typename... Parts> void refuse(Parts &&...parts) {
    complaint.add("launches: \"", symbol,
                  "\": ", std::forward<Parts>(parts)...);
  }

private:
  void entry(const tdl::Lambda &lambda,
             const std::map<std::string, PtxEntry> &entries,
             const std::string &name, const std::string &file) {
    const std::string of = name == symbol ? "" : "\"" + name + "\" ";
    const auto found = entries.find(name);
    if (found == entries.end())
      return refuse(of, "is no kernel of ", file);
    const PtxEntry &entry = found->second;
    const int64_t wanted = launch.inMemory ? 1 : argumentsOf(lambda, launch);
    if (entry.parameters != wanted)
      refuse(of, "has ", entry.parameters, " parameters in ", file, ", and ",
             wanted, " arguments");
    else if (!entry.areWords)
      refuse(of, "has parameters in ", file, " that are not of 8 bytes");
    else if (entry.threads != std::vector<int64_t>{launch.threads} &&
             entry.threads != std::vector<int64_t>{launch.threads, 1, 1})
      refuse(of, "threads is ", launch.threads, ", but ", file, " demands ",
             entry.threads.empty() ? "none" : "others");
  }

  void once(int variable, int begin, int end, const tdl::Lambda &lambda,
            std::set<int> &seen) {
    if (variable < 0 || variable >= lambda.indexCount())
      refuse("is of a lambda that has no index variable ", variable);
    else if (variable < begin || variable >= end)
      refuse("index variable ", variable, " is ",
             begin == 0 ? "a reduction's" : "the result's", ", where ",
             begin == 0 ? "the result's" : "a reduction's", " are wanted");
    else if (!seen.insert(variable).second)
      refuse("index variable ", variable, " is there twice");
  }

  const std::string &symbol;
  const Launch &launch;
  Complaint &complaint;
};

/// Whether each instruction that a kernel with scratch memory computes has that
/// in the workspace of the worker.
void validateScratch(const Partitioned &partitioned, const std::string &folder,
                     const Artifact &artifact, Complaint &complaint) {
  const Program &program = partitioned.program;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &each = program.instructions[i];
    if (each.op != Opcode::Compute)
      continue;
    const Kernel &kernel = program.kernels[size_t(each.kernel)];
    if (!isGenerated(kernel, artifact.target))
      continue;
    const Launch &launch = artifact.launches.at(kernel.symbol);
    if (!hasScratch(launch))
      continue;
    std::vector<std::vector<int64_t>> shapes;
    for (int operand : each.operands)
      shapes.push_back(
          program.tensors[size_t(program.buffers[size_t(operand)].tensor)]
              .type.shape);
    for (size_t w = 0; w < partitioned.workers.size(); ++w) {
      const Box &indices = partitioned.indices(int(w), int(i));
      if (indices.isAbsent() || isEmpty(indices))
        continue;
      const int64_t bytes = scratchBytes(launch, indices, shapes);
      const int64_t room = partitioned.workers[w].workspaceBytes;
      if (bytes > room)
        return complaint.add("launches: \"", kernel.symbol, "\": takes ", bytes,
                             " bytes of scratch memory for instruction ", i,
                             " of ", folder, gpuFile(w, ".json"),
                             ", whose workspace has ", room);
    }
  }
}

} // namespace

void plan::validateLaunches(const Plan &plan, const Artifact &artifact,
                            Complaint &complaint) {
  const std::string file = codeFile(artifact.target);
  const auto entries = ptxEntries(artifact.bytes);
  if (!entries)
    return complaint.add("launches: ", file, ": ", entries.error().message);
  std::set<std::string> launched;
  for (const Partitioned *part : {&plan.unpartitioned, &plan.partitioned})
    for (const Kernel &kernel : part->program.kernels) {
      if (!isGenerated(kernel, artifact.target))
        continue;
      launched.insert(kernel.symbol);
      const auto launch = artifact.launches.find(kernel.symbol);
      if (launch == artifact.launches.end())
        return complaint.add("launches: has no \"", kernel.symbol, "\"");
      const auto lambda = tdl::parseLambda(kernel.lambda);
      LaunchValidator validator(kernel.symbol, launch->second, complaint);
      validator.variables(*lambda);
      if (!validator.scratch(*lambda))
        return;
      validator.parts(*lambda);
      validator.arguments(*lambda);
      validator.code(*lambda, *entries, file);
    }
  for (const auto &[symbol, launch] : artifact.launches)
    if (!launched.count(symbol))
      complaint.add("launches: \"", symbol, "\" is no kernel of the plan");
  if (complaint)
    return;
  validateScratch(plan.unpartitioned, "unpartitioned/", artifact, complaint);
  if (!complaint)
    validateScratch(plan.partitioned, "", artifact, complaint);
}
