// The high-water mark of a worker's arena, from what is touched.
#ifndef SMEX_RUNTIME_EXECUTOR_PEAK_H
#define SMEX_RUNTIME_EXECUTOR_PEAK_H

#include "runtime/plan/Plan.h"

#include <algorithm>

namespace smex::runtime {

class Peak {
public:
  Peak(const plan::Partitioned &partitioned, int worker)
      : program(partitioned.program),
        worker(partitioned.workers[size_t(worker)]), number(worker) {
    // The workspace is set aside through the whole run.
    if (this->worker.workspaceBytes > 0)
      bytes = this->worker.workspaceOffset + this->worker.workspaceBytes;
  }

  void buffer(int index) {
    const plan::WorkerBuffer &place = worker.buffers[size_t(index)];
    if (const int64_t size = bytesOf(index))
      bytes = std::max(bytes, place.offset + size);
  }

  /// Whatever an instruction of this worker touches, if it has a share.
  void instruction(size_t index) {
    const plan::Instruction &what = program.instructions[index];
    const plan::WorkerInstruction &own = worker.instructions[index];
    if (what.op != plan::Opcode::Compute) {
      for (const Piece &piece : own.pieces)
        if (piece.worker == number)
          buffer(what.from);
      if (!own.pieces.empty())
        buffer(what.to);
      return;
    }
    const size_t rank = worker.buffers[size_t(what.to)].box.size();
    if (isEmpty(front(own.indices, rank)))
      return;
    buffer(what.to);
    for (int operand : what.operands)
      buffer(operand);
  }

  int64_t bytesOf(int index) const {
    return volume(worker.buffers[size_t(index)].box) *
           byteSize(plan::elementType(program, index));
  }

  int64_t value() const { return bytes; }

private:
  const plan::Program &program;
  const plan::Worker &worker;
  int number;
  int64_t bytes = 0;
};

} // namespace smex::runtime

#endif
