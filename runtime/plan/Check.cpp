#include "runtime/plan/Check.h"

#include "dialects/tdl/analysis/Properties.h"
#include "runtime/plan/Files.h"
#include "runtime/plan/KernelCode.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Subject.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Tiling.h"
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <map>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

/// Shares may overlap (a replicated tensor), but must leave nothing out.
void checkCoverage(const Subject &subject) {
  const auto covered = [&](const char *what, const std::string &name,
                           int buffer) {
    const int region = subject.program.buffers[size_t(buffer)].region;
    if (isTiled(subject.program.regions[size_t(region)]))
      return;
    std::vector<const Box *> boxes;
    for (size_t w = 0; w < subject.partitioned.workers.size(); ++w)
      boxes.push_back(&subject.box(int(w), buffer));
    const TensorType &type = subject.tensorOf(buffer).type;
    if (const auto missing = missingPart(wholeBox(type.shape), boxes))
      subject.findings.add(FindingKind::Coverage, subject.names.prefix, what,
                           " \"", name, "\": no GPU holds ", toString(*missing),
                           " of ", toString(type), " (",
                           subject.names.buffer(buffer), ")");
  };
  for (const Port &output : subject.program.outputs)
    covered("output", output.name, output.buffer);
  for (const Parameter &parameter : subject.program.parameters)
    covered("parameter", parameter.name, parameter.buffer);
}

void checkProgram(const Partitioned &partitioned, const std::string &prefix,
                  Findings &findings) {
  const Subject subject(partitioned, prefix, findings);
  checkMeaning(subject);
  checkTerms(subject);
  checkCoverage(subject);
  checkKept(subject);
  checkEpilogues(subject);
  checkWorkers(subject);
}

/// For --verify: both programs take and give the same things.
class InterfaceCheck {
public:
  InterfaceCheck(const Plan &plan, Findings &findings)
      : parts(plan.partitioned.program), whole(plan.unpartitioned.program),
        findings(findings) {}

  void run() {
    compare(
        "input", parts.inputs, whole.inputs, [](const Port &a, const Port &b) {
          return a.low == b.low && a.high == b.high && a.ignore == b.ignore &&
                 a.parts == b.parts && a.derived == b.derived;
        });
    compare("output", parts.outputs, whole.outputs,
            [](const Port &a, const Port &b) {
              return a.low == b.low && a.high == b.high && a.loss == b.loss;
            });
    if (parts.graphs != whole.graphs)
      findings.add(FindingKind::Interface,
                   "graph: is another one in the unpartitioned program");
    compare("parameter", parts.parameters, whole.parameters,
            [](const Parameter &a, const Parameter &b) {
              return a.drawn == b.drawn && a.scale == b.scale &&
                     a.constant == b.constant && a.state == b.state;
            });
  }

private:
  static const TensorType &typeOf(const Program &program, int buffer) {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
  }

  template <typename Named, typename Alike>
  void compare(const char *what, const std::vector<Named> &ours,
               const std::vector<Named> &theirs, Alike &&alike) {
    std::map<std::string, const Named *> left;
    for (const Named &each : theirs)
      left[each.name] = &each;
    for (const Named &each : ours) {
      const auto other = left.find(each.name);
      if (other == left.end()) {
        findings.add(FindingKind::Interface, what, " \"", each.name,
                     "\": the unpartitioned program has none of that name");
        continue;
      }
      if (typeOf(parts, each.buffer) != typeOf(whole, other->second->buffer) ||
          !alike(each, *other->second))
        findings.add(FindingKind::Interface, what, " \"", each.name,
                     "\": is another one in the unpartitioned program");
      left.erase(other);
    }
    for (const auto &[name, other] : left)
      findings.add(FindingKind::Interface, what, " \"", name,
                   "\": only the unpartitioned program has it");
  }

  const Program &parts, &whole;
  Findings &findings;
};

/// Of the program that does everything once.
int64_t flopsOf(const Program &program) {
  int64_t flops = 0;
  const std::vector<tdl::Lambda> lambdas = *lambdasOf(program);
  for (const Instruction &instruction : program.instructions) {
    if (instruction.op != Opcode::Compute)
      continue;
    const int tensor = program.buffers[size_t(instruction.to)].tensor;
    std::vector<int64_t> extents = program.tensors[size_t(tensor)].type.shape;
    extents.insert(extents.end(), instruction.reductions.begin(),
                   instruction.reductions.end());
    flops = Traffic::saturatingAdd(
        flops, analysis::flops(lambdas[size_t(instruction.kernel)], extents));
  }
  return flops;
}

