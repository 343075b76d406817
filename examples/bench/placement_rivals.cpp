// Placement algorithms side by side, against what no placement undercuts.
//
//   placement_rivals [OPTION ..] TASKS ..
//
//   --memory SHARE   under a limit: that share of the least that any of the
//                    algorithms needs of a device without one
//   --pipeline       for throughput: largest load instead of makespan
//   --first-in       all devices take what is ready first in, first out; else
//                    algorithms bring their own orders, where these are faster
//   --few            only a CCR of 1, and 8 devices
//   --devices COUNT  only so many devices
//   --class NAME     only graphs of this class
//   --alone          only our own, without the others
//   --far            also each graph that is not within 5 % of the bound
//
// For each number of tasks and each class of graphs (TaskGraphs.h) prints a
// row: the geometric mean of cost / bound over CCRs of 0.1, 1 and 10 and 2, 4,
// 8 and 16 devices, and the processor seconds of one graph in the mean, of each
// algorithm; how our own compares with the best of the others, in the mean and
// at worst; how many graphs were within 5 % of the bound, and the processor
// seconds that the bound of one took. With --pipeline also how many were within
// 5 % of the bound on stages in order, which `pipeline` makes. A
// limit that an algorithm does not keep counts as if it had cost what the worst
// that kept it did, and the number of such graphs follows after a slash.
// Graphs whose limit nobody keeps are counted apart. `contiguous` is left out
// of graphs of more than 2,500 tasks. At the end, over all graphs of a number
// of tasks, the geometric mean of bound / own cost.
#include "compiler/placement/Bounds.h"
#include "examples/bench/TaskGraphs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

using namespace smex;
using namespace smex::placement;

namespace {

struct Options {
  double memory = 0;
  int devices = 0; // 0: several numbers of them
  std::string onlyClass;
  bool firstIn = false, pipeline = false, few = false, alone = false,
       far = false;
};

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Our own comes first.
std::vector<std::string> namesFor(const Options &options) {
  if (options.alone)
    return {options.pipeline ? "pipeline" : "window-search"};
  if (options.pipeline)
    return {"pipeline", "contiguous", "pardnn", "heft", "round-robin"};
  return {"window-search", "pardnn",      "heft",      "linear-clustering",
          "contiguous",    "round-robin", "layer-wise"};
}

struct Sums {
  double logarithm = 0, seconds = 0;
  int graphs = 0, refused = 0, near = 0, nearInOrder = 0;

  double mean() const { return std::exp(logarithm / graphs); }
};

/// The least that any algorithm needs of a device if there is no limit.
int64_t leastPeak(const Problem &problem) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const char *name : {"pardnn", "heft", "linear-clustering"}) {
    const auto outcome = place(problem, name);
    if (outcome)
      least = std::min(least,
                       memoryUse(problem, outcome->placement,
                                 firstInFirstOut(problem, outcome->placement))
                           .most());
  }
  return least;
}

class Row {
public:
  explicit Row(const Options &options)
      : options(options), names(namesFor(options)), sums(names.size()) {}

