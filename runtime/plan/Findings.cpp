#include "runtime/plan/Findings.h"

#include "runtime/plan/Format.h"

#include <algorithm>

using namespace smex;
using namespace smex::plan;

const char *plan::name(FindingKind kind) {
  switch (kind) {
  case FindingKind::NotReady:
    return "not ready";
  case FindingKind::Reused:
    return "reused";
  case FindingKind::Overlap:
    return "overlap";
  case FindingKind::Staging:
    return "staging";
  case FindingKind::Rewritten:
    return "rewritten";
  case FindingKind::Kept:
    return "kept";
  case FindingKind::Region:
    return "region";
  case FindingKind::Reduction:
    return "reduction";
  case FindingKind::Coverage:
    return "coverage";
  case FindingKind::Kernel:
    return "kernel";
  case FindingKind::Epilogue:
    return "epilogue";
  case FindingKind::Interface:
    return "interface";
  case FindingKind::Totals:
    break;
  }
  return "totals";
}

std::vector<Finding> Findings::take() {
  for (size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > limit)
      list.push_back({FindingKind(k), std::to_string(counts[k] - limit) +
                                          " more findings of this kind"});
  std::stable_sort(
      list.begin(), list.end(),
      [](const Finding &a, const Finding &b) { return a.kind < b.kind; });
  return std::move(list);
}

std::string Names::gpu(int worker) const {
  return prefix + "gpu" + std::to_string(worker);
}

std::string Names::instruction(int number) const {
  const Instruction &instruction =
      partitioned.program.instructions[size_t(number)];
  return "instruction " + std::to_string(number) + " (" + name(instruction.op) +
         ", node \"" + instruction.node + "\")";
}

std::string Names::instruction(int worker, int number) const {
  return gpu(worker) + " " + instruction(number);
}

std::string Names::buffer(int number) const {
  const Program &program = partitioned.program;
  return "buffer " + std::to_string(number) + " of \"" +
         program.tensors[size_t(program.buffers[size_t(number)].tensor)].name +
         "\"";
}
