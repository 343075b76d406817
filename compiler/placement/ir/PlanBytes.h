// What a plan of a placement takes of a GPU's memory, where the placement says
// how many bytes are alive at once: what packing leaves to chance, scratch of
// libraries and kernels, and staging, all as compiler/memory sets it aside.
#ifndef SMEX_COMPILER_PLACEMENT_IR_PLANBYTES_H
#define SMEX_COMPILER_PLACEMENT_IR_PLANBYTES_H

#include "compiler/memory/Scratch.h"
#include "compiler/placement/ir/Passes.h"
#include "compiler/placement/ir/TasksOf.h"

namespace smex::placement {

class PlanBytes {
public:
  /// Of the options: all that compiler/memory's exec-plan-memory has, too.
  PlanBytes(const partition::GraphOfModule &module,
            const tdl::LambdaTable &lambdas, const PlaceOptions &options,
            int64_t workers);

  /// Of a GPU on which so many bytes are alive at once, where on the first GPU,
  /// whose scratch all have, there are `onFirst`. `stages`: transfers of the
  /// placement have something to pack.
  int64_t of(int64_t alive, int64_t onFirst, bool stages) const;
  /// The same where `alive` is all that is known. Grows with it.
  int64_t atMost(int64_t alive) const { return of(alive, alive, true); }

private:
  memory::Scratch libraries;
  int64_t kernels = 0, workspaceBytes, workers;
  bool exchanges;
};

/// By device, for a placement whose tasks are alive by `use`.
std::vector<int64_t> planBytesOf(const PlanBytes &planBytes, const Tasks &tasks,
                                 const std::vector<int> &placement,
                                 const std::vector<int64_t> &aliveBytes);

} // namespace smex::placement

#endif
