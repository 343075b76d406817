// What each worker has of a box, given a division per step of the partition
// (thesis section 3.5.2), and where a worker gets what it lacks.
//
// Every step divides every group of workers into `ways` groups. A worker's
// digits are its group's number in each step: the worker's number in the mixed
// radix of the steps' ways, the first step's digit the most significant, so
// that neighbours are parted last.
#ifndef SMEX_DIALECTS_SUPPORT_SHARES_H
#define SMEX_DIALECTS_SUPPORT_SHARES_H

#include "dialects/support/Division.h"
#include "dialects/support/Piece.h"
#include "dialects/support/Result.h"

namespace smex {

using Ways = std::vector<int64_t>;       // of each step
using Divisions = std::vector<Division>; // one per step

/// Steps, by number: bit s is there if step s is.
using StepSet = uint64_t;
constexpr size_t stepLimit = 63; // that a set can hold

int64_t workersOf(const Ways &ways);
std::vector<int64_t> digitsOf(const Ways &ways, int64_t worker);

/// Every division is one of a box of `rank` dimensions in so many steps, with a
/// weight per group, and bounds for each group of the steps before.
Status validate(const Divisions &divisions, size_t rank, const Ways &ways);

/// The divisions of the first `steps` steps, whole in the others: what a group
/// of these steps has.
Divisions firstSteps(const Divisions &divisions, size_t steps);

/// The same, but whole where it is in terms: who takes over a tensor in terms
/// gets those of its own groups.
Divisions ofOwnTerms(const Divisions &divisions);

/// What `worker` has of the box [0, extents).
Box shareOf(const std::vector<int64_t> &extents, const Divisions &divisions,
            const Ways &ways, int64_t worker);
/// The same of all workers.
std::vector<Box> sharesOf(const std::vector<int64_t> &extents,
                          const Divisions &divisions, const Ways &ways);

/// Where `worker` gets `wanted` of a tensor that is divided so. Each element
/// comes once (once per term where there are terms) from the worker that
/// differs from this one in nothing but the steps that part the tensor: its own
/// part from itself, and of copies the nearest. Parts begin with the worker's
/// own, so that not all ask the same worker first; terms are in order.
std::vector<Piece> piecesOf(const Box &wanted,
                            const std::vector<int64_t> &extents,
                            const Divisions &divisions, const Ways &ways,
                            int64_t worker);

/// The same where workers have terms: `extents` and the divisions are of the
/// index space, whose first dimensions are those of the tensor, the others
/// reductions. A piece is a term of its worker; pieces are in the order of
/// their terms.
std::vector<Piece> termsOf(const Box &wanted,
                           const std::vector<int64_t> &extents,
                           const Divisions &divisions, const Ways &ways,
                           int64_t worker);

/// How many elements of termsOf, or piecesOf, are not the worker's own, of each
/// worker. `wanted` and `own`: what each wants and has, of the tensor.
std::vector<int64_t> receivedOf(const std::vector<Box> &wanted,
                                const std::vector<Box> &own,
                                const std::vector<int64_t> &extents,
                                const Divisions &divisions, const Ways &ways);

/// How many elements of termsOf, or piecesOf, come from a worker that differs in
/// one of the first `steps` steps, of each worker: what crosses between the
/// groups that these steps make. Of all steps, it is receivedOf.
std::vector<int64_t> crossingOf(const std::vector<Box> &wanted,
                                const std::vector<int64_t> &extents,
                                const Divisions &divisions, const Ways &ways,
                                size_t steps);

/// The workers that differ from this one in no other steps than these, in
/// order; it is one of them.
std::vector<int> groupOf(const Ways &ways, int64_t worker, StepSet steps);
/// In which steps the two differ.
StepSet differences(const Ways &ways, int64_t a, int64_t b);

/// In which steps some worker differs from one that it gets pieces from.
/// `wanted`: per worker, a region of the tensor, or nothing; the tensor's
/// dimensions are the first of `extents`, as for termsOf, or all.
StepSet crossedSteps(const std::vector<Box> &wanted,
                     const std::vector<int64_t> &extents,
                     const Divisions &divisions, const Ways &ways);

} // namespace smex

#endif
