#include "compiler/partition/Fetches.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::partition;

namespace {

bool isNothing(const Needed &needed) { return elementsOf(needed) == 0; }

bool isOwned(const Region &region, const std::vector<Box> &owned) {
  for (size_t w = 0; w < region.size(); ++w)
    if (!contains(owned[w], region[w].box))
      return false;
  return true;
}

/// Those rows within the interval that both have.
Runs intersect(const Runs &a, const Runs &b, Interval within) {
  const auto first = [&](const Runs &runs) {
    return std::upper_bound(
        runs.begin(), runs.end(), within.lo,
        [](int64_t lo, const Interval &run) { return lo < run.hi; });
  };
  Runs both;
  for (auto i = first(a), j = first(b);
       i != a.end() && j != b.end() && std::max(i->lo, j->lo) < within.hi;) {
    const Interval part = smex::intersect(smex::intersect(*i, *j), within);
    if (!part.empty())
      both.push_back(part);
    ++(i->hi < j->hi ? i : j);
  }
  return both;
}

/// Whether their union is a box: one holds the other, or they differ in one
/// dimension, in which there is nothing between them.
bool areOneBox(const Box &a, const Box &b) {
  if (isEmpty(a) || isEmpty(b))
    return true;
  bool inFirst = true, inSecond = true, apart = false;
  int differing = 0;
  for (size_t d = 0; d < a.size(); ++d) {
    inFirst = inFirst && a[d].contains(b[d]);
    inSecond = inSecond && b[d].contains(a[d]);
    differing += a[d] != b[d];
    apart = apart || std::max(a[d].lo, b[d].lo) > std::min(a[d].hi, b[d].hi);
  }
  return inFirst || inSecond || (differing == 1 && !apart);
}

/// Of rows, or of plain boxes that are one.
Needed unionOf(const Needed &a, const Needed &b, bool ofRows,
               std::vector<std::shared_ptr<const Runs>> &storage) {
  if (isEmpty(b.box))
    return a;
  if (isEmpty(a.box))
    return b;
  if (!ofRows)
    return {hull(a.box, b.box)};
  Runs rows = rowsOf(a);
  const Runs others = rowsOf(b);
  rows.insert(rows.end(), others.begin(), others.end());
  storage.push_back(std::make_shared<const Runs>(runsOf(std::move(rows))));
  return {hull(a.box, b.box), storage.back().get()};
}

Region unionOf(const Region &a, const Region &b, bool ofRows,
               std::vector<std::shared_ptr<const Runs>> &storage) {
  Region both;
  for (size_t w = 0; w < a.size(); ++w)
    both.push_back(unionOf(a[w], b[w], ofRows, storage));
  return both;
}

/// Fetches that grow: each that can be joined is.
class Joining {
public:
  Joining(const std::vector<Region> &regions, const std::vector<Box> &owned)
      : regions(regions), owned(owned) {}

  void add(size_t place) {
    fetches.push_back({{place}, regions[place], {}});
    listed.push_back(hasRows(regions[place]));
  }

  /// Whether there is anything to join.
  bool isNeeded() const {
    for (size_t i = 0; i < fetches.size(); ++i)
      for (size_t j = i + 1; j < fetches.size(); ++j)
        if (canJoin(i, j))
          return true;
    return false;
  }

  std::vector<JoinedFetch> apart() { return std::move(fetches); }

  std::vector<JoinedFetch> run() {
    for (bool again = true; again;) {
      again = false;
      for (size_t i = 0; i < fetches.size(); ++i)
        for (size_t j = i + 1; j < fetches.size();)
          if (canJoin(i, j)) {
            join(i, j);
            again = isUnion = true;
          } else {
            ++j;
          }
    }
    if (isUnion)
      dropContained();
    return std::move(fetches);
  }

private:
  /// Whether the union is one of rows, or a box, and moves less than the two.
  bool canJoin(size_t i, size_t j) const {
    if (listed[i] || listed[j])
      return differInRowsAlone(fetches[i].region, fetches[j].region) &&
             overlap(i, j);
    return areOneBox(fetches[i].region, fetches[j].region) && overlap(i, j) &&
           serveNoOther(i, j);
  }

  /// Whether any two readers that the union would serve need one box, so that a
  /// bound on what two of them move need not know the others (TermMaker.cpp).
  bool serveNoOther(size_t i, size_t j) const {
    std::vector<std::shared_ptr<const Runs>> storage;
    const Region both =
        unionOf(fetches[i].region, fetches[j].region, false, storage);
    std::vector<size_t> served;
    for (size_t k = 0; k < fetches.size(); ++k)
      if (k == i || k == j || containsAll(both, fetches[k].region))
        served.insert(served.end(), fetches[k].of.begin(), fetches[k].of.end());
    for (size_t a = 0; a < served.size(); ++a)
      for (size_t b = a + 1; b < served.size(); ++b)
        if (!areOneBox(regions[served[a]], regions[served[b]]))
          return false;
    return true;
  }

  /// Whether some worker lacks what both bring.
  bool overlap(size_t i, size_t j) const {
    for (size_t w = 0; w < owned.size(); ++w) {
      std::vector<std::shared_ptr<const Runs>> storage;
      if (missing(common(fetches[i].region[w], fetches[j].region[w], storage),
                  owned[w]) > 0)
        return true;
    }
    return false;
  }

