#include "runtime/plan/Check.h"

#include "runtime/plan/Subject.h"
#include "runtime/plan/Tiling.h"
#include "runtime/plan/Validate.h"

#include <map>

using namespace smex;
using namespace smex::plan;

namespace {

void checkOrder(const Subject &subject, const Order &order) {
  for (const std::vector<Step> &cycle : order.cycles()) {
    std::string text;
    for (size_t k = 0; k < cycle.size(); ++k) {
      const Step next = cycle[(k + 1) % cycle.size()];
      text += (k ? ", and " : "") +
              subject.names.instruction(cycle[k].worker, cycle[k].instruction) +
              " waits for " + subject.names.gpu(next.worker) +
              ", which cannot pass " +
              subject.names.instruction(next.instruction);
    }
    subject.findings.add(FindingKind::Deadlock, text);
  }
}

/// Shares may overlap (a replicated tensor), but must leave nothing out.
void checkCoverage(const Subject &subject) {
  const auto covered = [&](const char *what, const std::string &name,
                           int buffer) {
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
  const size_t workers = partitioned.workers.size();
  // Who comes to an end with one queue does with two; who is right with two is
  // with one.
  const Order list(partitioned, Queues::One);
  checkOrder(subject, list);
  const Order order(partitioned, Queues::Two);
  std::vector<std::vector<Read>> reads;
  checkMeaning(subject, reads);
  checkCoverage(subject);

  std::vector<std::vector<RemoteRead>> remote(workers); // by whom is read from
  for (size_t w = 0; w < workers; ++w)
    for (size_t i = 0; i < partitioned.program.instructions.size(); ++i)
      for (const Piece &piece : partitioned.workers[w].instructions[i].pieces)
        if (piece.worker != int(w))
          remote[size_t(piece.worker)].push_back(
              {{int(w), int(i)},
               partitioned.program.instructions[i].from,
               &piece.box});
  for (size_t w = 0; w < workers; ++w)
    checkMemory(subject, int(w), list.complete() ? &order : nullptr, reads[w],
                remote[w]);
}

/// For --verify: both programs take and give the same things.
class InterfaceCheck {
public:
  InterfaceCheck(const Plan &plan, Findings &findings)
      : parts(plan.partitioned.program), whole(plan.unpartitioned.program),
        findings(findings) {}

  void run() {
    compare("input", parts.inputs, whole.inputs,
            [](const Port &a, const Port &b) {
              return a.low == b.low && a.high == b.high &&
                     a.ignore == b.ignore && a.derived == b.derived;
            });
    compare("output", parts.outputs, whole.outputs,
            [](auto &, auto &) { return true; });
    if (parts.graphs != whole.graphs)
      findings.add(FindingKind::Interface,
                   "graph: is another one in the unpartitioned program");
    compare("parameter", parts.parameters, whole.parameters,
            [](const Parameter &a, const Parameter &b) {
              return a.drawn == b.drawn && a.scale == b.scale &&
                     a.constant == b.constant;
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
  for (size_t w = 0; w < actual.peakBytes.size(); ++w)
    compare("peak_bytes[" + std::to_string(w) + "]", plan.peakBytes[w],
            actual.peakBytes[w]);
  if (plan.search.lowerBoundBytes > plan.communicationBytes)
    findings.add(FindingKind::Totals, "plan.json: search.lower_bound_bytes: ",
                 plan.search.lowerBoundBytes, " bytes, more than the ",
                 plan.communicationBytes, " that the plan moves");
}

void checkKernels(const Plan &plan, const CheckOptions &options,
                  Findings &findings) {
  if (!options.regenerateKernels)
    return;
  const auto kernels = options.regenerateKernels(plan);
  if (!kernels)
    findings.add(FindingKind::Kernel, "kernels.so: cannot be generated again: ",
                 kernels.error().message);
  else if (*kernels != plan.kernels)
    findings.add(
        FindingKind::Kernel,
        "kernels.so: is not what the lambdas of this plan are compiled to");
}

} // namespace

std::vector<Finding> plan::check(const Plan &plan,
                                 const CheckOptions &options) {
  Findings findings(options.limitPerKind);
  checkProgram(plan.partitioned, "", findings);
  if (!plan.unpartitioned.workers.empty()) {
    checkProgram(plan.unpartitioned, "unpartitioned ", findings);
    InterfaceCheck(plan, findings).run();
  }
  checkTotals(plan, findings);
  checkKernels(plan, options, findings);
  return findings.take();
}
