#include "dialects/support/Collective.h"

#include <algorithm>
#include <array>

using namespace smex;

namespace {

constexpr std::array<std::string_view, collectiveKinds> names = {
    "all-gather", "all-to-all", "shift",      "gather",         "broadcast",
    "scatter",    "send",       "all-reduce", "reduce-scatter", "reduce"};

/// One group of workers that differ in some steps only.
class Group {
public:
  Group(const std::vector<Box> &wanted, const std::vector<Box> &own,
        const std::vector<int> &members)
      : wanted(wanted), own(own), members(members) {
    for (int member : members)
      if (!isEmpty(wanted[size_t(member)])) {
        all = takers++ == 0 ? wanted[size_t(member)]
                            : hull(all, wanted[size_t(member)]);
      }
  }

  bool wantsNothing() const { return takers == 0; }

  std::optional<CollectiveKind> ofTerms() const {
    for (int member : members)
      if (!contains(own[size_t(member)], all))
        return std::nullopt; // and parts of the tensor besides
    return among(CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                 CollectiveKind::Reduce);
  }

  std::optional<CollectiveKind> ofParts() const {
    for (int member : members)
      if (contains(own[size_t(member)], all))
        return among(CollectiveKind::Broadcast, CollectiveKind::Scatter,
                     CollectiveKind::Send);
    const auto kind = among(CollectiveKind::AllGather, CollectiveKind::AllToAll,
                            CollectiveKind::Gather);
    return kind || !isShift() ? kind : CollectiveKind::Shift;
  }

private:
  std::optional<CollectiveKind>
  among(CollectiveKind alike, CollectiveKind parts, CollectiveKind one) const {
    if (takers == 1)
      return one;
    if (takers < members.size())
      return std::nullopt;
    if (std::all_of(members.begin(), members.end(),
                    [&](int member) { return wanted[size_t(member)] == all; }))
      return alike;
    return areParts(0, members.size()) ? std::optional(parts) : std::nullopt;
  }

  /// Whether what members `first` to `last` want is disjoint. They are in the
  /// order of their digits, and most regions are divided step by step: halves
  /// overlap less often than any two members would have to be compared.
  bool areParts(size_t first, size_t last) const {
    if (last - first < 2)
      return true;
    const size_t middle = first + (last - first) / 2;
    return areApart(first, middle, last) && areParts(first, middle) &&
           areParts(middle, last);
  }

  bool areApart(size_t first, size_t middle, size_t last) const {
    if (isEmpty(intersect(hullOf(first, middle), hullOf(middle, last))))
      return true;
    for (size_t i = first; i < middle; ++i)
      for (size_t j = middle; j < last; ++j)
        if (!isEmpty(intersect(wanted[size_t(members[i])],
                               wanted[size_t(members[j])])))
          return false;
    return true;
  }

  Box hullOf(size_t first, size_t last) const {
    Box box = wanted[size_t(members[first])];
    for (size_t i = first + 1; i < last; ++i)
      box = hull(box, wanted[size_t(members[i])]);
    return box;
  }

  /// Each wants its own share, but along one dimension, the same for all, other
  /// bounds: some of what it has, and what lies beside that.
  bool isShift() const {
    std::optional<size_t> along;
    for (int member : members) {
      const Box &have = own[size_t(member)], &want = wanted[size_t(member)];
      if (isEmpty(intersect(have, want)))
        return false;
      for (size_t d = 0; d < want.size(); ++d)
        if (have[d] != want[d] && along.value_or(d) != d)
          return false;
        else if (have[d] != want[d])
          along = d;
    }
    return along.has_value();
  }

  const std::vector<Box> &wanted, &own;
  const std::vector<int> &members;
  size_t takers = 0;
  Box all; // what they want, in one box
};

} // namespace

std::string_view smex::name(CollectiveKind kind) { return names[size_t(kind)]; }

std::optional<CollectiveKind> smex::parseCollective(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return CollectiveKind(found - names.begin());
}

std::string smex::toString(const Collective &collective) {
  const std::string_view kind = name(collective.kind);
  std::string text = (kind.front() == 'a' ? "an " : "a ") + std::string(kind);
  const char *before = " over steps ";
  for (size_t s = 0; s <= stepLimit; ++s)
    if (collective.over >> s & 1) {
      text += before + std::to_string(s);
      before = ", ";
    }
  return text;
}

std::optional<Collective>
smex::collectiveOf(const std::vector<Box> &wanted, const std::vector<Box> &own,
                   const std::vector<int64_t> &extents,
                   const Divisions &divisions, const Ways &ways) {
  const StepSet over = crossedSteps(wanted, extents, divisions, ways);
  if (over == 0)
    return std::nullopt;
  const size_t rank = wanted.front().size();
  bool hasTerms = false;
  for (size_t s = 0; s < ways.size(); ++s)
    if (over >> s & 1)
      hasTerms |=
          divisions[s].isTerm() ||
          (divisions[s].isPart() && size_t(divisions[s].dimension()) >= rank);
  std::optional<CollectiveKind> kind;
  for (int64_t w = 0; w < int64_t(wanted.size()); ++w) {
    if (differences(ways, w, 0) & over)
      continue; // seen with the first of its group
    const std::vector<int> members = groupOf(ways, w, over);
    const Group group(wanted, own, members);
    if (group.wantsNothing())
      continue;
    const auto found = hasTerms ? group.ofTerms() : group.ofParts();
    if (!found || kind.value_or(*found) != *found)
      return std::nullopt;
    kind = found;
  }
  return Collective{*kind, over};
}
