#include "compiler/memory/Refills.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace smex::memory;

namespace {

/// Few of a list, or all but a few.
constexpr int kFew = 6;
/// Sets of a list that are looked at, for each refill that is asked for.
constexpr size_t kSets = 32;
/// Of those with one sum.
constexpr int kAlike = 8;
/// Sums below the one of the holes.
constexpr int kLeaving = 3;
/// Being used again after a while, and being left open.
constexpr double kOldHole = 4, kLeft = 3;
/// That of two that end together only one is in the refill.
constexpr double kSameEnd = 4;

struct Set {
  int64_t sum;
  std::array<int16_t, kFew> numbers;
  int8_t few;
  bool without; // all but these
  int size;

  std::vector<int> members(int count) const {
    std::vector<int> list(numbers.begin(), numbers.begin() + few);
    if (!without)
      return list;
    std::vector<int> others;
    for (int i = 0; i < count; ++i)
      if (std::find(list.begin(), list.end(), i) == list.end())
        others.push_back(i);
    return others;
  }
};

/// Sets of up to as many as kSets allows, and all but that many: not the empty
/// one. With `withFirst`, those that contain the first.
class Sets {
public:
  Sets(const std::vector<int64_t> &sizes, bool withFirst, size_t limit,
       int64_t &steps)
      : sizes(sizes), count(int(sizes.size())), withFirst(withFirst) {
    const int free = count - withFirst;
    double sets = 1, all = 1;
    while (most < kFew - 1 && most < free && count < (1 << 15)) {
      sets *= double(free - most) / (most + 1);
      if ((all += sets) > double(limit))
        break;
      ++most;
    }
    total = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
    Set set{};
    if (withFirst) {
      set.numbers[set.few++] = 0;
      set.sum = sizes[0];
    }
    extend(set, withFirst);
    Set complement{};
    complement.without = true;
    complement.sum = total;
    extend(complement, withFirst);
    steps += int64_t(list.size());
  }

  std::vector<Set> list;

private:
  void extend(Set &set, int from) {
    set.size = set.without ? count - set.few : set.few;
    // Complements that are few themselves are there already.
    if (set.size > 0 && (!set.without || set.size > most + withFirst))
      list.push_back(set);
    if (set.few == most + (withFirst && !set.without))
      return;
    for (int i = from; i < count; ++i) {
      const int64_t change = set.without ? -sizes[i] : sizes[i];
      set.numbers[set.few++] = int16_t(i);
      set.sum += change;
      extend(set, i + 1);
      --set.few;
      set.sum -= change;
    }
  }

