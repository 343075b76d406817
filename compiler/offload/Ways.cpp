#include "compiler/offload/Ways.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::offload;

namespace {

using Bytes = std::vector<int64_t>;

bool isEnough(const Bytes &lacking) {
  return std::all_of(lacking.begin(), lacking.end(),
                     [](int64_t bytes) { return bytes <= 0; });
}

void take(Bytes &lacking, const Leaving &what, int64_t sign) {
  for (size_t m = 0; m < lacking.size(); ++m)
    lacking[m] -= sign * what.bytes[m];
}

class Finder {
public:
  Finder(std::vector<Leaving> list, const Bytes &lacking, int most)
      : candidates(std::move(list)), lacking(lacking), most(most),
        suffix(candidates.size() + 1, Bytes(lacking.size())) {
    for (size_t i = candidates.size(); i-- > 0;) {
      suffix[i] = suffix[i + 1];
      take(suffix[i], candidates[i], -1);
    }
  }

  Ways find() {
    descend(0);
    if (!isComplete) {
      sets.clear();
      greedily();
    }
    return {{sets.begin(), sets.end()}, isComplete};
  }

private:
  /// Every set that is enough, candidate by candidate.
  void descend(size_t at) {
    if (!isComplete)
      return;
    // A visit without a set costs time, too.
    if (++visited > int64_t(most) * 8 || int(sets.size()) > most) {
      isComplete = false;
      return;
    }
    if (isEnough(lacking)) {
      keep(chosen);
      return;
    }
    for (size_t m = 0; m < lacking.size(); ++m)
      if (suffix[at][m] < lacking[m])
        return;
    take(lacking, candidates[at], 1);
    chosen.push_back(at);
    // One that could stay now could stay whatever joins later.
    if (isMinimal())
      descend(at + 1);
    chosen.pop_back();
    take(lacking, candidates[at], -1);
    descend(at + 1);
  }

  bool isMinimal() {
    for (size_t i : chosen) {
      take(lacking, candidates[i], -1);
      const bool isSpare = isEnough(lacking);
      take(lacking, candidates[i], 1);
      if (isSpare)
        return false;
    }
    return true;
  }

  void keep(const std::vector<size_t> &numbers) {
    std::vector<int> set;
    for (size_t i : numbers)
      set.push_back(candidates[i].tensor);
    std::sort(set.begin(), set.end());
    sets.insert(std::move(set));
  }

  void greedily() {
    const Bytes wanted = lacking;
    // Of bytes where they are lacking.
    const auto freed = [&](const Leaving &what) {
      double bytes = 0;
      for (size_t m = 0; m < wanted.size(); ++m)
        if (wanted[m] > 0)
          bytes += double(std::min(what.bytes[m], wanted[m]));
      return bytes;
    };
    greedilyBy([](const Leaving &a, const Leaving &b) {
      return a.nextUse > b.nextUse;
    });
    greedilyBy([&](const Leaving &a, const Leaving &b) {
      return double(a.cost) * freed(b) < double(b.cost) * freed(a);
    });
    greedilyBy([&](const Leaving &a, const Leaving &b) {
      return freed(a) > freed(b);
    });
    greedilyBy(
        [](const Leaving &a, const Leaving &b) { return a.cost < b.cost; });
  }

  template <typename Before> void greedilyBy(Before &&before) {
    std::vector<size_t> order;
    for (size_t i = 0; i < candidates.size(); ++i)
      order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return before(candidates[a], candidates[b]);
    });
    fill(order);
    // Each with another one first: so a set differs from its neighbours.
    const size_t firsts = std::min<size_t>(order.size(), size_t(most) / 8);
    for (size_t f = 1; f < firsts; ++f) {
      std::vector<size_t> other = order;
      std::rotate(other.begin(), other.begin() + int64_t(f),
                  other.begin() + int64_t(f) + 1);
      fill(other);
    }
  }

  /// In this order until it is enough; then what could stay after all does.
  void fill(const std::vector<size_t> &order) {
    Bytes left = lacking;
    std::vector<size_t> set;
    for (size_t i : order) {
      if (isEnough(left))
        break;
      bool helps = false;
      for (size_t m = 0; m < left.size(); ++m)
        helps |= left[m] > 0 && candidates[i].bytes[m] > 0;
      if (!helps)
        continue;
      take(left, candidates[i], 1);
      set.push_back(i);
    }
    if (!isEnough(left))
      return;
    for (size_t i = set.size(); i-- > 0;) {
      take(left, candidates[set[i]], -1);
      if (isEnough(left))
        set.erase(set.begin() + int64_t(i));
      else
        take(left, candidates[set[i]], 1);
    }
    keep(set);
  }

  std::vector<Leaving> candidates;
  Bytes lacking; // without what is chosen
  int most;
  std::vector<Bytes> suffix; // all candidates from here on
  std::vector<size_t> chosen;
  std::set<std::vector<int>> sets;
  int64_t visited = 0;
  bool isComplete = true;
};

} // namespace

Ways smex::offload::waysToFree(std::vector<Leaving> candidates,
                               const std::vector<int64_t> &lacking, int most) {
  if (isEnough(lacking))
    return {{{}}, true};
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](const Leaving &what) {
                                    for (size_t m = 0; m < lacking.size(); ++m)
                                      if (lacking[m] > 0 && what.bytes[m] > 0)
                                        return false;
                                    return true;
                                  }),
                   candidates.end());
  // Large ones first: then few sets are tried that are not enough.
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Leaving &a, const Leaving &b) { return a.bytes > b.bytes; });
  return Finder(std::move(candidates), lacking, most).find();
}
