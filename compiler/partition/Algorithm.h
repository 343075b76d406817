// Search algorithms by name, behind one interface.
#ifndef SMEX_COMPILER_PARTITION_ALGORITHM_H
#define SMEX_COMPILER_PARTITION_ALGORITHM_H

#include "compiler/partition/Choices.h"

#include <string_view>

namespace smex::partition {

struct Algorithm {
  std::string_view name, description;
  Result<PartitionPlan> (*run)(const OperatorGraph &graph, int64_t workers,
                               const Params &params);
  /// What it decides of the graph.
  enum class Decides {
    All,        // each operator
    Coarsened,  // what Tofu's coarsening leaves (Coarsen.h)
    JoinedSums, // all, where sums of sums are one operator each (Sums.h)
  };
  Decides decides = Decides::All;
  bool isCoarsened() const { return decides == Decides::Coarsened; }
  bool joinsSums() const { return decides == Decides::JoinedSums; }
};

const std::vector<Algorithm> &algorithms();

/// The graph as the algorithm sees it: its sums of sums may be one operator
/// each. A plan of this is one of validate() and CommunicationBytes.h.
OperatorGraph searched(const OperatorGraph &graph, std::string_view algorithm);

/// Runs the algorithm of this name; the plan it returns is valid, but that
/// tensors inside of sums of sums may be in terms (Sums.h).
Result<PartitionPlan> partition(const OperatorGraph &graph, int64_t workers,
                                std::string_view algorithm = "recursive",
                                const Params &params = {});

} // namespace smex::partition

#endif
