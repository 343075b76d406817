#include "test/emulated/ptx/Block.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace smex::ptx {

Block::Block(LaunchState &launch) : launch(launch) {
  const Dim3 &shape = launch.options.block;
  threads.resize(size_t(shape[0]) * shape[1] * shape[2]);
  shared.resize(launch.program.dynamicOffset + launch.options.dynamicShared);
  initialized.resize(shared.size());
  if (launch.program.keepsAllReads)
    shadow.keepAllReads();
}

void Block::run(uint32_t newNumber, Dim3 newPosition) {
  number = newNumber;
  position = newPosition;
  clocks.start(number, threads.size());
  shadow.clear();
  std::fill(initialized.begin(), initialized.end(), 0);
  for (Barrier &each : barriers)
    each = Barrier();
  for (uint32_t i = 0; i < threads.size(); ++i)
    threads[i].start(*this, i);
  std::vector<uint32_t> order((threads.size() + 31) / 32);
  std::iota(order.begin(), order.end(), 0);
  if (launch.options.seed) {
    std::mt19937_64 random(launch.options.seed + number);
    std::shuffle(order.begin(), order.end(), random);
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t warp : order)
      progress |= runWarp(warp);
  }
  for (const Thread &each : threads)
    if (each.state != Thread::Done)
      stuck();
}

bool Block::runWarp(uint32_t warp) {
  const uint32_t first = warp * 32;
  const uint32_t count = std::min<uint32_t>(32, threads.size() - first);
  bool progress = false;
  for (;;) {
    bool ran = false;
    for (uint32_t lane = 0; lane < count; ++lane) {
      // With a seed, every other time the last lane goes first.
      bool backward = launch.options.seed >> (warp & 31) & 1;
      Thread &thread = threads[first + (backward ? count - 1 - lane : lane)];
      if (thread.state == Thread::Ready) {
        thread.run();
        ran = true;
      }
    }
    ran |= completeCollectives(warp);
    if (!ran)
      return progress;
    progress = true;
  }
}

void Block::join(Thread &thread, uint32_t mask) {
  if (!(mask >> (thread.index & 31) & 1))
    thread.fault(FaultKind::Warp, "the thread's own lane is not in the member "
                                  "mask");
  thread.waitMask = mask;
  thread.state = Thread::AtCollective;
}

bool Block::completeCollectives(uint32_t warp) {
  const uint32_t first = warp * 32;
  const uint32_t count = std::min<uint32_t>(32, threads.size() - first);
  bool progress = false;
  for (uint32_t lane = 0; lane < count; ++lane) {
    Thread &thread = threads[first + lane];
    if (thread.state != Thread::AtCollective)
      continue;
    // "until all non-exited threads corresponding to membermask have executed"
    // the instruction with the same mask (PTX ISA, shfl.sync). Lanes that the
    // block does not have count as exited.
    uint32_t members = 0;
    bool complete = true;
    for (uint32_t other = 0; other < count; ++other) {
      const Thread &peer = threads[first + other];
      if (!(thread.waitMask >> other & 1) || peer.state == Thread::Done)
        continue;
      complete &= peer.state == Thread::AtCollective && peer.pc == thread.pc &&
                  peer.waitMask == thread.waitMask;
      members |= 1u << other;
    }
    if (!complete)
      continue;
    thread.current().collective(*this, warp, members, thread.current());
    for (uint32_t other = 0; other < count; ++other)
      if (members >> other & 1)
        threads[first + other].state = Thread::Ready;
    progress = true;
  }
  return progress;
}

void Block::synchronize(uint32_t warp, uint32_t members) {
  std::vector<uint32_t> list;
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (members >> lane & 1)
      list.push_back(warp * 32 + lane);
  clocks.barrier(list);
}

void Block::arrive(Thread &thread, uint32_t which, uint32_t count, bool waits,
                   bool aligned, Reduction reduction, bool predicate,
                   uint32_t resultCell) {
  if (which >= 16)
    thread.fault(FaultKind::Barrier,
                 "a block has barriers 0 to 15, not " + std::to_string(which));
  if (count % 32 || count > (threads.size() + 31) / 32 * 32)
    thread.fault(FaultKind::Barrier,
                 "a barrier for " + std::to_string(count) +
                     " threads: the count is a multiple of 32, and no more "
                     "than the block has");
  if (count == 0 || count > threads.size())
    count = threads.size();
  Barrier &barrier = barriers[which];
  if (barrier.arrived.empty()) {
    barrier.expected = count;
    barrier.reduction = reduction;
    barrier.count = 0;
    barrier.aligned = aligned;
  } else if (barrier.expected != count || barrier.reduction != reduction) {
    thread.fault(FaultKind::Barrier, "threads come to barrier " +
                                         std::to_string(which) +
                                         " with different counts or kinds");
  }
  // An aligned barrier is one instruction for the whole warp.
  for (uint32_t other : barrier.waiting)
    if (barrier.aligned && other / 32 == thread.index / 32 &&
        threads[other].pc != thread.pc)
      thread.fault(FaultKind::Barrier,
                   "threads of one warp are at different barriers");
  barrier.arrived.push_back(thread.index);
  barrier.count += predicate;
  if (waits) {
    barrier.waiting.push_back(thread.index);
    barrier.results.push_back(resultCell);
    thread.state = Thread::AtBarrier;
    thread.waitBarrier = which;
  }
  if (barrier.arrived.size() == barrier.expected)
    complete(thread, barrier);
}

