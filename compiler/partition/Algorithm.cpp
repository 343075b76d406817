#include "compiler/partition/Algorithm.h"

#include "compiler/partition/Algorithms.h"
#include "compiler/partition/BruteForce.h"
#include "compiler/partition/Recursive.h"
#include "compiler/partition/Sums.h"

using namespace smex;
using namespace smex::partition;

const std::vector<Algorithm> &partition::algorithms() {
  constexpr auto coarsened = Algorithm::Decides::Coarsened,
                 joinedSums = Algorithm::Decides::JoinedSums;
  static const std::vector<Algorithm> all = {
      {"recursive", "step by step, each exactly, by bytes that really move",
       partitionRecursively, joinedSums},
      {"rounded", "recursive, or better: what the search for its bound finds",
       partitionRounded, joinedSums},
      {"best", "every order of steps, and more; slow", partitionBest,
       joinedSums},
      {"tofu", "Tofu: coarsened, everything cut", partitionLikeTofu, coarsened},
      {"critical-dp", "Tofu's first version: path by path, no halos",
       partitionByCriticalPath, coarsened},
      {"all-row-greedy", "tensors by rows, operators as is best for that",
       partitionByRowsGreedy, coarsened},
      {"all-row-random", "tensors by rows, operators drawn",
       partitionByRowsRandom, coarsened},
      {"spartan", "the largest tensor first, greedily", partitionLikeSpartan,
       coarsened},
      {"equal-chop", "each tensor along one dimension", partitionByEqualChop,
       coarsened},
      {"icml18", "flat, forward and backward alike, no output reduction",
       partitionLikeIcml18, coarsened},
      {"icml18-reduction", "the same with output reduction",
       partitionLikeIcml18WithReduction, coarsened},
      {"data-parallel", "the batch is cut, parameters are replicated",
       partitionByData, joinedSums},
      {"one-weird-trick", "data-parallel, fully connected layers cut",
       partitionByOneWeirdTrick, joinedSums},
      {"zero", "data-parallel, gradients and the optimizer's history cut",
       partitionLikeZero, joinedSums},
      {"flat", "all steps together", partitionFlat},
      {"flat-coarsened", "all steps together, on Tofu's coarsening",
       partitionFlatCoarsened, coarsened},
      {"brute-force", "every plan: the oracle, for tiny graphs",
       partitionByBruteForce},
  };
  return all;
}

namespace {

Result<PartitionPlan> validPlan(const Algorithm &algorithm,
                                const OperatorGraph &graph, int64_t workers,
                                const Params &params) {
  auto plan = algorithm.run(graph, workers, params);
  if (!plan)
    return plan;
  for (const Step &step : plan->steps)
    if (step.bytes >= kMostBytes)
      return fail("the model is too large for ", workers,
                  " workers: more bytes would cross than can be counted");
  if (Status status = validate(graph, *plan); !status)
    return Error{"the search made an invalid plan: " +
                     status.takeError().message,
                 Fault::Defect};
  return plan;
}

/// What an operator of the joined graph costs is what its parts do.
Params forJoined(const OperatorGraph &graph, const JoinedSums &joined,
                 const Params &given) {
  Params params = given;
  if (!given.work)
    return params;
  std::vector<std::vector<int>> parts(joined.graph.operators.size());
  for (size_t o = 0; o < joined.operators.size(); ++o)
    parts[size_t(joined.operators[o])].push_back(int(o));
  params.work = [&graph, work = given.work, parts = std::move(parts)](
                    int op, const std::vector<Box> &shares) {
    int64_t bytes = 0;
    for (int part : parts[size_t(op)]) {
      const size_t variables = graph.operators[size_t(part)].extents.size();
      std::vector<Box> ofPart;
      for (const Box &share : shares)
        ofPart.push_back(front(share, variables));
      bytes += work(part, ofPart);
    }
    return bytes;
  };
  return params;
}

} // namespace

OperatorGraph partition::searched(const OperatorGraph &graph,
                                  std::string_view algorithm) {
  for (const Algorithm &each : algorithms())
    if (each.name == algorithm && each.joinsSums())
      return joinSums(graph).graph;
  return graph;
}

Result<PartitionPlan> partition::partition(const OperatorGraph &graph,
                                           int64_t workers,
                                           std::string_view name,
                                           const Params &params) {
  std::string known;
  for (const Algorithm &algorithm : algorithms()) {
    if (algorithm.name == name) {
      // A step that is decided already is one of the graph as it is.
      if (!algorithm.joinsSums() || params.first)
        return validPlan(algorithm, graph, workers, params);
      const JoinedSums joined = joinSums(graph);
      auto plan = validPlan(algorithm, joined.graph, workers,
                            forJoined(graph, joined, params));
      if (!plan)
        return plan;
      return inTerms(graph, joined, std::move(*plan));
    }
    known += known.empty() ? "" : ", ";
    known += algorithm.name;
  }
  Error error = fail("no algorithm \"", name, "\"; there are ", known);
  error.fault = Fault::Usage;
  return error;
}
