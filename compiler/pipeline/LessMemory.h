// Plans that do not keep the memory limit, made again with less to count on:
// what packing, copies and libraries take beyond an estimate is known only once
// there is a plan.
#ifndef SMEX_COMPILER_PIPELINE_LESSMEMORY_H
#define SMEX_COMPILER_PIPELINE_LESSMEMORY_H

#include "compiler/pipeline/Choice.h"

namespace smex::pipeline {

/// Makes a plan of a placement that may count on so many bytes of each GPU.
using PlaceWithin = std::function<Result<Candidate>(int64_t bytes)>;

/// The first plan that keeps the limit, by placements that count on `bytes` at
/// first. Then on so much less as the last plan exceeded the limit by; where
/// nothing can be placed in that, on something between. If none of a few keeps
/// the limit: the one that exceeds it least. Where nothing can be placed at
/// first, a little more is counted on, since not all that a plan may take
/// besides is taken by each; if no plan of that keeps the limit, the first
/// error.
Result<Candidate> placeWithin(const MemoryLimit &limit, int64_t bytes,
                              const PlaceWithin &place);

/// Makes a plan in which so many bytes of each worker's buffers may be alive,
/// others waiting on the host.
using OffloadWithin =
    std::function<Result<Candidate>(const std::vector<int64_t> &capacities)>;

/// The first plan that keeps the limit, each with so much less as the last one
/// exceeded the limit by, then twice that, four times that and so on: buffers
/// may be so large that a little less changes nothing. After such large steps,
/// plans with something between are made, too, and the cheapest is taken. The
/// last tries move all that they can, whatever the limit, on workers that have
/// not kept theirs, and then on all: what that needs is a limit that works, and
/// the one that is told. None is made after one that costs `toBeat` or more and
/// does not keep the limit (Candidate::isBehind). What the plan says that no
/// other choice saves is that of the limit, not of the less that it was made
/// in.
Result<Candidate> offloadWithin(const MemoryLimit &limit,
                                const OffloadWithin &offload,
                                std::optional<double> toBeat = std::nullopt);

/// Where the plan says what no other choice saves: no more than `bytes`, which
/// is proven of more choices, or of more memory.
void boundBy(int64_t bytes, Candidate &made);

} // namespace smex::pipeline

#endif
