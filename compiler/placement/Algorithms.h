// The algorithms themselves, for the table in Algorithm.cpp.
#ifndef SMEX_COMPILER_PLACEMENT_ALGORITHMS_H
#define SMEX_COMPILER_PLACEMENT_ALGORITHMS_H

#include "compiler/placement/Algorithm.h"

namespace smex::placement {

/// Unions in topological order, one device after the other.
Result<Outcome> roundRobin(const Problem &problem, const Params &params);

/// Layer i on device i mod K (LayerWise.cpp).
Result<Outcome> layerWise(const Problem &problem, const Params &params);

/// Linear clustering (Kim & Browne 1988): the critical path is a cluster and
/// leaves the graph, levels are computed anew, and so on until nothing is left.
/// Clusters go to devices by guided load balancing (Radulescu & van Gemund
/// 1998): by their earliest start, each to the device with the least work so
/// far. Its own order is earliest start first.
Result<Outcome> linearClustering(const Problem &problem, const Params &params);

/// Heterogeneous Earliest Finish Time (Topcuoglu et al. 2002): tasks by upward
/// rank, each to the device where it finishes first, in a gap if one is free;
/// its own order is that in which they start there.
Result<Outcome> heft(const Problem &problem, const Params &params);

/// The stages of a pipeline, by dynamic programming over ideals (Tarnawski et
/// al. 2020): the smallest largest load of any split into stages in order, if
/// the graph has few ideals. If it has many, of splits of one topological order
/// alone.
Result<Outcome> contiguous(const Problem &problem, const Params &params);

/// Stages in order, like `contiguous`, of graphs of any size: splits of several
/// topological orders, then local search.
Result<Outcome> pipeline(const Problem &problem, const Params &params);

/// Our own, for makespan: the best of several placements, those of the others
/// among them, then local search (WindowSearch.h). Never worse than any of the
/// others that it starts from.
Result<Outcome> windowSearch(const Problem &problem, const Params &params);

} // namespace smex::placement

#endif
