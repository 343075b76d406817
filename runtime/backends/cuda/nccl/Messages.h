// What moves between workers in a fetch or a reduction, as whoever exchanges it
// sees it. All ranks list it alike, so that the n-th message from one rank to
// another is the same for both.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_MESSAGES_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_MESSAGES_H

#include "runtime/plan/Plan.h"

namespace smex::nccl {

/// A piece of a worker's part of an instruction.
struct Message {
  int from = 0, to = 0; // workers
  size_t number = 0;    // among the pieces of the receiver
  Box box;              // never empty
};

/// All of them, by their receivers, and in the order of their pieces.
std::vector<Message> messagesOf(const plan::Partitioned &partitioned,
                                int instruction);

/// A group of workers that each have an equal share of what all of them want.
struct Gather {
  std::vector<int> members; // ascending
  int64_t bytes = 0;        // of a share
  /// Of each member, the number of its share among the worker's pieces.
  std::vector<size_t> numbers;
  /// All shares, one behind the other, are what the worker wants, or, of terms,
  /// never: then they have to be put together from where they are brought to.
  bool isWanted = false;
  /// Of terms, which are all of one box: its parts that are gathered one after
  /// the other, so that all terms of one have room in each member's staging.
  std::vector<Box> parts;
};

/// What the worker's group does in an instruction, if a library's all-gather
/// does it: the plan names it an all-gather, or an all-reduce whose terms are
/// gathered before they are combined; every member wants the whole of what each
/// member has of the buffer, in the order of the members, and that is equally
/// much. Where it has to be put together, all of it has room in each member's
/// staging, or it is terms, which may come in parts. Every member comes to the
/// same answer.
std::optional<Gather> gatherOf(const plan::Partitioned &partitioned, int worker,
                               int instruction);

/// A group whose members have a term each of one sum, and want all of it, or
/// equal shares of it.
struct Sum {
  std::vector<int> members; // ascending
  /// Each wants a share, in the order of the members: a reduce-scatter. If not,
  /// all want all: an all-reduce.
  bool isScattered = false;
  int64_t elements = 0; // that a member gets
  int type = 0;         // ncclDataType_t
  /// The members' shares, where they do not lie one behind the other in a term,
  /// so that they have to be put together like that in the staging.
  std::vector<Box> packed;
};

/// The sum of the worker's group in an instruction, if a library's all-reduce
/// or reduce-scatter does it: the plan names it so; every member wants its part
/// of terms that are all of one box; and they are of numbers that a library
/// adds up as the plan does, one rounding per addition: f32, f64 and integers
/// of at least 32 bits, or 8. Not 16-bit floats, whose sum the plan rounds
/// once, and no maximum, since nobody says what becomes of NaN. Where shares
/// have to be packed, they have room in each member's staging. Every member
/// comes to the same answer. In which order terms are added is up to the
/// library, and so are the last bits of floats.
std::optional<Sum> sumOf(const plan::Partitioned &partitioned, int worker,
                         int instruction);

} // namespace smex::nccl

#endif
