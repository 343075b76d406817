#include "compiler/partition/PlanBuilder.h"

#include "compiler/partition/LowerBound.h"
#include "compiler/partition/SharedFetches.h"
#include "compiler/partition/Timesteps.h"

using namespace smex;
using namespace smex::partition;

PlanBuilder::PlanBuilder(const OperatorGraph &graph, std::vector<int64_t> ways,
                         const Params &params, PairCosts &costs)
    : graph(graph), params(params), choices(graph, params),
      ways(std::move(ways)), costs(costs), networks(graph, costs),
      histories(graph.tensors.size() + graph.operators.size()) {
  for (History &history : histories)
    history.reserve(this->ways.size());
}

const Division *PlanBuilder::decidedFirst(int variable,
                                          const History &history) const {
  if (!params.first || !history.empty())
    return nullptr;
  const int op = variable - int(graph.tensors.size());
  return op < 0 ? &params.first->tensors[size_t(variable)]
                : &params.first->operators[size_t(op)];
}

std::vector<Division> PlanBuilder::optionsOf(int variable,
                                             const History &history) const {
  const int op = variable - int(graph.tensors.size());
  if (const Division *decided = decidedFirst(variable, history))
    return {*decided};
  const std::vector<int64_t> soFar(ways.begin(),
                                   ways.begin() + history.size() + 1);
  if (op < 0)
    return choices.ofTensor(variable, history, soFar);
  const std::vector<Division> all = choices.ofOperator(op, history, soFar);
  std::vector<Division> allowed;
  for (const Division &option : all)
    if (!allows || option.isWhole() ||
        allows(graph.operators[op], option.dimension()))
      allowed.push_back(option);
  return allowed.empty() ? all : allowed;
}

std::vector<History> PlanBuilder::allHistories(int variable,
                                               size_t limit) const {
  for (bool ascending : {false, true}) {
    std::vector<History> histories{{}};
    for (size_t s = 0; s < ways.size() && !histories.empty(); ++s) {
      std::vector<History> longer;
      for (const History &history : histories)
        for (const Division &option : optionsOf(variable, history)) {
          if (ascending && !history.empty() && option < history.back() &&
              ways[s] == ways[s - 1])
            continue;
          if (longer.size() < limit || !ascending) {
            longer.push_back(history);
            longer.back().push_back(option);
          }
        }
      histories = std::move(longer);
      if (histories.size() > limit)
        histories.clear();
    }
    if (!histories.empty())
      return histories;
  }
  // Ascending choices may have led nowhere: the most preferred ones do not.
  History history;
  while (history.size() < ways.size())
    history.push_back(optionsOf(variable, history).front());
  return {history};
}

Division PlanBuilder::repeated(int variable, const History &history) const {
  const Division &last = history.back();
  if (last.bounds().empty())
    return last;
  for (const Division &option : optionsOf(variable, history))
    if (option.cuts(last.dimension()))
      return option;
  return Division::part(last.dimension());
}

const PlanBuilder::Lists &PlanBuilder::listsOf(int variable) const {
  const int op = variable - int(graph.tensors.size());
  const History &history = histories[variable];
  if (op < 0)
    key = {0, costs.tensorClass(variable), choices.isSmallTensor(variable)};
  else
    key = {1, costs.operatorClass(op), choices.isSmallOperator(op)};
  for (const Division &division : history)
    division.appendTo(key);
  if (const Division *decided = decidedFirst(variable, history)) {
    key.push_back(-1); // what is to be decided, and not a history
    decided->appendTo(key);
  }
  const int number = keys.number(key);
  if (number < int(known.size()))
    return known[number];
  known.emplace_back();

  const size_t s = plan.steps.size();
  std::vector<int64_t> soFar(ways.begin(), ways.begin() + s + 1);
  Lists &lists = known.back();
  lists.options = optionsOf(variable, history);
  const auto list = [&](int times) {
    Candidates candidates{soFar, {}};
    for (const Division &option : lists.options) {
      candidates.histories.push_back(history);
      History &longer = candidates.histories.back();
      longer.push_back(option);
      if (times > 1)
        longer.push_back(repeated(variable, longer));
    }
    return costs.add(candidates);
  };
  lists.list = list(1);
  lists.tieList = -1;
  if (s + 1 < ways.size()) {
    soFar.push_back(ways[s + 1]);
    lists.tieList = list(2);
  }
  return lists;
}

