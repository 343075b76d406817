// What ties impose: timesteps cut alike (compiler/partition/Timesteps.h)
// against each cut as is best for it, on the same graphs.
//
// usage: ties [--gpus N] [--inference] MODEL...
//
// A row per step of the recursion, both ways after the same earlier steps, the
// tied ones: the least bytes with ties and without. Where the problem without
// ties is too wide to be solved, its lower bound stands for it, and what the
// ties impose is at most what is shown. Then a row for the plans that
// `recursive` finds if it ties and if it does not.
#include "compiler/partition/Algorithm.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/PlanBuilder.h"
#include "examples/bench/LoadGraph.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

void print(const std::string &what, int64_t tied, int64_t untied,
           bool isBound) {
  const double more = untied > 0 ? 100.0 * double(tied - untied) / untied : 0;
  std::printf("  %-34s%18" PRId64 "%18" PRId64 "%9s%.2f %%%s\n", what.c_str(),
              tied, untied, isBound ? "<= " : "", more,
              isBound ? " (a bound)" : "");
  std::fflush(stdout);
}

void compareSteps(const OperatorGraph &graph, int64_t gpus) {
  const Params params;
  PairCosts costs(graph);
  PlanBuilder builder(graph, factorize(gpus), params, costs);
  for (int number = 1; !builder.done(); ++number) {
    NextStep step = builder.next();
    const network::Problem problem = builder.problem(step, Sharing::None);
    const std::vector<int> &classes = builder.timesteps();
    const network::Problem together = network::tie(problem, classes);
    const network::Solution tied = network::solve(together, params.network);
    const network::Solution untied = network::solve(problem, params.network);
    print("step " + std::to_string(number) + ": " +
              std::to_string(problem.domains.size()) + " variables, " +
              std::to_string(together.domains.size()) + " tied",
          tied.cost.bytes,
          untied.optimal ? untied.cost.bytes : untied.lowerBound.bytes,
          !untied.optimal || !tied.optimal);
    std::vector<int> values;
    for (int c : classes)
      values.push_back(tied.values[c]);
    builder.decide(std::move(step), values);
  }
}

/// The shared bytes of the plan that `recursive` finds if it ties where tables
/// would have more entries than that.
int64_t planBytes(const OperatorGraph &graph, int64_t gpus, int64_t entries) {
  Params params;
  params.lowerBound = false;
  params.maxUntiedEntries = params.maxUntiedTableEntries = entries;
  const auto plan = partition::partition(graph, gpus, "recursive", params);
  return plan ? plan->sharedBytes : -1;
}

} // namespace

int main(int argc, char **argv) {
  int64_t gpus = 8;
  bool training = true;
  std::vector<std::string> models;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--gpus" && i + 1 < argc)
      gpus = std::atoll(argv[++i]);
    else if (word == "--inference")
      training = false;
    else
      models.push_back(word);
  }
  std::printf("%-36s%18s%18s%12s\n", "", "bytes, tied", "without ties",
              "ties cost");
  for (const std::string &model : models) {
    const auto graph = examples::loadGraph(model, training);
    const Status status =
        graph ? validate(*graph, gpus) : Status(graph.error());
    if (!status) {
      std::fprintf(stderr, "ties: %s\n", status.error().message.c_str());
      return 1;
    }
    std::printf("%s, %" PRId64 " GPUs\n", model.c_str(), gpus);
    compareSteps(*graph, gpus);
    print("the plan, as the program moves it", planBytes(*graph, gpus, 0),
          planBytes(*graph, gpus, std::numeric_limits<int64_t>::max()), false);
  }
}
