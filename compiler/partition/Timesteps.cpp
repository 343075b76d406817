#include "compiler/partition/Timesteps.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;

namespace {

/// Colours spread from the parameters that several operators read alike, in
/// waves: what a wave reaches is coloured by what it is and by the colours of
/// its neighbours that earlier waves reached. Each is coloured once, so the
/// ends of a sequence don't make every timestep another one, as colouring again
/// and again until nothing changes would.
class Colouring {
public:
  Colouring(const OperatorGraph &graph, const PairCosts &costs,
            const Choices &choices)
      : graph(graph), costs(costs), choices(choices),
        tensors(int(graph.tensors.size())),
        colours(graph.tensors.size() + graph.operators.size(), -1),
        links(colours.size()), isWaiting(colours.size()) {
    for (int op = 0; op < int(graph.operators.size()); ++op) {
      link(graph.operators[op].result, op, -1);
      for (size_t i = 0; i < graph.operators[op].operands.size(); ++i)
        link(graph.operators[op].operands[i].tensor, op, int(i));
    }
  }

  std::vector<int> run() {
    for (int t = 0; t < tensors; ++t)
      if (isSharedParameter(t))
        colours[t] = numbers.number({-1, t});
    for (int t = 0; t < tensors; ++t)
      if (colours[t] >= 0)
        reach(t);
    while (!waiting.empty()) {
      std::vector<int> wave;
      std::swap(wave, waiting);
      std::vector<int> found;
      for (int v : wave)
        found.push_back(numbers.number(describe(v)));
      for (size_t i = 0; i < wave.size(); ++i)
        colours[wave[i]] = found[i];
      for (int v : wave)
        reach(v);
    }
    // The rest is on its own.
    Patterns<int> classes;
    std::vector<int> result;
    for (int v = 0; v < int(colours.size()); ++v)
      result.push_back(classes.number(colours[v] < 0 ? -1 - v : colours[v]));
    return result;
  }

private:
  struct Link {
    int neighbour, operand; // -1: the operator's result
  };

  void link(int tensor, int op, int operand) {
    links[tensor].push_back({tensors + op, operand});
    links[tensors + op].push_back({tensor, operand});
  }

  /// No operator makes it but the one that updates it, and two that are alike
  /// read it alike.
  bool isSharedParameter(int tensor) const {
    std::vector<std::pair<int, int>> readers;
    for (const Link &link : links[tensor]) {
      if (link.operand < 0) {
        if (!graph.tensors[tensor].isParameter)
          return false;
        continue;
      }
      readers.push_back(
          {costs.operatorClass(link.neighbour - tensors), link.operand});
    }
    std::sort(readers.begin(), readers.end());
    return std::adjacent_find(readers.begin(), readers.end()) != readers.end();
  }

  void reach(int v) {
    for (const Link &link : links[v])
      if (colours[link.neighbour] < 0 && !isWaiting[link.neighbour]) {
        isWaiting[link.neighbour] = true;
        waiting.push_back(link.neighbour);
      }
  }

  std::vector<int64_t> describe(int v) const {
    std::vector<std::pair<int, int>> around;
    for (const Link &link : links[v])
      if (colours[link.neighbour] >= 0)
        around.push_back({link.operand, colours[link.neighbour]});
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    std::vector<int64_t> key =
        v < tensors
            ? std::vector<int64_t>{0, costs.tensorClass(v),
                                   choices.isSmallTensor(v)}
            : std::vector<int64_t>{1, costs.operatorClass(v - tensors),
                                   choices.isSmallOperator(v - tensors)};
    for (const auto &[operand, colour] : around) {
      key.push_back(operand);
      key.push_back(colour);
    }
    return key;
  }

  const OperatorGraph &graph;
  const PairCosts &costs;
  const Choices &choices;
  const int tensors;
  std::vector<int> colours;
  std::vector<std::vector<Link>> links;
  std::vector<bool> isWaiting;
  std::vector<int> waiting;
  Patterns<std::vector<int64_t>> numbers;
};

} // namespace

std::vector<int> partition::findTimesteps(const OperatorGraph &graph,
                                          const PairCosts &costs,
                                          const Choices &choices) {
  return Colouring(graph, costs, choices).run();
}
