// How many neighbours samples take, as the command lines of smexc and smex-run
// say it.
#ifndef SMEX_RUNTIME_GRAPH_FANOUTS_H
#define SMEX_RUNTIME_GRAPH_FANOUTS_H

#include "runtime/graph/Graph.h"

#include <map>
#include <string>

namespace smex::graph {

/// A number for each layer of a network, the first one first, or -1: all
/// neighbours.
struct Fanouts {
  Numbers all; // of graphs that are not named; or none
  std::map<std::string, Numbers> named;

  bool isEmpty() const { return all.empty() && named.empty(); }

  /// None where nothing is said of the graph.
  const Numbers &of(const std::string &graph) const;
};

/// From arguments `N,N,..` and `NAME=N,N,..`, numbers from `least` up, and -1.
/// Errors of usage, which begin with the option: what is no number, or given
/// twice, or of another length than the others.
Result<Fanouts> parseFanouts(const std::string &option,
                             const std::vector<std::string> &arguments,
                             int64_t least);

/// Whether all graphs that have numbers of their own are there. `owner` is who
/// has the graphs, as messages call it; `names` may have a name twice.
Status checkNames(const Fanouts &fanouts, const std::string &option,
                  const std::string &owner,
                  const std::vector<std::string> &names);

} // namespace smex::graph

#endif
