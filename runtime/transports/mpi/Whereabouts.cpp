// What the workers of this process and of others are at, as far as it is known
// here, for messages.
#include "runtime/transports/mpi/MpiTransport.h"

#include <algorithm>

using namespace smex;
using namespace smex::mpi;

std::vector<int64_t> MpiTransport::completedBy(int worker) const {
  const auto first = completed.begin() + std::ptrdiff_t(worker) * queues;
  return {first, first + queues};
}

std::string MpiTransport::nextOf(int worker) const {
  const std::vector<int64_t> counts = completedBy(worker);
  return names ? names(worker, counts)
               : "instruction " + std::to_string(counts.front());
}

void MpiTransport::setSelfExamination(SelfExamination given) {
  const std::lock_guard<std::mutex> lock(examining);
  examination = std::move(given);
}

std::string MpiTransport::examine() const {
  const std::lock_guard<std::mutex> lock(examining);
  return examination ? examination() : "";
}

bool MpiTransport::abandon(const std::string &why) {
  world.abandon(why);
  return true;
}

/// Of the workers of a process, the one that has come least far; -1: it has
/// none.
int MpiTransport::slowest(int process) const {
  int last = -1;
  for (size_t w = 0; w < processes.size(); ++w)
    if (processes[w] == process &&
        (last < 0 || completedBy(int(w)) < completedBy(last)))
      last = int(w);
  return last;
}

std::string MpiTransport::nameOf(const Awaited &wait) const {
  const std::string text = "worker " + std::to_string(wait.worker);
  if (!wait.event || !names)
    return text;
  const std::vector<int64_t> before(size_t(queues), wait.event->count - 1);
  return text + "'s " + names(wait.worker, before);
}

std::string MpiTransport::whereabouts(int lost) const {
  const std::lock_guard<std::mutex> lock(mutex);
  std::string text = "rank " + std::to_string(world.rank());
  if (lost == world.rank() && !own.empty())
    return text + " was at " + nextOf(slowest(lost));
  const auto isLost = [&](int worker) {
    return processes[size_t(worker)] == lost;
  };
  auto found =
      std::find_if(awaited.begin(), awaited.end(),
                   [&](const Awaited &each) { return isLost(each.worker); });
  if (found == awaited.end())
    found =
        std::find_if(awaited.begin(), awaited.end(), [&](const Awaited &each) {
          return processes[size_t(each.worker)] != world.rank();
        });
  if (found != awaited.end())
    text += " waited for " + nameOf(*found);
  else
    text += " was at " + nextOf(own.front());
  const int last = slowest(lost);
  return last < 0 ? text
                  : text + ", worker " + std::to_string(last) +
                        ", which is lost, was at " + nextOf(last);
}
