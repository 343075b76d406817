// How far the exchanges of a GPU are, and what is said where they do not go on.
#include "runtime/backends/cuda/Exchanger.h"
#include "runtime/backends/cuda/GpuWatchdog.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace smex;
using namespace smex::cuda;

void Exchanger::end(const std::string &others) const {
  // It may be another GPU of this process that hangs, or this one.
  const std::string here =
      isBound && shared.watchdog ? shared.watchdog->examine() : "";
  const std::string &why = here.empty() ? others : here;
  // Where there are other processes, they end together.
  if (!shared.transport.abandon(why))
    nccl::endProcess(why);
}

std::string Exchanger::whatHangs(int instruction) const {
  std::string what = "rank " + std::to_string(rank) + " (worker " +
                     std::to_string(leading) + "): no progress for " +
                     std::to_string(int(nccl::timeoutSeconds())) + " s ";
  if (instruction == joining)
    what += "in making NCCL's communicators";
  else if (instruction == leaving)
    what += "in leaving NCCL's communicators";
  else
    what += "in instruction " + std::to_string(instruction) + " (node \"" +
            shared.program().instructions[size_t(instruction)].node + "\")";
  what += instruction >= 0 && look().waitsForKernel()
              ? ": a kernel that packs, unpacks or combines does not end"
              : ": another rank has died, or hangs";
  if (shared.transport.isStopped())
    what += "; the run was stopped: " + shared.transport.reason().message;
  return what;
}

bool Exchanger::wait(int instruction, int64_t step) {
  const int64_t count = int64_t(shared.program().instructions.size());
  return shared.recorder.wait(
      {leading, int(Queue::Transfers), step * count + instruction + 1},
      shared.transport);
}

/// Whether all that the exchange waits for on this GPU is over.
bool Exchanger::hasBegun(const Exchange &exchange) const {
  return std::all_of(exchange.waits.begin(), exchange.waits.end(),
                     [&](const runtime::Event &event) {
                       return shared.driver.eventQuery(
                                  shared.recorder.eventOf(event)) == success;
                     });
}

Exchanger::State Exchanger::look(size_t first) const {
  State state;
  for (size_t i = first; i < next; ++i) {
    const Exchange &exchange = all.list[i];
    state.place = {base + exchange.instruction, 0};
    if (shared.driver.eventQuery(events[size_t(exchange.instruction)]) !=
        errorNotReady) {
      ++state.place.first;
      continue;
    }
    if (!hasBegun(exchange))
      break;
    state.instruction = exchange.instruction;
    if (parts) {
      const ExchangeParts::State part = parts->look(i);
      state.place.second = part.over;
      state.at = part.at;
    }
    break;
  }
  return state;
}

/// Others hear of it, for messages.
void Exchanger::tellBegun(size_t exchange) {
  for (runtime::Event event : all.list[exchange].waits) {
    event.count += base;
    shared.transport.signal(event);
  }
}

void Exchanger::tellOver(size_t exchange) {
  tellBegun(exchange);
  for (int worker : shared.workers)
    if (shared.places[size_t(worker)].exchanger == this)
      shared.transport.signal({worker, int(Queue::Transfers),
                               base + all.list[exchange].instruction + 1});
}

Status Exchanger::finish() {
  const Driver &driver = shared.driver;
  double since = runtime::clockSeconds();
  std::pair<int64_t, size_t> before;
  int begun = joining; // the instruction that others know to have begun
  for (int round = 0;; ++round) {
    const Code code = driver.streamQuery(stream);
    if (code == success)
      return {};
    if (code != errorNotReady)
      return check(code, "waiting for its stream");
    if (shared.transport.isStopped())
      return {};
    for (; over < all.list.size() &&
           driver.eventQuery(events[size_t(all.list[over].instruction)]) ==
               success;
         ++over)
      tellOver(over);
    const int at =
        over < all.list.size() ? all.list[over].instruction : joining;
    nccl::Code error = nccl::success;
    if (Status asked =
            checkNccl(shared.exchanging->library.getAsyncError(world, &error),
                      "ncclCommGetAsyncError");
        !asked)
      return asked;
    if (error != nccl::success && error != nccl::inProgress)
      return runtime::atNode(
          shared.program().instructions[size_t(std::max(at, 0))],
          checkNccl(error, "an exchange").takeError());
    const double now = runtime::clockSeconds();
    const State state = look(over);
    if (state.instruction && begun != at)
      tellBegun(over);
    begun = state.instruction.value_or(joining);
    if (state.place != before || !state.instruction)
      since = now;
    else if (now - since > nccl::timeoutSeconds())
      end(whatHangs(at));
    else if (now - since > nccl::doubtSeconds())
      shared.transport.doubt();
    before = state.place;
    std::this_thread::sleep_for(
        std::chrono::microseconds(round < 1000 ? 20 : 500));
  }
}

Result<std::vector<runtime::Executed>> Exchanger::executed(int worker) {
  std::vector<runtime::Executed> list;
  for (size_t i = 0; i < timed.size() && i < next; ++i) {
    const int instruction = all.list[i].instruction;
    if (!plan::written(shared.partitioned, worker, instruction))
      continue;
    float start = 0, seconds = 0;
    for (const auto &[to, from, until] :
         {std::tuple(&start, began, timed[i].start),
          std::tuple(&seconds, timed[i].start, timed[i].end)})
      if (Status known = check(shared.driver.eventElapsedTime(to, from, until),
                               "reading the time");
          !known)
        return known.takeError();
    list.push_back({instruction, beganAt + start / 1e3, seconds / 1e3});
  }
  return list;
}
