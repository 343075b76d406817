// The inputs of a run: from files, or synthetic.
#ifndef SMEX_RUNTIME_EXECUTOR_INPUTS_H
#define SMEX_RUNTIME_EXECUTOR_INPUTS_H

#include "runtime/executor/GraphInputs.h"
#include "support/Tensor.h"

namespace smex::runtime {

/// The values of one input: for all steps, or one batch per step along an axis
/// in front.
struct Feed {
  Tensor value;
  bool perStep = false;

  /// The dense values for a step.
  const std::byte *at(int step, int64_t bytesPerStep) const {
    return value.bytes.data() + (perStep ? step * bytesPerStep : 0);
  }
};

/// One feed per input of the program: those known, and from arguments
/// NAME=FILE. With no argument at all, every other input is drawn from the
/// seed; else each must be given, but for those that follow from others
/// (DerivedInputs.h).
Result<std::vector<Feed>> readInputs(const plan::Program &program,
                                     const std::vector<std::string> &arguments,
                                     int steps, uint64_t seed,
                                     std::vector<GivenInput> known = {});

/// The feeds of `program` in the order of another program's inputs, which must
/// be the same ones.
Result<std::vector<Feed>> feedsFor(const plan::Program &other,
                                   const plan::Program &program,
                                   std::vector<Feed> feeds);

} // namespace smex::runtime

#endif
