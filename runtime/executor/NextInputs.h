// Outputs that are the next step's inputs (--feed): the cache of a decoder, the
// state of a recurrent cell. Later steps go on from the first one, nothing is
// loaded again.
#ifndef SMEX_RUNTIME_EXECUTOR_NEXTINPUTS_H
#define SMEX_RUNTIME_EXECUTOR_NEXTINPUTS_H

#include "dialects/support/Result.h"
#include "runtime/plan/Plan.h"

#include <string>
#include <vector>

namespace smex::runtime {

/// From the second step on, the input has the output's value of the step
/// before. Numbers among the program's.
struct NextInput {
  int output = 0, input = 0;
};

/// From arguments OUT=IN, by name. Errors: a name that the plan has not, two
/// types that differ, an input that two outputs feed, and one that is not free
/// to take a value: it follows from others, or is of a graph.
Result<std::vector<NextInput>>
nextInputs(const plan::Program &program,
           const std::vector<std::string> &arguments);

/// Whether the input takes an output's value.
bool isFed(const std::vector<NextInput> &next, size_t input);

} // namespace smex::runtime

#endif
