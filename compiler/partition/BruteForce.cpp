#include "compiler/partition/BruteForce.h"

#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/Factorize.h"

#include <functional>
#include <limits>
#include <map>
#include <set>

using namespace smex;
using namespace smex::partition;

namespace {

constexpr double kMostAssignments = 4294967296.0;

/// A part of the cost: depends on how these variables, tensors first and then
/// operators, are cut. Remembered per choice of theirs, which is the only
/// cleverness here but for giving up on what is too expensive already.
struct Term {
  std::set<int> scope;
  std::function<int64_t(const PartitionPlan &)> bytes;
  std::map<std::vector<int>, int64_t> known;
};

class Exhaustive {
public:
  Exhaustive(const OperatorGraph &graph, const std::vector<int64_t> &ways,
             std::vector<std::vector<History>> candidates,
             std::vector<Term> terms)
      : tensors(int(graph.tensors.size())), candidates(std::move(candidates)),
        choice(this->candidates.size()), completedBy(this->candidates.size()) {
    for (int64_t k : ways)
      plan.steps.push_back({k, std::vector<Division>(tensors),
                            std::vector<Division>(graph.operators.size())});
    for (Term &term : terms)
      completedBy[*term.scope.rbegin()].push_back(std::move(term));
  }

  /// The first plan of least bytes, and these.
  std::pair<PartitionPlan, int64_t> run() {
    visit(0, 0);
    return {best, least};
  }

private:
  void visit(size_t variable, int64_t bytes) {
    if (bytes >= least)
      return;
    if (variable == candidates.size()) {
      least = bytes;
      best = plan;
      return;
    }
    for (size_t c = 0; c < candidates[variable].size(); ++c) {
      choice[variable] = int(c);
      for (size_t s = 0; s < plan.steps.size(); ++s)
        (int(variable) < tensors
             ? plan.steps[s].tensors[variable]
             : plan.steps[s].operators[variable - tensors]) =
            candidates[variable][c][s];
      int64_t added = 0;
      for (Term &term : completedBy[variable])
        added += bytesOf(term);
      visit(variable + 1, bytes + added);
    }
  }

  int64_t bytesOf(Term &term) {
    std::vector<int> key;
    for (int variable : term.scope)
      key.push_back(choice[variable]);
    const auto [it, isNew] = term.known.try_emplace(key);
    if (isNew)
      it->second = term.bytes(plan);
    return it->second;
  }

  const int tensors;
  const std::vector<std::vector<History>> candidates; // per variable
  std::vector<int> choice;
  std::vector<std::vector<Term>> completedBy; // per variable
  PartitionPlan plan, best;
  int64_t least = std::numeric_limits<int64_t>::max();
};

bool tooMany(const std::vector<std::vector<History>> &candidates) {
  double assignments = 1;
  for (const auto &histories : candidates)
    assignments *= double(histories.size());
  return assignments > kMostAssignments;
}

/// `costs`: of links; none: bytes.
std::vector<Term> writeTerms(const OperatorGraph &graph,
                             const std::vector<int64_t> &costs = {}) {
  std::vector<Term> terms;
  const int tensors = int(graph.tensors.size());
  for (int op = 0; op < int(graph.operators.size()); ++op)
    terms.push_back({{graph.operators[op].result, tensors + op},
                     [&graph, op, costs](const PartitionPlan &plan) {
                       return costs.empty() ? writeBytes(graph, plan, op)
                                            : writeCost(graph, plan, op, costs);
                     },
                     {}});
  return terms;
}

/// B.
std::vector<Term> separateTerms(const OperatorGraph &graph,
                                const std::vector<int64_t> &costs = {}) {
  std::vector<Term> terms = writeTerms(graph, costs);
  const int tensors = int(graph.tensors.size());
  for (int op = 0; op < int(graph.operators.size()); ++op)
    for (int i = 0; i < int(graph.operators[op].operands.size()); ++i)
      terms.push_back({{graph.operators[op].operands[i].tensor, tensors + op},
                       [&graph, op, i, costs](const PartitionPlan &plan) {
                         return costs.empty()
                                    ? readBytes(graph, plan, op, i)
                                    : readCost(graph, plan, op, i, costs);
                       },
                       {}});
  return terms;
}

std::vector<Term> sharedTerms(const OperatorGraph &graph) {
  std::vector<Term> terms = writeTerms(graph);
  const int tensors = int(graph.tensors.size());
  for (int t = 0; t < tensors; ++t) {
    std::set<int> scope{t};
    for (int op = 0; op < int(graph.operators.size()); ++op)
      for (const Operand &operand : graph.operators[op].operands)
        if (operand.tensor == t)
          scope.insert(tensors + op);
    terms.push_back({scope,
                     [&graph, t](const PartitionPlan &plan) {
                       return sharedReadBytes(graph, plan, t);
                     },
                     {}});
  }
  return terms;
}

Error tooLarge() {
  return fail("the graph is too large for the brute-force search");
}

Result<PartitionPlan> findPlan(const OperatorGraph &graph, int64_t workers,
                               const Params &params, std::vector<Term> terms) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  const std::vector<int64_t> ways = factorize(workers);
  const Choices choices(graph, params);
  std::vector<std::vector<History>> candidates;
  constexpr size_t limit = 1 << 16;
  for (int t = 0; t < int(graph.tensors.size()); ++t)
    candidates.push_back(choices.tensorHistories(t, ways, limit)
                             .value_or(std::vector<History>()));
  for (int op = 0; op < int(graph.operators.size()); ++op)
    candidates.push_back(choices.operatorHistories(op, ways, limit)
                             .value_or(std::vector<History>()));
  for (const auto &histories : candidates)
    if (histories.empty())
      return tooLarge();
  if (tooMany(candidates))
    return tooLarge();

