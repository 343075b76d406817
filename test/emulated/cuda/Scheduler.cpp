#include "test/emulated/cuda/Work.h"

#include "test/emulated/ptx/Error.h"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace smex::emulated {
namespace {

void join(Clock &into, const Clock &from) {
  for (const auto &[stream, number] : from) {
    uint64_t &mine = into[stream];
    mine = std::max(mine, number);
  }
}

bool isReady(const Work &work) {
  return !work.isStarted &&
         std::all_of(work.after.begin(), work.after.end(),
                     [](const auto &each) { return each->isDone; }) &&
         (!work.ready || work.ready());
}

/// Whether `work` has to be done before `wanted`.
bool isNeeded(const Work &work, const Work &wanted) {
  return &work == &wanted || wanted.isAfter(work);
}

/// For a race: where a work accesses a byte, on a line of its own; nothing of
/// copies and libraries' work.
std::string placeOf(const Work &work, uint64_t address, bool isWritten) {
  const std::string place =
      work.placeOf ? work.placeOf(address, isWritten) : "";
  return place.empty() ? "" : "\n  " + place;
}

std::string hex(uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

} // namespace

void Scheduler::submit(const WorkPointer &work) {
  if (pending.empty() && accesses.empty()) {
    host.clear();
    ++era;
  }
  work->era = era;
  join(work->clock, host);
  for (const auto &each : work->after)
    if (each->era == era)
      join(work->clock, each->clock);
  work->clock[work->stream] = work->number;
  pending.push_back(work);
}

/// Without a seed: what is needed, the last submitted first. With one: any that
/// is ready, needed or not.
WorkPointer Scheduler::choose(const Work *wanted) {
  std::vector<WorkPointer> ready;
  for (const WorkPointer &each : pending)
    if (isReady(*each) && (seed || !wanted || isNeeded(*each, *wanted)))
      ready.push_back(each);
  if (ready.empty())
    return nullptr;
  return seed ? ready[random() % ready.size()] : ready.back();
}

void Scheduler::run(const WorkPointer &work,
                    std::unique_lock<std::mutex> &lock) {
  work->isStarted = true;
  if (!work->isDropped && hangs && hangs(*work))
    return; // it stays among what is pending, and the streams behind it, too
  try {
    if (!work->isDropped && fails && fails(*work))
      throw ptx::Fault(ptx::FaultKind::Trap, "it was told to fail");
    if (work->callsHost) {
      lock.unlock();
      work->run();
      lock.lock();
    } else if (work->run) {
      check(work, work->run());
    }
  } catch (...) {
    if (!lock.owns_lock())
      lock.lock();
    onError(*work, std::current_exception());
  }
  work->isDone = true;
  work->run = nullptr;
  work->ready = nullptr;
  work->after.clear();
  work->seconds = std::chrono::duration<double>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count();
  pending.erase(std::remove(pending.begin(), pending.end(), work),
                pending.end());
  changed.notify_all();
}

void Scheduler::finish(const WorkPointer &work,
                       std::unique_lock<std::mutex> &lock) {
  while (!work->isDone && !work->isDropped) {
    if (WorkPointer next = choose(work.get()))
      run(next, lock);
    else if (!work->isDone)
      // Another thread runs a host function, or something is not ready for a
      // reason that only it knows.
      changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  if (work->isDone)
    learn(*work);
}

void Scheduler::finishAll(std::unique_lock<std::mutex> &lock) {
  while (true) {
    const auto last =
        std::find_if(pending.rbegin(), pending.rend(),
                     [](const auto &each) { return !each->isDropped; });
    if (last == pending.rend())
      return;
    const WorkPointer work = *last; // it leaves the list when it is done
    finish(work, lock);
  }
}

void Scheduler::step(std::unique_lock<std::mutex> &lock) {
  if (WorkPointer next = choose(nullptr))
    run(next, lock);
}

void Scheduler::learn(const Work &work) {
  if (work.era == era)
    join(host, work.clock);
  // What the host knows to be over is before all that will be submitted, and
  // nothing else is left to race with it.
  if (pending.empty())
    accesses.erase(std::remove_if(accesses.begin(), accesses.end(),
                                  [&](const Access &each) {
                                    auto known = host.find(each.work->stream);
                                    return known != host.end() &&
                                           known->second >= each.work->number;
                                  }),
                   accesses.end());
}

void Scheduler::drop(unsigned device) {
  for (const WorkPointer &each : pending)
    if (each->device == device && !each->isStarted) {
      each->isDropped = true;
      each->callsHost = false;
      each->run = nullptr;
      each->ready = nullptr;
    }
  changed.notify_all();
}

void Scheduler::forget(uint64_t begin, uint64_t end) {
  accesses.erase(std::remove_if(accesses.begin(), accesses.end(),
                                [&](const Access &each) {
                                  return each.span.begin >= begin &&
                                         each.span.end <= end;
                                }),
                 accesses.end());
}

void Scheduler::check(const WorkPointer &work, const std::vector<Span> &spans) {
  for (const Span &span : spans) {
    for (const Access &earlier : accesses) {
      uint64_t begin = std::max(span.begin, earlier.span.begin);
      if (begin >= std::min(span.end, earlier.span.end) ||
          !(span.isWritten || earlier.span.isWritten) || earlier.work == work ||
          work->isAfter(*earlier.work))
        continue;
      throw StreamRace{"two streams race: " + work->description +
                       (span.isWritten ? " writes " : " reads ") + hex(begin) +
                       (earlier.span.isWritten ? ", which " : ", and ") +
                       earlier.work->description +
                       (earlier.span.isWritten ? " writes" : " reads it") +
                       ", and no event orders them" +
                       placeOf(*work, begin, span.isWritten) +
                       placeOf(*earlier.work, begin, earlier.span.isWritten)};
    }
    // What this access covers and is after says nothing new any more.
    accesses.erase(std::remove_if(accesses.begin(), accesses.end(),
                                  [&](const Access &each) {
                                    return each.span.begin >= span.begin &&
                                           each.span.end <= span.end &&
                                           each.span.isWritten <=
                                               span.isWritten &&
                                           work->isAfter(*each.work);
                                  }),
                   accesses.end());
    accesses.push_back({span, work});
  }
}

} // namespace smex::emulated
