// The inputs of a plan that are the graph its model works on, from a file of
// edges.
#ifndef SMEX_RUNTIME_EXECUTOR_GRAPHINPUTS_H
#define SMEX_RUNTIME_EXECUTOR_GRAPHINPUTS_H

#include "runtime/plan/Plan.h"
#include "support/Tensor.h"

namespace smex::runtime {

/// A value for the input of that name; `file` is what messages call it.
struct GivenInput {
  std::string name, file;
  Tensor value;
};

/// Sources and destinations of the graph in `file` (graph::readGraph), in the
/// types of the plan's inputs, with self-loops where its model wants them, and
/// with spare edges where the plan has room for more (graph::endsWithin).
/// Errors: a plan whose model has no graph, or has it already; what is wrong
/// with the file; a graph with more nodes or edges than the plan.
Result<std::vector<GivenInput>> readGraphInputs(const plan::Program &program,
                                                const std::string &file);

} // namespace smex::runtime

#endif
