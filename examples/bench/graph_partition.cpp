// graph_partition: how well the partitioners of runtime/graphpartition balance
// message passing, as Roc's section 7.6 asks.
//
//   graph_partition           balance after 1, 5 and 20 iterations, on R-MAT
//                             graphs in order of degree and of community, and
//                             on graphs that were not fitted to
//   graph_partition --large   the partitioner alone on 10 M vertices and
//                             230 M edges
//
// Workers are timed one after the other, in processor seconds of their thread,
// so that it does not matter how many cores there are.
#include "examples/bench/DrawnGraph.h"
#include "examples/bench/GraphLayers.h"
#include "runtime/graphpartition/Fit.h"
#include "runtime/graphpartition/Partitioner.h"
#include "runtime/graphpartition/RemoteRows.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>

using namespace smex;
using namespace smex::bench;
using namespace smex::graphpartition;

namespace {

constexpr int64_t workers = 8;
const std::vector<LayerSize> network = {{64, 32}, {32, 16}};
const std::vector<int64_t> widths = {64, 32};

InNeighbours inRows(DrawnGraph graph) {
  return {std::move(graph.starts), std::move(graph.ends)};
}

/// The vertices with the most in-edges first.
InNeighbours byDegree(const InNeighbours &graph) {
  Numbers order(size_t(graph.vertices()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return graph.degree(a) > graph.degree(b);
  });
  return renumbered(graph, order);
}

/// Seconds of each layer on each range.
using Times = std::vector<std::vector<double>>;

std::vector<double> ofWorkers(const Times &times) {
  std::vector<double> sums(times[0].size(), 0);
  for (const std::vector<double> &layer : times)
    for (size_t w = 0; w < sums.size(); ++w)
      sums[w] += layer[w];
  return sums;
}

Times timesOf(GraphLayers &layers, const InNeighbours &graph,
              const Bounds &bounds) {
  Times times;
  for (size_t layer = 0; layer < network.size(); ++layer) {
    times.emplace_back();
    for (size_t w = 0; w + 1 < bounds.size(); ++w)
      times.back().push_back(
          layers.seconds(graph, layer, bounds[w], bounds[w + 1]));
  }
  return times;
}

/// What the timings of one partition say, layer by layer.
std::vector<std::vector<Timing>>
timings(const FeatureSums &features, const Bounds &bounds, const Times &times) {
  std::vector<std::vector<Timing>> all;
  for (size_t layer = 0; layer < times.size(); ++layer) {
    all.emplace_back();
    for (size_t w = 0; w + 1 < bounds.size(); ++w)
      if (bounds[w] < bounds[w + 1])
        all.back().push_back(
            {features.of(layer, bounds[w], bounds[w + 1]), times[layer][w]});
  }
  return all;
}

[[noreturn]] void stop(const Error &error) {
  std::fprintf(stderr, "graph_partition: error: %s\n", error.message.c_str());
  std::exit(int(error.fault));
}

template <typename T> T take(Result<T> result) {
  if (!result)
    stop(result.error());
  return std::move(*result);
}

/// One partitioner from iteration to iteration.
struct Course {
  std::string name;
  Partition partition;
  std::vector<LayerFit> fits = std::vector<LayerFit>(network.size());
  CostModel model = CostModel(network.size());
};

bool isLearned(const std::string &name) { return name.find("roc") == 0; }

struct Row {
  double predicted = 0, real = 0, slowest = 0;
  int64_t remote = 0;
};

/// `iterations` of one partitioner. What it is based on is measured on its own
/// partitions alone; `report` is called after each iteration.
CostModel train(const std::string &name, const InNeighbours &original,
                int iterations,
                const std::function<void(int, const Row &)> &report) {
  Course course;
  course.name = name;
  GraphLayers layers(network, original.vertices());
  FeatureSums features(original, widths);
  const InNeighbours *graph = &original;
  InNeighbours anew;
  std::vector<double> seconds;
  Bounds last;
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    Problem problem;
    problem.graph = &original;
    problem.workers = workers;
    problem.features = &features;
    problem.model = &course.model;
    if (iteration > 1) {
      problem.last = &last;
      problem.seconds = &seconds;
    }
    // A model that was fitted to nothing says nothing.
    const bool isFirst = isLearned(name) && iteration == 1;
    if (iteration == 1 || isLearned(name) || name == "dynamic") {
      course.partition =
          take(partition(isFirst ? std::string("equal-edges") : name, problem));
      if (!course.partition.order.empty()) {
        anew = renumbered(original, course.partition.order);
        graph = &anew;
        features = FeatureSums(anew, widths);
      }
    }
    const Bounds &bounds = course.partition.bounds;
    const Times times = timesOf(layers, *graph, bounds);
    Row row;
    if (iteration > 1) // by what the iterations before have shown
      row.predicted =
          imbalance(costsOf(ModelCost(features, course.model), bounds));
    const auto all = timings(features, bounds, times);
    for (size_t layer = 0; layer < all.size(); ++layer) {
      for (const Timing &timing : all[layer])
        if (Status ok = course.fits[layer].add(timing, name); !ok)
          stop(ok.error());
      course.model[layer] = course.fits[layer].weights();
    }
    seconds = ofWorkers(times);
    row.real = imbalance(seconds);
    row.slowest = *std::max_element(seconds.begin(), seconds.end());
    const Numbers remote = remoteRowCounts(*graph, bounds);
    row.remote = std::accumulate(remote.begin(), remote.end(), int64_t(0));
    last = bounds;
    report(iteration, row);
  }
  return course.model;
}

