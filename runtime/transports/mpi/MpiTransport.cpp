#include "runtime/transports/mpi/MpiTransport.h"

#include "runtime/transports/mpi/Parcel.h"
#include "runtime/transports/mpi/Status.h"

#include <algorithm>
#include <future>

using namespace smex;
using namespace smex::mpi;
using runtime::Arrival;
using runtime::Event;
using runtime::Shared;

namespace {
enum Kind : int32_t { Events, Met, Ordered, Delivered, Stopped };

/// More is packed by a thread of its own: while one packs, nothing else of a
/// process is heard.
constexpr int64_t largeBytes = int64_t(1) << 20;

std::vector<int> processesOf(int workers, int processes) {
  std::vector<int> all;
  for (int w = 0; w < workers; ++w)
    all.push_back(processOf(w, workers, processes));
  return all;
}
std::vector<int> ownWorkers(int process, const std::vector<int> &processes) {
  std::vector<int> own;
  for (size_t w = 0; w < processes.size(); ++w)
    if (processes[w] == process)
      own.push_back(int(w));
  return own;
}

void put(Parcel &parcel, const Box &box) {
  parcel.put(int64_t(box.size()));
  for (const Interval &side : box) {
    parcel.put(side.lo);
    parcel.put(side.hi);
  }
}
Box takeBox(Unpacking &parcel) {
  Box box(size_t(parcel.number()));
  for (Interval &side : box) {
    side.lo = parcel.number();
    side.hi = parcel.number();
  }
  return box;
}
} // namespace

MpiTransport::MpiTransport(World &world, int workers, int queues, Names names,
                           std::vector<int> given)
    : world(world), queues(queues), names(std::move(names)),
      processes(given.empty() ? processesOf(workers, world.size())
                              : std::move(given)),
      own(ownWorkers(world.rank(), processes)), local(workers, queues),
      memories(size_t(workers)),
      meetings(
          workers, world.size(), own,
          [this](Bytes bytes) { sendAll(Met, std::move(bytes)); },
          [this] { doubt(); }),
      completed(size_t(workers) * size_t(queues), 0) {
  packer = std::thread([this] { packLarge(); });
  channel = world.open([this](Letter letter) { take(std::move(letter)); });
  world.setBystander(this);
}

MpiTransport::~MpiTransport() {
  world.setBystander(nullptr);
  world.close(channel);
  // Behind what it was asked to run.
  std::promise<void> done;
  world.run([&] { done.set_value(); });
  done.get_future().wait();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    isClosed = true;
    packing.notify_all();
  }
  packer.join();
}

void MpiTransport::sendAll(int32_t kind, Bytes bytes) {
  const auto shared = std::make_shared<const Bytes>(std::move(bytes));
  for (int r = 0; r < world.size(); ++r)
    if (r != world.rank())
      world.send(r, {channel, kind}, shared);
}

void MpiTransport::take(Letter letter) {
  switch (letter.subject.kind) {
  case Events:
    return takeEvents(letter.bytes);
  case Met:
    return meetings.hear(letter.bytes);
  case Ordered:
    return serve(letter.from, letter.bytes);
  case Delivered:
    return takeOrdered(letter.bytes);
  case Stopped:
    return stopHere(decode(letter.bytes).takeError());
  }
}

//===- Events -------------------------------------------------------------===//

void MpiTransport::signal(const Event &event) {
  local.signal(event);
  bool isFirst;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    completed[place(event)] = event.count;
    isFirst = news.empty();
    news.insert(place(event));
  }
  if (isFirst)
    world.run([this] { sendEvents(); });
}

void MpiTransport::sendEvents() {
  Parcel parcel;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    for (size_t each : news) {
      parcel.put(int64_t(each));
      parcel.put(completed[each]);
    }
    news.clear();
  }
  sendAll(Events, parcel.take());
}

void MpiTransport::takeEvents(const Bytes &bytes) {
  Unpacking parcel(bytes);
  while (parcel.left() > 0) {
    const auto which = size_t(parcel.number());
    const int64_t count = parcel.number();
    if (which >= completed.size())
      return;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (completed[which] >= count)
        continue; // a later letter came before this one
      completed[which] = count;
    }
    local.signal({int(which) / queues, int(which) % queues, count});
  }
}

bool MpiTransport::wait(const Event &event) {
  if (local.hasHappened(event))
    return !isStopped();
  std::list<Awaited> own{{event.worker, event}};
  const auto at = own.begin();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    awaited.splice(awaited.end(), own);
  }
  const bool happened = local.wait(event);
  const std::lock_guard<std::mutex> lock(mutex);
  awaited.erase(at);
  return happened;
}

//===- Pieces -------------------------------------------------------------===//

void MpiTransport::offer(int worker, runtime::Memory memory) {
  memories[size_t(worker)] = memory;
  local.offer(worker, std::move(memory));
}