/// What follows from the plan of what the search says about itself: step i cuts
/// among `ways` groups, and says how many bytes would cross if it was the last.
void checkSearch(const Plan &plan, Findings &findings) {
  const SearchInfo &search = plan.search;
  if (search.lowerBoundBytes > plan.communicationBytes)
    findings.add(FindingKind::Totals, "plan.json: search.lower_bound_bytes: ",
                 search.lowerBoundBytes, " bytes, more than the ",
                 plan.communicationBytes, " that the plan moves");
  else if (search.optimal !=
           (search.lowerBoundBytes == plan.communicationBytes))
    findings.add(FindingKind::Totals, "plan.json: search.optimal: is ",
                 search.optimal ? "true" : "false", ", with a bound of ",
                 search.lowerBoundBytes, " bytes for the ",
                 plan.communicationBytes, " that the plan moves");
  const int64_t again = search.recomputing ? search.recomputing->bytes : 0,
                moved = Traffic::saturatingAdd(plan.hostTraffic.toHost,
                                               plan.hostTraffic.fromHost);
  if (search.recomputing && repeated(plan.partitioned.program).empty())
    findings.add(FindingKind::Totals, "plan.json: search.recomputing: ", again,
                 " bytes, but nothing is computed again");
  if (search.hostLowerBoundBytes.value_or(0) >
      Traffic::saturatingAdd(moved, again))
    findings.add(FindingKind::Totals,
                 "plan.json: search.host_lower_bound_bytes: ",
                 *search.hostLowerBoundBytes, " bytes, more than the ", moved,
                 " that move to the host and back",
                 again > 0 ? " and the " + std::to_string(again) +
                                 " that computing again counts"
                           : "");
  if (search.steps.empty())
    return;
  int64_t groups = 1;
  for (size_t i = 0; i < search.steps.size(); ++i) {
    const SearchStep &step = search.steps[i];
    groups = groups > int64_t(plan.partitioned.workers.size())
                 ? groups
                 : groups * step.ways;
    if (step.lowerBoundBytes > step.bytes)
      findings.add(FindingKind::Totals, "plan.json: search.steps[", i,
                   "].lower_bound_bytes: ", step.lowerBoundBytes,
                   " bytes, more than the step's ", step.bytes);
    if (step.optimal != (step.lowerBoundBytes == step.bytes))
      findings.add(FindingKind::Totals, "plan.json: search.steps[", i,
                   "].optimal: is ", step.optimal ? "true" : "false",
                   ", with a bound of ", step.lowerBoundBytes,
                   " bytes for the step's ", step.bytes);
  }
  if (groups != int64_t(plan.partitioned.workers.size()))
    findings.add(FindingKind::Totals, "plan.json: search.steps: cut among ",
                 groups, " GPUs, the plan has ",
                 plan.partitioned.workers.size());
  if (plan.communicationBytes > search.steps.back().bytes)
    findings.add(FindingKind::Totals,
                 "plan.json: search.steps: the last one's ",
                 search.steps.back().bytes, " bytes are fewer than the ",
                 plan.communicationBytes, " that the plan moves");
}

void checkMachine(const Plan &plan, Findings &findings) {
  std::vector<LinkLevel> actual = plan.machine->links;
  countBytes(plan.partitioned, actual);
  for (size_t l = 0; l < actual.size(); ++l)
    if (actual[l].bytes != plan.machine->links[l].bytes)
      findings.add(FindingKind::Totals, "plan.json: machine.links[", l,
                   "].bytes: says ", plan.machine->links[l].bytes,
                   ", the program has ", actual[l].bytes);
}

void checkTotals(const Plan &plan, Findings &findings) {
  const Totals actual = totals(plan.partitioned);
  const auto compare = [&](const std::string &key, int64_t said, int64_t is) {
    if (said != is)
      findings.add(FindingKind::Totals, "plan.json: totals.", key, ": says ",
                   said, ", the program has ", is);
  };
  compare("communication_bytes", plan.communicationBytes,
          actual.communicationBytes);
  compare("parameter_bytes", plan.parameterBytes, actual.parameterBytes);
  compare("to_host_bytes", plan.hostTraffic.toHost, actual.hostTraffic.toHost);
  compare("from_host_bytes", plan.hostTraffic.fromHost,
          actual.hostTraffic.fromHost);
  for (size_t w = 0; w < actual.peakBytes.size(); ++w)
    compare("peak_bytes[" + std::to_string(w) + "]", plan.peakBytes[w],
            actual.peakBytes[w]);
  if (!plan.unpartitioned.workers.empty())
    compare("flops", plan.flops, flopsOf(plan.unpartitioned.program));
  checkSearch(plan, findings);
  if (plan.machine)
    checkMachine(plan, findings);
}

