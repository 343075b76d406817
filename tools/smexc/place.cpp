// smexc place: which GPU does which task of a plain task graph.
#include "compiler/pipeline/MemoryLimit.h"
#include "compiler/placement/Bounds.h"
#include "compiler/placement/Loads.h"
#include "compiler/placement/MachineDevices.h"
#include "compiler/placement/TaskGraphJson.h"
#include "compiler/placement/TransferQueues.h"
#include "dialects/support/File.h"
#include "tools/OptionChecks.h"
#include "tools/smexc/Command.h"

#include <chrono>
#include <cmath>
#include <ctime>

using namespace smex;
using namespace smex::tools;
using namespace smex::placement;

namespace {

constexpr int kMostGpus = 1024; // as for plans
constexpr const char *kOwnOrder = "own", *kFirstIn = "first-in-first-out";

struct Options {
  std::string file, machine, memory, algorithm, output;
  std::string order = kOwnOrder;
  int gpus = 0;
  double spare = 0;
  bool pipeline = false, overlap = false;
};

const std::map<std::string, Emulator> &emulators() {
  static const std::map<std::string, Emulator> all = {
      {"first-in-first-out", firstInFirstOut},
      {"given", inGivenOrder},
      {"earliest-start-first", earliestStartFirst},
      {"transfer-queues", transferQueues}};
  return all;
}

Result<Devices> devicesFor(const Options &options, const Devices &ofFile) {
  Devices devices = ofFile;
  if (!options.machine.empty()) {
    const auto machine = machines::findMachine(options.machine);
    if (!machine)
      return machine.error();
    const auto found = devicesOf(*machine, options.gpus);
    if (!found)
      return found.error();
    devices = *found;
  }
  devices.count = options.gpus;
  if (!options.memory.empty()) {
    const auto bytes = pipeline::parseSize(options.memory);
    if (!bytes)
      return Error{"--memory-per-gpu " + bytes.error().message, Fault::Usage};
    devices.memoryBytes = *bytes;
  }
  if (options.spare > 0 && !devices.memoryBytes)
    return Error{"--spare: give what there is of memory, by --memory-per-gpu, "
                 "--machine or the task graph",
                 Fault::Usage};
  devices.spare = options.spare;
  return devices;
}

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g s", value);
  return text;
}

/// Of a rate, which may be any positive number, what is left of its fraction.
std::string bytesPerSecond(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g B/s",
                rate < 1 ? rate : std::floor(rate));
  return text;
}

/// A bound that is above what was found is wrong, but for rounding.
Status holds(double bound, double found) {
  constexpr double kRounding = 1e-9;
  if (bound <= found * (1 + kRounding))
    return {};
  Error error = fail("a lower bound of ", bound, " s is proven, where ", found,
                     " s were found");
  error.fault = Fault::Defect;
  return error;
}

/// By how much what was found is above a bound that holds.
std::string gap(double found, double bound) {
  char text[32];
  if (found <= bound)
    return ", gap 0 %";
  if (bound <= 0)
    return ", gap unbounded";
  std::snprintf(text, sizeof text, ", gap %.2f %%",
                100 * (found - bound) / bound);
  return text;
}

/// Seconds by the clock, and of the processor.
struct Took {
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  std::clock_t before = std::clock();
  double byClock = 0, ofProcessor = 0;

  /// What has passed since the last lap.
  Took lap() {
    Took now;
    now.byClock = std::chrono::duration<double>(now.start - start).count();
    now.ofProcessor = double(now.before - before) / CLOCKS_PER_SEC;
    return *this = now;
  }
  std::string text() const {
    return seconds(byClock) + ", " + seconds(ofProcessor) + " of the processor";
  }
};

/// A line of the table; `value` is what stands in the second column.
void line(const char *name, const std::string &value) {
  char text[32];
  std::snprintf(text, sizeof text, "%-15s ", name);
  print(text + value + "\n");
}

