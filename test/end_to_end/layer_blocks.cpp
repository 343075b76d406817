// layer_blocks GRAPH LIMITS SEED STEP NODES [importance]: the blocks that
// smex-run --sample-layers LIMITS --seed SEED draws in a step (from 0) for some
// nodes (i64 in a .npy file), in whatever order they are: for each edge of each
// layer a line, "layer source destination edge value weight", nodes and edges
// by their numbers in the graph's file. What a layer is computed of is then
// anybody's to work out (sample_layers.py).
#include "dialects/support/Random.h"
#include "runtime/graph/Relation.h"
#include "runtime/graph/Sample.h"
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
    return complain(fail("GRAPH LIMITS SEED STEP NODES [importance]"));
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
  const graph::Rows in = graph::byDestination(graph);
  const auto blocks =
      argc > 6 ? graph::sampleLayers(graph, in,
                                     graph::Importance(graph, relation->values),
                                     nodes, limits, seed)
               : graph::sampleNeighbours(graph, in, nodes, limits, seed);
  if (!blocks)
    return complain(blocks.error());
  for (size_t layer = 0; layer < blocks->size(); ++layer) {
    const graph::Block &block = (*blocks)[layer];
    for (size_t e = 0; e < block.weights.size(); ++e) {
      const int64_t edge = block.part.oldEdges[e];
      std::printf("%zu %lld %lld %lld %.9g %.9g\n", layer + 1,
                  (long long)graph.source(edge),
                  (long long)graph.destination(edge), (long long)edge,
                  double(relation->values[size_t(edge)]),
                  double(block.weights[e]));
    }
  }
  return 0;
}
