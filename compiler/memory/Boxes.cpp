#include "compiler/memory/Boxes.h"

#include "compiler/memory/Chance.h"

#include <algorithm>
#include <tuple>

using namespace smex::memory;

namespace {

/// Equal pairs at one time: more are not told apart.
constexpr size_t kMostEqual = 256;
/// What ends or starts at once: of more, no sets are looked at.
constexpr size_t kFew = 8;
/// Looks at outer boxes after which no more are put together: some seconds.
constexpr size_t kMostLooks = size_t(1) << 22;
/// Looks around one box for four others: where many are alike, none are found.
constexpr size_t kMostAround = 256;
/// What is put together at first, and how that grows where nothing is.
constexpr double kSure = 1e-3, kBolder = 2;

} // namespace

Boxes::Boxes(const std::vector<Allocation> &buffers, int64_t alignment,
             const std::vector<Allocation> &gaps)
    : given(buffers.size()), alignment(alignment) {
  for (const Allocation &b : buffers) {
    Box box{b.lower, b.upper, alignUp(b.size, alignment) / alignment, true, {}};
    box.isOuter = b.size > 0 && b.lower < b.upper;
    boxes.push_back(std::move(box));
  }
  for (const Allocation &gap : gaps)
    boxes.push_back({gap.lower, gap.upper, gap.size / alignment, true, {}});
  leaves = boxes.size();
}

bool Boxes::isAGap(size_t box) const { return box >= given && box < leaves; }

void Boxes::index() {
  byLife.clear();
  sizes.clear();
  for (size_t b = 0; b < boxes.size(); ++b)
    if (boxes[b].isOuter) {
      byLife.push_back(int(b));
      sizes.push_back(boxes[b].size);
    }
  byStart = byEnd = byLife;
  const auto sortBy = [&](std::vector<int> &list, auto key) {
    std::sort(list.begin(), list.end(), [&](int a, int b) {
      return key(boxes[size_t(a)], a) < key(boxes[size_t(b)], b);
    });
  };
  sortBy(byLife, [](const Box &b, int id) {
    return std::tuple(b.lower, b.upper, b.size, id);
  });
  sortBy(byStart,
         [](const Box &b, int id) { return std::tuple(b.lower, b.size, id); });
  sortBy(byEnd,
         [](const Box &b, int id) { return std::tuple(b.upper, b.size, id); });
  std::sort(sizes.begin(), sizes.end());
}

int Boxes::add(Box box) {
  for (const auto &[part, offset] : box.parts)
    boxes[size_t(part)].isOuter = false;
  boxes.push_back(std::move(box));
  return int(boxes.size()) - 1;
}

bool Boxes::hasLife(int64_t lower, int64_t upper) const {
  const auto at =
      std::lower_bound(byLife.begin(), byLife.end(), std::pair(lower, upper),
                       [&](int b, const std::pair<int64_t, int64_t> &life) {
                         const Box &box = boxes[size_t(b)];
                         return std::pair(box.lower, box.upper) < life;
                       });
  return at != byLife.end() && boxes[size_t(*at)].lower == lower &&
         boxes[size_t(*at)].upper == upper;
}

/// Sums of all sets but the empty one and the whole.
static void sumsOf(const std::vector<int64_t> &list,
                   std::vector<int64_t> &sums) {
  sums.assign(1, 0);
  for (int64_t size : list)
    for (size_t k = 0, count = sums.size(); k < count; ++k)
      sums.push_back(sums[k] + size);
  sums.erase(sums.begin());
  sums.pop_back();
  std::sort(sums.begin(), sums.end());
}

/// An edge is where what ends and what starts take the same bytes. There is one
/// alone if no part of what ends is as large as a part of what starts.
void Boxes::findEdges() {
  oneEdge.clear();
  std::vector<int64_t> ending, starting, sums, others;
  auto start = byStart.begin();
  const auto collect = [&](auto &at, auto end, int64_t time, auto key,
                           std::vector<int64_t> &list) {
    list.clear();
    for (; at != end && key(boxes[size_t(*at)]) == time; ++at)
      list.push_back(boxes[size_t(*at)].size);
  };
  const auto startOf = [](const Box &b) { return b.lower; };
  const auto endOf = [](const Box &b) { return b.upper; };
  for (auto end = byEnd.begin();
       end != byEnd.end() || start != byStart.end();) {
    const int64_t time = std::min(
        end != byEnd.end() ? boxes[size_t(*end)].upper : INT64_MAX,
        start != byStart.end() ? boxes[size_t(*start)].lower : INT64_MAX);
    collect(end, byEnd.end(), time, endOf, ending);
    collect(start, byStart.end(), time, startOf, starting);
    bool isOne = ending.size() < 2 || starting.size() < 2;
    if (!isOne && ending.size() <= kFew && starting.size() <= kFew) {
      sumsOf(ending, sums);
      sumsOf(starting, others);
      isOne = true;
      for (size_t i = 0, j = 0;
           i < sums.size() && j < others.size() && isOne;) {
        isOne = sums[i] != others[j];
        sums[i] < others[j] ? ++i : ++j;
      }
    }
    if (isOne)
      oneEdge.push_back(time);
  }
}

