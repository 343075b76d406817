// A convolution, or a gradient of one, as descriptors say it; and which of the
// documented algorithms computes it.
#ifndef SMEX_TEST_EMULATED_CUDNN_PROBLEM_H
#define SMEX_TEST_EMULATED_CUDNN_PROBLEM_H

#include "test/emulated/cudnn/Functions.h"
#include "test/emulated/cudnn/Objects.h"

namespace smex::emulated::cudnn {

enum class Direction { Forward, Data, Filter };

/// Copies: descriptors may change or go while the work waits on its stream.
struct Problem {
  Direction direction;
  Tensor data, filter, result; // x or dx, w or dw, y or dy
  Convolution convolution;

  size_t spatialRank() const { return convolution.pads.size(); }
  const Tensor &written() const {
    return direction == Direction::Forward ? result
           : direction == Direction::Data  ? data
                                           : filter;
  }
};

/// Refuses what the functions' documentation refuses, whatever the algorithm.
Problem problemOf(Direction direction, void *data, void *filter, void *result,
                  void *convolution);

/// The result's extent in a spatial dimension, as
/// cudnnGetConvolutionNdForwardOutputDim() gives it.
int64_t outputSize(const Problem &problem, size_t d);

/// Whether this is a gradient and its data or its result has gaps between
/// elements, for which cuDNN 9.14 had no algorithm on an H200. No document says
/// so. Where the data alone has gaps and is what is written, it had some, and
/// is refused here all the same.
bool hasGapsOfGradient(const Problem &problem);

int algorithmCount(Direction direction);
/// Whether the table of supported algorithms in the function's documentation
/// has this one for the problem, and there are no gaps in its way.
bool supports(const Problem &problem, int algorithm);
bool isDeterministic(Direction direction, int algorithm);
size_t workspaceOf(const Problem &problem, int algorithm);

} // namespace smex::emulated::cudnn

#endif
