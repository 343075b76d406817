// Lifetimes of buffers from the instruction list, packed per worker.
#include "compiler/memory/Arena.h"
#include "compiler/memory/Passes.h"
#include "compiler/memory/Staging.h"

namespace smex::memory {
#define GEN_PASS_DEF_PLANMEMORY
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace smex;

namespace {

struct PlanMemory : memory::impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    constexpr int64_t most = int64_t(1) << 40; // sums with it do not overflow
    if (workspaceBytes < -1 || workspaceBytes > most) {
      program.emitError("workspace-bytes: -1, or 0 to ") << most;
      return signalPassFailure();
    }
    if (packingSteps < 0) {
      program.emitError("packing-steps: not negative");
      return signalPassFailure();
    }
    exec::Regions regions(program);
    memory::Arena arena = memory::planArena(
        program, regions, workspaceBytes, onGpus, packingSteps, kernelsOnGpus);
    program.removeStagingAttr();
    if (exchanges)
      if (const auto staging = memory::takeStaging(program, regions, arena);
          !staging.empty())
        program.setStaging(staging);
    for (size_t b = 0; b < arena.buffers.size(); ++b)
      arena.buffers[b].setOffsets(arena.offsets[b]);
    program.setArena(arena.bytes);
    program.setWorkspace(arena.workspace);
    program.removeHostArenaAttr();
    if (!arena.hostBytes.empty())
      program.setHostArena(arena.hostBytes);
  }
};

} // namespace
