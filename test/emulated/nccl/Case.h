// What a case of nccl-cases is made of: the libraries by their public entry
// points, and ranks that each have a little memory.
#ifndef SMEX_TEST_EMULATED_NCCL_CASE_H
#define SMEX_TEST_EMULATED_NCCL_CASE_H

#include "test/emulated/cuda/Functions.h"
#include "test/emulated/nccl/Functions.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>

namespace smex::emulated::nccl {

struct Library {
#define MEMBER(name, parameters, arguments) int(*name) parameters = nullptr;
  SMEX_CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  SMEX_NCCL_FUNCTIONS(MEMBER)
#undef MEMBER
  bool isEmulated = false;
  int devices = 0;

  bool open() {
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    void *nccl = dlopen("libnccl.so.2", RTLD_NOW);
    if (!cuda || !nccl)
      return false;
#define FIND(name, parameters, arguments)                                      \
  name = reinterpret_cast<int(*) parameters>(dlsym(cuda, #name));
    SMEX_CUDA_FUNCTIONS(FIND)
#undef FIND
#define FIND(name, result, parameters)                                         \
  name = reinterpret_cast<result(*) parameters>(dlsym(nccl, #name));           \
  if (!name)                                                                   \
    return false;
    SMEX_NCCL_FUNCTIONS(FIND)
#undef FIND
    isEmulated = dlsym(cuda, "smexEmulatedSubmit") != nullptr;
    return cuInit(0) == 0 && cuDeviceGetCount(&devices) == 0;
  }
};
extern Library lib;

constexpr int int8 = 0, float32 = 7; // ncclDataType_t
constexpr int sum = 0;               // ncclRedOp_t
constexpr size_t count = 64;

/// One GPU, with 4 times 64 bytes, of which the first half is written.
struct Rank {
  int number = 0, device = 0;
  void *context = nullptr, *stream = nullptr, *communicator = nullptr;
  uint64_t memory = 0;

  bool open() {
    std::vector<char> bytes(2 * count);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = char(number * 50 + int(i / count) * 10);
    return !lib.cuDevicePrimaryCtxRetain(&context, device) &&
           !lib.cuCtxSetCurrent(context) &&
           !lib.cuMemAlloc_v2(&memory, 4 * count) &&
           !lib.cuStreamCreate(&stream, 1) &&
           !lib.cuMemcpyHtoDAsync_v2(memory, bytes.data(), bytes.size(),
                                     stream) &&
           !lib.cuStreamSynchronize(stream);
  }
  void *at(size_t place) const {
    return reinterpret_cast<void *>(memory + place * count);
  }
  std::string value(size_t place, size_t bytes = count) const {
    std::vector<char> values(bytes);
    const int code = lib.cuMemcpyDtoHAsync_v2(
                         values.data(), memory + place * count, bytes, stream) |
                     lib.cuStreamSynchronize(stream);
    return code ? "driver " + std::to_string(code)
                : std::to_string(int(values.front())) + " to " +
                      std::to_string(int(values.back()));
  }
};

inline std::string text(int result) { return std::to_string(result); }

inline EmulatedNcclId newId() {
  EmulatedNcclId id{};
  lib.ncclGetUniqueId(&id);
  return id;
}

/// With one rank, which has a communicator of its own.
inline std::string alone(const std::function<std::string(Rank &)> &body) {
  Rank rank;
  if (!rank.open())
    return "no GPU";
  if (int result = lib.ncclCommInitRank(&rank.communicator, 1, newId(), 0))
    return "init gives " + text(result);
  return body(rank);
}

/// With so many ranks, each in a thread; devices[i] is that of rank i.
inline std::string together(const std::vector<int> &devices,
                            const std::function<std::string(Rank &)> &body) {
  const EmulatedNcclId id = newId();
  std::vector<std::string> results(devices.size());
  std::vector<std::thread> threads;
  for (size_t r = 0; r < devices.size(); ++r)
    threads.emplace_back([&, r] {
      Rank rank;
      rank.number = int(r);
      rank.device = devices[r];
      if (!rank.open()) {
        results[r] = "no GPU";
        return;
      }
      const int result = lib.ncclCommInitRank(&rank.communicator,
                                              int(devices.size()), id, int(r));
      results[r] = result ? "init " + text(result) : body(rank);
    });
  std::string all;
  for (size_t r = 0; r < threads.size(); ++r) {
    threads[r].join();
    all += (r ? ", " : "") + results[r];
  }
  return all;
}

inline std::string synchronized(Rank &r) {
  return text(lib.cuStreamSynchronize(r.stream));
}

struct Case {
  const char *name;
  const char *expected; // where a call is refused, its result comes first
  std::function<std::string()> run;
  int devices = 1;
  /// Of the emulated library only: what it says.
  const char *says = nullptr;
};

inline int send(Rank &r, size_t place, int peer, size_t bytes = count) {
  return lib.ncclSend(r.at(place), bytes, int8, peer, r.communicator, r.stream);
}
inline int receive(Rank &r, size_t place, int peer, size_t bytes = count) {
  return lib.ncclRecv(r.at(place), bytes, int8, peer, r.communicator, r.stream);
}
inline int gather(Rank &r, size_t from, size_t to, size_t bytes = count) {
  return lib.ncclAllGather(r.at(from), r.at(to), bytes, int8, r.communicator,
                           r.stream);
}
/// Of bytes; a reduce-scatter's are those that each rank gets.
inline int reduce(Rank &r, size_t from, size_t to, size_t bytes = count) {
  return lib.ncclAllReduce(r.at(from), r.at(to), bytes, int8, sum,
                           r.communicator, r.stream);
}
inline int reduceScatter(Rank &r, size_t from, size_t to,
                         size_t bytes = count) {
  return lib.ncclReduceScatter(r.at(from), r.at(to), bytes, int8, sum,
                               r.communicator, r.stream);
}

/// Texts, versions, arguments that are missing; and communicators.
std::vector<Case> communicatorCases();
/// What one rank, or two, put on their streams.
std::vector<Case> operationCases();
/// What the emulated library finds, and NVIDIA's does not look for; and what it
/// lacks.
std::vector<Case> emulatedCases();

} // namespace smex::emulated::nccl

#endif
