// ParDNN's stages on random training graphs: seconds of each, and memory.
//
//   placement [TASKS ..]      default: 10000 100000 1000000
//
// For each size and 2, 4, 8 and 16 devices prints a row: processor seconds of
// slicing, mapping, refinement, and emulation with counting memory; makespans
// as multiples of what work alone takes when it is spread evenly; then for
// limits of 95 to 60 % of what that placement needs, down to the first that is
// not kept: seconds, rounds, tasks moved, and the makespan after them; and the
// most memory that this process had so far. At the end, for each number of
// devices, microseconds a task of the stages, of counting memory and of the
// memory step (of the first limit, if it is kept), and with which power
// of the size they grow: 1 is linear.
#include "compiler/placement/Overflow.h"
#include "compiler/placement/Refinement.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>

using namespace smex;
using namespace smex::placement;

namespace {

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// A step of training: a parameter for every fourth operator, operators that
/// read one to three of the last ones, and for each its gradient, which reads
/// the gradients of its readers and what the operator read.
TaskGraph trainingGraph(int tasks) {
  std::mt19937_64 engine(7);
  const auto below = [&](int64_t n) { return int64_t(engine() % uint64_t(n)); };
  TaskGraph graph;
  const auto add = [&](double seconds, int64_t bytes) {
    Task task;
    task.name = "t" + std::to_string(graph.tasks.size());
    task.seconds = seconds, task.bytes = bytes;
    graph.tasks.push_back(task);
    return int(graph.tasks.size()) - 1;
  };
  const auto read = [&](int maker, int reader) {
    graph.edges.push_back({maker, reader, graph.tasks[size_t(maker)].bytes});
  };
  struct Operator {
    int task, parameter;
    std::vector<int> inputs, readers; // operators
  };
  const int operators = tasks * 4 / 9, window = 48;
  std::vector<Operator> all;
  for (int i = 0; i < operators; ++i) {
    Operator op{-1, -1, {}, {}};
    const double seconds = double(1 + below(100)) * 1e-6;
    const int64_t bytes = (1 + below(64)) << 14;
    if (i % 4 == 0) {
      op.parameter = add(0, bytes / 2);
      graph.tasks[size_t(op.parameter)].memory = MemoryKind::Residual;
    }
    op.task = add(seconds, bytes);
    if (op.parameter >= 0)
      read(op.parameter, op.task);
    for (int64_t k = 1 + below(3); i > 0 && k > 0; --k) {
      const int input = i - 1 - int(below(std::min(i, window)));
      op.inputs.push_back(input);
      all[size_t(input)].readers.push_back(i);
      read(all[size_t(input)].task, op.task);
    }
    all.push_back(op);
  }
  std::vector<int> gradient(all.size());
  for (int i = operators; i-- > 0;) {
    const Operator &op = all[size_t(i)];
    const Task made = graph.tasks[size_t(op.task)];
    gradient[size_t(i)] = add(2 * made.seconds, made.bytes);
    for (int reader : op.readers)
      read(gradient[size_t(reader)], gradient[size_t(i)]);
    for (int input : op.inputs)
      read(all[size_t(input)].task, gradient[size_t(i)]);
    if (op.parameter >= 0)
      read(op.parameter, gradient[size_t(i)]);
    if (op.readers.empty())
      read(op.task, gradient[size_t(i)]);
  }
  return graph;
}

/// Of a size and a number of devices.
struct Measured {
  size_t tasks;
  double stages, counting, memoryStep; // 0: no limit was kept
};

Measured measure(const TaskGraph &graph, int count) {
  Devices devices;
  devices.count = count;
  devices.bytesPerSecond = 100e9;
  devices.latencySeconds = 2e-6;
  double last = processorSeconds();
  const auto lap = [&] {
    const double now = processorSeconds(), seconds = now - last;
    last = now;
    return seconds;
  };
  double work = 0;
  for (const Task &task : graph.tasks)
    work += task.seconds;
  Placement placement;
  int64_t peak = 0;
  double makespan = 0;
  Measured measured{graph.tasks.size(), 0, 0, 0};
  {
    const Problem problem(graph, devices);
    const double preparation = lap();
    const Clusters clusters = slice(problem, count);
    const double slicing = lap();
    const ClusterFacts facts(problem, clusters);
    placement = mapClusters(facts);
    const double mapping = lap();
    const double mapped = firstInFirstOut(problem, placement).makespan;
    lap();
    const int swaps = swapClusters(facts, placement);
    const double swapped = firstInFirstOut(problem, placement).makespan;
    const int switches = switchTasks(problem, placement, count);
    const double refinement = lap();
    const Schedule schedule = firstInFirstOut(problem, placement);
    const MemoryUse use = memoryUse(problem, placement, schedule);
    const double emulation = lap();
    peak = use.most(), makespan = schedule.makespan;
    measured.stages = preparation + slicing + mapping + refinement;
    measured.counting = emulation;
    std::printf("%8zu %2d  prepare %.3f slice %.3f map %.3f refine %.3f "
                "emulate %.3f s; %zu clusters, %d swaps, %d switches; x ideal: "
                "mapped %.3f swapped %.3f switched %.3f\n",
                graph.tasks.size(), count, preparation, slicing, mapping,
                refinement, emulation, clusters.secondary.size(), swaps,
                switches, mapped * count / work, swapped * count / work,
                makespan * count / work);
  }
  for (double share : {0.95, 0.9, 0.85, 0.8, 0.7, 0.6}) {
    devices.memoryBytes = int64_t(double(peak) * share);
    const Problem problem(graph, devices);
    Placement moved = placement;
    lap();
    const Relief relief = addressOverflow(problem, firstInFirstOut, moved);
    const double seconds = lap();
    std::printf("            limit %.2f of the peak: %.3f s, ", share, seconds);
    if (relief.neededBytes > 0) {
      std::printf("%d rounds, not kept: %.3f of the peak\n", relief.rounds,
                  double(relief.neededBytes) / double(peak));
      break;
    }
    if (measured.memoryStep == 0)
      measured.memoryStep = seconds;
    std::printf("%d rounds, %.2f %% moved, makespan x %.3f\n", relief.rounds,
                100.0 * double(relief.moved) / double(graph.tasks.size()),
                firstInFirstOut(problem, moved).makespan / makespan);
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("            most memory %.0f MiB\n",
              double(usage.ru_maxrss) / 1024);
  std::fflush(stdout);
  return measured;
}

void printGrowth(int count, const std::vector<Measured> &sizes) {
  const auto print = [&](const char *what, double Measured::*seconds) {
    std::printf("%2d devices, %-15s", count, what);
    const Measured *last = nullptr;
    for (const Measured &each : sizes) {
      const double time = each.*seconds;
      std::printf("  %zu: ", each.tasks);
      if (time <= 0) {
        std::printf("-");
        continue;
      }
      std::printf("%.3f us", 1e6 * time / double(each.tasks));
      if (last && last->tasks != each.tasks)
        std::printf(" (power %.2f)",
                    std::log(time / (last->*seconds)) /
                        std::log(double(each.tasks) / double(last->tasks)));
      last = &each;
    }
    std::printf("\n");
  };
  print("stages", &Measured::stages);
  print("counting memory", &Measured::counting);
  print("memory step", &Measured::memoryStep);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i)
    sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty())
    sizes = {10'000, 100'000, 1'000'000};
  std::map<int, std::vector<Measured>> measured;
  for (int size : sizes) {
    const TaskGraph graph = trainingGraph(std::max(size, 9));
    for (int count : {2, 4, 8, 16})
      measured[count].push_back(measure(graph, count));
  }
  for (const auto &[count, each] : measured)
    printGrowth(count, each);
}