void printBalance(const char *order, const InNeighbours &graph,
                  CostModel &learnedModel) {
  std::printf("\nR-MAT of %lld vertices, %lld edges, in order of %s, %lld "
              "workers\n\n",
              (long long)graph.vertices(), (long long)graph.edges(), order,
              (long long)workers);
  std::printf("| | iteration 1 | 5 (predicted) | 20 (predicted) | slowest, ms "
              "| remote rows |\n|---|---|---|---|---|---|\n");
  double equalVertices = 0, learned = 0;
  for (const Partitioner &each : partitioners()) {
    std::vector<Row> rows;
    const CostModel model =
        train(each.name, graph, 20,
              [&](int, const Row &row) { rows.push_back(row); });
    if (each.name == std::string("roc")) {
      learnedModel = model;
      learned = rows.back().slowest;
    }
    if (each.name == std::string("equal-vertices"))
      equalVertices = rows.back().slowest;
    std::printf("| %s | %.3f |", each.name, rows[0].real);
    for (const size_t i : {size_t(4), size_t(19)})
      std::printf(" %.3f (%.3f) |", rows[i].real, rows[i].predicted);
    std::printf(" %.2f | %lld |\n", 1e3 * rows[19].slowest,
                (long long)rows[19].remote);
    std::fflush(stdout);
  }
  std::printf("\nequal-vertices / roc, slowest worker: %.2f (paper: up to "
              "1.4)\n",
              equalVertices / learned);
}

/// A layer's weights from those of another one. x1 stands for the product of a
/// vertex's numbers with the layer's weights, x2 to x4 for what is done per
/// neighbour, run or access, with all numbers that a neighbour has; x5 counts
/// these numbers itself.
Weights transferred(Weights weights, LayerSize from, LayerSize to) {
  const double products = double(to.in * to.out) / double(from.in * from.out);
  const double numbers = double(to.in) / double(from.in);
  weights[0] *= products;
  for (size_t i = 1; i < 4; ++i)
    weights[i] *= numbers;
  return weights;
}

