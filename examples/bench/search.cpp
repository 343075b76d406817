// The partition search alone: time, bytes and bounds, by algorithm.
//
// usage: search [--gpus N] [--algorithm NAME]... [--inference] MODEL...
//
// Prints a JSON object per model and algorithm, a line each. Seconds are of the
// processor, so that a busy machine does not show.
#include "compiler/partition/Algorithm.h"
#include "examples/bench/LoadGraph.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace smex;

namespace {

nlohmann::ordered_json describe(const partition::Plan &plan) {
  nlohmann::ordered_json steps = nlohmann::json::array();
  for (const partition::Step &step : plan.steps)
    steps.push_back({{"ways", step.ways},
                     {"bytes", step.bytes},
                     {"lower_bound_bytes", step.lowerBoundBytes},
                     {"optimal", step.optimal},
                     {"tied", step.tied}});
  return {{"communication_bytes", plan.sharedBytes},
          {"lower_bound_bytes", plan.lowerBoundBytes},
          {"steps", steps}};
}

} // namespace

int main(int argc, char **argv) {
  int64_t gpus = 8;
  bool training = true;
  std::vector<std::string> algorithms, models;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--gpus" && i + 1 < argc)
      gpus = std::atoll(argv[++i]);
    else if (word == "--algorithm" && i + 1 < argc)
      algorithms.push_back(argv[++i]);
    else if (word == "--inference")
      training = false;
    else
      models.push_back(word);
  }
  if (algorithms.empty())
    algorithms = {"recursive"};
  for (const std::string &model : models) {
    const auto graph = examples::loadGraph(model, training);
    if (!graph) {
      std::fprintf(stderr, "search: %s\n", graph.error().message.c_str());
      return 1;
    }
    for (const std::string &algorithm : algorithms) {
      const std::clock_t start = std::clock();
      const auto plan = partition::partition(*graph, gpus, algorithm);
      const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
      if (!plan) {
        std::fprintf(stderr, "search: %s\n", plan.error().message.c_str());
        return 1;
      }
      nlohmann::ordered_json line = {{"model", model},
                                     {"algorithm", algorithm},
                                     {"gpus", gpus},
                                     {"operators", graph->operators.size()},
                                     {"seconds", seconds}};
      line.update(describe(*plan));
      std::printf("%s\n", line.dump().c_str());
      std::fflush(stdout);
    }
  }
}
