// The values of operators at their edges
// (test/compiler/frontend/models/operators/edges_*.json) as models whose
// operands are inputs, so that nothing is computed when compiling.
#ifndef SMEX_TEST_END_TO_END_EDGEPARTS_H
#define SMEX_TEST_END_TO_END_EDGEPARTS_H

#include "compiler/frontend/Model.h"

#include <functional>
#include <map>

namespace smex::test {

/// The files "edges_..." of a folder, in the order of their names.
std::vector<std::string> edgesIn(const std::string &folder);

/// Calls `use` for each model of a few nodes that the file's is cut into, with
/// its inputs, and what all values are: "expected NAME" is what output NAME
/// must be. Throws std::runtime_error for a file that it cannot read.
void visitEdgeParts(
    const std::string &file,
    const std::function<void(const frontend::Model &model,
                             const std::map<std::string, Tensor> &inputs,
                             const std::map<std::string, Tensor> &known)> &use);

} // namespace smex::test

#endif
