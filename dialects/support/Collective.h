// The names that the field, and its libraries (NCCL, MPI), have for what moves
// when what each worker has of a tensor becomes another thing for all groups of
// workers alike.
#ifndef SMEX_DIALECTS_SUPPORT_COLLECTIVE_H
#define SMEX_DIALECTS_SUPPORT_COLLECTIVE_H

#include "dialects/support/Shares.h"

#include <optional>
#include <string>
#include <string_view>

namespace smex {

/// What the members of a group have before, and want.
enum class CollectiveKind : uint8_t {
  AllGather,     // parts of it; all want the same
  AllToAll,      // parts of it; other parts, of which no two overlap
  Shift,         // parts of it; the same with other bounds (halo)
  Gather,        // parts of it; one wants something
  Broadcast,     // one has all; all want the same
  Scatter,       // one has all; parts, of which no two overlap
  Send,          // one has all; another one wants something
  AllReduce,     // terms; all want the same of their sum
  ReduceScatter, // terms; parts of their sum, of which no two overlap
  Reduce,        // terms; one wants something of their sum
};
constexpr int collectiveKinds = 10;

/// "all-gather".
std::string_view name(CollectiveKind kind);
/// Whether every member of a group wants something, so that all take part.
constexpr bool isOfAll(CollectiveKind kind) {
  return kind != CollectiveKind::Gather && kind != CollectiveKind::Send &&
         kind != CollectiveKind::Reduce;
}

std::optional<CollectiveKind> parseCollective(std::string_view name);

/// All groups of workers that differ in no other steps than these do it.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllGather;
  StepSet over = 0;

  bool operator==(const Collective &other) const {
    return kind == other.kind && over == other.over;
  }
  bool operator!=(const Collective &other) const { return !(*this == other); }
};

/// "an all-gather over steps 0, 2"
std::string toString(const Collective &collective);

/// What brings each worker its `wanted` region of a tensor that is divided so,
/// where it gets it from the workers that piecesOf or termsOf say. Nothing: no
/// worker gets anything from another one, or groups do unlike things, or such
/// as has no name. Every member of a group wants something, but for gather,
/// send and reduce, where one alone does. A group all of whose members want
/// nothing has no part in it. `wanted` and `own`: what each worker wants and
/// has, of the tensor, the first dimensions of `extents`.
std::optional<Collective> collectiveOf(const std::vector<Box> &wanted,
                                       const std::vector<Box> &own,
                                       const std::vector<int64_t> &extents,
                                       const Divisions &divisions,
                                       const Ways &ways);

} // namespace smex

#endif
