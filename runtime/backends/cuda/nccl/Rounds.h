// What of a fetch or a reduction moves at once. Pieces that are no run of bytes
// are packed before they are sent, or unpacked where they have come; terms of a
// reduction are brought together before they are combined. All that has room in
// the staging that the plan keeps for each worker, and where it does not fit at
// once, it goes in several rounds, each of which packs, sends, receives, and
// unpacks or combines.
//
// Who takes part in which round, and where its bytes lie in its staging,
// follows from the plan alone, as if each worker were by itself. So all ranks
// agree, wherever workers are; those that share a GPU read each other's memory
// and leave their staging unused.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_ROUNDS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_ROUNDS_H

#include "runtime/backends/cuda/nccl/Messages.h"

namespace smex::nccl {

/// A message, or a part of one, and where it lies in the staging of the workers
/// that it is from and to, in bytes; nothing: it is sent from its place, or it
/// is received there.
struct StagedMessage : Message {
  std::optional<int64_t> packedAt, broughtAt;
};

/// What is in one round: of a fetch a part of a message, of a reduction a part
/// of a worker's result with all terms of it, in the order in which they are
/// combined.
struct Unit {
  int to = 0; // worker
  Box box;    // a run of the message, or of the worker's buffer
  std::vector<StagedMessage> messages;
};
using Round = std::vector<Unit>;

/// Every element that a worker wants is in one unit of one round. An error
/// where a worker's staging has no room for the least unit, which is one
/// element.
Result<std::vector<Round>> roundsOf(const plan::Partitioned &partitioned,
                                    int instruction);

} // namespace smex::nccl

#endif
