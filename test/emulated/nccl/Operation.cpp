// What goes on between streams of several ranks.
#include "test/emulated/nccl/Communicator.h"
#include "test/emulated/nccl/Reduction.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace smex::emulated {
namespace {

std::string text(int64_t number) { return std::to_string(number); }

const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Send:
    return "ncclSend";
  case Kind::Receive:
    return "ncclRecv";
  case Kind::AllGather:
    return "ncclAllGather";
  case Kind::AllReduce:
    return "ncclAllReduce";
  case Kind::ReduceScatter:
    return "ncclReduceScatter";
  }
  return "";
}

size_t bytesOf(const Operation &operation) {
  return operation.count * elementBytes(operation.type);
}
size_t ranksOf(const Operation &operation) {
  return size_t(operation.communicator->ranks);
}
size_t bytesRead(const Operation &operation) {
  return bytesOf(operation) *
         (operation.kind == Kind::ReduceScatter ? ranksOf(operation) : 1);
}

/// What an operation writes, and reads, of the rank's memory.
struct Extent {
  uint64_t begin = 0, end = 0;
};
Extent readBy(const Operation &operation) {
  if (operation.kind == Kind::Receive)
    return {};
  return {operation.from, operation.from + bytesRead(operation)};
}
Extent writtenBy(const Operation &operation) {
  if (operation.kind == Kind::Send)
    return {};
  const size_t shares =
      operation.kind == Kind::AllGather ? ranksOf(operation) : 1;
  return {operation.to, operation.to + shares * bytesOf(operation)};
}
bool overlap(const Extent &a, const Extent &b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

/// What ranks tell each other of an operation, in front of its data.
struct Header {
  int32_t kind, type;
  uint64_t count;
  int64_t reduction;
};

std::string posted(const Operation &operation, const void *data) {
  const Header header = {int32_t(operation.kind), operation.type,
                         operation.count, operation.reduction};
  std::string contents(reinterpret_cast<const char *>(&header), sizeof header);
  if (data)
    contents.append(static_cast<const char *>(data), bytesRead(operation));
  return contents;
}

/// One operation on its way.
struct Underway {
  Operation what;
  std::string own;                 // the file that this rank posts
  std::vector<std::string> others; // what it waits for
  std::vector<int> ranks;          // whose these are
  std::string last;                // a file that nobody needs afterwards
};

/// A group of them, on one stream of one communicator.
struct Together {
  std::shared_ptr<Communicator> communicator;
  std::vector<Underway> all;
  double since = 0;
  std::string deadlock;
  bool hangs = false;
};

/// SMEX_EMULATED_NCCL_HANG: which of this process' groups is never over.
bool isToHang() {
  static const char *text = std::getenv("SMEX_EMULATED_NCCL_HANG");
  static std::atomic<int64_t> groups{0};
  return ++groups == (text ? std::atoll(text) : 0);
}

Underway numbered(const Operation &operation) {
  Communicator &at = *operation.communicator;
  Underway made{operation, {}, {}, {}, {}};
  const std::string me = text(at.rank), peer = text(operation.peer);
  const auto message = [](const std::string &from, const std::string &to,
                          int64_t number) {
    return "message." + from + "." + to + "." + text(number);
  };
  switch (operation.kind) {
  case Kind::Send: {
    const std::string name =
        message(me, peer, at.sent[size_t(operation.peer)]++);
    made.own = name + ".sent";
    made.others = {name + ".wanted"};
    made.ranks = {operation.peer};
    break;
  }
  case Kind::Receive: {
    const std::string name =
        message(peer, me, at.received[size_t(operation.peer)]++);
    made.own = name + ".wanted";
    made.others = {name + ".sent"};
    made.ranks = {operation.peer};
    break;
  }
  case Kind::AllGather:
  case Kind::AllReduce:
  case Kind::ReduceScatter: {
    const auto name = [](int64_t number) {
      return "collective." + text(number) + ".";
    };
    const int64_t number = at.collectives++;
    made.own = name(number) + me;
    if (number > 0)
      made.last = name(number - 1) + me;
    for (int rank = 0; rank < at.ranks; ++rank) {
      made.others.push_back(name(number) + text(rank));
      made.ranks.push_back(rank);
    }
    break;
  }
  }
  return made;
}

/// Says, for others that may wait in vain, what this rank waits for.
void tellWaiting(const Together &group) {
  std::string waits;
  for (const Underway &each : group.all)
    for (size_t o = 0; o < each.others.size() && waits.empty(); ++o)
      if (!group.communicator->meeting.has(each.others[o]))
        waits = "rank " + text(group.communicator->rank) + " is in " +
                describe(each.what) + " and waits for rank " +
                text(each.ranks[o]);
  group.communicator->meeting.post("waits." + text(group.communicator->rank),
                                   waits);
}

/// Whether all others have come to what they are waited for in.
bool isReady(Together &group) {
  Communicator &at = *group.communicator;
  if (at.isAborted)
    return true;
  if (group.hangs)
    return false;
  const bool haveAll = std::all_of(
      group.all.begin(), group.all.end(), [&](const Underway &each) {
        return std::all_of(
            each.others.begin(), each.others.end(),
            [&](const std::string &name) { return at.meeting.has(name); });
      });
  if (haveAll)
    return true;
  if (group.since == 0) {
    group.since = now();
    tellWaiting(group);
  }
  if (now() - group.since < patience())
    return false;
  group.deadlock = "a deadlock of ranks:";
  for (int rank = 0; rank < at.ranks; ++rank) {
    const auto waits = at.meeting.read("waits." + text(rank));
    group.deadlock +=
        (rank ? "; " : " ") +
        (waits && !waits->empty() ? *waits
                                  : "rank " + text(rank) + " waits for nobody");
  }
  group.deadlock = cited(group.deadlock, cites::deadlock);
  return true;
}

void arrive(Together &group, DeviceView &view) {
  if (group.communicator->isAborted)
    return;
  for (const Underway &each : group.all) {
    const void *data = nullptr;
    if (each.what.kind != Kind::Receive && bytesOf(each.what) > 0)
      data = view.read<char>(each.what.from, bytesRead(each.what));
    group.communicator->meeting.post(each.own, posted(each.what, data));
  }
}

void complete(Together &group, DeviceView &view) {
  Communicator &at = *group.communicator;
  if (at.isAborted)
    return;
  if (!group.deadlock.empty())
    throw std::runtime_error(group.deadlock);
  at.meeting.post("waits." + text(at.rank), "");
  for (const Underway &each : group.all) {
    const size_t bytes = bytesOf(each.what);
    const bool isOfAll = isCollective(each.what.kind);
    std::vector<std::string> contents;
    for (size_t o = 0; o < each.others.size(); ++o) {
      contents.push_back(*at.meeting.read(each.others[o]));
      Header theirs;
      std::memcpy(&theirs, contents.back().data(), sizeof theirs);
      contents.back().erase(0, sizeof theirs);
      if (theirs.count != each.what.count || theirs.type != each.what.type ||
          (isOfAll && (theirs.kind != int32_t(each.what.kind) ||
                       theirs.reduction != each.what.reduction)))
        throw std::runtime_error(cited(
            describe(each.what) + " meets " + nameOf(Kind(theirs.kind)) +
                " of " + text(int64_t(theirs.count)) + " elements of type " +
                text(theirs.type) + " by rank " + text(each.ranks[o]),
            isOfAll ? cites::sameCollective : cites::sameSend));
      if (!isOfAll)
        at.meeting.remove(each.others[o]);
    }
    if (isReduction(each.what.kind) && bytes > 0)
      reduce(each.what, contents, view.write<char>(each.what.to, bytes));
    else if (each.what.kind != Kind::Send && bytes > 0)
      for (size_t o = 0; o < contents.size(); ++o)
        std::memcpy(view.write<char>(each.what.to + o * bytes, bytes),
                    contents[o].data(), bytes);
    if (!each.last.empty())
      at.meeting.remove(each.last);
  }
}

} // namespace

