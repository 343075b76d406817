// Spartan, as thesis section 3.7.3 has it: greedily partition the largest
// tensor first (along any dimension), followed by its incident operators,
// followed by the second largest tensor, and so on.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Greedy.h"

#include "dialects/support/Tensor.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;

Result<PartitionPlan>
partition::partitionLikeSpartan(const OperatorGraph &graph, int64_t workers,
                                const Params &params) {
  Params always = params;
  always.alwaysCut = true;
  return planInOneStep(
      graph, workers, always, /*isCoarsened=*/true,
      [&](const NextStep &, const std::vector<int> &classes, Greedy &greedy) {
        std::vector<int> tensors(graph.tensors.size());
        std::iota(tensors.begin(), tensors.end(), 0);
        const auto bytes = [&](int t) {
          return *elementCount(graph.tensors[t].shape) *
                 graph.tensors[t].elementBytes;
        };
        std::stable_sort(tensors.begin(), tensors.end(),
                         [&](int a, int b) { return bytes(a) > bytes(b); });
        // A class of operators alone; those that a tensor is with go with it.
        std::vector<bool> isOperators(greedy.values.size(), true);
        for (int t : tensors)
          isOperators[size_t(classes[t])] = false;
        for (int t : tensors) {
          const int c = classes[t];
          if (!greedy.isDecided(c))
            greedy.decide(c, greedy.best(c));
          for (const Greedy::Link &link : greedy.links(c))
            if (isOperators[link.neighbour] &&
                !greedy.isDecided(link.neighbour))
              greedy.decide(link.neighbour, greedy.best(link.neighbour));
        }
        // An operator has a result, so all are decided.
      });
}