  void add(const TaskGraph &graph, int count, double ccr) {
    Devices devices = bench::devicesOf(count);
    if (options.memory > 0)
      devices.memoryBytes =
          int64_t(options.memory * double(leastPeak(Problem(graph, devices))));
    const Problem problem(graph, devices);
    Params params;
    if (!options.firstIn)
      params.inOrder = inOrder;
    if (options.pipeline)
      params.objective = Objective::Throughput;
    std::vector<double> costs(names.size(), 0);
    std::vector<char> tried(names.size());
    double most = 0;
    for (size_t a = 0; a < names.size(); ++a) {
      if (names[a] == "contiguous" && graph.tasks.size() > 2'500)
        continue;
      const double start = processorSeconds();
      const auto outcome = place(problem, names[a], params);
      sums[a].seconds += processorSeconds() - start;
      tried[a] = true;
      if (outcome) {
        costs[a] = cost(problem, *outcome, params);
        sums[a].nearInOrder +=
            outcome->stagesInOrder && costs[a] <= 1.05 * outcome->lowerBound;
      } else
        ++sums[a].refused;
      most = std::max(most, costs[a]);
    }
    if (most == 0) { // nobody keeps the limit: there is nothing to compare
      ++refusedByAll;
      for (size_t a = 0; a < names.size(); ++a)
        sums[a].refused -= tried[a];
      return;
    }
    double best = most;
    for (size_t a = 1; a < names.size(); ++a)
      if (costs[a] > 0)
        best = std::min(best, costs[a]);
    const double start = processorSeconds();
    const double bound =
        lowerBounds(problem, params,
                    costs[0] > 0 ? std::min(costs[0], best) : best)
            .best;
    boundSeconds += processorSeconds() - start;
    if (options.far && costs[0] > 1.05 * bound) {
      char text[64];
      std::snprintf(text, sizeof text, "; CCR %g, %d devices: %.3f", ccr, count,
                    costs[0] / bound);
      farOnes += text;
    }
    for (size_t a = 0; a < names.size(); ++a) {
      const double paid = costs[a] > 0 ? costs[a] : most;
      sums[a].graphs += tried[a];
      sums[a].logarithm += tried[a] ? std::log(paid / bound) : 0;
      sums[a].near += costs[a] > 0 && costs[a] <= 1.05 * bound;
    }
    if (costs[0] > 0 && names.size() > 1) {
      against += std::log(costs[0] / best);
      ++compared;
      worst = std::max(worst, costs[0] / best);
    }
    ++graphs;
    tasks += double(graph.tasks.size());
  }

  void header() const {
    std::printf("| %-11s | tasks |", "class");
    for (const std::string &name : names)
      std::printf(" %s |", name.c_str());
    std::printf(" own / best other, worst | within 5 %% |%s bound |\n|---|---|",
                options.pipeline ? " within 5 % of stages in order |" : "");
    for (size_t a = 0; a < names.size(); ++a)
      std::printf("---|");
    std::printf("---|---|%s---|\n", options.pipeline ? "---|" : "");
  }

  void print(const char *name) const {
    std::printf("| %-11s | %.0f |", name, tasks / std::max(graphs, 1));
    for (const Sums &sum : sums)
      if (sum.graphs == 0) {
        std::printf(" |");
      } else {
        std::printf(" %.3f", sum.mean());
        if (sum.refused)
          std::printf(" / %d", sum.refused);
        std::printf(" (%.2f s) |", sum.seconds / sum.graphs);
      }
    std::printf(" %.3f, %.3f | %d of %d |",
                std::exp(against / std::max(compared, 1)), worst, sums[0].near,
                graphs);
    if (options.pipeline)
      std::printf(" %d of %d |", sums[0].nearInOrder, graphs);
    std::printf(" %.2f s |", boundSeconds / std::max(graphs, 1));
    if (refusedByAll > 0)
      std::printf(" kept by none: %d more |", refusedByAll);
    std::printf("\n");
    if (!farOnes.empty())
      std::printf("%s\n", farOnes.c_str() + 2);
    std::fflush(stdout);
  }

  const Sums &ofOwn() const { return sums[0]; }

private:
  const Options &options;
  const std::vector<std::string> names;
  std::vector<Sums> sums;
  double against = 0, worst = 0, tasks = 0, boundSeconds = 0;
  std::string farOnes;
  int graphs = 0, compared = 0, refusedByAll = 0;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--memory" && i + 1 < argc)
      options.memory = std::atof(argv[++i]);
    else if (argument == "--devices" && i + 1 < argc)
      options.devices = std::atoi(argv[++i]);
    else if (argument == "--class" && i + 1 < argc)
      options.onlyClass = argv[++i];
    else if (argument == "--pipeline")
      options.pipeline = true;
    else if (argument == "--first-in")
      options.firstIn = true;
    else if (argument == "--few")
      options.few = true;
    else if (argument == "--alone")
      options.alone = true;
    else if (argument == "--far")
      options.far = true;
    else
      sizes.push_back(std::atoi(argv[i]));
  }
  const std::vector<double> ccrs =
      options.few ? std::vector<double>{1} : std::vector<double>{0.1, 1, 10};
  std::vector<int> counts =
      options.few ? std::vector<int>{8} : std::vector<int>{2, 4, 8, 16};
  if (options.devices > 0)
    counts = {options.devices};
  Row(options).header();
  for (int size : sizes) {
    Sums all;
    for (const bench::GraphClass &each : bench::graphClasses()) {
      if (!options.onlyClass.empty() && options.onlyClass != each.name)
        continue;
      Row row(options);
      for (double ccr : ccrs) {
        bench::GraphSize drawn;
        drawn.tasks = std::max(size, 10);
        drawn.ccr = ccr;
        const TaskGraph graph = each.draw(drawn);
        for (int count : counts)
          row.add(graph, count, ccr);
      }
      row.print(each.name);
      all.logarithm += row.ofOwn().logarithm;
      all.graphs += row.ofOwn().graphs;
    }
    if (all.graphs > 0)
      std::printf("%d graphs: bound / own %.4f\n", all.graphs, 1 / all.mean());
  }
}