/// A graph that no model has been fitted to, in one iteration.
void printUnseen(const char *what, const InNeighbours &graph,
                 const CostModel &model) {
  GraphLayers layers(network, graph.vertices());
  const FeatureSums features(graph, widths);
  Problem problem;
  problem.graph = &graph;
  problem.workers = workers;
  problem.features = &features;
  problem.model = &model;
  std::printf("| %s |", what);
  double equalVertices = 0, learned = 0;
  std::vector<std::vector<Timing>> measured;
  for (const char *name : {"equal-vertices", "equal-edges", "greedy-edge-cap",
                           "dynamic", "roc", "roc-min-max"}) {
    const Partition found = take(partition(name, problem));
    const Times times = timesOf(layers, graph, found.bounds);
    const std::vector<double> seconds = ofWorkers(times);
    const double slowest = *std::max_element(seconds.begin(), seconds.end());
    if (name == std::string("equal-vertices"))
      equalVertices = slowest;
    if (name == std::string("roc")) {
      learned = slowest;
      measured = timings(features, found.bounds, times);
    }
    std::printf(" %.3f (%.3f) |", imbalance(seconds),
                imbalance(costsOf(ModelCost(features, model), found.bounds)));
  }
  // A layer that was held out: the second one by the first one's weights.
  const Weights put = transferred(model[0], network[0], network[1]);
  std::printf(" %.2f | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n",
              equalVertices / learned,
              100 * errorOf(model[0], measured[0]).meanShare,
              100 * errorOf(model[1], measured[1]).meanShare,
              100 * errorOf(model[0], measured[1]).meanShare,
              100 * errorOf(put, measured[1]).meanShare);
  std::fflush(stdout);
}

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The partitioner alone, on a graph of Amazon's size.
void printLarge(int64_t vertices, int64_t edges) {
  const InNeighbours graph = inRows(drawRmat(vertices, edges, 0.62, 1));
  std::printf(
      "%lld vertices, %lld edges\n\n| threads | workers | features, s | "
      "roc, s | roc-min-max, s |\n|---|---|---|---|---|\n",
      (long long)graph.vertices(), (long long)graph.edges());
  const CostModel model = {{2e-9, 1e-9, 1e-9, 1e-9, 3e-9},
                           {1e-9, 1e-9, 1e-9, 1e-9, 3e-9}};
  for (int threads : {1, 2})
    for (int64_t k : {int64_t(8), int64_t(64)}) {
      double at = now();
      const FeatureSums features(graph, {300, 16}, threads);
      const double summed = now() - at;
      Problem problem;
      problem.graph = &graph;
      problem.workers = k;
      problem.features = &features;
      problem.model = &model;
      at = now();
      take(learned(problem));
      const double crossings = now() - at;
      at = now();
      take(learnedMinMax(problem));
      std::printf("| %d | %lld | %.3f | %.6f | %.3f |\n", threads, (long long)k,
                  summed, crossings, now() - at);
      std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--large")) {
    printLarge(10'000'000, 230'000'000);
    return 0;
  }
  if (argc != 1) {
    std::fprintf(stderr, "usage: graph_partition [--large]\n");
    return int(Fault::Usage);
  }
  const auto draw = [](int64_t vertices, int64_t edges, double skew,
                       uint64_t seed) {
    return inRows(drawRmat(vertices, edges, skew, seed, true));
  };
  const InNeighbours communities = draw(1 << 17, 4'000'000, 0.7, 1);
  CostModel fromDegree, fromCommunity;
  printBalance("degree", byDegree(communities), fromDegree);
  printBalance("community", communities, fromCommunity);

  std::printf(
      "\nUnseen graphs, by the models above: imbalance of each "
      "(predicted), equal-vertices / roc (paper: up to 1.2), and how far roc's "
      "predictions are off: of each layer, and of the second by the "
      "first's weights, as they are and put down to its sizes\n\n| "
      "graph, fitted to | equal-vertices | "
      "equal-edges | greedy-edge-cap | dynamic | roc | roc-min-max | "
      "gain | layer 1 | layer 2 | held out | put down |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  const InNeighbours other = draw(1 << 17, 4'000'000, 0.7, 2);
  const InNeighbours small = draw(50'000, 1'000'000, 0.62, 3);
  const InNeighbours skewed = draw(200'000, 3'000'000, 0.76, 4);
  printUnseen("another seed, community, community", other, fromCommunity);
  printUnseen("another seed, degree, degree", byDegree(other), fromDegree);
  printUnseen("another seed, degree, community", byDegree(other),
              fromCommunity);
  printUnseen("small, community, community", small, fromCommunity);
  printUnseen("skewed, community, community", skewed, fromCommunity);
  printUnseen("skewed, degree, degree", byDegree(skewed), fromDegree);
  return 0;
}
