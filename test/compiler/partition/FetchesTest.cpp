#include "compiler/partition/Fetches.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace smex;
using namespace smex::partition;

namespace {

using Element = std::pair<int64_t, int64_t>; // of a matrix
using Elements = std::set<Element>;

Elements listOf(const Needed &needed) {
  Elements elements;
  for (Interval run : rowsOf(needed))
    for (int64_t row = run.lo; row < run.hi; ++row)
      for (int64_t column = needed.box[1].lo; column < needed.box[1].hi;
           ++column)
        elements.insert({row, column});
  return elements;
}

Elements without(const Elements &elements, const Box &owned) {
  Elements rest;
  for (auto [row, column] : elements)
    if (!contains(owned, Box{{row, row + 1}, {column, column + 1}}))
      rest.insert({row, column});
  return rest;
}

/// What readers of a matrix need, and workers own.
struct Problem {
  std::vector<std::unique_ptr<Runs>> lists;
  std::vector<Region> regions;
  std::vector<Box> owned;

  Problem(std::mt19937_64 &engine, bool columnsDiffer, int lists) {
    const auto below = [&](int64_t n) {
      return int64_t(engine() % uint64_t(n));
    };
    const int64_t rows = 1 + below(9), columns = 1 + below(3);
    const auto part = [&](int64_t extent) {
      const int64_t lo = below(extent + 1);
      return Interval{lo, lo + below(extent + 1 - lo) + (lo < extent)};
    };
    const int64_t workers = 1 + below(3), readers = below(6);
    for (int64_t w = 0; w < workers; ++w)
      owned.push_back(Box{part(rows), {0, columns}});
    for (int64_t r = 0; r < readers; ++r) {
      regions.emplace_back();
      for (int64_t w = 0; w < workers; ++w) {
        Needed needed;
        needed.box = {{0, rows}, {0, columns}};
        if (below(8) == 0)
          needed.box = Box::absent(2);
        else if (below(3) == 0)
          needed.box[0] = part(rows);
        if (columnsDiffer && !needed.box.isAbsent() && below(3) == 0)
          needed.box[1] = part(columns);
        if (below(100) < lists) {
          std::vector<int64_t> list(size_t(below(5)));
          for (int64_t &row : list)
            row = below(rows);
          this->lists.push_back(std::make_unique<Runs>(runsOf(list)));
          needed.rows = this->lists.back().get();
        }
        regions.back().push_back(needed);
      }
    }
  }
};

std::multiset<std::vector<int64_t>>
wordsOf(const std::vector<JoinedFetch> &fetches) {
  std::multiset<std::vector<int64_t>> words;
  for (const JoinedFetch &fetch : fetches)
    words.insert(partition::wordsOf(fetch.region));
  return words;
}

bool haveSameColumns(const Region &a, const Region &b) {
  for (size_t w = 0; w < a.size(); ++w)
    if (!isEmpty(a[w].box) && !isEmpty(b[w].box) && a[w].box[1] != b[w].box[1])
      return false;
  return true;
}

/// Whether what two regions of boxes need is a box on each worker, by counting.
bool isBoxOfBoth(const Region &one, const Region &other) {
  for (size_t w = 0; w < one.size(); ++w) {
    Elements both = listOf(one[w]);
    const Elements more = listOf(other[w]);
    if (both.empty() || more.empty())
      continue;
    both.insert(more.begin(), more.end());
    if (int64_t(both.size()) != volume(hull(one[w].box, other[w].box)))
      return false;
  }
  return true;
}

} // namespace

