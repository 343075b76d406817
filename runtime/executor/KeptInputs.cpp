#include "runtime/executor/KeptInputs.h"

#include "runtime/backends/Backend.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

static bool overlap(const ArenaBytes &a, const ArenaBytes &b) {
  return a.space == b.space && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

std::vector<bool> runtime::keptInputs(const plan::Partitioned &partitioned,
                                      int worker) {
  const plan::Program &program = partitioned.program;
  const plan::Worker &own = partitioned.workers[size_t(worker)];
  const ArenaBytes workspace = {plan::Space::Device, own.workspaceOffset,
                                own.workspaceBytes};
  std::vector<bool> kept;
  for (const plan::Port &input : program.inputs) {
    const ArenaBytes at = arenaBytes(partitioned, worker, input.buffer);
    bool alone = !overlap(at, workspace);
    for (size_t b = 0; alone && b < program.buffers.size(); ++b)
      alone = int(b) == input.buffer ||
              !overlap(at, arenaBytes(partitioned, worker, int(b)));
    const auto writes = [&](const plan::Instruction &what) {
      return what.to == input.buffer;
    };
    kept.push_back(alone && std::none_of(program.instructions.begin(),
                                         program.instructions.end(), writes));
  }
  return kept;
}