size_t elementBytes(int type) {
  // int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16,
  // two of 8-bit floats
  constexpr size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < 12 ? bytes[type] : 0;
}

std::string describe(const Operation &operation) {
  std::string result = nameOf(operation.kind);
  result += " of " + text(int64_t(operation.count)) + " elements of type " +
            text(operation.type);
  if (operation.kind == Kind::Send)
    result += " to rank " + text(operation.peer);
  if (operation.kind == Kind::Receive)
    result += " from rank " + text(operation.peer);
  return result + ", by rank " + text(operation.communicator->rank);
}

/// Memory of the communicator's device, in one piece.
static void wantBuffer(const Extent &extent, int device,
                       const std::string &what, const DriverCalls &driver) {
  if (extent.begin >= extent.end)
    return;
  const int of = driver.deviceAt(extent.begin);
  if (of == hostMemory)
    refuse(NCCL_INVALID_ARGUMENT, what + "the buffer is in memory of the host",
           cites::hostMemory);
  if (of >= 0 && of != device)
    refuse(NCCL_INVALID_ARGUMENT,
           what + "the buffer is of device " + text(of) +
               ", and the communicator of device " + text(device),
           cites::otherDevice);
  if (driver.bytesFrom(extent.begin) < extent.end - extent.begin)
    refuse(NCCL_INVALID_ARGUMENT,
           what + "the buffer is not in one allocation of a device",
           cites::pointers);
}

