#include "test/conformance/PlanBreakages.h"

#include <algorithm>
#include <utility>

using namespace smex;
using namespace smex::conformance;
using plan::Instruction;
using plan::Opcode;
using plan::Plan;

bool conformance::first(Plan &plan,
                        const std::function<bool(Instruction &)> &change) {
  for (Instruction &each : instructionsOf(plan))
    if (change(each))
      return true;
  return false;
}

bool conformance::withoutWait(Plan &plan, Opcode op) {
  return first(plan, [&](Instruction &each) {
    if (each.op != op || each.waits.empty())
      return false;
    each.waits.clear();
    return true;
  });
}

const Breakages &conformance::memoryBreakages() {
  static const Breakages all = {
      {"a fetch waits for nobody",
       [](Plan &p) { return withoutWait(p, Opcode::Fetch); }, Who::Check},
      {"a computation waits for no fetch",
       [](Plan &p) { return withoutWait(p, Opcode::Compute); }, Who::Check},
      {"a reduction waits for no terms",
       [](Plan &p) { return withoutWait(p, Opcode::Reduce); }, Who::Check},
      {"an instruction waits for itself",
       [](Plan &p) {
         auto &all = instructionsOf(p);
         for (size_t i = 0; i < all.size(); ++i)
           if (!all[i].waits.empty()) {
             all[i].waits[0].instruction = int(i);
             return true;
           }
         return false;
       },
       Who::Loader, false},
      {"a result lies where its operand is",
       [](Plan &p) {
         auto &buffers = p.partitioned.program.buffers;
         return first(p, [&](Instruction &each) {
           if (each.op != Opcode::Compute || each.operands.empty() ||
               buffers[size_t(each.to)].offsets ==
                   buffers[size_t(each.operands[0])].offsets)
             return false;
           buffers[size_t(each.to)].offsets =
               buffers[size_t(each.operands[0])].offsets;
           return true;
         });
       },
       Who::Check},
      {"two inputs lie in one place",
       [](Plan &p) {
         auto &program = p.partitioned.program;
         const int a = program.inputs[0].buffer, b = program.inputs[1].buffer;
         auto &of = program.buffers[size_t(a)].offsets,
              &other = program.buffers[size_t(b)].offsets;
         if (of.size() != other.size())
           return false;
         // At the lower of the two, where both are within the arena.
         for (size_t w = 0; w < of.size(); ++w)
           of[w] = other[w] = std::min(of[w], other[w]);
         for (size_t w = 0; w < p.partitioned.workers.size(); ++w)
           if (!isEmpty(p.partitioned.box(int(w), a)) &&
               !isEmpty(p.partitioned.box(int(w), b)))
             return true;
         return false;
       },
       Who::Check},
      {"an offset that no vector may begin at",
       [](Plan &p) {
         for (int64_t &offset : p.partitioned.program.buffers[0].offsets)
           offset += 4;
         return true;
       },
       Who::Loader, false},
      {"an offset behind the arena",
       [](Plan &p) {
         for (int64_t &offset : p.partitioned.program.buffers[0].offsets)
           offset += int64_t(1) << 30;
         return true;
       },
       Who::Loader, false},
      {"an arena that is too small",
       [](Plan &p) {
         p.partitioned.workers[0].arenaBytes -= 64;
         return true;
       },
       Who::Loader, false},
      {"no staging",
       [](Plan &p) {
         bool had = false;
         for (plan::Worker &worker : p.partitioned.workers) {
           had |= worker.stagingBytes > 0;
           worker.arenaBytes -= std::exchange(worker.stagingBytes, 0);
         }
         return had;
       },
       Who::Check, false}, // GPUs that reach each other's memory need none
      {"staging that begins where buffers lie",
       [](Plan &p) {
         plan::Worker &worker = p.partitioned.workers[0];
         worker.stagingBytes += 64;
         return worker.stagingBytes > 64;
       },
       Who::Loader, false},
  };
  return all;
}
