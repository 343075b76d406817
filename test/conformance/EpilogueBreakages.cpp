#include "test/conformance/PlanBreakages.h"

#include <algorithm>

using namespace smex;
using namespace smex::conformance;
using plan::Instruction;
using plan::Plan;

namespace {

/// The first that is an epilogue.
Instruction &epilogueOf(Plan &plan) {
  for (Instruction &each : instructionsOf(plan))
    if (each.epilogueOf >= 0)
      return each;
  return instructionsOf(plan).front();
}
/// Its product.
Instruction &productOf(Plan &plan) {
  return instructionsOf(plan)[size_t(epilogueOf(plan).epilogueOf)];
}

} // namespace

const Breakages &conformance::epilogueBreakages() {
  static const Breakages all = {
      {"something else reads what the product makes",
       [](Plan &p) {
         Instruction &last = instructionsOf(p).back();
         for (int &operand : last.operands)
           if (operand == epilogueOf(p).to) {
             operand = productOf(p).to;
             return true;
           }
         return false;
       },
       Who::Check, false}, // it lies where the epilogue's result does
      {"the product is an output, too",
       [](Plan &p) {
         for (plan::Port &port : p.partitioned.program.outputs)
           port.buffer = productOf(p).to;
         return true;
       },
       Who::Check},
      {"the product does not wait for the bias",
       [](Plan &p) {
         Instruction &product = productOf(p);
         epilogueOf(p).waits = product.waits;
         product.waits.clear();
         return !epilogueOf(p).waits.empty();
       },
       Who::Check},
      {"its result lies beside the product's",
       [](Plan &p) {
         int64_t most = 0;
         for (plan::Worker &worker : p.partitioned.workers)
           most = std::max(most, (worker.arenaBytes + 63) / 64 * 64);
         for (plan::Worker &worker : p.partitioned.workers)
           worker.arenaBytes = most + 4096;
         p.partitioned.program.buffers[size_t(epilogueOf(p).to)].offsets = {
             most};
         return true;
       },
       Who::Check, false}, // then it is done by itself
      {"a bias that is too short",
       [](Plan &p) {
         auto &program = p.partitioned.program;
         const int bias = epilogueOf(p).operands[1];
         program.tensors[size_t(program.buffers[size_t(bias)].tensor)]
             .type.shape[0] -= 4;
         return true;
       },
       Who::Loader, false},
      {"an epilogue of terms of a sum",
       [](Plan &p) {
         p.partitioned.program.buffers[size_t(productOf(p).to)].partial = true;
         return true;
       },
       Who::Loader, false},
      {"an epilogue of another product",
       [](Plan &p) {
         int other = -1;
         for (const Instruction &each : instructionsOf(p))
           if (each.epilogueOf >= 0)
             other = each.epilogueOf;
         Instruction &last = instructionsOf(p).back();
         last.epilogueOf = other;
         return true;
       },
       Who::Loader, false},
      {"an epilogue that is none",
       [](Plan &p) {
         p.partitioned.program.kernels[size_t(epilogueOf(p).kernel)].lambda =
             "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: min(x0[i0, i1] + "
             "x1[i1], 0.0)";
         return true;
       },
       Who::Loader, false},
  };
  return all;
}
