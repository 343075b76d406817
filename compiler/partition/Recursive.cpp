#include "compiler/partition/Recursive.h"

#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/LowerBound.h"
#include "compiler/partition/StepNetwork.h"

using namespace smex;
using namespace smex::partition;

namespace {

class Search {
public:
  Search(const Graph &graph, int64_t workers, const Params &params)
      : graph(graph), params(params), choices(graph, params), costs(graph),
        allWays(factorize(workers)) {}

  Plan run() {
    Plan plan = run(Sharing::None);
    if (params.shareAlikeReaders && hasAlikeReaders(graph, costs)) {
      Plan shared = run(Sharing::AlikeReaders);
      if (shared.sharedBytes < plan.sharedBytes)
        plan = std::move(shared);
    }
    if (params.lowerBound)
      plan.lowerBoundBytes =
          lowerBoundBytes(graph, allWays, choices, costs, params);
    plan.optimal = plan.sharedBytes == plan.lowerBoundBytes;
    return plan;
  }

private:
  Plan run(Sharing sharing) {
    tensors.assign(graph.tensors.size(), {});
    operators.assign(graph.operators.size(), {});
    Plan plan;
    for (size_t s = 0; s < allWays.size(); ++s)
      plan.steps.push_back(step(s, sharing));
    plan.bytes = plan.steps.empty() ? 0 : plan.steps.back().bytes;
    plan.sharedBytes = plan.bytes - bytesSavedBySharing(graph, plan);
    return plan;
  }

  Step step(size_t s, Sharing sharing) {
    const std::vector<int64_t> ways(allWays.begin(), allWays.begin() + s + 1);
    const bool isLast = s + 1 == allWays.size();
    std::vector<std::vector<int>> options;
    CandidateLists lists, tieLists;
    for (size_t t = 0; t < tensors.size(); ++t) {
      options.push_back(choices.ofTensor(int(t), tensors[t], ways));
      lists.tensors.push_back(list(tensors[t], options.back(), ways, 1));
      if (!isLast)
        tieLists.tensors.push_back(list(tensors[t], options.back(), ways, 2));
    }
    for (size_t op = 0; op < operators.size(); ++op) {
      options.push_back(choices.ofOperator(int(op), operators[op], ways));
      lists.operators.push_back(list(operators[op], options.back(), ways, 1));
      if (!isLast)
        tieLists.operators.push_back(
            list(operators[op], options.back(), ways, 2));
    }

    const auto makeProblem = [&](Sharing which) {
      return makeNetwork(graph, costs, lists, isLast ? nullptr : &tieLists,
                         which);
    };
    const network::Solution solution =
        network::solve(makeProblem(sharing), params.network);
    Step result;
    result.ways = ways.back();
    result.bytes = solution.cost.bytes;
    result.lowerBoundBytes = solution.lowerBound.bytes;
    if (sharing != Sharing::None) {
      const network::Problem separate = makeProblem(Sharing::None);
      result.bytes = network::evaluate(separate, solution.values).bytes;
      result.lowerBoundBytes =
          network::lowerBound(separate, params.network).bytes;
    }
    result.optimal = result.bytes == result.lowerBoundBytes;
    for (size_t v = 0; v < options.size(); ++v) {
      const int choice = options[v][solution.values[v]];
      const size_t op = v - tensors.size();
      (v < tensors.size() ? tensors[v] : operators[op]).push_back(choice);
      (v < tensors.size() ? result.tensors : result.operators)
          .push_back(choice);
    }
    return result;
  }

  /// The candidates `history` + each option, `times` over: in this step and, to
  /// look ahead, in the next.
  int list(const History &history, const std::vector<int> &options,
           std::vector<int64_t> ways, int times) {
    if (times == 2)
      ways.push_back(allWays[ways.size()]);
    Candidates candidates{std::move(ways), {}};
    for (int option : options) {
      candidates.histories.push_back(history);
      candidates.histories.back().insert(candidates.histories.back().end(),
                                         times, option);
    }
    return costs.add(candidates);
  }

  const Graph &graph;
  const Params &params;
  const Choices choices;
  PairCosts costs;
  const std::vector<int64_t> allWays;
  std::vector<History> tensors, operators;
};

} // namespace

Result<Plan> partition::partitionRecursively(const Graph &graph,
                                             int64_t workers,
                                             const Params &params) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  return Search(graph, workers, params).run();
}
