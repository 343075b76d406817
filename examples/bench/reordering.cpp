// reordering [--rounds N] [--nodes N] [--edges M] [--features 64,256]
//            [--only TEXT]
//
// What a sum of messages would gain from another order of nodes, of edges or of
// both in blocks, and what bounds it: a table of how many times as fast as now
// the loop is, written by hand as a plan's kernel does it, on one thread. Of
// rows of more than 64 features, slices of 32 are copied and summed one after
// the other, as a plan does (runtime/plan/RowSlices.h). Each way takes
// turns with what is done now; seconds are of the processor, figures medians.
#include "dialects/support/Version.h"
#include "examples/bench/Reordered.h"

#include <CLI/CLI.hpp>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <numeric>

using namespace smex;
using namespace smex::bench;

namespace {
constexpr int64_t widest = 64, slice = 32, mostAhead = 64, aheadBytes = 8192;

/// Floats on large pages, as a plan's arena.
class Memory {
public:
  explicit Memory(int64_t floats)
      : bytes(size_t(floats) * sizeof(float)),
        data(static_cast<float *>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (data == MAP_FAILED)
      throw std::bad_alloc();
    ::madvise(data, bytes, MADV_HUGEPAGE); // only a wish
    std::memset(data, 0, bytes);
  }
  ~Memory() { ::munmap(data, bytes); }
  Memory(const Memory &) = delete;

  const size_t bytes;
  float *const data;
};

struct Way {
  std::string name;
  std::vector<SumList> lists;
  /// The rows are in this order; if `copies`, only after they are copied into
  /// it, else they and the results are there in it. Empty: as they are.
  Numbers order = {};
  bool copies = false;
  bool asks = true;
  /// Sums other rows: for what a part of the work takes.
  bool isFloor = false;
};

std::vector<Way> waysOf(const DrawnGraph &graph) {
  const SumList now = byDestination(graph);
  const auto nodes = int64_t(now.results.size());
  std::vector<Way> ways = {{"now", {now}}};
  ways.push_back({"no rows asked for ahead", {now}, {}, false, false});
  const auto floor = [&](const char *name, int32_t mask) {
    SumList list = now;
    for (int32_t &source : list.sources)
      source &= mask;
    ways.push_back({name, {list}, {}, false, true, true});
  };
  floor("if all edges came from 64 rows", 63);
  floor("if they came from 2,048", 2047);
  SumList one = now;
  std::fill(one.results.begin(), one.results.end(), 0);
  ways.push_back(
      {"if all results had one place", {one}, {}, false, true, true});

  Numbers asNumbered(static_cast<size_t>(nodes));
  std::iota(asNumbered.begin(), asNumbered.end(), 0);
  const Numbers reads = byReads(now), near = cuthillMcKee(now),
                labels = byLabels(now, 6);
  ways.push_back({"results by in-degree", {inOrder(now, byTerms(now))}});
  ways.push_back({"results by Cuthill-McKee", {inOrder(now, near)}});
  ways.push_back({"results by label", {inOrder(now, labels)}});
  ways.push_back({"edges by source", {termsInOrder(now, asNumbered)}});
  ways.push_back(
      {"edges by out-degree of source", {termsInOrder(now, placesIn(reads))}});
  const auto renumbered = [&](const std::string &name, const Numbers &order) {
    const Numbers places = placesIn(order);
    const SumList list =
        termsInOrder(ofRows(inOrder(now, order), places), asNumbered);
    ways.push_back({name + ", rows copied into it", {list}, order, true});
    ways.push_back({name + ", in it already", {toRows(list, places)}, order});
  };
  renumbered("nodes by out-degree", reads);
  renumbered("nodes by Cuthill-McKee", near);
  renumbered("nodes by label", labels);
  for (int64_t rows : {8192, 16384, 32768}) {
    const std::string name = "blocks of " + std::to_string(rows) + " sources";
    ways.push_back({name, inBlocks(now, nodes, rows)});
    const SumList list = ofRows(now, placesIn(reads));
    ways.push_back({name + " by out-degree, copied",
                    inBlocks(list, nodes, rows), reads, true});
  }
  return ways;
}

double processorSeconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

class Bench {
public:
  Bench(int64_t nodes, int64_t features)
      : nodes(nodes), features(features), rows(nodes * features),
        ordered(nodes * features), copy(nodes * features),
        results(nodes * features), apart(nodes * features) {
    // Sums of small integers are exact, in any order.
    for (int64_t i = 0; i < nodes * features; ++i)
      rows.data[i] = float(uint32_t(i) * 2654435761u >> 28);
  }

