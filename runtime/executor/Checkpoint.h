// Files that parameters are written to: what was trained, and checkpoints.
#ifndef SMEX_RUNTIME_EXECUTOR_CHECKPOINT_H
#define SMEX_RUNTIME_EXECUTOR_CHECKPOINT_H

#include "runtime/executor/OutputFolder.h"
#include "runtime/executor/Snapshot.h"
#include "runtime/io/Safetensors.h"

#include <optional>

namespace smex::runtime {

/// Writes the model's parameters to a file after the last step.
class ParameterFile : public ParameterSink {
public:
  /// A place that cannot be written is an error before the run, not after it.
  static Result<ParameterFile> open(const plan::Program &program,
                                    const std::string &path, int steps);

  bool wants(int completed) const override { return completed == steps; }
  Status begin(int completed) override;
  std::byte *place(int parameter) override;
  Status commit() override;

private:
  ParameterFile() = default;
  const plan::Program *program = nullptr;
  std::string path;
  int steps = 0;
  io::SafetensorsWriter writer;
};

/// What must be the same for a run to go on where another one stopped.
struct RunIdentity {
  std::string modelSha256;
  uint64_t seed = 0;
  std::string parametersSha256; // of the file of --parameters; or empty
};

struct Checkpoint {
  io::Safetensors values;
  int completed = 0; // steps
};

/// A folder with the last checkpoint of a run: a safetensors file of everything
/// that a step changes, as whole tensors. It is replaced as a whole, so that
/// there is a good one at any moment once there has been one.
class CheckpointFolder : public ParameterSink {
public:
  /// One run at a time has the folder. After `steps` steps, and after each
  /// `every`, a checkpoint is written.
  static Result<std::unique_ptr<CheckpointFolder>>
  open(const plan::Program &program, const std::string &directory,
       RunIdentity identity, int every, int steps);
  ~CheckpointFolder() override;

  const std::string &file() const { return path; }
  bool isEmpty() const;
  /// Nothing, if the folder has none; an error if it is not this run's.
  Result<std::optional<Checkpoint>> last() const;

  bool wants(int completed) const override {
    return wants(completed, every, steps);
  }
  static bool wants(int completed, int every, int steps) {
    return completed % every == 0 || completed == steps;
  }
  Status begin(int completed) override;
  std::byte *place(int parameter) override;
  Status commit() override;

private:
  CheckpointFolder() = default;
  Status lock(const std::string &directory);
  const plan::Program *program = nullptr;
  std::optional<OutputFolder> folder;
  std::string path;
  RunIdentity identity;
  int every = 1, steps = 0;
  int locked = -1; // the folder's descriptor
  io::SafetensorsWriter writer;
};

} // namespace smex::runtime

#endif
