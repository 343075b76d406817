// The values of one input of a run.
#ifndef SMEX_RUNTIME_EXECUTOR_FEED_H
#define SMEX_RUNTIME_EXECUTOR_FEED_H

#include "dialects/support/Result.h"
#include "dialects/support/Tensor.h"

#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace smex::runtime {

/// Inputs that are made for each step. Workers ask for the same step at
/// different times, in threads of their own; all get the same values.
class StepSource {
public:
  virtual ~StepSource() = default;
  /// One tensor per input that it makes, which live as long as the pointer.
  Result<std::shared_ptr<const std::vector<Tensor>>> at(int step) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto &[number, held] = made[size_t(step) % made.size()];
    if (held && number == step)
      return held;
    auto values = make(step);
    if (!values)
      return values.takeError();
    number = step;
    held = std::make_shared<const std::vector<Tensor>>(std::move(*values));
    return held;
  }

private:
  /// By one thread at a time.
  virtual Result<std::vector<Tensor>> make(int step) = 0;

  std::mutex mutex; // of what follows
  /// Two, for a worker may be a step behind another one.
  std::array<std::pair<int, std::shared_ptr<const std::vector<Tensor>>>, 2>
      made;
};

/// For all steps, or one batch per step along an axis in front, or made for
/// each step.
struct Feed {
  Tensor value;
  bool perStep = false;
  std::shared_ptr<StepSource> source; // instead of a value
  int number = 0;                     // of the source's tensors

  bool isConstant() const { return !source && !perStep; }

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
