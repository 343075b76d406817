// The graphs that a model works on, as the plan has them.
#ifndef SMEX_COMPILER_EMIT_GRAPHS_H
#define SMEX_COMPILER_EMIT_GRAPHS_H

#include "dialects/smex/lists/GraphInputs.h"
#include "runtime/plan/Plan.h"

namespace smex::emit {

/// Adds a graph to a plan's program, whose inputs and outputs are there: an
/// input that nobody reads is none of the program's, and so is a graph of whose
/// edges nobody reads anything. Types of nodes have names unless it is the
/// model's only graph, from one type to the same.
void addGraph(plan::Program &program, const graph::GraphInputs &graph,
              bool isOnly);

} // namespace smex::emit

#endif
