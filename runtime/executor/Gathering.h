// Whole tensors, put together from what each worker has of them.
#ifndef SMEX_RUNTIME_EXECUTOR_GATHERING_H
#define SMEX_RUNTIME_EXECUTOR_GATHERING_H

#include "runtime/executor/Holders.h"
#include "runtime/transports/Transport.h"

#include <functional>

namespace smex::runtime {

/// A buffer's tensor, and where it is to be whole, dense and row-major.
struct Whole {
  int buffer = 0;
  const Holders *holders = nullptr; // of the buffer
  std::byte *bytes = nullptr;       // null: this process does not want it
};

/// Shows `use` what the calling worker has of whole number `number`.
using ShowPart = std::function<Status(
    size_t number, const std::function<void(const std::byte *)> &use)>;

/// For the workers of one process; `workers`: which of the plan's these are.
class Gathering {
public:
  Gathering(const plan::Partitioned &partitioned, Transport &transport,
            const std::vector<int> &workers)
      : partitioned(partitioned), transport(transport), workers(workers) {}

  /// Whether other processes have workers as well. Then every worker of the
  /// plan must bring the same wholes, in the same order, wanted or not.
  bool hasOthers() const { return workers.size() < partitioned.workers.size(); }

  /// Brings the boxes that the holders say are the worker's. All is in place
  /// after the next barrier. A run that was stopped leaves it as it is.
  Status bring(int worker, const std::vector<Whole> &wholes,
               const ShowPart &show) const;

private:
  Status takeOthers(const Shared &all, const std::vector<Whole> &wholes) const;

  const plan::Partitioned &partitioned;
  Transport &transport;
  const std::vector<int> &workers;
};

} // namespace smex::runtime

#endif
