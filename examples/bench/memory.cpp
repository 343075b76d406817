// The memory planner against its lower bound, most bytes alive at once.
//
//   memory FILE.csv ..    rows `id,lower,upper,size`, half-open lifetimes
//   memory --within BYTES FILE.csv ..
//                         whether PackingSearch alone, without the planner,
//                         finds a packing within so many bytes, and how soon
//   memory PLAN ..        the worker of each plan that is furthest above it
//   memory --cut [--seeds S] N ..
//                         full rectangles of memory and time, cut at random
//                         into N buffers: twelve classes, two (or S) of each,
//                         without gaps and with 5 %. Without N: 50, 300, 600
//                         and 1000
//   memory --growth N ..  how time and memory grow with the number of buffers,
//                         of an easy class and of a hard one. Without N: 1000,
//                         3000, 10000, 30000 and 100000
//
// Prints the bound, how far above it greedy orders and the planner end, and the
// planner's seconds; of rectangles, rows of the table in README.md.
#include "compiler/memory/PackingSearch.h"
#include "compiler/memory/Planner.h"
#include "dialects/support/File.h"
#include "runtime/plan/Lifetimes.h"
#include "runtime/plan/Load.h"
#include "test/compiler/memory/Cut.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <malloc.h>
#include <new>

using namespace smex;

namespace {

/// Bytes that are allocated, and the most since the last reset: what the
/// process keeps of what it has freed says nothing of the planner.
std::atomic<int64_t> allocated{0}, mostAllocated{0};

void count(int64_t bytes) {
  const int64_t now = allocated += bytes;
  if (now > mostAllocated)
    mostAllocated = now;
}

} // namespace

void *operator new(std::size_t bytes) {
  void *const place = std::malloc(bytes ? bytes : 1);
  if (!place)
    throw std::bad_alloc();
  count(int64_t(malloc_usable_size(place)));
  return place;
}

void operator delete(void *place) noexcept {
  count(-int64_t(malloc_usable_size(place)));
  std::free(place);
}

void operator delete(void *place, std::size_t) noexcept {
  operator delete(place);
}

namespace {

/// One line of four integers; a heading and empty lines are skipped.
Result<std::vector<memory::Allocation>> readCsv(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  std::vector<memory::Allocation> rows;
  size_t number = 0;
  for (size_t start = 0; start < text->size(); ++number) {
    const size_t end = std::min(text->find('\n', start), text->size());
    std::string_view line(text->data() + start, end - start);
    start = end + 1;
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (line.empty() || (number == 0 && line.find("size") != line.npos))
      continue;
    int64_t values[3];
    const size_t comma = line.find(',');
    const char *at = line.data() + (comma == line.npos ? line.size() : comma);
    const char *const last = line.data() + line.size();
    for (int64_t &value : values) {
      const auto parsed = std::from_chars(at < last ? at + 1 : at, last, value);
      if (parsed.ec != std::errc())
        return fail(path, ":", number + 1,
                    ": a row is id,lower,upper,size, integers but for the id");
      at = parsed.ptr;
    }
    if (at != last || values[0] > values[1] || values[2] < 0 ||
        values[2] > int64_t(1) << 48)
      return fail(path, ":", number + 1, ": is no lifetime of a size");
    rows.push_back({values[0], values[1], values[2]});
  }
  return rows;
}

std::vector<memory::Allocation>
toPack(const std::vector<plan::Lifetime> &lifetimes) {
  std::vector<memory::Allocation> list;
  for (const plan::Lifetime &each : lifetimes)
    list.push_back({each.lower, each.upper, each.bytes});
  return list;
}

struct Measured {
  double greedy = 0, packed = 0; // % above the bound
  double seconds = 0;
  bool isSound = true;
};

Measured measure(const std::vector<memory::Allocation> &buffers) {
  const auto start = std::chrono::steady_clock::now();
  const memory::Placement placement = memory::pack(buffers);
  Measured result;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  const auto above = [&](int64_t peak) {
    return placement.lowerBound
               ? 100. * (double(peak) / double(placement.lowerBound) - 1)
               : 0.;
  };
  result.greedy = above(memory::packGreedily(buffers).peak);
  result.packed = above(placement.peak);
  result.isSound =
      memory::test::isPacking(buffers, placement.offsets, placement.peak);
  return result;
}

/// False where two buffers share bytes.
bool print(const std::string &name, size_t buffers, int64_t bound,
           const Measured &measured) {
  std::printf("%-40s %9zu %15lld %8.3f %8.3f %9.3f%s\n", name.c_str(), buffers,
              (long long)bound, measured.greedy, measured.packed,
              measured.seconds, measured.isSound ? "" : " UNSOUND");
  std::fflush(stdout);
  return measured.isSound;
}

/// What packing takes: the processor's seconds, and the most bytes that it
/// allocates.
struct Packed {
  memory::Placement placement;
  double seconds = 0;
  int64_t bytes = 0;
  bool isSound = false;
  double above = 0; // % above the capacity

