// What all workers of a plan come to together: barriers, and bytes that each
// shares with all.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_MEETINGS_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_MEETINGS_H

#include "runtime/transports/Transport.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace smex::mpi {

/// Those of one process. Workers come to all meetings, in one order. `doubt` is
/// called from time to time while one waits for others for long.
class Meetings {
public:
  using Bytes = std::vector<std::byte>;
  /// `processes`: how many there are; `own`: the workers of this one.
  Meetings(int workers, int processes, std::vector<int> own,
           std::function<void(Bytes)> tellOthers,
           std::function<void()> doubt = {});

  /// Returns once every worker has come; nothing: the run was stopped.
  bool meet() { return join(nullptr, 0).has_value(); }
  std::optional<runtime::Shared> meet(int worker, Bytes bytes) {
    return join(std::make_shared<const Bytes>(std::move(bytes)), worker);
  }
  /// Another process' workers have all come, and told so.
  void hear(const Bytes &told);
  /// From now on, nobody's coming counts, and no process is told of it.
  void stop();

private:
  struct Meeting {
    runtime::Shared brought;
    size_t come = 0, gone = 0; // of the workers of this process
    int processes = 0;         // all of whose workers have come
  };
  std::optional<runtime::Shared> join(std::shared_ptr<const Bytes> brings,
                                      int worker);
  Meeting &meeting(int64_t number);
  Bytes tell(int64_t number, const Meeting &meeting) const;

  const size_t workers;
  const int processes;
  const std::vector<int> own;
  const std::function<void(Bytes)> tellOthers;
  const std::function<void()> doubt;

  std::mutex mutex; // of what follows
  std::condition_variable changed;
  std::map<int64_t, Meeting> meetings;
  int64_t come = 0; // of this process' workers, to all meetings so far
  bool stopped = false;
};

} // namespace smex::mpi

#endif
