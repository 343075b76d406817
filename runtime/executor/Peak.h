// The high-water marks of a worker's arenas, on its device and in the host's
// memory, from what is touched.
#ifndef SMEX_RUNTIME_EXECUTOR_PEAK_H
#define SMEX_RUNTIME_EXECUTOR_PEAK_H

#include "runtime/plan/Regions.h"

#include <algorithm>

namespace smex::runtime {

class Peak {
public:
  Peak(const plan::Partitioned &partitioned, int worker)
      : partitioned(partitioned), program(partitioned.program), worker(worker) {
    // Workspace and staging are set aside through the whole run.
    const plan::Worker &own = partitioned.workers[size_t(worker)];
    if (own.workspaceBytes > 0)
      bytes = own.workspaceOffset + own.workspaceBytes;
    if (own.stagingBytes > 0)
      bytes = own.arenaBytes;
  }

  void buffer(int index) {
    const bool isHost = partitioned.space(worker, index) == plan::Space::Host;
    int64_t &most = isHost ? hostBytes : bytes;
    if (const int64_t size = bytesOf(index))
      most = std::max(most, partitioned.offset(worker, index) + size);
  }

  /// Whatever an instruction of this worker touches, if it has a share.
  void instruction(size_t index) {
    if (!plan::written(partitioned, worker, int(index)))
      return;
    const plan::Instruction &what = program.instructions[index];
    buffer(what.to);
    for (int operand : what.operands)
      buffer(operand);
    if (what.op == plan::Opcode::Compute)
      return;
    for (const Piece &piece : plan::piecesOf(partitioned, worker, int(index)))
      if (piece.worker == worker)
        buffer(what.from);
  }

  int64_t bytesOf(int index) const {
    return volume(partitioned.box(worker, index)) *
           byteSize(plan::elementType(program, index));
  }

  int64_t onDevice() const { return bytes; }
  int64_t onHost() const { return hostBytes; }

private:
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const int worker;
  int64_t bytes = 0, hostBytes = 0;
};

} // namespace smex::runtime

#endif
