// Moves in a program, and repeated computes, from schedules: one for each
// problem of ProblemOf.h, which some of the workers have.
//
// The list is one for all workers. What the schedules of several do at the same
// place of it, for the same reads, is one instruction. Workers that have no
// part in it keep what they have: the buffer that it fills is for them the one
// before, and lives on (exec.buffer, `kept`).
#ifndef SMEX_COMPILER_OFFLOAD_IR_MOVING_H
#define SMEX_COMPILER_OFFLOAD_IR_MOVING_H

#include "compiler/offload/Schedule.h"
#include "compiler/offload/ir/ProblemOf.h"

namespace smex::offload {

/// `schedules`: of the problems, in order; operations run for the first time in
/// the order of the list. The seconds that all computes take that are repeated,
/// each on the worker that takes longest.
double moveAsScheduled(exec::ProgramOp program, exec::Regions &regions,
                       const ProgramProblem &of,
                       const std::vector<Schedule> &schedules);

} // namespace smex::offload

#endif
