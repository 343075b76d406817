// The library's functions.
#include "test/emulated/nccl/Communicator.h"
#include "test/emulated/nccl/Functions.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <utility>

#include <unistd.h>

SMEX_NCCL_FUNCTIONS(SMEX_NCCL_DECLARE)

using namespace smex::emulated;

namespace {

constexpr char magic[] = "emulated NCCL id";

std::mutex mutex; // of what follows
std::map<void *, std::shared_ptr<Communicator>> communicators;
std::string lastError;

const DriverCalls &driver() {
  const DriverCalls *calls = DriverCalls::get();
  if (!calls)
    refuse(NCCL_UNHANDLED_CUDA_ERROR, "there is no emulated driver",
           cites::otherDriver);
  return *calls;
}

/// What every function does: it counts the call, fails where the environment
/// says so, and turns refusals into results.
int call(const char *name, const std::function<void()> &body) {
  try {
    if (const DriverCalls *calls = DriverCalls::get())
      if (int result = calls->call(name))
        return result;
    body();
    return NCCL_SUCCESS;
  } catch (const Refusal &refusal) {
    const std::string text = std::string(name) + " : " + refusal.text;
    {
      std::lock_guard<std::mutex> lock(mutex);
      lastError = text;
    }
    const std::string report = "emulated NCCL: " + text;
    if (const DriverCalls *calls = DriverCalls::get())
      calls->report(report.c_str());
    else
      std::fprintf(stderr, "%s\n", report.c_str());
    return refusal.result;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "emulated NCCL: %s: %s\n", name, error.what());
    return NCCL_INTERNAL_ERROR;
  }
}

std::shared_ptr<Communicator> communicatorOf(void *handle) {
  if (!handle)
    refuse(NCCL_INVALID_ARGUMENT, "comm argument is NULL", cites::nullArgument);
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = communicators.find(handle);
  if (found == communicators.end())
    refuse(NCCL_INVALID_ARGUMENT,
           "this is no communicator, or no more: it was destroyed",
           cites::destroyed);
  return found->second;
}

template <class T> T &wanted(T *pointer, const char *name) {
  if (!pointer)
    refuse(NCCL_INVALID_ARGUMENT, std::string(name) + " argument is NULL",
           cites::nullArgument);
  return *pointer;
}

void *add(std::shared_ptr<Communicator> made) {
  if (!made)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  void *handle = made.get();
  communicators[handle] = std::move(made);
  return handle;
}

/// What a thread has called between ncclGroupStart and ncclGroupEnd.
struct Group {
  int depth = 0;
  int error = NCCL_SUCCESS; // the first
  std::vector<Operation> operations;
  std::vector<std::function<void()>> ends; // of inits and splits

  ~Group() {
    if (depth > 0)
      std::fprintf(stderr, "emulated NCCL: error: %s\n",
                   cited("a thread ends inside a group: its " +
                             std::to_string(operations.size()) +
                             " operations were never put on a stream",
                         cites::groupNotEnded)
                       .c_str());
  }
};
thread_local Group group;

void flush() {
  std::vector<Operation> operations = std::move(group.operations);
  std::vector<std::function<void()>> ends = std::move(group.ends);
  group.operations.clear();
  group.ends.clear();
  if (group.error != NCCL_SUCCESS)
    refuse(std::exchange(group.error, NCCL_SUCCESS),
           "an operation of the group was refused", cites::groupError);
  if (!ends.empty() && !operations.empty())
    refuse(NCCL_INVALID_USAGE,
           "communicators are made in a group with other operations",
           cites::together);
  for (const auto &end : ends)
    end();
  while (!operations.empty()) {
    std::vector<Operation> together, rest;
    for (Operation &each : operations)
      (each.communicator == operations.front().communicator &&
               each.stream == operations.front().stream
           ? together
           : rest)
          .push_back(each);
    submit(together, driver());
    operations = std::move(rest);
  }
}

int operate(const char *name, const std::function<Operation()> &operation) {
  const int result = call(name, [&] {
    group.operations.push_back(operation());
    check(group.operations.back(), driver());
    if (group.depth == 0)
      flush();
  });
  if (result != NCCL_SUCCESS) {
    if (group.depth == 0)
      group.operations.clear();
    else if (group.error == NCCL_SUCCESS)
      group.error = result;
  }
  return result;
}

/// The rest of an init or a split, when all of the thread's have begun.
void later(std::function<void()> end) {
  group.ends.push_back(std::move(end));
  if (group.depth == 0)
    flush();
}

uint64_t address(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// Of the GPU that is current; processes have different ones, unless they see
/// the same emulated host.
std::string identityOf(int device) {
  const char *host = std::getenv("SMEX_EMULATED_HOST");
  return (host ? std::string("host ") + host
               : "process " + std::to_string(getpid())) +
         " device " + std::to_string(driver().physicalOf(device));
}

} // namespace

