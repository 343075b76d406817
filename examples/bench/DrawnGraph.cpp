#include "examples/bench/DrawnGraph.h"

#include "dialects/support/File.h"
#include "dialects/support/Random.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Npz.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace smex;
using namespace smex::bench;

namespace {

struct Edge {
  int64_t from, to;
};

/// Counts the edges of each row, then draws each again to put it there.
template <typename Draw>
DrawnGraph inRows(int64_t nodes, int64_t edges, const Draw &draw) {
  DrawnGraph graph;
  graph.starts.resize(size_t(nodes) + 1);
  for (int64_t e = 0; e < edges; ++e)
    ++graph.starts[size_t(draw(e).from) + 1];
  std::partial_sum(graph.starts.begin(), graph.starts.end(),
                   graph.starts.begin());
  graph.ends.resize(size_t(edges));
  std::vector<int64_t> at(graph.starts.begin(), graph.starts.end() - 1);
  for (int64_t e = 0; e < edges; ++e) {
    const Edge edge = draw(e);
    graph.ends[size_t(at[size_t(edge.from)]++)] = int32_t(edge.to);
  }
  for (int64_t v = 0; v < nodes; ++v)
    std::sort(graph.ends.begin() + graph.starts[size_t(v)],
              graph.ends.begin() + graph.starts[size_t(v) + 1]);
  return graph;
}

/// A random order of the numbers below n.
std::vector<int32_t> permutation(int64_t n, const Random &random) {
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(order[size_t(i)],
              order[size_t(random.below(i + 1, uint64_t(i)))]);
  return order;
}

/// One try: a quadrant per bit of a node's number, 16 random bits for each.
Edge rmatEdge(int levels, double skew, const Random &random) {
  const uint64_t a = uint64_t(0.75 * skew * 65536), b = a / 3, c = b;
  Edge edge = {0, 0};
  uint64_t bits = 0;
  for (int level = 0; level < levels; ++level, bits >>= 16) {
    if (level % 4 == 0)
      bits = random.bits(uint64_t(level) / 4);
    const uint64_t at = bits & 65535;
    edge.from = 2 * edge.from + (at >= a + b);
    edge.to = 2 * edge.to + ((at >= a && at < a + b) || at >= a + b + c);
  }
  return edge;
}

} // namespace

DrawnGraph bench::drawUniform(int64_t nodes, int64_t edges, uint64_t seed) {
  const Random random(seed, "uniform");
  return inRows(nodes, edges, [&](int64_t e) {
    return Edge{random.below(nodes, 2 * uint64_t(e)),
                random.below(nodes, 2 * uint64_t(e) + 1)};
  });
}

DrawnGraph bench::drawRmat(int64_t nodes, int64_t edges, double skew,
                           uint64_t seed, bool inCommunities) {
  const Random random(seed, "rmat");
  std::vector<int32_t> names(static_cast<size_t>(nodes));
  std::iota(names.begin(), names.end(), 0);
  if (!inCommunities)
    names = permutation(nodes, Random(seed, "names"));
  int levels = 0;
  while (int64_t(1) << levels < nodes)
    ++levels;
  return inRows(nodes, edges, [&](int64_t e) {
    const Random mine = random.of(uint64_t(e));
    Edge edge = {nodes, nodes};
    for (uint64_t tries = 0; edge.from >= nodes || edge.to >= nodes; ++tries)
      edge = rmatEdge(levels, skew, mine.of(tries));
    return Edge{names[size_t(edge.from)], names[size_t(edge.to)]};
  });
}

DrawnGraph bench::inOrderOfDegree(const DrawnGraph &graph) {
  std::vector<int64_t> degrees(size_t(graph.nodes()), 0);
  for (int32_t end : graph.ends)
    ++degrees[size_t(end)];
  std::vector<int32_t> order(degrees.size()), names(degrees.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return degrees[size_t(a)] > degrees[size_t(b)];
  });
  DrawnGraph result;
  result.starts.push_back(0);
  result.ends.reserve(graph.ends.size());
  for (size_t i = 0; i < order.size(); ++i)
    names[size_t(order[i])] = int32_t(i);
  for (int32_t v : order) {
    for (int64_t e = graph.starts[size_t(v)]; e < graph.starts[size_t(v) + 1];
         ++e)
      result.ends.push_back(names[size_t(graph.ends[size_t(e)])]);
    std::sort(result.ends.begin() + result.starts.back(), result.ends.end());
    result.starts.push_back(int64_t(result.ends.size()));
  }
  return result;
}

DrawnGraph bench::drawTrees(int64_t first, int64_t trees, int64_t words,
                            uint64_t seed) {
  const Random random(seed, "trees");
  DrawnGraph graph;
  graph.starts.push_back(0);
  struct Phrase {
    int64_t parent, words;
  };
  std::vector<Phrase> open;
  int64_t node = 0;
  for (int64_t tree = first; tree < first + trees; ++tree) {
    const Random mine = random.of(uint64_t(tree));
    open.push_back({-1, 4 + mine.below(2 * words - 7, 0)});
    for (uint64_t cut = 1; !open.empty(); ++node) {
      const Phrase phrase = open.back();
      open.pop_back();
      if (phrase.parent >= 0)
        graph.ends.push_back(int32_t(phrase.parent));
      graph.starts.push_back(int64_t(graph.ends.size()));
      if (phrase.words == 1)
        continue;
      const int64_t left = 1 + mine.below(phrase.words - 1, cut++);
      open.push_back({node, phrase.words - left});
      open.push_back({node, left});
    }
  }
  return graph;
}

/// The .npy file of a vector.
template <typename T>
static std::string npyOf(DType dtype, const std::vector<T> &values) {
  Tensor tensor = makeTensor({dtype, {int64_t(values.size())}});
  std::memcpy(tensor.bytes.data(), values.data(), values.size() * sizeof(T));
  return io::formatNpy(tensor);
}

Status bench::writeGraph(const std::string &path, const DrawnGraph &graph) {
  const std::vector<int64_t> shape(2, graph.nodes());
  const std::vector<int8_t> ones(graph.ends.size(), 1);
  return writeFile(path,
                   io::formatNpz({{"indices", npyOf(DType::I32, graph.ends)},
                                  {"indptr", npyOf(DType::I64, graph.starts)},
                                  {"format", io::formatNpyText("csr")},
                                  {"shape", npyOf(DType::I64, shape)},
                                  {"data", npyOf(DType::I8, ones)}}));
}