Status MpiTransport::move(int worker, int buffer,
                          const std::vector<Arrival> &arrivals) {
  std::vector<Arrival> here;
  std::map<int, std::vector<const Arrival *>> elsewhere; // by process
  for (const Arrival &arrival : arrivals) {
    const int process = processes[size_t(arrival.piece.worker)];
    if (process == world.rank())
      here.push_back(arrival);
    else
      elsewhere[process].push_back(&arrival);
  }
  std::vector<std::pair<std::shared_ptr<Order>, std::list<Awaited>::iterator>>
      mine;
  for (const auto &[process, pieces] : elsewhere) {
    auto order = std::make_shared<Order>();
    Parcel parcel;
    std::list<Awaited>::iterator wait;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      parcel.put(ordered);
      orders[ordered++] = order;
      wait = awaited.insert(awaited.end(), {pieces.front()->piece.worker, {}});
    }
    int64_t bytes = 0;
    for (const Arrival *each : pieces)
      bytes += each->bytes;
    parcel.put(bytes);
    parcel.put(buffer);
    for (const Arrival *each : pieces) {
      parcel.put(each->piece.worker);
      parcel.put(each->bytes);
      put(parcel, each->piece.box);
    }
    world.send(process, {channel, Ordered},
               std::make_shared<const Bytes>(parcel.take()));
    mine.emplace_back(std::move(order), wait);
  }
  Status moved = local.move(worker, buffer, here);
  auto next = mine.begin();
  for (const auto &[process, pieces] : elsewhere) {
    const auto &[order, wait] = *next++;
    {
      std::unique_lock<std::mutex> lock(mutex);
      order->changed.wait(lock, [&order = order, this] {
        return order->isThere || isStopped();
      });
      awaited.erase(wait);
    }
    if (!order->isThere)
      continue;
    Unpacking parcel(order->bytes);
    parcel.number();
    for (const Arrival *each : pieces)
      if (const std::byte *bytes = parcel.bytes(size_t(each->bytes)))
        std::memcpy(each->to, bytes, size_t(each->bytes));
      else if (moved)
        moved = Error{"a process has sent fewer bytes than asked for",
                      Fault::Defect};
  }
  return moved;
}

Status MpiTransport::collective(int worker, int buffer,
                                const runtime::Exchange &,
                                const std::vector<Arrival> &arrivals) {
  return move(worker, buffer, arrivals);
}

void MpiTransport::serve(int to, const Bytes &order) {
  Unpacking parcel(order);
  parcel.number();
  if (parcel.number() <= largeBytes) {
    if (Status packed = pack(to, order); !packed)
      stop(packed.takeError());
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  toPack.emplace_back(to, order);
  packing.notify_all();
}

void MpiTransport::packLarge() {
  for (;;) {
    std::pair<int, Bytes> next;
    {
      std::unique_lock<std::mutex> lock(mutex);
      packing.wait(lock, [&] { return isClosed || !toPack.empty(); });
      if (isClosed)
        return;
      next = std::move(toPack.front());
      toPack.pop_front();
    }
    Status packed;
    try {
      packed = pack(next.first, next.second);
    } catch (const std::bad_alloc &) {
      packed = Error{"out of memory", Fault::Environment};
    }
    if (!packed)
      stop(packed.takeError());
  }
}

Status MpiTransport::pack(int to, const Bytes &order) {
  Unpacking parcel(order);
  const int64_t number = parcel.number(), total = parcel.number();
  const auto buffer = int(parcel.number());
  Bytes bytes(sizeof number + size_t(total));
  std::memcpy(bytes.data(), &number, sizeof number);
  std::byte *at = bytes.data() + sizeof number;
  while (parcel.left() > 0) {
    const auto worker = size_t(parcel.number());
    const int64_t count = parcel.number();
    const Box box = takeBox(parcel);
    if (Status packed = memories[worker].pack(buffer, box, at); !packed)
      return packed;
    at += count;
  }
  world.send(to, {channel, Delivered},
             std::make_shared<const Bytes>(std::move(bytes)));
  return {};
}

void MpiTransport::takeOrdered(const Bytes &bytes) {
  const int64_t number = Unpacking(bytes).number();
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = orders.find(number);
  if (found == orders.end())
    return;
  found->second->bytes = bytes;
  found->second->isThere = true;
  found->second->changed.notify_all();
  orders.erase(found);
}

//===- Together -----------------------------------------------------------===//

// Who sees that the run was stopped may leave out meetings, and so must not
// come to another one.

bool MpiTransport::barrier() { return !isStopped() && meetings.meet(); }

Shared MpiTransport::share(int worker, std::vector<std::byte> bytes) {
  if (isStopped())
    return {};
  auto all = meetings.meet(worker, std::move(bytes));
  if (!all || isStopped())
    return {};
  for (size_t w = 0; w < all->size(); ++w)
    if (!(*all)[w]) {
      stop({"worker " + std::to_string(w) + " came to a barrier where worker " +
                std::to_string(worker) + " shares bytes",
            Fault::Defect});
      return {};
    }
  return std::move(*all);
}

void MpiTransport::stop(Error error) {
  sendAll(Stopped, encode(error));
  stopHere(error);
}

void MpiTransport::stopHere(const Error &error) {
  local.stop(error);
  meetings.stop();
  const std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[number, order] : orders)
    order->changed.notify_all();
}
