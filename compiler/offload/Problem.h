// Which tensors are in a device's memory while a program runs, and which are
// in the host's: the problem that Roc's memory manager solves (section 5).
// Plain structs without IR.
//
// Operations run one after the other. What one reads and writes must be in the
// device's memory while it runs; other tensors that are still needed may stay
// there, as far as the memory allows, or wait on the host, or be forgotten and
// computed again: Checkmate's problem (MLSys 2020). What is measured is the
// bytes that cross between the two, in both directions: Roc's Algorithm 1
// counts loads only, since Roc writes every result to the host anyway.
// Computing again counts as the bytes that cross in its time.
#ifndef SMEX_COMPILER_OFFLOAD_PROBLEM_H
#define SMEX_COMPILER_OFFLOAD_PROBLEM_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace smex::offload {

/// Where a tensor is before the first operation.
enum class Start {
  Nowhere, // an operation writes it
  Device,
  Host,
  /// Where the schedule has it, on the device or on the host; that is where it
  /// starts if it leaves the device before an operation reads it. Inputs and
  /// parameters do.
  Either,
};

struct Tensor {
  std::string name;
  /// In each of the memories; those of workers that are alike are one.
  std::vector<int64_t> bytes;
  /// That cross when it is moved once, on all workers together.
  int64_t moved = 0;
  Start start = Start::Nowhere;
  /// Whether it must be on the host at the end.
  bool toHost = false;
  /// Whether it may go to the host, or leave the device before it is read last.
  /// What is computed again may be forgotten all the same.
  bool isMovable = true;
  /// Of what starts at either place, on the device if so: its place is taken
  /// until the end, as a parameter's is.
  bool keepsPlace = false;
  /// The tensor, one that keeps its place and starts at either place, whose
  /// next value it is, or -1: it takes that one's place on the device, or, if
  /// that one was on the host, is to be there at the end. Nothing reads that
  /// one later than the operation that writes this one, of the same size, and
  /// over it if it reads it.
  int nextOf = -1;
};

struct Operation {
  std::string name;
  std::vector<int> reads, writes; // tensors
  /// A tensor that it reads, in whose place it writes if nothing reads that
  /// any more; -1: none. If that one keeps its place, it writes its next value,
  /// and else it is not a next value itself.
  int over = -1;
  /// What it costs to run it once more, in bytes that cross in that time: its
  /// result is a function of what it reads, and of nothing else. -1: it runs
  /// once.
  int64_t again = -1;
};

struct Problem {
  std::vector<int64_t> capacities; // bytes, one per memory
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;
  /// Whether every result is written to the host as soon as it is there, as
  /// Roc does (section 7.2); else only what has no copy there when it leaves
  /// the device and is read again, or is `toHost`.
  bool writesAll = false;
  /// Whether anything goes to the host at all; else all starts on the device,
  /// and what has no room is computed again.
  bool moves = true;

  int64_t memories() const { return int64_t(capacities.size()); }
  bool mayMove(int tensor) const {
    return moves && tensors[size_t(tensor)].isMovable;
  }
};

/// By tensor its next value; -1: none.
std::vector<int> nextValues(const Problem &problem);

/// By tensor the operation that writes it; -1: none does.
std::vector<int> writersOf(const Problem &problem);

/// By tensor what it costs to compute it again, of its operation; -1: it is
/// computed once.
std::vector<int64_t> costsAgain(const Problem &problem);

/// An error for numbers out of range, a tensor that no operation writes before
/// one reads it, or that two write, or what runs again and has another number
/// of results than one.
Status validate(const Problem &problem);

/// What is in each memory while the operation runs, where `before` is there
/// with its operands: its results, too. `under`: a tensor whose place its
/// result takes; -1: none.
std::vector<int64_t> whileRunning(const Problem &problem,
                                  const Operation &operation,
                                  const std::vector<int64_t> &before,
                                  int under);

/// What each operation needs of each memory if nothing else is there but what
/// can neither be moved nor computed again: its operands, its results, and
/// those tensors.
std::vector<std::vector<int64_t>> needed(const Problem &problem);

/// The operation that needs most of what a memory has, how much that is there,
/// and in which memory: no plan works with less.
struct Largest {
  int operation = -1, memory = 0;
  int64_t bytes = 0;
};
Largest largestOperation(const Problem &problem);

/// An error that names the largest operation where it does not fit.
Status checkFits(const Problem &problem);

} // namespace smex::offload

#endif
