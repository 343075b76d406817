// The values of one input of a run.
#ifndef SMEX_RUNTIME_EXECUTOR_FEED_H
#define SMEX_RUNTIME_EXECUTOR_FEED_H

#include "support/Result.h"
#include "support/Tensor.h"

#include <memory>

namespace smex::runtime {

/// Inputs that are made for each step. Workers ask for the same step at
/// different times, in threads of their own; all get the same values.
class StepSource {
public:
  virtual ~StepSource() = default;
  /// One tensor per input that it makes, which live as long as the pointer.
  virtual Result<std::shared_ptr<const std::vector<Tensor>>> at(int step) = 0;
};

/// For all steps, or one batch per step along an axis in front, or made for
/// each step.
struct Feed {
  Tensor value;
  bool perStep = false;
  std::shared_ptr<StepSource> source; // instead of a value
  int number = 0;                     // of the source's tensors

  /// The dense values for a step.
  Result<std::shared_ptr<const std::byte>> at(int step,
                                              int64_t bytesPerStep) const {
    if (!source)
      return std::shared_ptr<const std::byte>(
          std::shared_ptr<void>(), // the feed stays
          value.bytes.data() + (perStep ? step * bytesPerStep : 0));
    auto made = source->at(step);
    if (!made)
      return made.takeError();
    const std::byte *bytes = (**made)[size_t(number)].bytes.data();
    return std::shared_ptr<const std::byte>(std::move(*made), bytes);
  }
};

} // namespace smex::runtime

#endif
