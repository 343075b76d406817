// Gradients at kinks, ties and poles against PyTorch's: models/edges_*.json,
// which models/make_edges.py writes.
#ifndef SMEX_TEST_COMPILER_TRAINING_EDGES_H
#define SMEX_TEST_COMPILER_TRAINING_EDGES_H

#include "test/compiler/frontend/evaluate.h"

namespace smex::test {

/// Takes one step, at rate 1, of a model whose parameters are 0: each is minus
/// its gradient then, which the model's output "expected NAME" holds. A line
/// for each parameter that differs; `compared` counts all.
std::string gradientDifferences(const std::string &path, const Evaluator &run,
                                int &compared);

} // namespace smex::test

#endif
