// What a plan takes on a machine, event by event: every worker computes and
// transfers at the same time, each in the order of its list of instructions,
// waits for what the plan says, and nothing else decides. README.md has the
// model.
#ifndef SMEX_COMPILER_SIMULATE_SIMULATE_H
#define SMEX_COMPILER_SIMULATE_SIMULATE_H

#include "compiler/machine/Machine.h"
#include "dialects/tdl/analysis/ListValues.h"
#include "runtime/plan/Plan.h"

namespace smex::simulate {

using machines::Machine;

struct Options {
  /// Pieces from other workers take no time, and are not counted: what is left
  /// is the time of computing (thesis section 3.7.3).
  bool skipCopies = false;
  /// Each worker does one instruction after the other, in the order of the
  /// list: no transfer is hidden, as where a framework's copies and kernels
  /// share a queue.
  bool inOrder = false;
  /// What is known of each of the program's buffers, or nothing at all: the
  /// values of lists say how many edges each worker has. Where they are not
  /// known, it has its share of the vertices'.
  analysis::KnownLists lists = {};
  /// Of each of the program's tensors, or nothing at all: how many times as
  /// long its kernels take as is counted, their launches aside, where that was
  /// measured; else 1.
  std::vector<double> slowdowns = {};
};

/// An instruction of a worker that has something to do.
struct Event {
  int worker, instruction;
  double start, end; // seconds
};

struct GpuUse {
  /// Of the step: in computes; in fetches and reduces, hidden or not; and what
  /// is left of it when nothing computes.
  double computeSeconds = 0, transferSeconds = 0, exposedSeconds = 0;
  int64_t receivedBytes = 0, peakBytes = 0;
};

struct LinkUse {
  int64_t forwardBytes = 0, backwardBytes = 0; // from a to b, from b to a
};

struct Simulation {
  double stepSeconds = 0;
  int64_t communicationBytes = 0;
  plan::HostTraffic hostTraffic;
  /// In instructions that compute again what had no room, on the worker that
  /// spends most there.
  double recomputedSeconds = 0;
  std::vector<GpuUse> gpus;   // one per worker
  std::vector<LinkUse> links; // one per link of the machine
  std::vector<Event> events;  // by start, worker, instruction
};

/// The plan has been loaded or passed validate(). An error if it has more
/// workers than the machine GPUs, or uses the host's memory and a GPU has no
/// way to a host.
Result<Simulation> simulate(const plan::Partitioned &partitioned,
                            const Machine &machine,
                            const Options &options = {});

} // namespace smex::simulate

#endif
