// Training on samples of a graph that is larger than the plan: each step takes
// some nodes whose label counts, neighbours of them, neighbours of these, and
// so on, a layer of the network each (GraphSAGE); or what a random walk from
// each of them sees (GraphSAINT). Where nodes are of several types, neighbours
// in each relation. Or on connected parts of it, such as trees, some in each
// step.
//
// Layers work on one sample together, or on one each, where the plan's layers
// have edges of their own. In place of batches of nodes with labels, given ones
// will do, for results of these alone.
//
// An epoch takes each node that counts, or each part, once, in an order of its
// own. What a step works on is a function of the graph, the seed and the step:
// the same for any number of workers, and after a resumed run's checkpoint.
#ifndef SMEX_RUNTIME_EXECUTOR_SAMPLES_H
#define SMEX_RUNTIME_EXECUTOR_SAMPLES_H

#include "runtime/executor/Sampler.h"

namespace smex::runtime {

/// The feeds of a program that works on `graphs`, one or several, with those of
/// their ends and of what has a row per node, edge or part, replaced: by a
/// sample in each step, its nodes first, and what fills the plan's room. Labels
/// of nodes that were only sampled do not count; those of nodes in parts do.
/// Where labels are of edges, edges are drawn in place of nodes: a sample is
/// for the nodes at their ends, has these edges, and only their labels count.
/// Errors: labels that all count, for any value; none that count; a batch or
/// fan-outs that make no sense; graphs that tell differently how many nodes of
/// a type there are; a graph without parts; more parts than the plan has room
/// for graphs, where it has results for each. That a sample exceeds the plan is
/// an error of its step; so is a part that does so alone, and of several, a
/// step goes without the last ones.
Result<std::vector<Feed>> sampleFeeds(const plan::Program &program,
                                      std::vector<RunGraph> graphs,
                                      std::vector<Feed> feeds,
                                      const Sampling &sampling);

/// Takes `--nodes [TYPE=]FILE`, the nodes that results are wanted of:
/// i64[count] in a .npy file. Errors: what is wrong with the file, or a tensor
/// of another type; whether they are there is told when a step samples for
/// them.
Status readNodes(const plan::Program &program, const std::string &argument,
                 Sampling &sampling);

/// Where nodes are given: of outputs with as many rows as the plan has room for
/// nodes of their type, the rows of these nodes, in their order.
Status keepNodes(const plan::Program &program, const Sampling &sampling,
                 std::vector<Tensor> &outputs);

} // namespace smex::runtime

#endif