std::string join(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

void show(const PlacementSummary &summary, const Outcome &outcome,
          const Bounds &bounds, const Problem &problem, const Options &options,
          const Took &search, const Took &bound) {
  const Devices &devices = problem.devices;
  line("tasks", std::to_string(problem.graph.tasks.size()) + ", edges " +
                    std::to_string(problem.graph.edges.size()));
  line("GPUs", std::to_string(devices.count) + ", a transfer takes " +
                   seconds(devices.latencySeconds) + " + bytes / " +
                   bytesPerSecond(devices.bytesPerSecond));
  line("algorithm",
       summary.algorithm + (outcome.stagesInOrder ? ", stages in order" : ""));
  line("order", !outcome.order.empty()       ? "the algorithm's own"
                : options.order == kOwnOrder ? kFirstIn
                                             : options.order);
  const bool ofStream = summary.objective == "throughput";
  line("makespan",
       seconds(summary.makespanSeconds) + (ofStream ? ", of one run" : ""));
  line("largest load", seconds(summary.largestLoadSeconds) +
                           (ofStream ? "" : ", of a pipelined stream"));
  line("lower bound", seconds(bounds.best) + gap(summary.seconds, bounds.best));
  if (ofStream && outcome.stagesInOrder)
    line("", seconds(outcome.lowerBound) + ", of stages in order" +
                 gap(summary.seconds, outcome.lowerBound));
  line("  path", seconds(bounds.criticalPath) + ", without transfers");
  line("  work", seconds(bounds.work));
  line("  largest task", seconds(bounds.largest));
  line("peak bytes", join(summary.peakBytes));
  line("moved", std::to_string(summary.moved) + " for memory");
  line("took", search.text() + ", then the bound " + bound.text());
}

int run(const Options &options) {
  const auto text = readFile(options.file);
  if (!text)
    return report(text.error());
  const auto read = readTaskGraph(*text, options.file);
  if (!read)
    return report(read.error());
  if (read->graph.tasks.empty())
    return report(fail(options.file, ": nodes: there are none to place"));
  const auto devices = devicesFor(options, read->devices);
  if (!devices)
    return report(devices.error());
  if (const Status valid = validate(*devices); !valid)
    return report(fail(options.file, ": ", valid.error().message));

  const Problem problem(read->graph, *devices);
  Params params;
  params.objective =
      options.pipeline ? Objective::Throughput : Objective::Makespan;
  params.transfersOverlap = options.overlap;
  params.emulator =
      emulators().at(options.order == kOwnOrder ? kFirstIn : options.order);
  if (options.order == kOwnOrder)
    params.inOrder = inOrder;

  Took clock;
  auto outcome = place(problem, options.algorithm, params);
  const Took search = clock.lap();
  if (!outcome) {
    Error error = outcome.takeError();
    if (error.fault == Fault::Input)
      error.message = options.file + ": " + error.message;
    return report(error);
  }
  const Schedule schedule = scheduleOf(problem, *outcome, params);
  PlacementSummary summary;
  summary.algorithm = options.algorithm;
  summary.objective = options.pipeline ? "throughput" : "makespan";
  summary.makespanSeconds = schedule.makespan;
  summary.largestLoadSeconds =
      loadsOf(problem, outcome->placement).largest(options.overlap);
  summary.seconds =
      options.pipeline ? summary.largestLoadSeconds : summary.makespanSeconds;
  clock.lap();
  const Bounds bounds = lowerBounds(problem, params, summary.seconds);
  const Took bound = clock.lap();
  // What is proven of stages in order is proven of their loads.
  const bool isOfLoads = options.pipeline && outcome->stagesInOrder;
  for (const double proven : {bounds.best, isOfLoads ? outcome->lowerBound : 0})
    if (const Status status = holds(proven, summary.seconds); !status)
      return report(status.error());
  summary.lowerBoundSeconds = bounds.best;
  summary.moved = outcome->moved;
  summary.order = outcome->order;
  summary.peakBytes =
      memoryUse(problem, outcome->placement, schedule).peakBytes;
  if (!options.output.empty())
    if (const Status written =
            writeFile(options.output,
                      writePlacement(problem, outcome->placement, summary));
        !written)
      return report(written.error());
  show(summary, *outcome, bounds, problem, options, search, bound);
  return 0;
}

std::string listed() {
  std::string text;
  for (const Algorithm &each : algorithms())
    text += std::string(text.empty() ? "" : "; ") + std::string(each.name) +
            ": " + std::string(each.description);
  return text;
}

} // namespace

int smex::tools::placeCommand(int argc, char **argv) {
  Options options;
  CLI::App app("places each task of a task graph on one GPU", "smexc place");
  app.add_option("FILE", options.file,
                 "task graph, a .json file, as compiler/placement/README.md "
                 "describes it, and "
                 "compiler/placement/schema/task-graph.schema.json says to "
                 "programs")
      ->required();
  app.add_option("--gpus", options.gpus, "how many")
      ->required()
      ->check(CLI::Range(1, kMostGpus));
  app.add_option("--memory-per-gpu", options.memory,
                 "a limit the placement must keep, e.g. 12GiB");
  declareSpare(app, options.spare);
  app.add_option("--machine", options.machine,
                 "what the GPUs are linked by, and their memory: a .json file "
                 "or a preset's name; else as the task graph says")
      ->check(isNotEmpty());
  auto *algorithm = app.add_option("--algorithm", options.algorithm, listed());
  auto *pipeline = app.add_flag(
      "--pipeline", options.pipeline,
      "for throughput of a pipelined stream: the smallest largest load of a "
      "GPU, instead of the smallest makespan");
  app.add_flag("--overlap", options.overlap,
               "with --pipeline: a GPU computes, sends and receives at the "
               "same time")
      ->needs(pipeline);
  std::vector<std::string> orders = {kOwnOrder};
  for (const auto &[name, emulator] : emulators())
    orders.push_back(name);
  app.add_option("--order", options.order,
                 "who says when tasks run (own: the algorithm's own order, "
                 "where it has one and is sooner done by it than by "
                 "first-in-first-out)")
      ->check(CLI::IsMember(orders));
  auto *output = app.add_option("-o,--output", options.output,
                                "FILE.json: the placement, for programs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return parseError(app, e);
  }
  if (output->count() > 0 && options.output.empty())
    return report({"--output: give the file's name", Fault::Usage});
  if (algorithm->count() == 0)
    options.algorithm = defaultAlgorithm(
        options.pipeline ? Objective::Throughput : Objective::Makespan);
  return run(options);
}
