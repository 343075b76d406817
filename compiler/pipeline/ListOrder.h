// In which order a placement's program is listed: of several orders, the
// fastest in the memory that the placement counts on.
#ifndef SMEX_COMPILER_PIPELINE_LISTORDER_H
#define SMEX_COMPILER_PIPELINE_LISTORDER_H

#include "compiler/pipeline/Choice.h"

namespace smex::pipeline {

enum class ListOrder {
  /// What is fetched comes before its first reader, and then, as computations
  /// do, to where transfers are hidden, if memory allows it.
  FetchedLate,
  /// The same, but what is fetched comes when it is made at first, as
  /// placements count memory (compiler/placement/Memory.h). So it can be there
  /// earlier, and takes no more than they say, or as little more as packing
  /// leaves to chance.
  FetchedWhenMade,
  /// The list that placements count memory of.
  AsPlaced,
};

/// Makes a plan of a placement, listed in one order.
using InOrder = std::function<Result<Candidate>(ListOrder)>;

/// The least cost of plans in so many orders (`enough`, one or more) that take
/// at most `placedPeak` bytes of every GPU and keep the limit. Where none of
/// these does, of all orders the first that does; else the one that takes least
/// of the GPU that needs most.
Result<Candidate> fastestOrder(int64_t placedPeak, const MemoryLimit &limit,
                               int64_t enough, const InOrder &make);

} // namespace smex::pipeline

#endif
