// How many neighbours samples take: what the command line says, and what that
// is for a plan's graphs.
#ifndef SMEX_RUNTIME_EXECUTOR_FANOUTS_H
#define SMEX_RUNTIME_EXECUTOR_FANOUTS_H

#include "runtime/graph/Graph.h"
#include "runtime/plan/Plan.h"

#include <map>

namespace smex::runtime {

/// A number for each layer of a network, the first one first, or -1: all
/// neighbours.
struct Fanouts {
  graph::Numbers all; // of graphs that are not named; or none
  std::map<std::string, graph::Numbers> named;

  bool isEmpty() const { return all.empty() && named.empty(); }
};

/// From arguments `N,N,..` and `NAME=N,N,..`, numbers from `least` up, and -1.
/// Errors of usage, which begin with the option: what is no number, or given
/// twice, or of another length than the others.
Result<Fanouts> parseFanouts(const std::string &option,
                             const std::vector<std::string> &arguments,
                             int64_t least);

/// The graphs of a plan that have names of their own, each by the first one
/// that has it: where layers have edges of their own, those of all its layers
/// are one graph.
std::vector<size_t> relationsOf(const plan::Program &program);

/// How many layers have edges of their own; 0: all have the same.
int64_t layersOf(const plan::Program &program);

/// Of each of relationsOf, its numbers. Errors: a name that is none of a graph;
/// a graph without numbers; where layers have edges of their own, another
/// number of layers.
Result<std::vector<graph::Numbers>> fanoutsFor(const plan::Program &program,
                                               const std::string &option,
                                               const Fanouts &fanouts);

} // namespace smex::runtime

#endif
