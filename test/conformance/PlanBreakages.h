// Ways to break a plan, each in one place, and who is to notice it.
#ifndef SMEX_TEST_CONFORMANCE_PLANBREAKAGES_H
#define SMEX_TEST_CONFORMANCE_PLANBREAKAGES_H

#include "runtime/plan/Plan.h"

#include <functional>
#include <vector>

namespace smex::conformance {

enum class Who { Loader, Check, Code, Either };

struct Breakage {
  const char *what;
  /// False: this plan has no place for it.
  std::function<bool(plan::Plan &)> apply;
  Who notices;
  /// Whether some of such plans are run, and must go wrong, on emulated GPUs.
  bool shows = true;
};
using Breakages = std::vector<Breakage>;

/// Of any divided plan: waits and places in memory; pieces, terms and
/// collectives; kernels, their code, and what of it a worker does.
const Breakages &memoryBreakages();
const Breakages &transferBreakages();
const Breakages &computeBreakages();
/// Of HostMoves.
const Breakages &moveBreakages();
/// Of Epilogues.
const Breakages &epilogueBreakages();

// What they are made of.
inline std::vector<plan::Instruction> &instructionsOf(plan::Plan &plan) {
  return plan.partitioned.program.instructions;
}
/// Whether the change was made to an instruction, the first that has a place
/// for it.
bool first(plan::Plan &plan,
           const std::function<bool(plan::Instruction &)> &change);
/// The first of these that waits for something does not.
bool withoutWait(plan::Plan &plan, plan::Opcode op);

} // namespace smex::conformance

#endif