  /// Seconds. `isNow`: what the other ways' results have to be.
  double measure(const Way &way, bool isNow) {
    if (!way.order.empty() && !way.copies)
      gather(rows.data, ordered.data, features, way.order);
    const double start = processorSeconds();
    run(way);
    const double took = processorSeconds() - start;
    if (isNow)
      expected.assign(results.data, results.data + nodes * features);
    else if (!way.isFloor && !isRight(way))
      throw std::runtime_error(way.name + ": other results");
    return took;
  }

private:
  /// Rows of so many features that lie `features` apart, one after the other.
  void gather(const float *from, float *to, int64_t width,
              const Numbers &order) const {
    for (int64_t i = 0; i < nodes; ++i) {
      const int64_t next = std::min(i + 16, nodes - 1);
      const auto row = [&](int64_t at) {
        return order.empty() ? at : int64_t(order[size_t(at)]);
      };
      __builtin_prefetch(from + row(next) * features);
      std::memcpy(to + i * width, from + row(i) * features,
                  size_t(width) * sizeof(float));
    }
  }

  void run(const Way &way) {
    const int64_t width = features <= widest ? features : slice;
    const bool isThere = !way.order.empty() && !way.copies;
    const float *all = isThere ? ordered.data : rows.data;
    const int32_t ahead =
        way.asks ? int32_t(std::min(mostAhead, aheadBytes / (4 * width))) : 0;
    for (int64_t f = 0; f < features; f += width) {
      RowsAt read = {const_cast<float *>(all) + f, features};
      if (width < features || way.copies) {
        gather(all + f, copy.data, width, isThere ? Numbers() : way.order);
        read = {copy.data, width};
      }
      // Sums of a slice lie apart in the result, so that those that are taken
      // up again are kept together.
      const bool isApart = width < features && way.lists.size() > 1;
      const RowsAt sums = isApart ? RowsAt{apart.data, width}
                                  : RowsAt{results.data + f, features};
      for (const SumList &list : way.lists)
        sum(list, width, read, sums, ahead);
      for (int64_t i = 0; isApart && i < nodes; ++i)
        std::memcpy(results.data + i * features + f, apart.data + i * width,
                    size_t(width) * sizeof(float));
    }
  }

  bool isRight(const Way &way) const {
    const bool isThere = !way.order.empty() && !way.copies;
    for (int64_t i = 0; i < nodes; ++i) {
      const int64_t row = isThere ? way.order[size_t(i)] : i;
      if (std::memcmp(results.data + i * features, &expected[row * features],
                      size_t(features) * sizeof(float)) != 0)
        return false;
    }
    return true;
  }