  auto [plan, bytes] =
      Exhaustive(graph, ways, std::move(candidates), std::move(terms)).run();
  PartitionPlan before;
  for (Step &step : plan.steps) {
    const auto least = leastStepBytes(graph, before, step.ways, params);
    if (!least)
      return tooLarge();
    before.steps.push_back(step);
    step.bytes = communicationBytes(graph, before);
    step.lowerBoundBytes = *least;
    step.optimal = step.bytes == *least;
  }
  plan.bytes = communicationBytes(graph, plan);
  plan.sharedBytes = sharedCommunicationBytes(graph, plan);
  return std::move(plan);
}

} // namespace

Result<int64_t> partition::leastStepBytes(const OperatorGraph &graph,
                                          const PartitionPlan &before,
                                          int64_t ways, const Params &params) {
  const Choices choices(graph, params);
  std::vector<int64_t> allWays;
  std::vector<History> histories(graph.tensors.size() + graph.operators.size());
  for (const Step &step : before.steps) {
    allWays.push_back(step.ways);
    for (size_t v = 0; v < histories.size(); ++v)
      histories[v].push_back(v < graph.tensors.size()
                                 ? step.tensors[v]
                                 : step.operators[v - graph.tensors.size()]);
  }
  allWays.push_back(ways);

  std::vector<std::vector<History>> candidates;
  for (size_t v = 0; v < histories.size(); ++v) {
    const bool isTensor = v < graph.tensors.size();
    candidates.emplace_back();
    for (const Division &choice :
         isTensor ? choices.ofTensor(int(v), histories[v], allWays)
                  : choices.ofOperator(int(v - graph.tensors.size()),
                                       histories[v], allWays)) {
      candidates.back().push_back(histories[v]);
      candidates.back().back().push_back(choice);
    }
  }
  if (tooMany(candidates))
    return tooLarge();
  return Exhaustive(graph, allWays, std::move(candidates),
                    separateTerms(graph, params.linkCosts))
      .run()
      .second;
}

Result<PartitionPlan>
partition::partitionByBruteForce(const OperatorGraph &graph, int64_t workers,
                                 const Params &params) {
  auto plan = findPlan(graph, workers, params, sharedTerms(graph));
  if (plan) {
    plan->lowerBoundBytes = plan->sharedBytes;
    plan->optimal = true;
  }
  return plan;
}

Result<PartitionPlan>
partition::leastBytesByBruteForce(const OperatorGraph &graph, int64_t workers,
                                  const Params &params) {
  return findPlan(graph, workers, params, separateTerms(graph));
}