extern "C" {

int ncclGetVersion(int *version) {
  return call("ncclGetVersion", [&] {
    const char *text = std::getenv("SMEX_EMULATED_NCCL");
    wanted(version, "version") = text ? std::atoi(text) : 22809;
  });
}

int ncclGetUniqueId(EmulatedNcclId *id) {
  return call("ncclGetUniqueId", [&] {
    EmulatedNcclId &made = wanted(id, "out");
    std::memset(&made, 0, sizeof made);
    std::random_device random;
    std::snprintf(made.bytes, sizeof made.bytes, "%s %08x%08x%08x", magic,
                  random(), random(), random());
  });
}

int ncclCommInitRank(void **made, int ranks, EmulatedNcclId id, int rank) {
  return call("ncclCommInitRank", [&] {
    wanted(made, "newcomm") = nullptr;
    const int device = driver().deviceOf(nullptr);
    if (device < 0)
      refuse(NCCL_UNHANDLED_CUDA_ERROR, "no device is current",
             cites::deviceFirst);
    if (ranks < 1 || rank < 0 || rank >= ranks)
      refuse(NCCL_INVALID_ARGUMENT,
             "invalid rank requested : " + std::to_string(rank) + "/" +
                 std::to_string(ranks),
             cites::rank);
    id.bytes[sizeof id.bytes - 1] = 0;
    if (std::strncmp(id.bytes, magic, sizeof magic - 1) != 0)
      refuse(NCCL_INVALID_ARGUMENT, "the id is not from ncclGetUniqueId",
             cites::uniqueId);
    auto communicator = std::make_shared<Communicator>(id.bytes + sizeof magic,
                                                       ranks, rank, device);
    beginInit(*communicator, identityOf(device));
    later([=] {
      endInit(*communicator);
      *made = add(communicator);
    });
  });
}

int ncclCommSplit(void *of, int color, int key, void **made, void *) {
  return call("ncclCommSplit", [&] {
    wanted(made, "newcomm") = nullptr;
    auto from = communicatorOf(of);
    if (color < -1)
      refuse(NCCL_INVALID_ARGUMENT, "the color is " + std::to_string(color),
             cites::color);
    beginSplit(*from, color, key);
    later([=] { *made = add(endSplit(*from, color)); });
  });
}

int ncclCommDestroy(void *handle) {
  return call("ncclCommDestroy", [&] {
    if (!handle)
      return;
    auto communicator = communicatorOf(handle);
    if (group.depth > 0)
      refuse(NCCL_INVALID_USAGE,
             "a group is open on this thread, and its operations were never "
             "put on a stream",
             cites::groupOpen);
    leave(*communicator);
    std::lock_guard<std::mutex> lock(mutex);
    communicators.erase(handle);
  });
}

int ncclCommAbort(void *handle) {
  return call("ncclCommAbort", [&] {
    if (!handle)
      return;
    auto communicator = communicatorOf(handle);
    communicator->isAborted = true;
    leave(*communicator);
    std::lock_guard<std::mutex> lock(mutex);
    communicators.erase(handle);
  });
}

int ncclCommGetAsyncError(void *handle, int *error) {
  return call("ncclCommGetAsyncError", [&] {
    auto communicator = communicatorOf(handle);
    wanted(error, "asyncError") = communicator->asyncError;
  });
}

int ncclCommCount(void *handle, int *count) {
  return call("ncclCommCount",
              [&] { wanted(count, "count") = communicatorOf(handle)->ranks; });
}

int ncclCommUserRank(void *handle, int *rank) {
  return call("ncclCommUserRank",
              [&] { wanted(rank, "rank") = communicatorOf(handle)->rank; });
}

int ncclCommCuDevice(void *handle, int *device) {
  return call("ncclCommCuDevice", [&] {
    wanted(device, "devid") = communicatorOf(handle)->device;
  });
}

/// The texts of NCCL 2.28.
const char *ncclGetErrorString(int result) {
  switch (result) {
  case 0:
    return "no error";
  case 1:
    return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
  case 2:
    return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
  case 3:
    return "internal error - please report this issue to the NCCL developers";
  case 4:
    return "invalid argument (run with NCCL_DEBUG=WARN for details)";
  case 5:
    return "invalid usage (run with NCCL_DEBUG=WARN for details)";
  case 6:
    return "remote process exited or there was a network error";
  case 7:
    return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char *ncclGetLastError(void *) {
  static thread_local std::string text;
  std::lock_guard<std::mutex> lock(mutex);
  text = lastError;
  return text.c_str();
}

int ncclGroupStart() {
  return call("ncclGroupStart", [&] { ++group.depth; });
}

int ncclGroupEnd() {
  return call("ncclGroupEnd", [&] {
    if (group.depth == 0)
      refuse(NCCL_INVALID_USAGE, "not in a group call.", cites::noGroup);
    if (--group.depth == 0)
      flush();
  });
}

int ncclSend(const void *from, size_t count, int type, int peer, void *handle,
             void *stream) {
  return operate("ncclSend", [&]() -> Operation {
    return {Kind::Send, address(from),          0,     count, type,
            peer,       communicatorOf(handle), stream};
  });
}

int ncclRecv(void *to, size_t count, int type, int peer, void *handle,
             void *stream) {
  return operate("ncclRecv", [&]() -> Operation {
    return {Kind::Receive,          0,     address(to), count, type, peer,
            communicatorOf(handle), stream};
  });
}

int ncclAllGather(const void *from, void *to, size_t count, int type,
                  void *handle, void *stream) {
  return operate("ncclAllGather", [&]() -> Operation {
    return {Kind::AllGather,        address(from), address(to), count, type, 0,
            communicatorOf(handle), stream};
  });
}
int ncclAllReduce(const void *from, void *to, size_t count, int type,
                  int operation, void *handle, void *stream) {
  return operate("ncclAllReduce", [&]() -> Operation {
    return {Kind::AllReduce,        address(from), address(to), count, type, 0,
            communicatorOf(handle), stream,        operation};
  });
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type,
                      int operation, void *handle, void *stream) {
  return operate("ncclReduceScatter", [&]() -> Operation {
    return {Kind::ReduceScatter,    address(from), address(to), count, type, 0,
            communicatorOf(handle), stream,        operation};
  });
}
}
