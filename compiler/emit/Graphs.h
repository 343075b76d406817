// The graphs that a model works on, as the plan has them.
#ifndef SMEX_COMPILER_EMIT_GRAPHS_H
#define SMEX_COMPILER_EMIT_GRAPHS_H

#include "runtime/plan/Plan.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace smex::emit {

/// Adds a graph of an exec.program to a plan's, whose inputs and outputs are
/// there: an input that nobody reads is none of the program's, and so is a
/// graph of whose edges nobody reads anything.
void addGraph(plan::Program &program, mlir::DictionaryAttr graph);

} // namespace smex::emit

#endif