NextStep PlanBuilder::next() const {
  NextStep step;
  step.ways = ways[plan.steps.size()];
  const bool isLast = plan.steps.size() + 1 == ways.size();
  for (int v = 0; v < int(histories.size()); ++v) {
    const Lists &lists = listsOf(v);
    const bool isTensor = v < int(graph.tensors.size());
    step.options.push_back(&lists.options);
    (isTensor ? step.lists.tensors : step.lists.operators)
        .push_back(lists.list);
    if (!isLast)
      (isTensor ? step.tieLists.tensors : step.tieLists.operators)
          .push_back(lists.tieList);
  }
  return step;
}

network::Problem PlanBuilder::problem(const NextStep &step,
                                      Sharing sharing) const {
  const bool isLast =
      step.tieLists.tensors.empty() && step.tieLists.operators.empty();
  network::Problem problem = networks.make(
      step.lists, isLast ? nullptr : &step.tieLists, sharing, params.linkCosts);
  for (int op = 0; params.work && op < int(graph.operators.size()); ++op) {
    const Candidates &candidates =
        costs.candidates(step.lists.operators[size_t(op)]);
    std::vector<network::Cost> ofEach;
    for (const History &history : candidates.histories)
      ofEach.push_back({workOf(op, candidates.ways, history), 0});
    problem.unaries.push_back(
        {int(graph.tensors.size()) + op, std::move(ofEach)});
  }
  return problem;
}

int64_t PlanBuilder::workOf(int op, const Ways &soFar,
                            const History &history) const {
  return std::min(costs.most(),
                  params.work(op, sharesOf(graph.operators[size_t(op)].extents,
                                           history, soFar)));
}

const std::vector<int> &PlanBuilder::timesteps() const {
  if (classes.empty())
    classes = findTimesteps(graph, costs, choices);
  return classes;
}

void PlanBuilder::decide(NextStep step, const std::vector<int> &values,
                         std::optional<int64_t> lowerBound, bool tied) {
  Step decision;
  decision.ways = step.ways;
  decision.tied = tied;
  decision.lowerBoundBytes = lowerBound.value_or(0);
  for (size_t v = 0; v < histories.size(); ++v) {
    const Division &choice = step.options[v][values[v]];
    histories[v].push_back(choice);
    (v < graph.tensors.size() ? decision.tensors : decision.operators)
        .push_back(choice);
  }
  decision.bytes = networks.bytes(step.lists, values);
  plan.steps.push_back(std::move(decision));
  saved.reset();
  decided.push_back(std::move(step));
  hasBound.push_back(lowerBound.has_value());
}

void PlanBuilder::decideAll(const std::vector<History> &chosen) {
  while (!done()) {
    const size_t s = plan.steps.size();
    NextStep step = next();
    std::vector<int> values;
    for (size_t v = 0; v < chosen.size(); ++v)
      values.push_back(placeOf(chosen[v][s], step.options[v]));
    decide(std::move(step), values);
  }
}

int partition::placeOf(const Division &choice,
                       const std::vector<Division> &options) {
  const auto it = std::find(options.begin(), options.end(), choice);
  return it == options.end() ? 0 : int(it - options.begin());
}

int64_t PlanBuilder::sharedBytes() const {
  if (plan.steps.empty())
    return 0;
  if (!saved)
    saved = bytesSavedByFetchingOnce(graph, plan, costs);
  return plan.steps.back().bytes - *saved;
}

int64_t PlanBuilder::cost() const {
  int64_t sum = sharedBytes();
  for (int op = 0; params.work && op < int(graph.operators.size()); ++op)
    sum += workOf(op, ways, histories[graph.tensors.size() + size_t(op)]);
  return sum;
}

PartitionPlan PlanBuilder::finish() {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    Step &step = plan.steps[s];
    if (!hasBound[s]) {
      const network::Problem separate =
          networks.make(decided[s].lists, nullptr, Sharing::None);
      step.lowerBoundBytes =
          network::lowerBound(step.tied ? network::tie(separate, timesteps())
                                        : separate,
                              params.network)
              .bytes;
    }
    step.optimal = step.bytes == step.lowerBoundBytes;
  }
  plan.bytes = plan.steps.empty() ? 0 : plan.steps.back().bytes;
  plan.sharedBytes = sharedBytes();
  if (params.lowerBound)
    plan.lowerBoundBytes =
        lowerBoundBytes(graph, ways, choices, costs, params, plan.sharedBytes);
  plan.optimal = plan.sharedBytes == plan.lowerBoundBytes;
  return std::move(plan);
}
