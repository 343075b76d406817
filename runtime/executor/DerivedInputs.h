// Inputs of a plan that nobody gives: they follow from others, as the edges of
// a graph in the order of their destinations follow from its edges.
#ifndef SMEX_RUNTIME_EXECUTOR_DERIVEDINPUTS_H
#define SMEX_RUNTIME_EXECUTOR_DERIVEDINPUTS_H

#include "runtime/executor/Inputs.h"

namespace smex::runtime {

/// Puts in the feeds of derived inputs, one per input of the program: from
/// those that they are made of, whose values have the types of the plan's
/// inputs. Made once, or for each step where one of these is: for all `steps`
/// at the start, or when a step asks for it, as what it is made of.
Status deriveInputs(const plan::Program &program, int steps,
                    std::vector<Feed> &feeds);

} // namespace smex::runtime

#endif
