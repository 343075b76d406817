// layer_blocks GRAPH LIMITS SEED STEP NODES [importance|walk]: the blocks that
// smex-run --sample-layers LIMITS --seed SEED draws in a step (from 0) for some
// nodes (i64 in a .npy file), in whatever order they are: for each edge of each
// layer a line, "layer source destination edge value weight", nodes and edges
// by their numbers in the graph's file. With `walk`, the edges of smex-run
// --walk LIMITS, as those of layer 1; the order of nodes counts. What a layer
// is computed of is then anybody's to work out (sample_layers.py).
#include "dialects/support/Random.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Relation.h"
#include "runtime/graph/Sample.h"
#include "runtime/graph/Walk.h"
#include "runtime/io/ReadTensor.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace smex;

static int complain(const Error &error) {
  std::fprintf(stderr, "layer_blocks: %s\n", error.message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 6)
    return complain(fail("GRAPH LIMITS SEED STEP NODES [importance|walk]"));
  const auto relation = graph::readRelation(argv[1], {true, false, 0, true});
  if (!relation)
    return complain(relation.error());
  graph::Numbers limits;
  std::stringstream numbers(argv[2]);
  for (std::string number; std::getline(numbers, number, ',');)
    limits.push_back(std::atoll(number.c_str()));
  const auto tensor = io::readTensor(argv[5]);
  if (!tensor)
    return complain(tensor.error());
  const int64_t *first = tensor->data<int64_t>();
  const graph::Numbers nodes(first, first + tensor->type.shape[0]);
  const uint64_t seed = Random(std::strtoull(argv[3], nullptr, 10), "samples")
                            .bits(std::strtoull(argv[4], nullptr, 10));
  const graph::Graph &graph = relation->graph;
  const auto print = [&](size_t layer, int64_t edge, double weight) {
    std::printf("%zu %lld %lld %lld %.9g %.9g\n", layer,
                (long long)graph.source(edge),
                (long long)graph.destination(edge), (long long)edge,
                double(relation->values[size_t(edge)]), weight);
  };
  const std::string how = argc > 6 ? argv[6] : "";
  if (how == "walk") {
    const graph::Graph backwards = graph::reversed(graph);
    const auto walks = graph::randomWalks(backwards, graph::bySource(backwards),
                                          nodes, limits[0], seed);
    if (!walks)
      return complain(walks.error());
    for (int64_t edge : graph::walkedGraph(backwards, *walks).oldEdges)
      print(1, edge, 1);
    return 0;
  }
  const graph::Rows in = graph::byDestination(graph);
  const auto blocks =
      how == "importance"
          ? graph::sampleLayers(graph, in,
                                graph::Importance(graph, relation->values),
                                nodes, limits, seed)
          : graph::sampleNeighbours(graph, in, nodes, limits, seed);
  if (!blocks)
    return complain(blocks.error());
  for (size_t layer = 0; layer < blocks->size(); ++layer) {
    const graph::Block &block = (*blocks)[layer];
    for (size_t e = 0; e < block.weights.size(); ++e)
      print(layer + 1, block.part.oldEdges[e], double(block.weights[e]));
  }
  return 0;
}
