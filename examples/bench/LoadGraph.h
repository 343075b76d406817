// A model file as the partition search sees it.
#ifndef SMEX_EXAMPLES_BENCH_LOADGRAPH_H
#define SMEX_EXAMPLES_BENCH_LOADGRAPH_H

#include "compiler/partition/Graph.h"

#include <string>

namespace smex::examples {

/// The graph of a model, or of its training step (cross-entropy, momentum),
/// after fusion: what `smexc` hands to the search.
Result<partition::OperatorGraph> loadGraph(const std::string &path,
                                           bool training);

} // namespace smex::examples

#endif