void Block::complete(Thread &, Barrier &barrier) {
  if (clocks.time() >= maximalTime)
    threads[barrier.arrived[0]].fault(FaultKind::Limit, "too many barriers");
  clocks.barrier(barrier.arrived);
  uint32_t value = barrier.count;
  if (barrier.reduction == Reduction::And)
    value = barrier.count == barrier.arrived.size();
  else if (barrier.reduction == Reduction::Or)
    value = barrier.count != 0;
  for (size_t i = 0; i < barrier.waiting.size(); ++i) {
    Thread &each = threads[barrier.waiting[i]];
    each.state = Thread::Ready;
    if (barrier.reduction != Reduction::None)
      each.r[barrier.results[i]] = value;
  }
  barrier = Barrier();
}

void Block::stuck() {
  auto name = [&](const Thread &thread) {
    return "thread (" + std::to_string(thread.position[0]) + ", " +
           std::to_string(thread.position[1]) + ", " +
           std::to_string(thread.position[2]) + ")";
  };
  auto whereIs = [&](const Thread &thread) {
    if (thread.state == Thread::Done)
      return name(thread) + " has exited";
    const Statement &at = thread.function().statementOf(thread.current());
    return name(thread) + " waits at PTX line " + std::to_string(at.line) +
           ": " + at.text;
  };
  // A collective first: that it is not complete keeps barriers waiting.
  for (Thread &thread : threads) {
    if (thread.state != Thread::AtCollective)
      continue;
    const uint32_t first = thread.index / 32 * 32;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(thread.waitMask >> lane & 1) || first + lane >= threads.size())
        continue;
      const Thread &peer = threads[first + lane];
      if (peer.state == Thread::Done ||
          (peer.state == Thread::AtCollective && peer.pc == thread.pc &&
           peer.waitMask == thread.waitMask))
        continue;
      thread.fault(FaultKind::Warp,
                   "lane " + std::to_string(lane) +
                       " of the member mask does not come: " + whereIs(peer));
    }
  }
  for (Thread &thread : threads) {
    if (thread.state != Thread::AtBarrier)
      continue;
    const Barrier &barrier = barriers[thread.waitBarrier];
    std::string absent;
    for (const Thread &peer : threads)
      if (std::find(barrier.arrived.begin(), barrier.arrived.end(),
                    peer.index) == barrier.arrived.end()) {
        absent = "; " + whereIs(peer);
        break;
      }
    thread.fault(FaultKind::Barrier,
                 "barrier " + std::to_string(thread.waitBarrier) +
                     " waits for " + std::to_string(barrier.expected) +
                     " threads, of which " +
                     std::to_string(barrier.arrived.size()) + " came" + absent);
  }
  throw std::logic_error("a block stands still, and no thread waits");
}

std::string Block::nameOf(Stamp other) const {
  const Dim3 &shape = launch.options.block, &grid = launch.options.grid;
  uint32_t b = other.block(), t = other.thread();
  std::string text = "thread (" + std::to_string(t % shape[0]) + ", " +
                     std::to_string(t / shape[0] % shape[1]) + ", " +
                     std::to_string(t / shape[0] / shape[1]) + ")";
  if (b != number)
    return text + " of block (" + std::to_string(b % grid[0]) + ", " +
           std::to_string(b / grid[0] % grid[1]) + ", " +
           std::to_string(b / grid[0] / grid[1]) + ")";
  return text + " of the same block";
}

std::string Block::describe(Stamp other) const {
  return nameOf(other) +
         (other.block() == number ? ": no barrier is between them" : "");
}

uint64_t Block::special(const Thread &thread, Special which) const {
  const Dim3 &shape = launch.options.block, &grid = launch.options.grid;
  const uint32_t lane = thread.index & 31;
  const uint32_t eq = 1u << lane;
  switch (which) {
  case Special::TidX:
  case Special::TidY:
  case Special::TidZ:
    return thread.position[int(which) - int(Special::TidX)];
  case Special::NtidX:
  case Special::NtidY:
  case Special::NtidZ:
    return shape[int(which) - int(Special::NtidX)];
  case Special::CtaidX:
  case Special::CtaidY:
  case Special::CtaidZ:
    return position[int(which) - int(Special::CtaidX)];
  case Special::NctaidX:
  case Special::NctaidY:
  case Special::NctaidZ:
    return grid[int(which) - int(Special::NctaidX)];
  case Special::Laneid:
    return lane;
  case Special::Warpid:
    return thread.index / 32;
  case Special::Nwarpid:
    return (threads.size() + 31) / 32;
  case Special::LanemaskEq:
    return eq;
  case Special::LanemaskLe:
    return eq | (eq - 1);
  case Special::LanemaskLt:
    return eq - 1;
  case Special::LanemaskGe:
    return static_cast<uint32_t>(~(eq - 1));
  case Special::LanemaskGt:
    return static_cast<uint32_t>(~(eq | (eq - 1)));
  case Special::Smid:
  case Special::Gridid:
    return 0;
  case Special::Nsmid:
    return 1;
  case Special::DynamicShared:
    return launch.options.dynamicShared;
  case Special::TotalShared:
    return launch.program.sharedBytes + launch.options.dynamicShared;
  }
  return 0;
}

} // namespace smex::ptx
