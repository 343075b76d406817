// Runs a program, or the part of it that this process has: a thread per worker,
// each of which hands the list of instructions to its device, with the events
// that the plan says each waits for. Nothing is decided here; what happens is
// measured.
#ifndef SMEX_RUNTIME_EXECUTOR_EXECUTOR_H
#define SMEX_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/backends/Backend.h"
#include "runtime/executor/Inputs.h"
#include "runtime/executor/Parameters.h"
#include "runtime/executor/Snapshot.h"

#include <functional>

namespace smex::runtime {

/// How far a run is.
struct Progress {
  int completed = 0;  // steps
  double seconds = 0; // that the last one took
  std::optional<double> loss;
};

/// One instruction of one worker that took place.
struct TraceEvent {
  int worker, instruction;
  double start, seconds; // since the first step began
};

/// The workers of a plan that one process has, and how they hear of the others.
/// All processes make the same run: the same program, feeds and options.
struct Process {
  Transport *transport = nullptr;
  std::vector<int> workers; // in ascending order; one at least
};

struct RunOptions {
  int steps = 1;     // up to this one,
  int firstStep = 0; // from this one, of a run that begins in the middle
  DeviceOptions device;
  /// Fetch and reduce of floats do nothing, and what is computed means nothing:
  /// to see what they cost.
  bool skipCopies = false;
  /// Goes on where a step's loss is not a finite number.
  bool allowNonfiniteLoss = false;
  /// Inputs that take outputs of the step before, from the second step on.
  std::vector<NextInput> next;
  std::vector<ParameterSink *> sinks;
  std::function<void(const Progress &)> progress; // after each step, if set
  /// After each step, if set, with what this process' workers did in it, if
  /// device.trace: true ends the run there. It is asked before sinks are, while
  /// all workers wait.
  std::function<bool(int completed, const std::vector<TraceEvent> &)> stepped;
  bool keepTrace = true; // for the result; else `stepped` alone has seen it
  /// Without it, this process has all workers.
  std::optional<Process> process;
};

struct RunResult {
  std::vector<double> seconds; // per step
  /// Bytes that crossed from one worker to another, in one step.
  int64_t communicationBytes = 0;
  std::vector<int64_t> receivedBytes; // of these, per worker
  /// Of moves in one step, of all workers.
  plan::HostTraffic hostTraffic;
  /// Activity::epilogues, of all workers.
  int64_t epilogues = 0;
  /// Per worker: the end of the highest bytes of its arena that an instruction,
  /// parameter, input or output touched, or that are set aside for libraries.
  std::vector<int64_t> peakBytes;
  /// The same of its arena in the host's memory; Worker::hostBytes is planned.
  std::vector<int64_t> hostPeakBytes;
  /// Counted apart from communication: what a step's inputs and the last
  /// step's outputs took between host and workers.
  int64_t scatteredBytes = 0, gatheredBytes = 0;
  std::vector<Tensor> outputs; // of the last step; zeros if there was none
  /// Of the output that is the loss, if there is one, after each step.
  std::vector<double> losses;
  std::vector<TraceEvent> trace;
};

/// `feeds` has one entry per input of the program. An error in one worker stops
/// all; the first one is returned. A loss that is not finite is one, unless the
/// options allow it: nothing is written of that step or after it.
Result<RunResult> execute(const plan::Partitioned &partitioned,
                          const plan::Code &code, Backend &backend,
                          const ParameterSource &parameters,
                          const std::vector<Feed> &feeds,
                          const RunOptions &options);

} // namespace smex::runtime

#endif