TEST_CASE("rows that two readers need are fetched once") {
  const Runs few = {{1, 3}, {5, 6}}, others = {{2, 4}}, far = {{7, 8}};
  const Box box = {{0, 8}, {0, 4}}, half = {{0, 8}, {0, 2}};
  const std::vector<Box> owned = {{{0, 0}, {0, 4}}};
  const auto fetched = [&](const std::vector<Region> &regions) {
    return fetchesOf(regions, owned);
  };
  auto fetches = fetched({{{box, &few}}, {{box, &others}}});
  REQUIRE(fetches.size() == 1);
  CHECK(rowsOf(fetches[0].region[0]) == Runs{{1, 4}, {5, 6}});
  CHECK(fetches[0].of == std::vector<size_t>{0, 1});
  // A plain box has rows, too; the buffer then has room for both.
  const Box plain = {{3, 5}, {0, 4}};
  fetches = fetched({{{Box{{0, 4}, {0, 4}}, &few}}, {{plain}}});
  CHECK(fetches.size() == 2); // no row is in both
  fetches = fetched({{{Box{{0, 4}, {0, 4}}, &others}}, {{plain}}});
  REQUIRE(fetches.size() == 1);
  CHECK(fetches[0].region[0].box == Box{{0, 5}, {0, 4}});
  CHECK(rowsOf(fetches[0].region[0]) == Runs{{2, 5}});
  // They share no row, or no fetch: boxes differ in columns.
  CHECK(fetched({{{box, &few}}, {{box, &far}}}).size() == 2);
  CHECK(fetched({{{box, &few}}, {{half, &others}}}).size() == 2);
  // What all of them share is there already.
  const std::vector<Box> second = {{{2, 3}, {0, 4}}};
  CHECK(fetchesOf({{{box, &few}}, {{box, &others}}}, second).size() == 2);
  CHECK(fetchesOf({{{plain}}}, {box}).empty());
}

TEST_CASE("rows that link two others join all three") {
  const Runs first = {{0, 2}}, link = {{1, 5}}, last = {{4, 6}};
  const Box box = {{0, 8}, {0, 1}};
  const auto fetches = fetchesOf(
      {{{box, &first}}, {{box, &last}}, {{box, &link}}}, {{{7, 8}, {0, 1}}});
  REQUIRE(fetches.size() == 1);
  CHECK(rowsOf(fetches[0].region[0]) == Runs{{0, 6}});
}

TEST_CASE("where boxes differ in rows alone, each element is fetched once") {
  std::mt19937_64 engine(1);
  int joined = 0;
  for (int round = 0; round < 2000; ++round) {
    const Problem problem(engine, false, 100);
    const auto fetches = fetchesOf(problem.regions, problem.owned);
    for (size_t w = 0; w < problem.owned.size(); ++w) {
      Elements all;
      int64_t moved = 0, alone = 0;
      for (const Region &region : problem.regions) {
        const Elements missing = without(listOf(region[w]), problem.owned[w]);
        all.insert(missing.begin(), missing.end());
        alone += int64_t(missing.size());
      }
      for (const JoinedFetch &fetch : fetches)
        moved += missing(fetch.region[w], problem.owned[w]);
      REQUIRE(moved == int64_t(all.size()));
      joined += moved < alone;
    }
  }
  CHECK(joined > 500);
}

TEST_CASE("fetches serve all readers, and fetch nothing that none reads") {
  std::mt19937_64 engine(2);
  int unions = 0;
  for (int round = 0; round < 3000; ++round) {
    const Problem problem(engine, true, round % 100);
    const auto &regions = problem.regions;
    const auto fetches = fetchesOf(regions, problem.owned);
    for (const Region &region : regions) {
      bool isServed = true, isNothing = true;
      for (size_t w = 0; w < region.size(); ++w) {
        isServed &= contains(problem.owned[w], region[w].box);
        isNothing &= listOf(region[w]).empty();
      }
      for (const JoinedFetch &fetch : fetches)
        isServed |= containsAll(fetch.region, region);
      REQUIRE((isServed || isNothing));
    }
    for (size_t f = 0; f < fetches.size(); ++f) {
      REQUIRE(!fetches[f].of.empty());
      unions += fetches[f].of.size() > 1;
      for (size_t w = 0; w < problem.owned.size(); ++w) {
        Elements read;
        for (size_t reader : fetches[f].of) {
          const Elements needed = listOf(regions[reader][w]);
          read.insert(needed.begin(), needed.end());
        }
        REQUIRE(listOf(fetches[f].region[w]) == read);
      }
      for (size_t g = f + 1; g < fetches.size(); ++g) {
        const Region &one = fetches[f].region, &other = fetches[g].region;
        if (!(hasRows(one) || hasRows(other)) || !haveSameColumns(one, other))
          continue;
        for (size_t w = 0; w < problem.owned.size(); ++w) {
          const Elements first = without(listOf(one[w]), problem.owned[w]);
          for (const Element &element : listOf(other[w]))
            REQUIRE(first.count(element) == 0);
        }
      }
    }
    // In whatever order readers come.
    std::vector<Region> shuffled = regions;
    std::shuffle(shuffled.begin(), shuffled.end(), engine);
    REQUIRE(wordsOf(fetchesOf(shuffled, problem.owned)) == wordsOf(fetches));
  }
  CHECK(unions > 300);
}