bool Boxes::isOneEdge(int64_t time) const {
  return std::binary_search(oneEdge.begin(), oneEdge.end(), time);
}

/// That two with this life are not beside each other.
double Boxes::alikeByChance(int64_t lower, int64_t upper) const {
  return smex::memory::alikeByChance(isOneEdge(lower) + isOneEdge(upper),
                                     upper - lower);
}

void Boxes::findStacks(std::vector<Found> &found) const {
  for (size_t from = 0, to = 0; from < byLife.size(); from = to) {
    const Box &first = boxes[size_t(byLife[from])];
    for (to = from; to < byLife.size(); ++to) {
      const Box &next = boxes[size_t(byLife[to])];
      if (next.lower != first.lower || next.upper != first.upper)
        break;
    }
    if (to - from > 1)
      found.push_back(
          {-1, -1, from, to, alikeByChance(first.lower, first.upper)});
  }
}

/// The centre lives from a to b. One that ends at a is as much larger than one
/// that starts then as the centre, and one that starts at b than one that ends
/// then; those that start first start together, and the last end together.
bool Boxes::wheelAround(int centre) {
  const Box middle = boxes[size_t(centre)];
  const auto among = [&](const std::vector<int> &list, auto key, auto value) {
    return std::lower_bound(
        list.begin(), list.end(), value,
        [&](int b, const auto &v) { return key(boxes[size_t(b)]) < v; });
  };
  const auto endAndSize = [](const Box &b) {
    return std::pair(b.upper, b.size);
  };
  const auto startAndSize = [](const Box &b) {
    return std::pair(b.lower, b.size);
  };
  const auto life = [](const Box &b) { return std::pair(b.lower, b.upper); };
  size_t looks = 0;
  const auto isWorthIt = [&] { return ++looks < kMostAround; };
  for (auto i =
           among(byEnd, endAndSize, std::pair(middle.lower, middle.size + 1));
       i != byEnd.end() && boxes[size_t(*i)].upper == middle.lower &&
       isWorthIt();
       ++i) {
    const Box &left = boxes[size_t(*i)];
    if (!left.isOuter)
      continue;
    const auto key = std::pair(middle.lower, left.size - middle.size);
    for (auto j = among(byStart, startAndSize, key);
         j != byStart.end() && startAndSize(boxes[size_t(*j)]) == key &&
         isWorthIt();
         ++j) {
      const Box &above = boxes[size_t(*j)];
      if (!above.isOuter || above.upper <= middle.upper)
        continue;
      const auto belowLife = std::pair(left.lower, middle.upper);
      for (auto k = among(byLife, life, belowLife);
           k != byLife.end() && life(boxes[size_t(*k)]) == belowLife &&
           isWorthIt();
           ++k) {
        const Box &below = boxes[size_t(*k)];
        const auto rightKey = std::pair(middle.upper, below.size + middle.size);
        if (!below.isOuter)
          continue;
        for (auto l = among(byStart, startAndSize, rightKey);
             l != byStart.end() &&
             startAndSize(boxes[size_t(*l)]) == rightKey && isWorthIt();
             ++l) {
          const Box &right = boxes[size_t(*l)];
          if (!right.isOuter || right.upper != above.upper)
            continue;
          add({left.lower,
               right.upper,
               below.size + left.size,
               true,
               {{*k, 0},
                {centre, below.size},
                {*l, 0},
                {*i, below.size},
                {*j, below.size + middle.size}}});
          return true;
        }
      }
    }
  }
  return false;
}

