// Dominance.h against its definition: all assignments to the neighbours.
#include "compiler/partition/Dominance.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

using namespace smex::partition::network;
using smex::partition::test::Random;

namespace {

/// A variable and its neighbours, each with a table between the two.
struct Star {
  int size;
  struct Neighbour {
    int size;
    Seen seen;
  };
  std::vector<Neighbour> neighbours;
  Tables tables;
  View view;

  explicit Star(Random &random) : size(int(random.between(1, 5))) {
    const int64_t count = random.between(1, 3);
    for (int64_t n = 0; n < count; ++n) {
      if (n > 0 && random.chance(30)) { // as the one before
        neighbours.push_back(neighbours.back());
      } else {
        const int other = int(random.between(1, 4));
        const bool isRow = random.chance(50);
        Table table{isRow ? size : other, isRow ? other : size, {}};
        for (int i = 0; i < size * other; ++i)
          table.costs.push_back({random.below(3), random.below(3)});
        neighbours.push_back({other, {tables.given(table, false), isRow}});
      }
      view.add(neighbours.back().seen);
    }
  }

  Cost cost(int value, const std::vector<int> &others) const {
    Cost sum;
    for (size_t n = 0; n < neighbours.size(); ++n) {
      const auto &[otherSize, seen] = neighbours[n];
      sum += tables.costs(seen.table)[seen.isRow ? value * otherSize + others[n]
                                                 : others[n] * size + value];
    }
    return sum;
  }

  /// Whether `holds` for all values of the neighbours but the n-th, which has
  /// `fixed` if that is not negative.
  template <typename Holds> bool always(int n, int fixed, Holds holds) const {
    std::vector<int> others(neighbours.size());
    if (fixed >= 0)
      others[n] = fixed;
    while (holds(others)) {
      size_t v = 0;
      for (; v < others.size(); ++v) {
        if (fixed >= 0 && int(v) == n)
          continue;
        if (++others[v] < neighbours[v].size)
          break;
        others[v] = 0;
      }
      if (v == others.size())
        return true;
    }
    return false;
  }

  /// Whatever the neighbours have, p costs less than b, or no more if it comes
  /// before it.
  bool replaces(int p, int b) const {
    return always(0, -1, [&](const std::vector<int> &others) {
      return p < b ? !(cost(b, others) < cost(p, others))
                   : cost(p, others) < cost(b, others);
    });
  }

  /// The values that are best given those of the n-th neighbour, or nothing.
  std::vector<int> bestGiven(int n) const {
    std::vector<int> best;
    for (int a = 0; a < neighbours[n].size; ++a) {
      int p = 0;
      const auto isBest = [&](const std::vector<int> &others) {
        for (int b = 0; b < size; ++b)
          if (cost(b, others) < cost(p, others))
            return false;
        return true;
      };
      while (p < size && !always(n, a, isBest))
        ++p;
      if (p == size)
        return {};
      best.push_back(p);
    }
    return best;
  }
};

} // namespace

TEST_CASE("values go that another one replaces, and no others") {
  int gone = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Star star(random);
    Dominance dominance(star.tables);
    const auto left = dominance.judge(star.size, star.view, -1).left;
    std::vector<int> expected;
    for (int b = 0; b < star.size; ++b) {
      bool replaced = false;
      for (int p = 0; p < star.size; ++p)
        replaced = replaced || (p != b && star.replaces(p, b));
      if (!replaced)
        expected.push_back(b);
    }
    CHECK(left == expected);
    gone += int(left.size()) < star.size;
  }
  CHECK(gone > 100);
}

TEST_CASE("a variable follows the first neighbour that decides it") {
  int followed = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Star star(random);
    Dominance dominance(star.tables);
    const Dominance::Verdict verdict =
        dominance.judge(star.size, star.view, -1);
    if (int(verdict.left.size()) < star.size || star.size == 1) {
      CHECK(verdict.follows == -1);
      continue;
    }
    const auto &groups = star.view.groups();
    for (int g = 0; g < int(groups.size()); ++g) {
      int n = 0;
      while (!(star.neighbours[n].seen == groups[g].seen()))
        ++n;
      const std::vector<int> best = star.bestGiven(n);
      if (verdict.follows < 0 || g < verdict.follows)
        CHECK(best.empty());
      else if (g == verdict.follows)
        CHECK(best == verdict.best);
    }
    followed += verdict.follows >= 0;
  }
  CHECK(followed > 20);
}

TEST_CASE("a variable does not follow its own costs") {
  Tables tables;
  const int own = tables.given({{0, 0}, {1, 0}});
  const int shared =
      tables.given(Table{2, 2, {{5, 0}, {0, 0}, {0, 0}, {5, 0}}}, false);
  View view;
  view.add({own, true});
  view.add({shared, true});
  Dominance dominance(tables);
  const Dominance::Verdict &verdict = dominance.judge(2, view, own);
  CHECK(verdict.left.size() == 2);
  REQUIRE(verdict.follows == 1);
  CHECK(verdict.best == std::vector<int>{1, 0});
}

TEST_CASE("a hub is judged by its changes as if it were new") {
  int gone = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const int size = int(random.between(2, 6));
    Tables tables;
    const auto draw = [&](int values) {
      Table table{values, 2, {}};
      for (int i = 0; i < 2 * values; ++i)
        // Mostly the later values cost more, so that some of them go.
        table.costs.push_back({random.below(8) + i / 4, random.below(3)});
      return Seen{tables.given(table, false), true};
    };
    Dominance dominance(tables);
    View view;
    std::vector<Seen> seen;
    const auto check = [&](int values) {
      // All differences, from scratch.
      std::vector<Cost> worst(size_t(values) * values);
      for (const Seen &each : seen)
        for (int p = 0; p < values; ++p)
          for (int b = 0; b < values; ++b) {
            const auto &costs = tables.costs(each.table);
            const Cost first = costs[2 * p] - costs[2 * b];
            const Cost second = costs[2 * p + 1] - costs[2 * b + 1];
            worst[size_t(p) * values + b] += std::max(first, second);
          }
      std::vector<int> left;
      for (int b = 0; b < values; ++b) {
        bool replaced = false;
        for (int p = 0; p < values; ++p) {
          const Cost more = worst[size_t(p) * values + b];
          replaced = replaced ||
                     (p != b && (more < Cost() || (more == Cost() && p < b)));
        }
        if (!replaced)
          left.push_back(b);
      }
      CHECK(dominance.judge(values, view, -1).left == left);
      gone += int(left.size()) < values;
    };
    const auto add = [&](int values) {
      seen.push_back(draw(values));
      view.add(seen.back());
      if (random.chance(20)) { // twice
        seen.push_back(seen.back());
        view.add(seen.back());
      }
    };
    const auto remove = [&] {
      const size_t at = size_t(random.below(int64_t(seen.size())));
      view.remove(seen[at]);
      seen.erase(seen.begin() + at);
    };
    while (view.groups().size() < 80)
      add(size);
    // Few changes between verdicts, then more than there are groups.
    for (int changes : {0, 1, 2, 5, 10, 200, 3}) {
      for (int i = 0; i < changes; ++i)
        if (seen.size() > 90 || (seen.size() > 70 && random.chance(50)))
          remove();
        else
          add(size);
      check(size);
    }
    // One value fewer: all tables are other ones.
    while (!seen.empty())
      remove();
    CHECK(view.groups().empty());
    while (view.groups().size() < 80)
      add(size - 1);
    check(size - 1);
  }
  CHECK(gone > 40);
}
