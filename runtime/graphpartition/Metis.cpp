// METIS, loaded when it is asked for (Debian: libmetis5, whose numbers have 32
// bits).
#include "dialects/support/Random.h"
#include "runtime/graphpartition/Partitioner.h"
#include "runtime/library/SharedLibrary.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::graphpartition;

namespace {

struct MetisLibrary {
  runtime::SharedLibrary library;
  int (*partition)(int32_t *vertices, int32_t *constraints, int32_t *starts,
                   int32_t *ends, int32_t *vertexWeights, int32_t *vertexSizes,
                   int32_t *edgeWeights, int32_t *parts, float *targets,
                   float *imbalances, int32_t *options, int32_t *cut,
                   int32_t *part) = nullptr;
  int (*defaults)(int32_t *options) = nullptr;
};
constexpr int metisOk = 1, optionCount = 40, seedOption = 8;

Result<const MetisLibrary *> metisLibrary() {
  return runtime::loadOnce<MetisLibrary>([](MetisLibrary &metis) -> Status {
    auto opened = runtime::SharedLibrary::open("libmetis.so.5");
    if (!opened)
      return runtime::libraryError("METIS is not installed (Debian: "
                                   "libmetis5): " +
                                   opened.error().message);
    metis.library = std::move(*opened);
    metis.library.find(metis.partition, "METIS_PartGraphKway");
    metis.library.find(metis.defaults, "METIS_SetDefaultOptions");
    if (const std::string lacks = metis.library.lacks(); !lacks.empty())
      return runtime::libraryError(lacks);
    return {};
  });
}

/// Each edge in both directions, once, without self-loops.
struct Undirected {
  std::vector<int32_t> starts = {0}, ends;
};

Undirected undirected(const InNeighbours &graph) {
  const size_t vertices = size_t(graph.vertices());
  std::vector<int64_t> starts(vertices + 1, 0);
  const auto forEach = [&](auto &&add) {
    for (int64_t v = 0; v < graph.vertices(); ++v)
      for (const int32_t *u = graph.begin(v); u != graph.end(v); ++u)
        if (*u != v) {
          add(v, *u);
          add(*u, v);
        }
  };
  forEach([&](int64_t from, int64_t) { ++starts[size_t(from) + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<int32_t> ends(static_cast<size_t>(starts.back()));
  std::vector<int64_t> next(starts.begin(), starts.end() - 1);
  forEach([&](int64_t from, int64_t to) {
    ends[size_t(next[size_t(from)]++)] = int32_t(to);
  });
  Undirected result;
  for (size_t v = 0; v < vertices; ++v) {
    const auto begin = ends.begin() + starts[v],
               end = ends.begin() + starts[v + 1];
    std::sort(begin, end);
    result.ends.insert(result.ends.end(), begin, std::unique(begin, end));
    result.starts.push_back(int32_t(result.ends.size()));
  }
  return result;
}

} // namespace

Result<Partition> graphpartition::metis(const Problem &problem) {
  const auto library = metisLibrary();
  if (!library)
    return library.error();
  const InNeighbours &graph = *problem.graph;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (graph.vertices() + graph.edges() > most / 2 || problem.workers > most)
    return fail("METIS counts with 32 bits: a graph of ", graph.vertices(),
                " vertices and ", graph.edges(), " edges is too large");
  std::vector<int32_t> part(size_t(graph.vertices()), 0);
  if (problem.workers > 1 && graph.vertices() > 0) {
    Undirected both = undirected(graph);
    std::vector<int32_t> weights;
    for (int64_t v = 0; v < graph.vertices(); ++v)
      weights.push_back(int32_t(graph.degree(v) + 1));
    std::array<int32_t, optionCount> options{};
    (*library)->defaults(options.data());
    options[seedOption] = int32_t(Random(problem.seed, "metis").below(most, 0));
    int32_t vertices = int32_t(graph.vertices()), constraints = 1, cut = 0;
    int32_t parts = int32_t(std::min(problem.workers, graph.vertices()));
    if (parts > 1) {
      const int status = (*library)->partition(
          &vertices, &constraints, both.starts.data(), both.ends.data(),
          weights.data(), nullptr, nullptr, &parts, nullptr, nullptr,
          options.data(), &cut, part.data());
      if (status != metisOk)
        return runtime::libraryError("METIS has failed: status " +
                                     std::to_string(status));
    }
  }
  Partition result;
  result.order.resize(part.size());
  std::iota(result.order.begin(), result.order.end(), 0);
  std::stable_sort(
      result.order.begin(), result.order.end(),
      [&](int64_t a, int64_t b) { return part[size_t(a)] < part[size_t(b)]; });
  result.bounds.assign(size_t(problem.workers) + 1, 0);
  for (int32_t p : part)
    ++result.bounds[size_t(p) + 1];
  std::partial_sum(result.bounds.begin(), result.bounds.end(),
                   result.bounds.begin());
  return result;
}