TEST_CASE("plain boxes that overlap and make one box are fetched as one") {
  const std::vector<Box> owned = {{{0, 0}, {0, 4}}, {{0, 0}, {0, 4}}};
  const auto fetched = [&](const std::vector<Region> &regions) {
    return fetchesOf(regions, owned);
  };
  const Box low = {{3, 5}, {0, 4}}, high = {{4, 8}, {0, 4}},
            next = {{5, 8}, {0, 4}}, wide = {{0, 8}, {0, 2}},
            column = {{0, 8}, {3, 4}}, nothing = Box::absent(2);
  auto fetches = fetched({{{low}, {nothing}}, {{high}, {high}}});
  REQUIRE(fetches.size() == 1);
  CHECK(fetches[0].of == std::vector<size_t>{0, 1});
  CHECK(fetches[0].region[0].box == Box{{3, 8}, {0, 4}});
  CHECK(fetches[0].region[1].box == high);
  CHECK(!hasRows(fetches[0].region));
  // In columns, too, and where one worker's boxes only touch.
  const Box right = {{0, 8}, {1, 4}};
  fetches = fetched({{{wide}, {low}}, {{right}, {next}}});
  REQUIRE(fetches.size() == 1);
  CHECK(fetches[0].region[0].box == Box{{0, 8}, {0, 4}});
  CHECK(fetches[0].region[1].box == Box{{3, 8}, {0, 4}});
  // What does not overlap, or makes no box, stays apart; also where that is so
  // on the other worker, or is owned.
  CHECK(fetched({{{low}, {low}}, {{next}, {next}}}).size() == 2);
  CHECK(fetched({{{wide}, {low}}, {{low}, {low}}}).size() == 2);
  CHECK(fetched({{{low}, {low}}, {{high}, {wide}}}).size() == 2);
  CHECK(fetchesOf({{{low}, {low}}, {{high}, {low}}},
                  {{{4, 5}, {0, 4}}, {{0, 8}, {0, 4}}})
            .size() == 2);
  // Two that would serve a third, with one of which it makes no box.
  const Box lower = {{0, 5}, {0, 4}}, upper = {{4, 8}, {0, 4}};
  CHECK(fetched({{{lower}, {lower}}, {{upper}, {upper}}}).size() == 1);
  CHECK(fetched({{{lower}, {lower}}, {{upper}, {upper}}, {{column}, {column}}})
            .size() == 3);
}

TEST_CASE("of plain boxes, any two that are fetched as one make one box") {
  std::mt19937_64 engine(3);
  int unions = 0;
  for (int round = 0; round < 3000; ++round) {
    const Problem problem(engine, true, 0);
    const auto fetches = fetchesOf(problem.regions, problem.owned);
    const std::vector<size_t> kept = outermost(problem.regions);
    for (const JoinedFetch &fetch : fetches) {
      unions += fetch.of.size() > 1;
      CHECK(!hasRows(fetch.region));
      for (size_t one : fetch.of)
        for (size_t other : fetch.of)
          REQUIRE(isBoxOfBoth(problem.regions[one], problem.regions[other]));
    }
    for (size_t place : kept)
      REQUIRE((missing(problem.regions[place], problem.owned) == 0 ||
               std::any_of(fetches.begin(), fetches.end(),
                           [&](const JoinedFetch &fetch) {
                             return containsAll(fetch.region,
                                                problem.regions[place]);
                           })));
    // Two readers move at least the union of what they need, if they can be
    // one, and else each its own: what bounds on plans count.
    int64_t moved = 0;
    for (const JoinedFetch &fetch : fetches)
      moved += missing(fetch.region, problem.owned);
    for (size_t a = 0; a < kept.size(); ++a)
      for (size_t b = a + 1; b < kept.size(); ++b) {
        const Region &one = problem.regions[kept[a]],
                     &other = problem.regions[kept[b]];
        int64_t least =
            missing(one, problem.owned) + missing(other, problem.owned);
        REQUIRE(areOneBox(one, other) == isBoxOfBoth(one, other));
        if (areOneBox(one, other))
          for (size_t w = 0; w < problem.owned.size(); ++w) {
            const Elements first = without(listOf(one[w]), problem.owned[w]);
            for (const Element &element : listOf(other[w]))
              least -= int64_t(first.count(element));
          }
        REQUIRE(moved >= least);
      }
  }
  CHECK(unions > 300);
}
