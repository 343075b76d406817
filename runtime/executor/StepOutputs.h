// The outputs of a run: which of them a step must bring, and what is wrong with
// their values.
#ifndef SMEX_RUNTIME_EXECUTOR_STEPOUTPUTS_H
#define SMEX_RUNTIME_EXECUTOR_STEPOUTPUTS_H

#include "runtime/executor/Executor.h"
#include "runtime/executor/Gathering.h"

namespace smex::runtime {

class StepOutputs {
public:
  StepOutputs(const plan::Partitioned &partitioned, const RunOptions &options)
      : partitioned(partitioned), program(partitioned.program),
        options(options) {}

  /// Before all else. An error if there is an output that nobody has whole.
  Status prepare();

  /// What a step brings: all outputs of the last one; of others those which
  /// feed the next step, have a range or are the loss.
  std::vector<Whole> wanted(bool isLast);
  /// The output of the step before that input `input` has, or null.
  const std::byte *fedTo(size_t input) const;

  // When what is wanted is in place.
  /// Of outputs that have a range, and of inputs that they feed.
  Status checkRanges(int completed) const;
  /// Of the output that is the loss, if there is one.
  std::optional<double> loss() const;
  /// Training does not come back from a loss that is no number.
  Status checkLoss(int completed) const;

  std::vector<Tensor> take() { return std::move(tensors); }

private:
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const RunOptions &options;
  std::vector<Tensor> tensors;  // per output
  std::vector<Holders> holders; // per output
  std::vector<bool> everyStep;  // per output
  std::vector<int> fedBy;       // per input: an output, or -1; see NextInput
  int lossOutput = -1;
};

} // namespace smex::runtime

#endif
