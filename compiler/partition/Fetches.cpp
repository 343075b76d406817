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

bool differInRowsAlone(const Box &a, const Box &b) {
  return std::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end());
}

/// Fetches that grow: each that can be joined is.
class Joining {
public:
  explicit Joining(const std::vector<Box> &owned) : owned(owned) {}

  void add(size_t place, const Region &region) {
    fetches.push_back({{place}, region, {}});
    listed.push_back(hasRows(region));
  }

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
  /// Whether the union is one of rows, and moves less than the two.
  bool canJoin(size_t i, size_t j) const {
    if (!listed[i] && !listed[j])
      return false;
    bool overlap = false;
    for (size_t w = 0; w < owned.size(); ++w) {
      const Needed &a = fetches[i].region[w], &b = fetches[j].region[w];
      if (isEmpty(a.box) || isEmpty(b.box))
        continue;
      if (!differInRowsAlone(a.box, b.box))
        return false;
      std::vector<std::shared_ptr<const Runs>> storage;
      overlap = overlap || missing(common(a, b, storage), owned[w]) > 0;
    }
    return overlap;
  }

  void join(size_t i, size_t j) {
    JoinedFetch &into = fetches[i];
    for (size_t w = 0; w < owned.size(); ++w) {
      Needed &a = into.region[w];
      const Needed &b = fetches[j].region[w];
      if (isEmpty(b.box))
        continue;
      if (isEmpty(a.box)) {
        a = b;
        continue;
      }
      Runs rows = rowsOf(a);
      const Runs others = rowsOf(b);
      rows.insert(rows.end(), others.begin(), others.end());
      into.storage.push_back(
          std::make_shared<const Runs>(runsOf(std::move(rows))));
      a = {hull(a.box, b.box), into.storage.back().get()};
    }
    into.of.insert(into.of.end(), fetches[j].of.begin(), fetches[j].of.end());
    std::sort(into.of.begin(), into.of.end());
    into.storage.insert(into.storage.end(), fetches[j].storage.begin(),
                        fetches[j].storage.end());
    listed[i] = true;
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

  const std::vector<Box> &owned;
  bool isUnion = false; // some fetch
  std::vector<JoinedFetch> fetches;
  std::vector<bool> listed; // whether some part of each has lists of rows
};

} // namespace

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
  Joining joining(owned);
  if (places.size() > 1 &&
      std::any_of(places.begin(), places.end(),
                  [&](size_t place) { return hasRows(regions[place]); })) {
    // Whoever lists the readers in another order joins them alike.
    std::map<std::vector<int64_t>, size_t> inOrder;
    for (size_t place : places)
      inOrder.emplace(wordsOf(regions[place]), place);
    places.clear();
    for (const auto &[words, place] : inOrder)
      places.push_back(place);
  }
  for (size_t place : places)
    joining.add(place, regions[place]);
  return joining.run();
}