  const std::vector<int64_t> &sizes;
  int count;
  bool withFirst;
  int most = 0;
  int64_t total = 0;
};

double lnChoose(double n, double k) {
  return k <= 0 || k >= n
             ? 0
             : std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// Which buffers end together: those are likely beside each other.
class Ends {
public:
  explicit Ends(const std::vector<Starting> &buffers) {
    for (const Starting &buffer : buffers) {
      const auto same =
          std::find_if(buffers.begin(), buffers.end(),
                       [&](const Starting &b) { return b.end == buffer.end; });
      firsts.push_back(int(same - buffers.begin()));
      ++(counts.emplace_back(0), counts[size_t(firsts.back())]);
    }
  }

  /// How many times a set has some of those, and not all.
  int tornBy(const Set &set) const {
    int torn = 0;
    for (int k = 0; k < set.few; ++k) {
      const int first = firsts[size_t(set.numbers[size_t(k)])];
      int same = 0, before = 0;
      for (int other = 0; other < set.few; ++other)
        if (firsts[size_t(set.numbers[size_t(other)])] == first) {
          ++same;
          before += other < k;
        }
      torn += before == 0 && same < counts[size_t(first)];
    }
    return torn;
  }

private:
  std::vector<int> firsts, counts; // per buffer: the first of its end
};

/// Of an edge's buffers on one side, there are n with a chance of
/// 1 / (n (n + 1)): as found in rectangles cut at random.
double lnOneOf(int n) { return std::log(double(n) * (n + 1)); }

} // namespace

std::vector<Refill> smex::memory::refills(const std::vector<Hole> &holes,
                                          const std::vector<Starting> &buffers,
                                          const RefillOdds &odds, size_t most,
                                          int64_t &steps) {
  int64_t room = 0;
  for (const Hole &hole : holes)
    room += hole.size;
  int64_t needed = 0;
  std::vector<int64_t> sizes;
  for (const Starting &buffer : buffers) {
    sizes.push_back(buffer.size);
    needed += buffer.size;
  }
  if (buffers.empty() || needed > room)
    return {};
  // Then all holes are filled now.
  const bool isFull = needed == room;
  std::vector<int> fresh, old;
  std::vector<int64_t> freshSizes;
  for (size_t h = 0; h < holes.size(); ++h) {
    const bool isFresh = holes[h].isNew || isFull;
    (isFresh ? fresh : old).push_back(int(h));
    if (isFresh)
      freshSizes.push_back(holes[h].size);
  }

  const Ends ends(buffers);
  Sets ofBuffers(sizes, true, kSets * most, steps),
      ofHoles(freshSizes, false, kSets * most, steps);
  std::sort(ofBuffers.list.begin(), ofBuffers.list.end(),
            [](const Set &a, const Set &b) {
              return a.sum != b.sum ? a.sum < b.sum : a.size < b.size;
            });
  struct Choice {
    const Set *buffers;
    const Set *fresh; // none: null
    std::array<int, 2> old;
    int64_t left;
    double likelihood;
    double rest; // at most that of one refill more, for all that remain
  };
  std::vector<Choice> choices;
  const double anywhere = std::log(odds.edges) - std::log(odds.alive + 1.);
  const auto edge = [&](int below, int above) {
    return anywhere - lnOneOf(below) - lnOneOf(above);
  };
  const auto add = [&](const Set &set, const Set *some, std::array<int, 2> h,
                       int64_t left) {
    const int64_t bytes = set.sum + left;
    const int old = (h[0] >= 0) + (h[1] >= 0), ended = some ? some->size : 0;
    const double likelihood =
        edge(ended + old, set.size + (left ? 1 : 0)) -
        lnChoose(double(bytes - 1), double(set.size - 1 + (left ? 1 : 0))) -
        kOldHole * old - (left ? kLeft : 0) - kSameEnd * ends.tornBy(set);
    const int others = int(buffers.size()) - set.size;
    const double rest =
        others ? edge(std::max(1, int(fresh.size()) - ended), others) -
                     lnChoose(double(needed - set.sum - 1), double(others - 1))
               : 0;
    choices.push_back({&set, some, h, left, likelihood, rest});
  };
  const auto fill = [&](const Set *some, std::array<int, 2> h) {
    int64_t sum = some ? some->sum : 0, smallest = INT64_MAX;
    for (int hole : h)
      if (hole >= 0) {
        sum += holes[hole].size;
        smallest = std::min(smallest, holes[hole].size);
      }
    const auto from = std::lower_bound(
        ofBuffers.list.begin(), ofBuffers.list.end(), sum,
        [](const Set &set, int64_t value) { return set.sum < value; });
    int alike = 0;
    for (auto set = from;
         set != ofBuffers.list.end() && set->sum == sum && alike < kAlike;
         ++set, ++alike)
      add(*set, some, h, 0);
    steps += 4 + alike;
    if (isFull)
      return;
    // No hole of them would stay as it is, unless these are all.
    if (some && some->size < int(fresh.size()) && !some->without)
      for (int k = 0; k < some->few; ++k)
        smallest = std::min(smallest, freshSizes[some->numbers[k]]);
    auto set = from;
    for (int k = 0; k < kLeaving && set != ofBuffers.list.begin(); ++k) {
      --set;
      if (sum - set->sum >= smallest)
        break;
      add(*set, some, h, sum - set->sum);
    }
    steps += kLeaving;
  };
  for (const Set &some : ofHoles.list)
    fill(&some, {-1, -1});
  const size_t pairs = ofHoles.list.size() * old.size();
  for (int hole : old) {
    for (const Set &some : ofHoles.list)
      if (pairs <= 4 * kSets * most || some.size == int(fresh.size()))
        fill(&some, {hole, -1});
    fill(nullptr, {hole, -1});
    for (int other : old)
      if (hole < other && old.size() <= 40)
        fill(nullptr, {hole, other});
  }
  const size_t kept = std::min(most, choices.size());
  std::partial_sort(choices.begin(), choices.begin() + kept, choices.end(),
                    [](const Choice &a, const Choice &b) {
                      const double first = a.likelihood + a.rest,
                                   second = b.likelihood + b.rest;
                      return first != second
                                 ? first > second
                                 : a.buffers->size < b.buffers->size;
                    });
  std::vector<Refill> result;
  for (size_t c = 0; c < kept; ++c) {
    const Choice &choice = choices[c];
    Refill refill{{},
                  choice.buffers->members(int(buffers.size())),
                  choice.left,
                  choice.likelihood};
    if (choice.fresh)
      for (int k : choice.fresh->members(int(fresh.size())))
        refill.holes.push_back(fresh[k]);
    for (int hole : choice.old)
      if (hole >= 0)
        refill.holes.push_back(hole);
    result.push_back(std::move(refill));
  }
  return result;
}
