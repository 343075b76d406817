// The inputs of a plan that are the graph its model works on, from files
// of edges.
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

/// Sources and destinations of the graph in a file (graph::readGraph), or of
/// several as one, side by side in this order (graph::batch): in the types of
/// the plan's inputs, with self-loops where its model wants them, and with
/// spare edges where the plan has room for more (graph::endsWithin). Errors: a
/// plan whose model has no graph, or has it already; what is wrong with a file;
/// graphs with more nodes or edges than the plan.
Result<std::vector<GivenInput>>
readGraphInputs(const plan::Program &program,
                const std::vector<std::string> &files);

} // namespace smex::runtime

#endif
