// How many neighbours samples take: what that is for a plan's graphs.
#ifndef SMEX_RUNTIME_EXECUTOR_FANOUTS_H
#define SMEX_RUNTIME_EXECUTOR_FANOUTS_H

#include "runtime/graph/Fanouts.h"
#include "runtime/plan/Plan.h"

namespace smex::runtime {

using graph::Fanouts;
using graph::parseFanouts;

/// The graphs of a plan that have names of their own, each by the first one
/// that has it: where layers have edges of their own, those of all its layers
/// are one graph.
std::vector<size_t> relationsOf(const plan::Program &program);

/// How many layers have edges of their own; 0: all have the same.
int64_t layersOf(const plan::Program &program);

/// Of each of relationsOf, its numbers. Errors: a name that is none of a graph;
/// a graph without numbers, in which layers pass messages; where layers have
/// edges of their own, another number of layers, or more neighbours than their
/// mailboxes have places for.
Result<std::vector<graph::Numbers>> fanoutsFor(const plan::Program &program,
                                               const std::string &option,
                                               const Fanouts &fanouts);

} // namespace smex::runtime

#endif
