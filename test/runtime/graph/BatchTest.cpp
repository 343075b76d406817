#include "runtime/graph/Batch.h"
#include "test/runtime/graph/Graphs.h"

using namespace smex;
using namespace smex::graph;

TEST_CASE("a batch is its graphs side by side, and gives each back") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    Die die{std::mt19937(seed)};
    std::vector<Graph> graphs;
    for (int64_t count = die.below(6); count > 0; --count)
      graphs.push_back(randomGraph(die));
    const Batch batched = batch(graphs);
    REQUIRE(batched.graphs() == int64_t(graphs.size()));
    std::vector<std::pair<int64_t, int64_t>> expected;
    Numbers ownerOfNode, ownerOfEdge;
    int64_t nodes = 0;
    for (size_t g = 0; g < graphs.size(); ++g) {
      for (const auto &[from, to] : pairs(graphs[g])) {
        expected.emplace_back(nodes + from, nodes + to);
        ownerOfEdge.push_back(int64_t(g));
      }
      nodes += graphs[g].nodes();
      ownerOfNode.resize(size_t(nodes), int64_t(g));
      CHECK(member(batched, int64_t(g)) == graphs[g]);
    }
    CHECK(batched.graph.nodes() == nodes);
    CHECK(pairs(batched.graph) == expected);
    CHECK(ownersOf(batched.nodeOffsets) == ownerOfNode);
    CHECK(ownersOf(batched.edgeOffsets) == ownerOfEdge);
  }
}

TEST_CASE("a batch of no graphs is the empty graph") {
  CHECK(batch({}).graph == Graph());
  CHECK(batch({}).nodeOffsets == Numbers{0});
}
