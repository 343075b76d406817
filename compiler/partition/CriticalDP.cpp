// CriticalDP (arXiv v1, section 4.2.2): find a critical path in the coarsened
// graph, the length of a path being the total size of the tensors on it; find
// the best strategies along it by dynamic programming, and fix them; repeat
// with what is left, until everything is decided. Recursive (4.4).
//
// Its strategies are v1's: no cut that needs a halo.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Coarsen.h"
#include "compiler/partition/Contiguous.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/Greedy.h"

#include "dialects/support/Tensor.h"

using namespace smex;
using namespace smex::partition;

namespace {

/// Wherever the variable is mentioned, it stands alone.
bool needsNoHalo(const Operator &op, int index) {
  for (const Operand &operand : op.operands)
    for (const auto &program : operand.access.dims) {
      const std::vector<int> mentioned = indicesOf(program);
      if (mentioned.size() > 1 && std::find(mentioned.begin(), mentioned.end(),
                                            index) != mentioned.end())
        return false;
    }
  return true;
}

class CriticalPaths {
public:
  CriticalPaths(const OperatorGraph &graph, const std::vector<int> &classes,
                const network::Problem &problem, const Params &params)
      : graph(graph), classes(classes), problem(problem), params(params),
        tied(problem), tensors(int(graph.tensors.size())),
        producers(graph.tensors.size(), -1) {
    for (int op = 0; op < int(graph.operators.size()); ++op)
      producers[graph.operators[op].result] = op;
  }

  /// A value per class.
  std::vector<int> run() {
    for (std::vector<int> path = longest(); !path.empty(); path = longest())
      decide(path);
    for (int c = 0; c < int(problem.domains.size()); ++c)
      if (!tied.isDecided(c)) // read by no operator
        tied.decide(c, tied.best(c));
    return tied.values;
  }

private:
  bool isOpen(int op) const { return !tied.isDecided(classes[tensors + op]); }

  /// The operators of the longest path through open ones.
  std::vector<int> longest() const {
    std::vector<int64_t> length(graph.operators.size());
    std::vector<int> before(graph.operators.size(), -1);
    int last = -1;
    // Producers come first.
    for (int op = 0; op < int(graph.operators.size()); ++op) {
      if (!isOpen(op))
        continue;
      for (const Operand &operand : graph.operators[op].operands) {
        const int producer = producers[operand.tensor];
        if (producer >= 0 && producer < op && isOpen(producer) &&
            length[producer] > length[op]) {
          length[op] = length[producer];
          before[op] = producer;
        }
      }
      const partition::Tensor &result =
          graph.tensors[graph.operators[op].result];
      length[op] += *elementCount(result.shape) * result.elementBytes + 1;
      if (last < 0 || length[op] > length[last])
        last = op;
    }
    std::vector<int> path;
    for (; last >= 0; last = before[last])
      path.push_back(last);
    return path;
  }

  /// The path's operators and the open tensors that they know, exactly, with
  /// what was fixed before.
  void decide(const std::vector<int> &path) {
    std::vector<int> part;
    std::map<int, int> places;
    const auto take = [&](int c) {
      if (!tied.isDecided(c) && places.try_emplace(c, int(part.size())).second)
        part.push_back(c);
    };
    for (int op : path) {
      take(classes[tensors + op]);
      take(classes[graph.operators[op].result]);
      for (const Operand &operand : graph.operators[op].operands)
        take(classes[operand.tensor]);
    }
    network::Problem problemOfPart;
    problemOfPart.tables = problem.tables;
    for (int c : part) {
      problemOfPart.domains.push_back(problem.domains[c]);
      for (const Greedy::Link &link : tied.links(c)) {
        const auto it = places.find(link.neighbour);
        if (it != places.end() && link.isRow)
          problemOfPart.binaries.push_back({places[c], it->second, link.table});
        else if (tied.isDecided(link.neighbour))
          problemOfPart.unaries.push_back(
              {places[c], given(link, problem.domains[c])});
      }
    }
    for (const auto &unary : problem.unaries)
      if (const auto it = places.find(unary.variable); it != places.end())
        problemOfPart.unaries.push_back({it->second, unary.costs});
    const network::Solution solution =
        network::solve(problemOfPart, params.network);
    for (size_t i = 0; i < part.size(); ++i)
      tied.decide(part[i], solution.values[i]);
  }

  std::vector<network::Cost> given(const Greedy::Link &link, int size) const {
    const network::Table &table = problem.tables[link.table];
    const int other = tied.values[link.neighbour];
    std::vector<network::Cost> costs;
    for (int value = 0; value < size; ++value)
      costs.push_back(link.isRow ? table.at(value, other)
                                 : table.at(other, value));
    return costs;
  }

  const OperatorGraph &graph;
  const std::vector<int> &classes;
  const network::Problem &problem;
  const Params &params;
  Greedy tied;
  const int tensors;
  std::vector<int> producers;
};

} // namespace

Result<PartitionPlan>
partition::partitionByCriticalPath(const OperatorGraph &graph, int64_t workers,
                                   const Params &given) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  Params params = given;
  params.alwaysCut = true;
  PairCosts costs(graph);
  PlanBuilder builder(graph, factorize(workers), params, costs);
  builder.allows = needsNoHalo;
  while (!builder.done()) {
    NextStep step = builder.next();
    const std::vector<int> classes = coarsen(builder, step);
    const network::Problem problem =
        network::tie(builder.problem(step, Sharing::None), classes);
    const std::vector<int> chosen =
        CriticalPaths(graph, classes, problem, params).run();
    std::vector<int> values;
    for (int c : classes)
      values.push_back(chosen[c]);
    builder.decide(std::move(step), values);
  }
  return builder.finish();
}
