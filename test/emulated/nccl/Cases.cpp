// Calls of NCCL that are accepted or refused, and with which result: the same
// program runs on the emulated library and on NVIDIA's, by their public entry
// points alone, and prints where one does not do what is expected as a table.
// Each case is a process of its own, since some leave a communicator behind
// that is of no use. Cases that make NVIDIA's library hang, or do what it does
// not look for, are for the emulated one only, as are those whose devices the
// machine lacks.
// usage: nccl-cases, or nccl-cases CASE; exit status 3: there are differences
#include "test/emulated/Reports.h"
#include "test/emulated/cuda/Functions.h"
#include "test/emulated/nccl/Functions.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

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
Library lib;

constexpr int int8 = 0;
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

std::string text(int result) { return std::to_string(result); }

EmulatedNcclId newId() {
  EmulatedNcclId id{};
  lib.ncclGetUniqueId(&id);
  return id;
}

/// With one rank, which has a communicator of its own.
std::string alone(const std::function<std::string(Rank &)> &body) {
  Rank rank;
  if (!rank.open())
    return "no GPU";
  if (int result = lib.ncclCommInitRank(&rank.communicator, 1, newId(), 0))
    return "init gives " + text(result);
  return body(rank);
}

/// With so many ranks, each in a thread; devices[i] is that of rank i.
std::string together(const std::vector<int> &devices,
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

std::string synchronized(Rank &r) {
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

int send(Rank &r, size_t place, int peer, size_t bytes = count) {
  return lib.ncclSend(r.at(place), bytes, int8, peer, r.communicator, r.stream);
}
int receive(Rank &r, size_t place, int peer, size_t bytes = count) {
  return lib.ncclRecv(r.at(place), bytes, int8, peer, r.communicator, r.stream);
}
int gather(Rank &r, size_t from, size_t to, size_t bytes = count) {
  return lib.ncclAllGather(r.at(from), r.at(to), bytes, int8, r.communicator,
                           r.stream);
}

const std::vector<Case> cases = {
    // Texts, versions, arguments that are missing.
    {"a version that is new enough", "0 1",
     [] {
       int version = 0;
       const std::string result = text(lib.ncclGetVersion(&version));
       return result + " " + text(version >= 21800);
     }},
    {"no place for a version", "4",
     [] { return text(lib.ncclGetVersion(nullptr)); }},
    {"no place for an id", "4",
     [] { return text(lib.ncclGetUniqueId(nullptr)); }},
    {"the text of a result",
     "invalid usage (run with NCCL_DEBUG=WARN for details)",
     [] { return std::string(lib.ncclGetErrorString(5)); }},
    {"the text of no result", "unknown result code",
     [] { return std::string(lib.ncclGetErrorString(77)); }},
    {"an end without a start", "5", [] { return text(lib.ncclGroupEnd()); }},
    {"an empty group", "0 0",
     [] {
       const std::string first = text(lib.ncclGroupStart());
       return first + " " + text(lib.ncclGroupEnd());
     }},
    {"sending by nobody", "4",
     [] { return text(lib.ncclSend(nullptr, 4, int8, 0, nullptr, nullptr)); }},
    {"gathering by nobody", "4",
     [] {
       return text(
           lib.ncclAllGather(nullptr, nullptr, 4, int8, nullptr, nullptr));
     }},
    {"the error of nobody", "4",
     [] {
       int error = 0;
       return text(lib.ncclCommGetAsyncError(nullptr, &error));
     }},
    {"destroying nothing", "0",
     [] { return text(lib.ncclCommDestroy(nullptr)); }},
    {"aborting nothing", "0", [] { return text(lib.ncclCommAbort(nullptr)); }},

    // Communicators.
    {"no place for a communicator", "4",
     [] {
       Rank r;
       r.open();
       return text(lib.ncclCommInitRank(nullptr, 1, newId(), 0));
     }},
    {"a rank that is too large", "4",
     [] {
       Rank r;
       r.open();
       return text(lib.ncclCommInitRank(&r.communicator, 1, newId(), 1));
     }},
    {"a negative rank", "4",
     [] {
       Rank r;
       r.open();
       return text(lib.ncclCommInitRank(&r.communicator, 1, newId(), -1));
     }},
    {"no ranks", "4",
     [] {
       Rank r;
       r.open();
       return text(lib.ncclCommInitRank(&r.communicator, 0, newId(), 0));
     }},
    {"one rank", "0 1 0 0",
     [] {
       return alone([](Rank &r) {
         int ranks = -1, rank = -1, device = -1, error = -1;
         lib.ncclCommCount(r.communicator, &ranks);
         lib.ncclCommUserRank(r.communicator, &rank);
         lib.ncclCommCuDevice(r.communicator, &device);
         lib.ncclCommGetAsyncError(r.communicator, &error);
         return text(error) + " " + text(ranks) + " " + text(rank) + " " +
                text(device);
       });
     }},
    {"an end", "0",
     [] {
       return alone(
           [](Rank &r) { return text(lib.ncclCommDestroy(r.communicator)); });
     }},
    {"an abortion", "0",
     [] {
       return alone(
           [](Rank &r) { return text(lib.ncclCommAbort(r.communicator)); });
     }},
    {"two ranks on one GPU", "init 5, init 5",
     [] { return together({0, 0}, [](Rank &) { return std::string(); }); }},
    {"a group of its own color", "0 1",
     [] {
       return alone([](Rank &r) {
         void *made = nullptr;
         const int result =
             lib.ncclCommSplit(r.communicator, 3, 0, &made, nullptr);
         int ranks = 0;
         lib.ncclCommCount(made, &ranks);
         return text(result) + " " + text(ranks);
       });
     }},
    {"no color", "0 1",
     [] {
       return alone([](Rank &r) {
         void *made = &r;
         const int result =
             lib.ncclCommSplit(r.communicator, -1, 0, &made, nullptr);
         return text(result) + " " + text(made == nullptr);
       });
     }},
    {"two groups of two", "0 2, 0 2, 0 2, 0 2",
     [] {
       return together({0, 1, 2, 3}, [](Rank &r) {
         void *made = nullptr;
         const int result = lib.ncclCommSplit(r.communicator, r.number % 2,
                                              r.number, &made, nullptr);
         int ranks = 0;
         lib.ncclCommCount(made, &ranks);
         return text(result) + " " + text(ranks);
       });
     },
     4},

    // One rank's operations.
    {"a type that there is not", "4",
     [] {
       return alone([](Rank &r) {
         return text(lib.ncclAllGather(r.at(0), r.at(2), count, 99,
                                       r.communicator, r.stream));
       });
     }},
    {"a peer that there is not", "4",
     [] { return alone([](Rank &r) { return text(send(r, 0, 5)); }); }},
    {"a negative peer", "4",
     [] { return alone([](Rank &r) { return text(receive(r, 2, -1)); }); }},
    {"host memory", "4",
     [] {
       return alone([](Rank &r) {
         static char host[count];
         return text(lib.ncclAllGather(host, r.at(2), count, int8,
                                       r.communicator, r.stream));
       });
     }},
    {"gathering from itself", "0, 0, 10 to 10",
     [] {
       return alone([](Rank &r) {
         const int result = gather(r, 1, 2);
         return text(result) + ", " + synchronized(r) + ", " + r.value(2);
       });
     }},
    {"gathering in place", "0, 0, 10 to 10",
     [] {
       return alone([](Rank &r) {
         const int result = gather(r, 1, 1);
         return text(result) + ", " + synchronized(r) + ", " + r.value(1);
       });
     }},
    {"gathering nothing", "0, 0",
     [] {
       return alone([](Rank &r) {
         const int result = gather(r, 0, 2, 0);
         return text(result) + ", " + synchronized(r);
       });
     }},
    {"sending to itself", "0, 0, 10 to 10",
     [] {
       return alone([](Rank &r) {
         lib.ncclGroupStart();
         send(r, 1, 0);
         receive(r, 2, 0);
         const int result = lib.ncclGroupEnd();
         return text(result) + ", " + synchronized(r) + ", " + r.value(2);
       });
     }},
    {"sending to itself in place", "0, 0, 10 to 10",
     [] {
       return alone([](Rank &r) {
         lib.ncclGroupStart();
         send(r, 1, 0);
         receive(r, 1, 0);
         const int result = lib.ncclGroupEnd();
         return text(result) + ", " + synchronized(r) + ", " + r.value(1);
       });
     }},
    {"sending to itself what nobody takes", "5",
     [] {
       return alone([](Rank &r) {
         lib.ncclGroupStart();
         send(r, 1, 0);
         return text(lib.ncclGroupEnd());
       });
     }},
    {"a group with a refused call", "4 4",
     [] {
       return alone([](Rank &r) {
         lib.ncclGroupStart();
         const int refused = send(r, 1, 7);
         return text(refused) + " " + text(lib.ncclGroupEnd());
       });
     }},

    // Two ranks.
    {"an exchange", "0 0 50 to 50, 0 0 0 to 0",
     [] {
       return together({0, 1}, [](Rank &r) {
         lib.ncclGroupStart();
         send(r, 0, 1 - r.number);
         receive(r, 2, 1 - r.number);
         const int result = lib.ncclGroupEnd();
         return text(result) + " " + synchronized(r) + " " + r.value(2);
       });
     },
     2},
    {"two messages to one peer come in order", "0 0 0 to 10, 0 0 0 to 10",
     [] {
       return together({0, 1}, [](Rank &r) {
         lib.ncclGroupStart();
         for (size_t i = 0; i < 2; ++i)
           r.number == 0 ? send(r, i, 1) : receive(r, 2 + i, 0);
         const int result = lib.ncclGroupEnd();
         return text(result) + " " + synchronized(r) + " " +
                r.value(r.number == 0 ? 0 : 2, 2 * count);
       });
     },
     2},
    {"gathering from two", "0 0 0 to 50, 0 0 0 to 50",
     [] {
       return together({0, 1}, [](Rank &r) {
         const int result = gather(r, 0, 2);
         return text(result) + " " + synchronized(r) + " " +
                r.value(2, 2 * count);
       });
     },
     2},
    {"a buffer of another device", "4 0, 4 0",
     [] {
       return together({0, 1}, [](Rank &r) {
         Rank other;
         other.device = 1 - r.device;
         other.open();
         lib.cuCtxSetCurrent(r.context);
         lib.cuCtxEnablePeerAccess(other.context, 0);
         const std::string refused = text(lib.ncclAllGather(
             other.at(0), r.at(2), count, int8, r.communicator, r.stream));
         return refused + " " + text(gather(r, 0, 2));
       });
     },
     2},

    // What the emulated library finds, and NVIDIA's does not look for; and what
    // it lacks.
    {"pinned memory of the host", "4 0",
     [] {
       return alone([](Rank &r) {
         void *pinned = nullptr;
         lib.cuMemAllocHost_v2(&pinned, count);
         const std::string refused = text(lib.ncclAllGather(
             r.at(0), pinned, count, int8, r.communicator, r.stream));
         return refused + " " + text(gather(r, 0, 2));
       });
     },
     1, "not emulated: buffers in memory of the host"},
    {"bytes that nobody has written", "719",
     [] {
       return alone([](Rank &r) {
         gather(r, 3, 2);
         return synchronized(r);
       });
     },
     1, "nobody has written"},
    {"more than there is", "4",
     [] {
       return alone([](Rank &r) { return text(gather(r, 0, 3, 2 * count)); });
     },
     1, "not in one allocation"},
    {"buffers that overlap", "4",
     [] {
       return alone([](Rank &r) {
         return text(lib.ncclAllGather(r.at(0),
                                       reinterpret_cast<void *>(r.memory + 8),
                                       count, int8, r.communicator, r.stream));
       });
     },
     1, "the buffers overlap"},
    {"a communicator after its end", "4",
     [] {
       return alone([](Rank &r) {
         lib.ncclCommDestroy(r.communicator);
         return text(gather(r, 0, 2));
       });
     },
     1, "was destroyed"},
    {"a group that does not end", "5",
     [] {
       return alone([](Rank &r) {
         lib.ncclGroupStart();
         gather(r, 0, 2);
         const std::string result = text(lib.ncclCommDestroy(r.communicator));
         lib.ncclGroupEnd();
         return result;
       });
     },
     1, "a group is open"},
    {"a stream of another device", "1, 1",
     [] {
       return together({0, 1}, [](Rank &r) {
         Rank other;
         other.device = 1 - r.device;
         other.open();
         lib.cuCtxSetCurrent(r.context);
         return text(lib.ncclAllGather(r.at(0), r.at(2), count, int8,
                                       r.communicator, other.stream));
       });
     },
     2, "the stream is of device"},
    {"one rank twice", "5, 5",
     [] {
       const EmulatedNcclId id = newId();
       std::string results[2];
       Rank ranks[2];
       std::vector<std::thread> threads;
       std::array<int, 2> codes{};
       for (int i = 0; i < 2; ++i)
         threads.emplace_back([&, i] {
           ranks[i].device = i;
           ranks[i].open();
           codes[size_t(i)] =
               lib.ncclCommInitRank(&ranks[i].communicator, 2, id, 0);
         });
       for (std::thread &thread : threads)
         thread.join();
       // One is refused at once, and the other waits for rank 1 in vain.
       return codes[0] + codes[1] == 5 + 2
                  ? std::string("5, 5")
                  : text(codes[0]) + ", " + text(codes[1]);
     },
     2, "unique within a communicator clique"},
    {"counts that differ", "719, 719",
     [] {
       return together({0, 1}, [](Rank &r) {
         r.number == 0 ? send(r, 0, 1, 8) : receive(r, 2, 0, 9);
         return synchronized(r);
       });
     },
     2, "the same datatype and the same count"},
    {"shares that differ", "719, 719",
     [] {
       return together({0, 1}, [](Rank &r) {
         gather(r, 0, 2, r.number == 0 ? 8 : 16);
         return synchronized(r);
       });
     },
     2, "using the same count and the same datatype"},
    {"two that both send first", "719, 719",
     [] {
       return together({0, 1}, [](Rank &r) {
         send(r, 0, 1 - r.number);
         receive(r, 2, 1 - r.number);
         return synchronized(r);
       });
     },
     2, "a deadlock of ranks"},
    {"collectives in two orders", "719, 719",
     [] {
       return together({0, 1}, [](Rank &r) {
         if (r.number == 0)
           gather(r, 0, 2);
         else
           receive(r, 2, 0);
         return synchronized(r);
       });
     },
     2, "a deadlock of ranks"},
    {"a group that writes one place twice", "5, 5",
     [] {
       return together({0, 1}, [](Rank &r) {
         lib.ncclGroupStart();
         for (int i = 0; i < 2; ++i) {
           send(r, size_t(i), 1 - r.number);
           receive(r, 2, 1 - r.number);
         }
         return text(lib.ncclGroupEnd());
       });
     },
     2, "stricter than NVIDIA's: calls of a group with one peer"},
    {"a group that sends what it receives", "5, 5",
     [] {
       return together({0, 1}, [](Rank &r) {
         lib.ncclGroupStart();
         send(r, 0, 1 - r.number);
         receive(r, 0, 1 - r.number);
         return text(lib.ncclGroupEnd());
       });
     },
     2, "calls within a group can be seen as progressing independently"},
    {"overwriting what is being sent", "719, 0",
     [] {
       return together({0, 1}, [](Rank &r) {
         lib.ncclGroupStart();
         send(r, 0, 1 - r.number);
         receive(r, 2, 1 - r.number);
         lib.ncclGroupEnd();
         void *other = nullptr;
         lib.cuStreamCreate(&other, 1);
         if (r.number == 0)
           lib.cuMemsetD8Async(r.memory, 1, count, other);
         const int first = lib.cuStreamSynchronize(r.stream);
         const int second = lib.cuStreamSynchronize(other);
         return text(first ? first : second);
       });
     },
     2, "two streams race"},
};

/// What a case's process prints, and its exit status.
std::pair<int, std::string> inProcess(const char *program, const char *name) {
  int ends[2];
  if (pipe(ends) != 0)
    return {-1, ""};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    alarm(60);
    execl(program, program, name, nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

constexpr const char *mark = "RESULT ";

/// What is wrong with what the emulated library says; empty: it says where
/// NVIDIA has it that a call is refused, and what the case wants.
std::string wrongWithReports(const Case &of, const std::string &output) {
  size_t cited = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.find("emulated NCCL: ") != std::string::npos) {
      if (!smex::emulated::isCited(line))
        return "no citation: " + line;
      ++cited;
    }
  const char *result = of.expected;
  constexpr const char init[] = "init ";
  if (std::strncmp(result, init, sizeof init - 1) == 0)
    result += sizeof init - 1;
  const long first = std::strtol(result, nullptr, 10);
  constexpr long results = 8; // of ncclResult_t; larger ones are the driver's
  if (first > 0 && first < results && cited == 0)
    return "nothing is reported";
  if (of.says && output.find(of.says) == std::string::npos)
    return "says nothing of \"" + std::string(of.says) + "\"";
  return "";
}

int runOne(const std::string &name) {
  if (!lib.open())
    return 1;
  for (const Case &each : cases)
    if (name == each.name) {
      std::printf("%s%s\n", mark, each.run().c_str());
      std::fflush(stdout);
      _exit(0); // what was left behind is not waited for
    }
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  setenv("NCCL_CHECK_POINTERS", "1", 1);
  setenv("SMEX_EMULATED_NCCL_TIMEOUT", "1", 0);
  if (argc > 1)
    return runOne(argv[1]);
  if (!lib.open()) {
    std::fprintf(stderr, "no GPU, or no NCCL: %s\n", dlerror());
    return 1;
  }
  int different = 0, skipped = 0;
  std::printf("%-40s %-28s %s\n", "case", "expected", "is");
  for (const Case &each : cases) {
    if (each.devices > lib.devices || (each.says && !lib.isEmulated)) {
      ++skipped;
      continue;
    }
    const auto [status, output] = inProcess("/proc/self/exe", each.name);
    const size_t at = output.rfind(mark);
    std::string is = at == std::string::npos
                         ? "ended with " + text(status)
                         : output.substr(at + std::strlen(mark));
    is = is.substr(0, is.find('\n'));
    const std::string wrong =
        lib.isEmulated ? wrongWithReports(each, output) : "";
    if (!wrong.empty())
      is += " (" + wrong + ")";
    const bool isRight = is == each.expected;
    different += !isRight;
    std::printf("%-40s %-28s %s%s\n", each.name, each.expected, is.c_str(),
                isRight ? "" : "   DIFFERENT");
    if (!isRight)
      std::fprintf(stderr, "%s\n", output.c_str());
  }
  std::printf("%s, %zu cases, %d different, %d skipped\n",
              lib.isEmulated ? "emulated" : "NVIDIA's library", cases.size(),
              different, skipped);
  return different ? 3 : 0;
}
