#include "compiler/partition/Algorithm.h"

#include "compiler/partition/BruteForce.h"
#include "compiler/partition/Recursive.h"

using namespace smex;
using namespace smex::partition;

const std::vector<Algorithm> &partition::algorithms() {
  static const std::vector<Algorithm> all = {
      {"recursive", "step by step, each exactly, by bytes that really move",
       partitionRecursively},
      {"brute-force", "every plan: the oracle, for tiny graphs",
       partitionByBruteForce},
  };
  return all;
}

Result<Plan> partition::partition(const Graph &graph, int64_t workers,
                                  std::string_view name, const Params &params) {
  std::string known;
  for (const Algorithm &algorithm : algorithms()) {
    if (algorithm.name == name) {
      auto plan = algorithm.run(graph, workers, params);
      if (!plan)
        return plan;
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