bool Boxes::wheel() {
  bool any = false;
  for (int centre : byLife)
    if (boxes[size_t(centre)].isOuter)
      any |= wheelAround(centre);
  return any;
}

void Boxes::findJoins(std::vector<Found> &found) const {
  size_t start = 0;
  for (size_t from = 0, to = 0; from < byEnd.size(); from = to) {
    const int64_t time = boxes[size_t(byEnd[from])].upper;
    for (to = from;
         to < byEnd.size() && boxes[size_t(byEnd[to])].upper == time;)
      ++to;
    while (start < byStart.size() && boxes[size_t(byStart[start])].lower < time)
      ++start;
    size_t startEnd = start;
    while (startEnd < byStart.size() &&
           boxes[size_t(byStart[startEnd])].lower == time)
      ++startEnd;
    const double pairs = double(to - from) * double(startEnd - start);
    size_t s = start;
    for (size_t e = from, eTo = e; e < to; e = eTo) {
      const int64_t size = boxes[size_t(byEnd[e])].size;
      while (eTo < to && boxes[size_t(byEnd[eTo])].size == size)
        ++eTo;
      while (s < startEnd && boxes[size_t(byStart[s])].size < size)
        ++s;
      size_t sTo = s;
      while (sTo < startEnd && boxes[size_t(byStart[sTo])].size == size)
        ++sTo;
      const size_t ways = (eTo - e) * (sTo - s);
      if (ways == 0 || ways > kMostEqual)
        continue;
      const double rate = rateOf(sizes, size, 0);
      for (size_t x = e; x < eTo; ++x)
        for (size_t y = s; y < sTo; ++y) {
          const Box &a = boxes[size_t(byEnd[x])],
                    &b = boxes[size_t(byStart[y])];
          double chance = pairs > 1 ? pairs * rate : 0;
          if (hasLife(a.lower, b.upper))
            chance *= std::min(1., alikeByChance(a.lower, b.upper) + 0.01);
          else if (ways > 1)
            chance = std::max(chance, 0.5);
          found.push_back({byEnd[x], byStart[y], 0, 0, chance});
        }
    }
  }
}

void Boxes::apply(std::vector<Found> &found, double level) {
  for (const Found &each : found) {
    if (each.chance > level)
      break;
    if (each.first >= 0) {
      const Box &a = boxes[size_t(each.first)], &b = boxes[size_t(each.second)];
      if (!a.isOuter || !b.isOuter)
        continue;
      add({a.lower,
           b.upper,
           a.size,
           true,
           {{each.first, 0}, {each.second, 0}}});
      continue;
    }
    Box box{0, 0, 0, true, {}};
    for (size_t k = each.from; k < each.to; ++k) {
      const Box &part = boxes[size_t(byLife[k])];
      if (!part.isOuter)
        continue;
      box.lower = part.lower;
      box.upper = part.upper;
      box.parts.push_back({byLife[k], box.size});
      box.size += part.size;
    }
    if (box.parts.size() < 2)
      continue;
    add(std::move(box));
  }
}

void Boxes::build(double risk) {
  while (looked < kMostLooks) {
    index();
    looked += byLife.size();
    findEdges();
    if (wheel())
      continue;
    std::vector<Found> found;
    findStacks(found);
    findJoins(found);
    std::stable_sort(
        found.begin(), found.end(),
        [](const Found &a, const Found &b) { return a.chance < b.chance; });
    double level = kSure;
    while (!found.empty() && level < found.front().chance)
      level *= kBolder;
    if (found.empty() || level > risk)
      return;
    apply(found, level);
  }
}

std::vector<Allocation> Boxes::outer() const {
  std::vector<Allocation> list;
  for (size_t b = 0; b < boxes.size(); ++b)
    if (const Box &box = boxes[b]; box.isOuter && !isAGap(b))
      list.push_back({box.lower, box.upper, box.size * alignment});
  return list;
}

std::vector<int64_t> Boxes::offsets(const std::vector<int64_t> &outer) const {
  std::vector<int64_t> all(boxes.size(), 0);
  size_t next = 0;
  for (size_t b = 0; b < boxes.size(); ++b)
    if (boxes[b].isOuter && !isAGap(b))
      all[b] = outer[next++];
  // What is in a box was there before it.
  for (size_t b = boxes.size(); b-- > given;)
    for (const auto &[part, offset] : boxes[b].parts)
      all[size_t(part)] = all[b] + offset * alignment;
  all.resize(given);
  return all;
}
