// What follows from how a program's tensors and index spaces are divided: the
// regions of all workers, who does what, and who gets what from whom.
#ifndef SMEX_RUNTIME_PLAN_REGIONS_H
#define SMEX_RUNTIME_PLAN_REGIONS_H

#include "dialects/support/Collective.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Plan.h"

namespace smex::plan {

/// The lambdas of a program's kernels, by their numbers; an error only where
/// the program is not valid (Validate.h).
Result<std::vector<tdl::Lambda>> lambdasOf(const Program &program);

/// Sets the boxes of all regions but those that are listed, which have theirs.
/// The program is valid (Validate.h); `lambdas`: one per kernel.
void evaluate(Program &program, const std::vector<tdl::Lambda> &lambdas);

/// Whether each element is some worker's, of a tensor or of index variables,
/// and, of workers that differ only in steps that part it, one's alone: shares
/// of a division make up what is divided.
bool isTiled(const Region &region);

/// What the worker's share of an instruction writes of `to`; nothing where it
/// has nothing to do, or keeps what it has for it. A part of a reduction
/// without terms has no result, unless the whole reduction has none: that is
/// the identity.
std::optional<Box> written(const Partitioned &partitioned, int worker,
                           int instruction);

/// Where the worker gets its part of a fetch or a reduction; of a move between
/// spaces, from itself, if it does it.
std::vector<Piece> piecesOf(const Partitioned &partitioned, int worker,
                            int instruction);
/// How many elements of these come from other workers, for each worker.
std::vector<int64_t> received(const Partitioned &partitioned, int instruction);

/// How many elements of these come from another group of `gpus` consecutive
/// workers, for each worker. The number of workers is a multiple of `gpus`.
std::vector<int64_t> crossing(const Partitioned &partitioned, int instruction,
                              int64_t gpus);

/// What a fetch or a reduction is where all groups of workers do it alike;
/// nothing where its pieces or rows are listed.
std::optional<Collective> collectiveOf(const Partitioned &partitioned,
                                       int instruction);

/// Gives each fetch and reduction its name, once boxes are evaluated.
void nameCollectives(Partitioned &partitioned);

/// Which workers do the instruction, a flag each.
std::vector<bool> doers(const Partitioned &partitioned, int instruction);

} // namespace smex::plan

#endif
