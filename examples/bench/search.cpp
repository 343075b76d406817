// The partition search alone: time, bytes and bounds, by algorithm.
//
// usage: search [--gpus N] [--algorithm NAME]... [--inference] [--no-bound]
//               [--table-entries N] [--sums-apart] MODEL...
//
// Prints a JSON object per model and algorithm, a line each. Seconds are of the
// processor, so that a busy machine does not show. "search_bytes" is how much
// more memory the process had at the height of the search than before it. With
// --no-bound, no lower bound of whole plans is sought. "all_steps_together": of
// what all steps were decided together (Graph.h), or "" where that would have
// made tables of more than "table_entries" entries, or twice as many in all:
// Params::maxFlatTableEntries and maxFlatEntries, or N and twice that. With
// --sums-apart, sums of sums are no operators (Sums.h): each sum is brought
// together by itself.
#include "compiler/partition/Algorithm.h"
#include "examples/bench/LoadGraph.h"

#include <jemalloc/jemalloc.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

using namespace smex;

namespace {

using Clock = std::chrono::steady_clock;

nlohmann::ordered_json describe(const partition::PartitionPlan &plan) {
  nlohmann::ordered_json steps = nlohmann::json::array();
  for (const partition::Step &step : plan.steps)
    steps.push_back({{"ways", step.ways},
                     {"bytes", step.bytes},
                     {"lower_bound_bytes", step.lowerBoundBytes},
                     {"optimal", step.optimal},
                     {"tied", step.tied}});
  return {{"communication_bytes", plan.sharedBytes},
          {"lower_bound_bytes", plan.lowerBoundBytes},
          {"all_steps_together", partition::name(plan.together)},
          {"steps", steps}};
}

bool isCoarsened(const std::string &name) {
  for (const partition::Algorithm &algorithm : partition::algorithms())
    if (algorithm.name == name)
      return algorithm.isCoarsened();
  return false;
}

Result<partition::PartitionPlan>
withSumsApart(const partition::OperatorGraph &graph, int64_t gpus,
              const std::string &name, const partition::Params &params) {
  for (const partition::Algorithm &algorithm : partition::algorithms())
    if (algorithm.name == name)
      return algorithm.run(graph, gpus, params);
  return fail("no algorithm \"", name, "\"");
}

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// A number of bytes that Linux tells of this process: VmRSS is what it has in
/// memory, VmHWM the most that it had.
int64_t memory(const std::string &key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, key.size() + 1, key + ":") == 0)
      return std::atoll(line.c_str() + key.size() + 1) * 1024;
  return 0;
}

/// Gives back what was freed, and makes VmHWM what VmRSS is.
int64_t startOfMemory() {
  static_assert(MALLCTL_ARENAS_ALL == 4096, "the name below has it");
  mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
  std::ofstream("/proc/self/clear_refs") << 5;
  return memory("VmRSS");
}

} // namespace

int main(int argc, char **argv) {
  int64_t gpus = 8;
  bool training = true, sumsApart = false;
  partition::Params params;
  std::vector<std::string> algorithms, models;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--gpus" && i + 1 < argc)
      gpus = std::atoll(argv[++i]);
    else if (word == "--algorithm" && i + 1 < argc)
      algorithms.push_back(argv[++i]);
    else if (word == "--inference")
      training = false;
    else if (word == "--sums-apart")
      sumsApart = true;
    else if (word == "--no-bound")
      params.lowerBound = false;
    else if (word == "--table-entries" && i + 1 < argc)
      params.maxFlatEntries =
          2 * (params.maxFlatTableEntries = std::atoll(argv[++i]));
    else
      models.push_back(word);
  }
  if (algorithms.empty())
    algorithms = {"recursive"};
  for (const std::string &model : models) {
    const double start = processorSeconds();
    const auto graph = examples::loadGraph(model, training);
    const double importSeconds = processorSeconds() - start;
    if (!graph) {
      std::fprintf(stderr, "search: %s\n", graph.error().message.c_str());
      return 1;
    }
    for (const std::string &algorithm : algorithms) {
      const int64_t before = startOfMemory();
      const auto wallStart = Clock::now();
      const double start = processorSeconds();
      const auto plan =
          sumsApart ? withSumsApart(*graph, gpus, algorithm, params)
                    : partition::partition(*graph, gpus, algorithm, params);
      const double seconds = processorSeconds() - start;
      const std::chrono::duration<double> wall = Clock::now() - wallStart;
      if (!plan) {
        std::fprintf(stderr, "search: %s\n", plan.error().message.c_str());
        return 1;
      }
      nlohmann::ordered_json line = {
          {"model", model},
          {"algorithm", algorithm},
          {"gpus", gpus},
          {"coarsened", isCoarsened(algorithm)},
          {"sums_apart", sumsApart},
          {"operators", graph->operators.size()},
          {"import_seconds", importSeconds},
          {"seconds", seconds},
          {"wall_seconds", wall.count()},
          {"search_bytes", memory("VmHWM") - before}};
      line["table_entries"] = params.maxFlatTableEntries;
      line.update(describe(*plan));
      std::printf("%s\n", line.dump().c_str());
      std::fflush(stdout);
    }
  }
}