  Packed(const std::vector<memory::Allocation> &buffers, int64_t capacity) {
    const int64_t before = mostAllocated = allocated.load();
    const std::clock_t start = std::clock();
    placement = memory::pack(buffers);
    seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    bytes = mostAllocated - before;
    isSound =
        memory::test::isPacking(buffers, placement.offsets, placement.peak);
    // With gaps the capacity may be more than is ever needed.
    above =
        std::max(0., 100. * (double(placement.peak) / double(capacity) - 1));
  }
};

/// A row of the table in README.md; false where a packing is unsound.
bool measureCut(size_t pieces, int gaps, unsigned seeds) {
  int count = 0, atCapacity = 0, near = 0;
  double above = 0, most = 0, seconds = 0, longest = 0, bytes = 0;
  bool isSound = true;
  for (const int inTime : {20, 50, 80})
    for (const int pinwheels : {0, 50})
      for (const int64_t unit : {4096, 64})
        for (unsigned seed = 1; seed <= seeds; ++seed) {
          const auto kind =
              memory::test::ofMebibyte(pieces, unit, gaps, inTime, pinwheels);
          const auto buffers = memory::test::cut(kind, seed);
          const Packed packed(buffers, kind.capacity());
          isSound &= packed.isSound;
          ++count;
          atCapacity += packed.above == 0;
          near += packed.above <= 0.5;
          above += packed.above;
          most = std::max(most, packed.above);
          seconds += packed.seconds;
          longest = std::max(longest, packed.seconds);
          bytes =
              std::max(bytes, double(packed.bytes) / double(buffers.size()));
        }
  std::printf(
      "| %zu | %s | %d of %d | %d | %.3g, %.3g | %.2f, %.2f | %.1f |%s\n",
      pieces, gaps ? "5 %" : "none", atCapacity, count, near, above / count,
      most, seconds / count, longest, bytes / 1024, isSound ? "" : " UNSOUND");
  std::fflush(stdout);
  return isSound;
}

bool measureCuts(const std::vector<size_t> &counts, unsigned seeds) {
  std::printf(
      "| buffers | gaps | at the capacity | within 0.5 %% | mean, worst "
      "%% above | mean, worst s | most KiB a buffer "
      "|\n|---|---|---|---|---|---|---|\n");
  bool good = true;
  for (const size_t pieces : counts)
    for (const int gaps : {0, 5})
      good &= measureCut(pieces, gaps, seeds);
  return good;
}

/// Rows of the other table in README.md; false where a packing is unsound.
bool measureGrowth(const std::vector<size_t> &counts) {
  std::printf(
      "| buffers | easy: %% above | s | ms a buffer | MiB | KiB a buffer "
      "| hard: %% above | s | ms a buffer | MiB | KiB a buffer "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool good = true;
  for (const size_t pieces : counts) {
    std::printf("| %zu |", pieces);
    for (const bool isHard : {false, true}) {
      const auto kind = memory::test::ofMebibyte(pieces, 64, isHard ? 5 : 0, 50,
                                                 isHard ? 50 : 0);
      const auto buffers = memory::test::cut(kind, 1);
      const Packed packed(buffers, kind.capacity());
      good &= packed.isSound;
      const double number = double(buffers.size()),
                   bytes = double(packed.bytes);
      std::printf(" %.3g | %.2f | %.2f | %.1f | %.1f |%s", packed.above,
                  packed.seconds, 1e3 * packed.seconds / number,
                  bytes / (1 << 20), bytes / 1024 / number,
                  packed.isSound ? "" : " UNSOUND");
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return good;
}

/// Prints a row; false on an error, or where nothing is found.
bool measureWithin(int64_t capacity, const std::string &path) {
  constexpr int64_t kSteps = int64_t(1) << 34;
  const auto buffers = readCsv(path);
  if (!buffers) {
    std::fprintf(stderr, "memory: error: %s\n",
                 buffers.error().message.c_str());
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  memory::PackingSearch search(*buffers);
  const memory::Verdict verdict = search.fit(capacity, kSteps);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  const bool fits =
      verdict == memory::Verdict::Fits &&
      memory::test::isPacking(*buffers, search.offsets(), capacity);
  std::printf("%-40s %9zu %15lld %10s %9.3f\n", path.c_str(), buffers->size(),
              (long long)capacity,
              fits                                     ? "fits"
              : verdict == memory::Verdict::Impossible ? "impossible"
              : verdict == memory::Verdict::OutOfSteps ? "not found"
                                                       : "UNSOUND",
              seconds);
  std::fflush(stdout);
  return fits;
}

/// Prints a row; false on an error.
bool measureFile(const std::string &path) {
  std::vector<memory::Allocation> buffers;
  if (std::filesystem::is_directory(path)) {
    const auto plan = plan::load(path, {false});
    if (!plan) {
      std::fprintf(stderr, "memory: error: %s\n", plan.error().message.c_str());
      return false;
    }
    double worst = -1;
    for (size_t w = 0; w < plan->partitioned.workers.size(); ++w) {
      const auto lifetimes = plan::lifetimes(plan->partitioned, int(w));
      const int64_t bound = plan::mostAlive(lifetimes).bytes;
      const double gap =
          bound ? double(plan->peakBytes[w]) / double(bound) - 1 : 0;
      if (gap > worst) {
        worst = gap;
        buffers = toPack(lifetimes);
      }
    }
  } else {
    auto rows = readCsv(path);
    if (!rows) {
      std::fprintf(stderr, "memory: error: %s\n", rows.error().message.c_str());
      return false;
    }
    buffers = std::move(*rows);
  }
  return print(path, buffers.size(), memory::mostAlive(buffers),
               measure(buffers));
}

/// False where it is no number from 1 to `most`.
bool parseCount(std::string_view text, size_t most, size_t &count) {
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), count);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() &&
         count >= 1 && count <= most;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: memory FILE.csv|PLAN .. | --cut [--seeds S] [N ..] | "
                 "--growth [N ..] | --within BYTES FILE.csv ..\n");
    return 2;
  }
  if (argv[1] == std::string_view("--within")) {
    const std::string_view text = argc > 2 ? argv[2] : "";
    int64_t capacity = 0;
    const auto parsed =
        std::from_chars(text.data(), text.data() + text.size(), capacity);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
        capacity < 1) {
      std::fprintf(stderr, "memory: error: --within: is followed by bytes\n");
      return 2;
    }
    bool good = true;
    for (int i = 3; i < argc; ++i)
      good &= measureWithin(capacity, argv[i]);
    return good ? 0 : 1;
  }
  if (const std::string_view table = argv[1];
      table == "--cut" || table == "--growth") {
    int first = 2;
    size_t seeds = 2;
    if (table == "--cut" && argc > 3 &&
        argv[2] == std::string_view("--seeds")) {
      if (!parseCount(argv[3], 100, seeds)) {
        std::fprintf(stderr,
                     "memory: error: --seeds %s: is no number from 1 to 100\n",
                     argv[3]);
        return 2;
      }
      first = 4;
    }
    std::vector<size_t> counts;
    for (int i = first; i < argc; ++i) {
      size_t count = 0;
      if (!parseCount(argv[i], 1000000, count)) {
        std::fprintf(stderr,
                     "memory: error: %s %s: is no number of buffers from 1 to "
                     "1000000\n",
                     argv[1], argv[i]);
        return 2;
      }
      counts.push_back(count);
    }
    if (table == "--growth")
      return measureGrowth(
                 counts.empty()
                     ? std::vector<size_t>{1000, 3000, 10000, 30000, 100000}
                     : counts)
                 ? 0
                 : 1;
    return measureCuts(counts.empty() ? std::vector<size_t>{50, 300, 600, 1000}
                                      : counts,
                       unsigned(seeds))
               ? 0
               : 1;
  }
  std::printf("%-40s %9s %15s %8s %8s %9s\n", "% above the bound", "buffers",
              "bound", "greedy", "ours", "seconds");
  bool good = true;
  for (int i = 1; i < argc; ++i)
    good &= measureFile(argv[i]);
  return good ? 0 : 1;
}
