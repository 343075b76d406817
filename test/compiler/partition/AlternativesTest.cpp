#include "compiler/partition/Alternatives.h"
#include "dialects/support/Shares.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <set>

using namespace smex;
using namespace smex::partition;

namespace {

machines::Device device(double flops, double bandwidth, int64_t memory) {
  machines::Device made;
  made.flops[DType::F32] = flops;
  made.memoryBandwidth = bandwidth;
  made.memoryBytes = memory;
  return made;
}

Site site(int64_t workers, std::vector<machines::Level> levels) {
  return {std::vector<machines::Device>(size_t(workers), device(1e12, 1e11, 1)),
          std::move(levels)};
}

const Search *find(const std::vector<Search> &list, const std::string &text) {
  for (const Search &search : list)
    if (toString(search) == text)
      return &search;
  return nullptr;
}

} // namespace

TEST_CASE("other searches differ from the first, and from each other") {
  CHECK(alternatives(1).empty());
  for (int64_t workers : {2, 7, 8, 12, 1024}) {
    std::vector<std::string> names = {toString(Search())};
    for (const Search &search : alternatives(workers)) {
      CHECK((search.ways.empty() || workersOf(search.ways) == workers));
      names.push_back(toString(search));
    }
    std::sort(names.begin(), names.end());
    CHECK(std::unique(names.begin(), names.end()) == names.end());
  }
}

TEST_CASE("one kind of link and of device: first what no machine would be") {
  const std::vector<Search> list = searchesFor(site(8, {{8, 1e9}}));
  CHECK(toString(list[0]) == "recursive");
  CHECK(toString(list[1]) == "recursive, as without a machine");
  for (const Search &search : list) {
    CHECK(search.linkCosts.empty());
    CHECK(search.weights.empty());
  }
  CHECK(find(list, "tofu"));
  CHECK(searchesFor(site(1, {})).size() == 1);
}

TEST_CASE("steps part the slowest links first, and know how slow they are") {
  // Three hosts of four, in racks of one: 12 = 3 * 4.
  const std::vector<Search> list =
      searchesFor(site(12, {{4, 40e9}, {12, 3e9}}));
  CHECK(toString(list[0]) == "recursive, steps of 3 x 2 x 2, by links");
  CHECK(list[0].linkCosts == std::vector<int64_t>{13, 1, 1});
  CHECK(list[1].withoutMachine);
  const Search *other = find(list, "recursive, steps of 3 x 4, by links");
  REQUIRE(other);
  CHECK(other->linkCosts == std::vector<int64_t>{13, 1});
  CHECK(find(list, "recursive, steps of 3 x 4, by links, all cut"));
  // Sockets, hosts, racks.
  const Search first =
      searchesFor(site(12, {{2, 100}, {4, 50}, {12, 10}})).front();
  CHECK(first.ways == std::vector<int64_t>{3, 2, 2});
  CHECK(first.linkCosts == std::vector<int64_t>{10, 2, 1});
}

TEST_CASE("a graph's sides: the first search along them is among the first") {
  for (const Site &each : {site(8, {{8, 1e9}}), site(12, {{4, 9}, {12, 1}})}) {
    const std::vector<Search> list = searchesFor(each, /*hasSides=*/true);
    const std::string along = toString(list[0]) + ", along vertices";
    const auto last = list.begin() + searchesOfSides;
    CHECK(std::any_of(list.begin(), last, [&](const Search &search) {
      return search.alongSides && toString(search) == along;
    }));
    CHECK(find(list, toString(list[0]) + ", by bytes alone"));
    CHECK(list.size() == searchesFor(each).size() + 3);
    CHECK_FALSE(find(searchesFor(each), along));
  }
  CHECK(searchesFor(site(1, {}), /*hasSides=*/true).size() == 1);
}

TEST_CASE("unlike devices: parts by what they differ in") {
  Site mixed = site(4, {{4, 1e9}});
  mixed.devices[1] = mixed.devices[3] = device(2.5e11, 1e11, 3);
  const std::vector<Search> list = searchesFor(mixed);
  CHECK(toString(list[0]) == "recursive, steps of 2 x 2, parts by flops");
  // Each half has a fast and a slow one.
  CHECK(list[0].weights == std::vector<std::vector<int64_t>>{{1, 1}, {4, 1}});
  const Search *memory =
      find(list, "recursive, steps of 2 x 2, parts by memory");
  REQUIRE(memory);
  CHECK(memory->weights[1] == std::vector<int64_t>{21, 64});
  // They do not differ in bandwidth: even parts.
  CHECK(find(list, "recursive"));
  CHECK_FALSE(find(list, "recursive, steps of 2 x 2, parts by memory "
                         "bandwidth"));
  // A fast half and a slow one.
  std::swap(mixed.devices[1], mixed.devices[2]);
  mixed.devices[1] = mixed.devices[0];
  mixed.devices[2] = mixed.devices[3];
  CHECK(searchesFor(mixed)[0].weights ==
        std::vector<std::vector<int64_t>>{{4, 1}, {1, 1}});
}

TEST_CASE("searches for a machine: each once, and for all its GPUs") {
  for (const Site &each :
       {site(2, {{2, 1}}), site(16, {{4, 9}, {16, 1}}),
        site(1024, {{8, 9}, {64, 3}, {1024, 1}}), site(7, {{7, 1}})}) {
    const std::vector<Search> list = searchesFor(each);
    std::set<std::string> names;
    for (const Search &search : list) {
      CHECK(names.insert(toString(search)).second);
      CHECK((search.ways.empty() ||
             workersOf(search.ways) == int64_t(each.devices.size())));
      CHECK((search.linkCosts.empty() ||
             search.linkCosts.size() == search.ways.size()));
    }
  }
}
