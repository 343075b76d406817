#include "compiler/partition/Algorithm.h"

#include "compiler/partition/Algorithms.h"
#include "compiler/partition/BruteForce.h"
#include "compiler/partition/Recursive.h"

using namespace smex;
using namespace smex::partition;

const std::vector<Algorithm> &partition::algorithms() {
  static const std::vector<Algorithm> all = {
      {"recursive", "step by step, each exactly, by bytes that really move",
       partitionRecursively},
      {"rounded", "recursive, or better: what the search for its bound finds",
       partitionRounded},
      {"best", "every order of steps, and more; slow", partitionBest},
      {"tofu", "Tofu: coarsened, everything cut", partitionLikeTofu, true},
      {"critical-dp", "Tofu's first version: path by path, no halos",
       partitionByCriticalPath, true},
      {"all-row-greedy", "tensors by rows, operators as is best for that",
       partitionByRowsGreedy, true},
      {"all-row-random", "tensors by rows, operators drawn",
       partitionByRowsRandom, true},
      {"spartan", "the largest tensor first, greedily", partitionLikeSpartan,
       true},
      {"equal-chop", "each tensor along one dimension", partitionByEqualChop,
       true},
      {"icml18", "flat, forward and backward alike, no output reduction",
       partitionLikeIcml18, true},
      {"icml18-reduction", "the same with output reduction",
       partitionLikeIcml18WithReduction, true},
      {"data-parallel", "the batch is cut, parameters are replicated",
       partitionByData},
      {"one-weird-trick", "data-parallel, fully connected layers cut",
       partitionByOneWeirdTrick},
      {"zero", "data-parallel, gradients and the optimizer's history cut",
       partitionLikeZero},
      {"flat", "all steps together", partitionFlat},
      {"flat-coarsened", "all steps together, on Tofu's coarsening",
       partitionFlatCoarsened, true},
      {"brute-force", "every plan: the oracle, for tiny graphs",
       partitionByBruteForce},
  };
  return all;
}

Result<PartitionPlan> partition::partition(const OperatorGraph &graph,
                                           int64_t workers,
                                           std::string_view name,
                                           const Params &params) {
  std::string known;
  for (const Algorithm &algorithm : algorithms()) {
    if (algorithm.name == name) {
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
    known += known.empty() ? "" : ", ";
    known += algorithm.name;
  }
  Error error = fail("no algorithm \"", name, "\"; there are ", known);
  error.fault = Fault::Usage;
  return error;
}