  void join(size_t i, size_t j) {
    JoinedFetch &into = fetches[i];
    listed[i] = listed[i] || listed[j];
    into.region =
        unionOf(into.region, fetches[j].region, listed[i], into.storage);
    into.of.insert(into.of.end(), fetches[j].of.begin(), fetches[j].of.end());
    std::sort(into.of.begin(), into.of.end());
    into.storage.insert(into.storage.end(), fetches[j].storage.begin(),
                        fetches[j].storage.end());
    fetches.erase(fetches.begin() + int64_t(j));
    listed.erase(listed.begin() + int64_t(j));
  }

  /// A union may contain what none of its parts does.
  void dropContained() {
    for (size_t i = fetches.size(); i-- > 0;)
      for (size_t j = 0; j < fetches.size(); ++j)
        if (j != i && containsAll(fetches[j].region, fetches[i].region)) {
          fetches.erase(fetches.begin() + int64_t(i));
          break;
        }
  }

  const std::vector<Region> &regions;
  const std::vector<Box> &owned;
  bool isUnion = false; // some fetch
  std::vector<JoinedFetch> fetches;
  std::vector<bool> listed; // whether some part of each has lists of rows
};

} // namespace

bool partition::differInRowsAlone(const Region &a, const Region &b) {
  for (size_t w = 0; w < a.size(); ++w) {
    const Box &one = a[w].box, &other = b[w].box;
    if (!isEmpty(one) && !isEmpty(other) &&
        !std::equal(one.begin() + 1, one.end(), other.begin() + 1, other.end()))
      return false;
  }
  return true;
}

bool partition::areOneBox(const Region &a, const Region &b) {
  for (size_t w = 0; w < a.size(); ++w)
    if (!::areOneBox(a[w].box, b[w].box))
      return false;
  return true;
}

std::vector<int64_t> partition::wordsOf(const Region &region) {
  std::vector<int64_t> words;
  for (const Needed &needed : region) {
    words.push_back(isEmpty(needed.box));
    if (words.back())
      continue;
    for (Interval side : needed.box)
      words.insert(words.end(), {side.lo, side.hi});
    const Runs rows = rowsOf(needed);
    words.push_back(int64_t(rows.size()));
    for (Interval run : rows)
      words.insert(words.end(), {run.lo, run.hi});
  }
  return words;
}

int64_t partition::missing(const Region &region,
                           const std::vector<Box> &owned) {
  int64_t elements = 0;
  for (size_t w = 0; w < region.size(); ++w)
    elements += missing(region[w], owned[w]);
  return elements;
}

bool partition::containsAll(const Region &outer, const Region &inner) {
  for (size_t w = 0; w < inner.size(); ++w)
    if (!contains(outer[w], inner[w]))
      return false;
  return true;
}

bool partition::hasRows(const Region &region) {
  return std::any_of(region.begin(), region.end(), [](const Needed &needed) {
    return needed.rows && !isEmpty(needed.box) &&
           sizeWithin(*needed.rows, needed.box[0]) < needed.box[0].size();
  });
}

Needed partition::common(const Needed &a, const Needed &b,
                         std::vector<std::shared_ptr<const Runs>> &storage) {
  Needed both{intersect(a.box, b.box), nullptr};
  if (isEmpty(both.box) || !(a.rows || b.rows))
    return both;
  const Runs all = {both.box[0]};
  storage.push_back(std::make_shared<const Runs>(::intersect(
      a.rows ? *a.rows : all, b.rows ? *b.rows : all, both.box[0])));
  both.rows = storage.back().get();
  return both;
}

std::vector<size_t> partition::outermost(const std::vector<Region> &regions) {
  std::map<std::vector<int64_t>, size_t> first; // repeated layers read alike
  std::vector<size_t> distinct;
  for (size_t i = 0; i < regions.size(); ++i)
    if (!std::all_of(regions[i].begin(), regions[i].end(), isNothing) &&
        first.try_emplace(wordsOf(regions[i]), i).second)
      distinct.push_back(i);
  std::vector<size_t> kept;
  for (size_t i : distinct)
    if (std::none_of(distinct.begin(), distinct.end(), [&](size_t other) {
          return other != i && containsAll(regions[other], regions[i]);
        }))
      kept.push_back(i);
  return kept;
}

std::vector<JoinedFetch>
partition::fetchesOf(const std::vector<Region> &regions,
                     const std::vector<Box> &owned) {
  std::vector<size_t> places = outermost(regions);
  places.erase(std::remove_if(places.begin(), places.end(),
                              [&](size_t place) {
                                return isOwned(regions[place], owned);
                              }),
               places.end());
  Joining joining(regions, owned);
  for (size_t place : places)
    joining.add(place);
  if (!joining.isNeeded())
    return joining.apart();
  // Whoever lists the readers in another order joins them alike.
  std::map<std::vector<int64_t>, size_t> inOrder;
  for (size_t place : places)
    inOrder.emplace(wordsOf(regions[place]), place);
  Joining ordered(regions, owned);
  for (const auto &[words, place] : inOrder)
    ordered.add(place);
  std::vector<JoinedFetch> fetches = ordered.run();
  std::sort(fetches.begin(), fetches.end(),
            [](const JoinedFetch &a, const JoinedFetch &b) {
              return a.of.front() < b.of.front();
            });
  return fetches;
}
