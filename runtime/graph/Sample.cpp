#include "runtime/graph/Sample.h"

#include "runtime/graph/Choice.h"
#include "runtime/graph/SampleArguments.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

namespace {

/// One block's edges, while it is made.
class BlockMaker {
public:
  BlockMaker(const Graph &graph, const Numbers &destinations) : graph(graph) {
    for (int64_t node : destinations)
      numbering.of(node);
    block.destinations = int64_t(destinations.size());
  }

  /// To destination number `destination` of the block.
  void add(int64_t edge, int64_t destination, float weight) {
    sources.push_back(numbering.of(graph.source(edge)));
    destinations.push_back(destination);
    block.part.oldEdges.push_back(edge);
    block.weights.push_back(weight);
  }

  Block take() {
    block.part.oldNodes = numbering.old();
    block.part.graph =
        Graph::sound(int64_t(block.part.oldNodes.size()), std::move(sources),
                     std::move(destinations));
    return std::move(block);
  }

private:
  const Graph &graph;
  Numbering numbering;
  Numbers sources, destinations;
  Block block;
};

/// From the last layer to the first: `sample(layer, nodes)` makes the block
/// that serves these nodes; all of its nodes are served by the one before.
template <typename Sample>
Result<std::vector<Block>> sampleBlocks(const Graph &graph, Numbers nodes,
                                        const Numbers &limits, int64_t least,
                                        const char *what, Sample sample) {
  if (Status ok = checkNodes(nodes, graph.nodes(), "the graph has"); !ok)
    return ok.takeError();
  if (Status ok = checkLimits(limits, least, what); !ok)
    return ok.takeError();
  std::vector<Block> blocks;
  for (size_t layer = limits.size(); layer-- > 0;) {
    blocks.push_back(sample(layer, nodes));
    nodes = blocks.back().part.oldNodes;
  }
  std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

} // namespace

Result<std::vector<Block>> graph::sampleNeighbours(const Graph &graph,
                                                   const Rows &in,
                                                   const Numbers &nodes,
                                                   const Numbers &fanouts,
                                                   uint64_t seed) {
  const Random random(seed, "neighbours");
  Choice choice;
  const auto sample = [&](size_t layer, const Numbers &served) {
    BlockMaker maker(graph, served);
    for (size_t i = 0; i < served.size(); ++i) {
      const int64_t node = served[i], all = in.length(node);
      const int64_t few = fanouts[layer] < 0 ? all : fanouts[layer];
      if (few >= all) {
        for (const int64_t *e = in.begin(node); e != in.end(node); ++e)
          maker.add(*e, int64_t(i), 1);
        continue;
      }
      for (int64_t number :
           choice.draw(few, all, random.of(layer).of(uint64_t(node))))
        maker.add(in.begin(node)[number], int64_t(i),
                  float(double(all) / double(few)));
    }
    return maker.take();
  };
  return sampleBlocks(graph, nodes, fanouts, -1, "fan-out", sample);
}

Importance::Importance(const Graph &graph, const std::vector<float> &values)
    : graph(graph), ofNode(size_t(graph.nodes())) {
  for (int64_t e = 0; e < graph.edges(); ++e) {
    const double value = values.empty() ? 1 : double(values[size_t(e)]);
    total += value * value;
    ofNode[size_t(graph.source(e))] += value * value;
    if (!values.empty())
      upTo.push_back(total);
  }
}

int64_t Importance::draw(const Random &random, uint64_t element) const {
  if (!(total > 0))
    return -1;
  if (upTo.empty())
    return graph.source(random.below(graph.edges(), element));
  constexpr int64_t steps = int64_t(1) << 53;
  const double at =
      double(random.below(steps, element)) / double(steps) * total;
  // The first one beyond, which has a share; rounding may leave none.
  const auto found = std::upper_bound(upTo.begin(), upTo.end(), at);
  const auto last = std::lower_bound(upTo.begin(), upTo.end(), total);
  return graph.source(std::min(found, last) - upTo.begin());
}

Result<std::vector<Block>>
graph::sampleLayers(const Graph &graph, const Rows &in,
                    const Importance &importance, const Numbers &nodes,
                    const Numbers &draws, uint64_t seed) {
  const Random random(seed, "layers");
  const auto sample = [&](size_t layer, const Numbers &served) {
    std::unordered_map<int64_t, int64_t> drawn; // node: how often
    for (int64_t i = 0; i < draws[layer]; ++i)
      ++drawn[importance.draw(random.of(layer), uint64_t(i))];
    BlockMaker maker(graph, served);
    for (size_t i = 0; i < served.size(); ++i)
      for (const int64_t *e = in.begin(served[i]); e != in.end(served[i]);
           ++e) {
        const int64_t source = graph.source(*e);
        if (const auto found = drawn.find(source); found != drawn.end())
          maker.add(*e, int64_t(i),
                    float(double(found->second) /
                          (double(draws[layer]) * importance.of(source))));
      }
    return maker.take();
  };
  return sampleBlocks(graph, nodes, draws, 0, "draws of a layer", sample);
}