void check(const Operation &operation, const DriverCalls &driver) {
  const Communicator &at = *operation.communicator;
  const std::string what = describe(operation) + ": ";
  if (!elementBytes(operation.type))
    refuse(NCCL_INVALID_ARGUMENT, what + "invalid type", cites::dataType);
  if (isReduction(operation.kind) &&
      (operation.reduction < 0 || operation.reduction >= 5))
    refuse(NCCL_INVALID_ARGUMENT, what + "invalid reduction operation",
           cites::reduction);
  if (isReduction(operation.kind) &&
      (operation.reduction != 0 || !isAdded(operation.type)))
    refuse(NCCL_INVALID_ARGUMENT, what + "no sum of such numbers",
           cites::otherReduction);
  if (!isCollective(operation.kind) &&
      (operation.peer < 0 || operation.peer >= at.ranks))
    refuse(NCCL_INVALID_ARGUMENT,
           what + "invalid peer, the communicator has " + text(at.ranks) +
               " ranks",
           cites::peer);
  if (driver.deviceOf(operation.stream) != at.device)
    refuse(NCCL_UNHANDLED_CUDA_ERROR,
           what + "the stream is of device " +
               text(driver.deviceOf(operation.stream)) +
               ", and the communicator of device " + text(at.device),
           cites::streamDevice);
  for (const Extent &extent : {readBy(operation), writtenBy(operation)})
    wantBuffer(extent, at.device, what, driver);
  if (isCollective(operation.kind)) {
    const uint64_t share = uint64_t(at.rank) * bytesOf(operation);
    const bool isGather = operation.kind == Kind::AllGather,
               isScatter = operation.kind == Kind::ReduceScatter;
    const bool isInPlace = operation.from + (isScatter ? share : 0) ==
                           operation.to + (isGather ? share : 0);
    if (!isInPlace && overlap(readBy(operation), writtenBy(operation)))
      refuse(NCCL_INVALID_ARGUMENT,
             what + "the buffers overlap, and not as an in-place operation's",
             isGather    ? cites::inPlace
             : isScatter ? cites::inPlaceScatter
                         : cites::inPlaceReduce);
  }
}

void submit(const std::vector<Operation> &operations,
            const DriverCalls &driver) {
  const Operation &first = operations.front();
  Communicator &at = *first.communicator;
  // A message to itself may stay where it is.
  const auto isInPlace = [&](const Operation &a, const Operation &b) {
    return a.kind == Kind::Receive && b.kind == Kind::Send &&
           a.peer == at.rank && b.peer == at.rank && a.to == b.from;
  };
  const auto areInOrder = [](const Operation &a, const Operation &b) {
    return a.kind == b.kind && !isCollective(a.kind) && a.peer == b.peer;
  };
  // What is done as one may be done in any order.
  for (size_t a = 0; a < operations.size(); ++a)
    for (size_t b = 0; b < operations.size(); ++b)
      if (a != b && !isInPlace(operations[a], operations[b]) &&
          (overlap(writtenBy(operations[a]), readBy(operations[b])) ||
           overlap(writtenBy(operations[a]), writtenBy(operations[b]))))
        refuse(NCCL_INVALID_USAGE,
               describe(operations[a]) + " writes what " +
                   describe(operations[b]) + " uses in the same group",
               areInOrder(operations[a], operations[b]) ? cites::inOrder
                                                        : cites::independent);
  std::vector<int64_t> toSelf = {0, 0};
  for (const Operation &each : operations)
    if (!isCollective(each.kind) && each.peer == at.rank)
      ++toSelf[each.kind == Kind::Send ? 0 : 1];
  if (toSelf[0] != toSelf[1])
    refuse(NCCL_INVALID_USAGE,
           "rank " + text(at.rank) +
               " sends to itself without a matching receive in the same group, "
               "or the other way round",
           cites::twoCalls);
  auto group = std::make_shared<Together>();
  group->communicator = first.communicator;
  group->hangs = isToHang();
  std::string description =
      describe(first) + (operations.size() > 1
                             ? " and " + text(int64_t(operations.size() - 1)) +
                                   " more in its group"
                             : "");
  for (const Operation &each : operations)
    group->all.push_back(numbered(each));
  at.unfinished += 1;
  const int arrives =
      submitWork(driver, first.stream, "the start of " + description,
                 [group](DeviceView &view) { arrive(*group, view); });
  const int completes = arrives ? arrives
                                : submitWork(
                                      driver, first.stream, description,
                                      [group](DeviceView &view) {
                                        try {
                                          complete(*group, view);
                                        } catch (...) {
                                          group->communicator->asyncError =
                                              NCCL_INTERNAL_ERROR;
                                          throw;
                                        }
                                        group->communicator->unfinished -= 1;
                                      },
                                      [group] { return isReady(*group); });
  if (completes)
    refuse(NCCL_UNHANDLED_CUDA_ERROR,
           describe(first) + ": the driver gives " + text(completes),
           cites::cudaError);
}

} // namespace smex::emulated
