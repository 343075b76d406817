// What operators take on groups of GPUs, where a plan cuts them within the
// group that each of them is placed on; and what they bring from other groups,
// each of which has all operators and a part of the samples.
#ifndef SMEX_COMPILER_PLACEMENT_IR_WITHINGROUPS_H
#define SMEX_COMPILER_PLACEMENT_IR_WITHINGROUPS_H

#include "compiler/partition/Graph.h"
#include "compiler/placement/Devices.h"

#include <vector>

namespace smex::placement {

/// By operator, seconds. `plan`: its first step places operators on groups, the
/// others cut them. `alone`: what each takes whole on one GPU, of which
/// `launchSeconds` are the same for any part of it. `links`: between the GPUs
/// of a group.
///
/// An operator takes what the largest of its parts does, and after that what
/// the GPUs of its group bring from each other for it, all of them at once.
std::vector<double> secondsWithinGroups(const partition::OperatorGraph &graph,
                                        const partition::PartitionPlan &plan,
                                        const std::vector<double> &alone,
                                        double launchSeconds,
                                        const Devices &links);

/// By operator, what a replica brings from the others for it, as a sum over
/// samples. `plan`: the steps that make the replicas. `links`: between these.
std::vector<double>
secondsBetweenReplicas(const partition::OperatorGraph &graph,
                       const partition::PartitionPlan &plan,
                       const Devices &links);

} // namespace smex::placement

#endif
