// Programs made by hand for tests: of every worker, all regions, places and
// pieces are listed, so that each can be changed alone.
#ifndef SMEX_TEST_RUNTIME_PLAN_BYHAND_H
#define SMEX_TEST_RUNTIME_PLAN_BYHAND_H

#include "runtime/plan/Plan.h"

namespace smex::plan {

struct HandBuffer {
  Box box;
  int64_t offset = 0;
};
struct HandInstruction {
  Box indices = {};               // of a compute
  std::vector<Piece> pieces = {}; // of the others
};
struct HandWorker {
  int64_t arenaBytes = 0, workspaceOffset = 0, workspaceBytes = 0;
  std::vector<HandBuffer> buffers;           // as the program's
  std::vector<HandInstruction> instructions; // as the program's
  std::vector<StoredWeight> weights;
};

/// A program of these workers, in one step.
Partitioned byHand(Program program, const std::vector<HandWorker> &workers);

/// A tensor's region that follows from one step.
Region divided(std::vector<int64_t> extents, Division division);

/// One more buffer; a box and a place per worker.
int addBuffer(Partitioned &partitioned, BufferInfo info,
              const std::vector<HandBuffer> &ofWorkers);
/// One more tensor, which all workers have whole, in a buffer that takes `room`
/// bytes at the end of each arena; returns the buffer.
int addWhole(Partitioned &partitioned, const std::string &name, TensorType type,
             int64_t room);
/// One more instruction.
int addInstruction(Partitioned &partitioned, Instruction instruction,
                   const std::vector<HandInstruction> &ofWorkers);

// What is listed, to be changed.
Box &boxOf(Partitioned &partitioned, int worker, int buffer);
int64_t &offsetOf(Partitioned &partitioned, int worker, int buffer);
Box &indicesOf(Partitioned &partitioned, int worker, int instruction);
std::vector<Piece> &listedPieces(Partitioned &partitioned, int worker,
                                 int instruction);

/// An instruction of the worker itself, on its other queue.
inline Wait own(int instruction) { return {instruction, 0}; }
/// Of all workers of a program that was made by hand.
inline Wait ofAll(int instruction) { return {instruction, 1}; }

} // namespace smex::plan

#endif
