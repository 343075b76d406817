// Parameters as whole tensors while a program runs: for checkpoints, and for
// who wants what was trained.
#ifndef SMEX_RUNTIME_EXECUTOR_SNAPSHOT_H
#define SMEX_RUNTIME_EXECUTOR_SNAPSHOT_H

#include "runtime/backends/Backend.h"
#include "runtime/executor/Gathering.h"
#include "runtime/executor/Parameters.h"

namespace smex::runtime {

/// Where parameters go, whole. begin() and commit() are called by one worker
/// while no other is between them; place() by all.
class ParameterSink {
public:
  virtual ~ParameterSink() = default;
  /// Whether it wants the values after so many steps, counted from the first
  /// one even where a run resumes.
  virtual bool wants(int completed) const = 0;
  virtual Status begin(int completed) = 0;
  /// The bytes of a whole parameter, dense and row-major; null: not wanted.
  /// Every process of a run has sinks of its own, which want the same steps.
  virtual std::byte *place(int parameter) = 0;
  virtual Status commit() = 0;
};

/// Fills sinks from the workers' shares.
class Snapshot {
public:
  /// `parameters` is where those came from that no step changes.
  Snapshot(const plan::Partitioned &partitioned,
           const ParameterSource &parameters, const Gathering &gathering)
      : partitioned(partitioned), parameters(parameters), gathering(gathering) {
  }

  /// Before write(). An error if there is a parameter that nobody holds whole.
  Status prepare();
  /// This worker's part.
  Status write(int worker, DeviceWorker &device, ParameterSink &sink) const;

private:
  const plan::Partitioned &partitioned;
  const ParameterSource &parameters;
  const Gathering &gathering;
  std::vector<Holders> holders; // per parameter
};

} // namespace smex::runtime

#endif
