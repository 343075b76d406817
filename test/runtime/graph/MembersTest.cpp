#include "runtime/graph/Members.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

namespace {
Numbers numbersOf(const Result<Tensor> &members) {
  REQUIRE(members);
  const int64_t *first = members->data<int64_t>();
  return {first, first + members->type.shape[0]};
}
} // namespace

TEST_CASE("nodes are of their graphs, spare ones of none of the batch's") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Die die{std::mt19937(seed)};
    const Numbers sizes = die.numbers(die.below(6), 5);
    Numbers expected;
    for (size_t g = 0; g < sizes.size(); ++g)
      for (int64_t i = 0; i < sizes[g]; ++i)
        expected.push_back(int64_t(g));
    const int64_t spareNodes = die.below(8), spareGraphs = die.below(4);
    const int64_t graphs = int64_t(sizes.size());
    const int64_t nodes = int64_t(expected.size());
    const Numbers members = numbersOf(membersWithin(
        sizes, {nodes + spareNodes, graphs + spareGraphs, spareGraphs == 0}));
    REQUIRE(members.size() == size_t(nodes + spareNodes));
    CHECK(std::equal(expected.begin(), expected.end(), members.begin()));
    for (size_t v = size_t(nodes); v < members.size(); ++v)
      if (spareGraphs == 0)
        CHECK(members[v] == -1);
      else
        CHECK((members[v] >= graphs && members[v] < graphs + spareGraphs));
    // Evenly.
    for (int64_t g = graphs; g < graphs + spareGraphs; ++g) {
      const int64_t has = std::count(members.begin(), members.end(), g);
      CHECK((has == spareNodes / spareGraphs ||
             has == (spareNodes + spareGraphs - 1) / spareGraphs));
    }
  }
}

TEST_CASE("batches that a plan has no room for") {
  CHECK(wrong(membersWithin({1, 2}, {3, 1, true})) ==
        "has 2 graphs, and the plan has room for 1: compile it with --dim "
        "graphs=2 or more");
  CHECK(wrong(membersWithin({1, 2}, {2, 2, true})) ==
        "has 3 nodes, and the plan has room for 2: compile it with --dim "
        "nodes=3 or more");
  CHECK(wrong(membersWithin({1, 2}, {5, 2, false})) ==
        "has all of the plan's 2 graphs, and 2 nodes fewer than the plan, "
        "which could only be of a graph more: compile it with --dim graphs=3");
  CHECK(wrong(membersWithin({1, 2}, {5, 3, false})) == "no error");
  CHECK(wrong(membersWithin({1, 2}, {3, 2, false})) == "no error");
}
