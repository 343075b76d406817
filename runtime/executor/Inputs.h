// The inputs of a run: from files, or synthetic.
#ifndef SMEX_RUNTIME_EXECUTOR_INPUTS_H
#define SMEX_RUNTIME_EXECUTOR_INPUTS_H

#include "dialects/support/Tensor.h"
#include "runtime/executor/GraphInputs.h"
#include "runtime/executor/NextInputs.h"

namespace smex::runtime {

/// One feed per input of the program, from arguments NAME=FILE; with a graph,
/// its ends too. With no argument at all, every other input is drawn from the
/// seed; else each must be given, but for those that
/// follow from others (DerivedInputs.h; of a graph to be sampled, they have
/// feeds without a value, too), and those that say which rows count (1, or 0
/// where one does not): all that there are.
///
/// What has a row per node, or per graph of a batch, may have as many as there
/// are: more of them, which count for nothing, are added. What has a row per
/// edge has as many as there are edges in the graph's files, in their order:
/// also where the plan was compiled with the graph, `edgeOrders` being the
/// plan's. Of a graph to be
/// sampled it must have as many, and is left so; the ends have feeds without a
/// value. What `next` feeds has one value, the first step's: zeros where others
/// are given and it is not. Errors: what is wrong with a file, or does not fit
/// the plan.
Result<std::vector<Feed>>
readInputs(const plan::Program &program,
           const std::vector<std::string> &arguments, int steps, uint64_t seed,
           const std::vector<RunGraph> &graphs = {},
           const std::vector<graph::Numbers> &edgeOrders = {},
           const std::vector<NextInput> &next = {});

/// The feeds of `program` in the order of another program's inputs, which must
/// be the same ones.
Result<std::vector<Feed>> feedsFor(const plan::Program &other,
                                   const plan::Program &program,
                                   std::vector<Feed> feeds);

} // namespace smex::runtime

#endif
