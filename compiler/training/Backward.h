// Reverse-mode differentiation of a whole model: applications are visited from
// the last to the first, and each adds to the gradients of its operands
// (Adjoint.h). A tensor with several readers sums theirs, as soon as each is
// there, so that no more than one sum is alive.
#ifndef SMEX_COMPILER_TRAINING_BACKWARD_H
#define SMEX_COMPILER_TRAINING_BACKWARD_H

#include "compiler/training/Tape.h"

#include <functional>

namespace smex::training {

/// Called with a trained parameter and its gradient once that is complete, and
/// nothing that is still to come reads the parameter: it may be changed then.
using Ready = std::function<Status(int parameter, int gradient)>;

/// Adds the gradient of the scalar `loss` by the values in `trained`. Errors
/// name the node that has no gradient.
Status addGradients(Tape &graph, int loss, const std::vector<int> &trained,
                    const Ready &ready);

} // namespace smex::training

#endif
