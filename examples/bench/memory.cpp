// The memory planner against its lower bound, most bytes alive at once.
//
//   memory FILE.csv ..    rows `id,lower,upper,size`, half-open lifetimes
//   memory PLAN ..        the worker of each plan that is furthest above it
//
// Prints peak, bound and seconds of packing.
#include "compiler/memory/Planner.h"
#include "dialects/support/File.h"
#include "runtime/plan/Lifetimes.h"
#include "runtime/plan/Load.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>

using namespace smex;

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

/// Prints a row; false on an error.
bool measure(const std::string &path) {
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
  const auto start = std::chrono::steady_clock::now();
  const memory::Placement placement = memory::pack(buffers);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::printf("%-40s %9zu %15lld %15lld %8.3f %9.3f\n", path.c_str(),
              buffers.size(), (long long)placement.peak,
              (long long)placement.lowerBound,
              placement.lowerBound
                  ? 100. * (double(placement.peak) / placement.lowerBound - 1)
                  : 0.,
              seconds);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: memory FILE.csv|PLAN ..\n");
    return 2;
  }
  std::printf("%-40s %9s %15s %15s %8s %9s\n", "", "buffers", "peak", "bound",
              "% above", "seconds");
  bool good = true;
  for (int i = 1; i < argc; ++i)
    good &= measure(argv[i]);
  return good ? 0 : 1;
}