  const int64_t nodes, features;
  Memory rows, ordered, copy, results, apart;
  std::vector<float> expected;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + int64_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One column of the table.
struct Column {
  std::string name;
  std::vector<double> seconds, ratios; // of each way; medians
};

Column column(const std::string &graph, const std::vector<Way> &ways,
              int64_t nodes, int64_t features, int rounds) {
  Bench bench(nodes, features);
  for (const Way &way : ways) // also touches all of its memory
    bench.measure(way, &way == &ways.front());
  std::vector<std::vector<double>> took(ways.size()), ratios(ways.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t w = 0; w < ways.size(); ++w) {
      // Next to each other: who else uses the machine changes in seconds.
      const double now = bench.measure(ways[0], true);
      took[w].push_back(w == 0 ? now : bench.measure(ways[w], false));
      ratios[w].push_back(now / took[w].back());
    }
  Column made = {graph + ", " + std::to_string(features), {}, {}};
  for (size_t w = 0; w < ways.size(); ++w) {
    made.seconds.push_back(median(took[w]));
    made.ratios.push_back(median(ratios[w]));
  }
  return made;
}

/// The part of the edges that repeat another one.
double repeated(const SumList &list) {
  int64_t count = 0;
  for (size_t i = 0; i < list.results.size(); ++i) {
    Numbers terms(list.sources.begin() + list.offsets[i],
                  list.sources.begin() + list.offsets[i + 1]);
    std::sort(terms.begin(), terms.end());
    count += terms.end() - std::unique(terms.begin(), terms.end());
  }
  return double(count) / double(list.sources.size());
}

void print(const std::vector<Way> &ways, const std::vector<Column> &columns) {
  std::printf("|");
  for (const Column &each : columns)
    std::printf(" | %s", each.name.c_str());
  std::printf(" |\n|---|");
  for (size_t i = 0; i < columns.size(); ++i)
    std::printf("---|");
  for (size_t w = 0; w < ways.size(); ++w) {
    std::printf("\n| %s", ways[w].name.c_str());
    for (const Column &each : columns)
      if (w == 0)
        std::printf(" | %.1f ms", 1e3 * each.seconds[w]);
      else
        std::printf(" | %.2f", each.ratios[w]);
    std::printf(" |");
  }
  std::printf("\n");
}
} // namespace

int main(int argc, char **argv) {
  CLI::App app("Orders of a sum of messages, measured.", "reordering");
  int rounds = 9;
  int64_t nodes = 65536, edges = 5000000;
  std::vector<int64_t> features = {64, 256};
  std::string only;
  app.add_option("--rounds", rounds)->check(CLI::Range(1, 1000));
  app.add_option("--nodes", nodes)->check(CLI::Range(4096, 1 << 24));
  app.add_option("--edges", edges)->check(CLI::Range(1, 1 << 30));
  app.add_option("--features", features, "of a node")
      ->delimiter(',')
      ->check(CLI::IsMember({16, 32, 64, 128, 256, 512}));
  app.add_option("--only", only, "ways with this in their name, and now");
  app.add_flag_callback(
      "--version", [] { throw CLI::CallForVersion(versionText, 0); },
      "print the version");
  CLI11_PARSE(app, argc, argv);
  const std::vector<std::pair<std::string, DrawnGraph>> graphs = {
      {"R-MAT", drawRmat(nodes, edges, 0.76, 1)},
      {"R-MAT by community", drawRmat(nodes, edges, 0.76, 1, true)},
      {"skew of Reddit", drawRmat(nodes, edges, 0.62, 1)},
      {"Erdos-Renyi", drawUniform(nodes, edges, 1)}};
  std::vector<Column> columns;
  std::vector<Way> ways;
  try {
    for (const auto &[name, graph] : graphs) {
      ways = waysOf(graph);
      std::printf("%s: %.1f %% of the edges repeat another one\n", name.c_str(),
                  100 * repeated(ways[0].lists[0]));
      ways.erase(std::remove_if(ways.begin() + 1, ways.end(),
                                [&](const Way &way) {
                                  return way.name.find(only) ==
                                         std::string::npos;
                                }),
                 ways.end());
      for (int64_t each : features)
        columns.push_back(column(name, ways, nodes, each, rounds));
    }
  } catch (const std::runtime_error &error) {
    std::cerr << "reordering: error: " << error.what() << "\n";
    return int(Fault::Difference);
  }
  print(ways, columns);
  return 0;
}