/// One function of the code does what one lambda says, in both programs, but
/// for where operands begin (KernelCode.h).
void checkSymbols(const Plan &plan, Findings &findings) {
  std::map<std::string, const Kernel *> meaning;
  const auto code = [](const Kernel &kernel) {
    return tdl::toString(codeOf(*tdl::parseLambda(kernel.lambda)));
  };
  for (const Partitioned *part : {&plan.unpartitioned, &plan.partitioned})
    for (const Kernel &kernel : part->program.kernels) {
      if (!isGenerated(kernel))
        continue;
      const auto [known, isNew] = meaning.try_emplace(kernel.symbol, &kernel);
      if (!isNew && known->second->lambda != kernel.lambda &&
          code(*known->second) != code(kernel))
        findings.add(FindingKind::Kernel, "symbol \"", kernel.symbol,
                     "\": stands for two lambdas, \"", known->second->lambda,
                     "\" and \"", kernel.lambda, "\"");
    }
}

/// Of whole tensors, as an instruction's kernel was bound.
Sizes sizesOf(const Program &program, const Instruction &instruction) {
  const auto shapeOf = [&](int buffer) {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)]
        .type.shape;
  };
  Sizes sizes{shapeOf(instruction.to), {}};
  sizes.extents.insert(sizes.extents.end(), instruction.reductions.begin(),
                       instruction.reductions.end());
  for (int operand : instruction.operands)
    sizes.shapes.push_back(shapeOf(operand));
  return sizes;
}

/// Each target has each kernel: in a library, or in its code.
void checkLibraries(const Plan &plan, Findings &findings) {
  std::vector<std::string> targets;
  for (const Artifact &artifact : plan.code)
    targets.push_back(artifact.target);
  for (const Partitioned *part : {&plan.unpartitioned, &plan.partitioned}) {
    const Program &program = part->program;
    std::map<int, tdl::Lambda> lambdas; // of kernels that may lack code
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const Kernel &kernel = program.kernels[k];
      if (kernel.kind == KernelKind::Generated)
        continue;
      tdl::Lambda lambda = *tdl::parseLambda(kernel.lambda);
      // Slower than code would be, but as right.
      const bool isInterpreted = kernel.kind == KernelKind::Reference &&
                                 lambda.body->kind != tdl::ExprKind::Opaque;
      if (!isInterpreted)
        lambdas.emplace(int(k), std::move(lambda));
      for (const std::string &target : kernel.generatedFor)
        if (std::find(targets.begin(), targets.end(), target) == targets.end())
          findings.add(FindingKind::Kernel, "kernel ", k, ": is generated for ",
                       target, ", which is no target of the plan");
    }
    for (const std::string &target : targets) {
      std::set<int> lacking;
      for (const Instruction &each : program.instructions) {
        const auto lambda = lambdas.find(each.kernel);
        if (each.op != Opcode::Compute || lambda == lambdas.end())
          continue;
        const Kernel &kernel = program.kernels[size_t(each.kernel)];
        if (!isGenerated(kernel, target) &&
            hasCode(kindOf(target), lambda->second) &&
            !libraryHas(target, kernel, lambda->second,
                        sizesOf(program, each)) &&
            lacking.insert(each.kernel).second)
          findings.add(FindingKind::Kernel, "kernel ", each.kernel,
                       ": is generated for other targets than ", target,
                       ", whose libraries have none for ",
                       smex::name(lambda->second.operands.front().type),
                       " of these sizes");
      }
    }
  }
}

void checkKernels(const Plan &plan, const CheckOptions &options,
                  Findings &findings) {
  if (!options.regenerateKernels)
    return;
  for (const Partitioned *part : {&plan.unpartitioned, &plan.partitioned})
    for (const Kernel &kernel : part->program.kernels)
      if (isGenerated(kernel) && plan.code.empty())
        findings.add(FindingKind::Kernel, "symbol \"", kernel.symbol,
                     "\": there is no code for it, for any target");
  for (const Artifact &artifact : plan.code) {
    const std::string file = codeFile(artifact.target);
    const auto again = options.regenerateKernels(plan, artifact.target);
    if (!again)
      findings.add(FindingKind::Kernel, file,
                   ": cannot be generated again: ", again.error().message);
    else if (again->bytes != artifact.bytes)
      findings.add(FindingKind::Kernel, file,
                   ": is not what the lambdas of this plan are compiled to");
    else if (again->launches != artifact.launches)
      findings.add(FindingKind::Kernel, launchFile(artifact.target),
                   ": is not how these kernels are to be launched");
  }
}

} // namespace

std::vector<Finding> plan::check(const Plan &plan,
                                 const CheckOptions &options) {
  Findings findings(options.limitPerKind);
  checkProgram(plan.partitioned, "", findings);
  if (!plan.unpartitioned.workers.empty()) {
    checkProgram(plan.unpartitioned, "unpartitioned ", findings);
    InterfaceCheck(plan, findings).run();
    checkValues(plan, findings);
  }
  checkStaging(plan, findings);
  checkTotals(plan, findings);
  checkSymbols(plan, findings);
  checkLibraries(plan, findings);
  checkKernels(plan, options, findings);
  return findings.take();
}
