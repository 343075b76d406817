#include "compiler/simulate/Report.h"

#include "runtime/plan/Format.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Table.h"
#include "runtime/plan/Totals.h"

#include <algorithm>
#include <cstdio>
#include <optional>

using namespace smex;
using namespace smex::simulate;
using machines::Link;
using plan::humanBytes;
using plan::Json;

namespace {

std::string humanSeconds(double seconds) {
  char text[64];
  if (seconds >= 1)
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  else if (seconds >= 1e-3)
    std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.3f us", seconds * 1e6);
  return text;
}

std::string share(double part, double whole) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole > 0 ? 100 * part / whole : 0);
  return text;
}

std::string gpu(size_t worker) { return "gpu" + std::to_string(worker); }

bool alike(const GpuUse &a, const GpuUse &b) {
  return a.computeSeconds == b.computeSeconds &&
         a.transferSeconds == b.transferSeconds &&
         a.receivedBytes == b.receivedBytes && a.peakBytes == b.peakBytes;
}

std::string gpuTable(const Simulation &simulation) {
  plan::Table table("lrrrrr");
  table.add({"", "computes", "transfers", "exposed", "receives", "peak"});
  const auto &gpus = simulation.gpus;
  for (size_t first = 0, last; first < gpus.size(); first = last + 1) {
    last = first;
    while (last + 1 < gpus.size() && alike(gpus[first], gpus[last + 1]))
      ++last;
    const GpuUse &use = gpus[first];
    const double step = simulation.stepSeconds;
    table.add({first == last ? gpu(first) : gpu(first) + " .. " + gpu(last),
               share(use.computeSeconds, step),
               share(use.transferSeconds, step),
               share(use.exposedSeconds, step), humanBytes(use.receivedBytes),
               humanBytes(use.peakBytes)});
  }
  return table.text();
}

std::string linkTable(const Simulation &simulation, const Machine &machine) {
  // By how long their bytes alone would keep them busy.
  std::vector<std::pair<double, size_t>> busiest;
  for (size_t l = 0; l < simulation.links.size(); ++l) {
    const LinkUse &use = simulation.links[l];
    const Link &link = machine.links[l];
    const double forward = double(use.forwardBytes),
                 backward = double(use.backwardBytes);
    const double bytes =
        link.duplex ? std::max(forward, backward) : forward + backward;
    if (bytes > 0)
      busiest.emplace_back(-bytes / link.bytesPerSecond, l);
  }
  if (busiest.empty())
    return "";
  std::sort(busiest.begin(), busiest.end());
  busiest.resize(std::min<size_t>(busiest.size(), 8));
  plan::Table table("llrrr");
  table.add({"", "", "there", "back", "busy"});
  for (const auto &[seconds, l] : busiest) {
    const Link &link = machine.links[l];
    table.add({machine.nodes[size_t(link.a)].name,
               machine.nodes[size_t(link.b)].name,
               humanBytes(simulation.links[l].forwardBytes),
               humanBytes(simulation.links[l].backwardBytes),
               share(-seconds, simulation.stepSeconds)});
  }
  return "\nBusiest links\n" + table.text();
}

/// The worker whose device has the smallest part of its memory left.
std::optional<int> fullestOf(const Simulation &simulation,
                             const Machine &machine) {
  std::optional<int> fullest;
  double most = -1;
  for (size_t w = 0; w < simulation.gpus.size(); ++w) {
    const double part = double(simulation.gpus[w].peakBytes) /
                        double(machine.deviceOf(int(w)).usableBytes());
    if (part > most) {
      most = part;
      fullest = int(w);
    }
  }
  return fullest;
}

} // namespace

std::vector<int> simulate::outOfMemory(const Simulation &simulation,
                                       const Machine &machine) {
  std::vector<int> gpus;
  for (size_t w = 0; w < simulation.gpus.size(); ++w)
    if (simulation.gpus[w].peakBytes > machine.deviceOf(int(w)).usableBytes())
      gpus.push_back(int(w));
  return gpus;
}

std::string simulate::text(const Simulation &simulation, const Machine &machine,
                           const Options &options) {
  plan::Table table("ll");
  table.add({"machine", machine.name});
  table.add({"step", humanSeconds(simulation.stepSeconds) +
                         (options.skipCopies ? ", copies skipped" : "") +
                         (options.inOrder ? ", nothing hidden" : "")});
  if (!options.skipCopies)
    table.add({"communication",
               humanBytes(simulation.communicationBytes) + " per run"});
  if (!simulation.hostTraffic.isNone())
    table.add({"moves", toString(simulation.hostTraffic) + " per run"});
  if (simulation.recomputedSeconds > 0)
    table.add({"recomputes",
               humanSeconds(simulation.recomputedSeconds) + " of the step"});
  if (const auto fullest = fullestOf(simulation, machine))
    table.add({"peak memory",
               humanBytes(simulation.gpus[size_t(*fullest)].peakBytes) +
                   " on " + gpu(size_t(*fullest)) + ", of " +
                   humanBytes(machine.deviceOf(*fullest).usableBytes())});
  std::string text = table.text();
  const auto full = outOfMemory(simulation, machine);
  if (!full.empty())
    text += "  OUT OF MEMORY on " + std::to_string(full.size()) + " of " +
            std::to_string(simulation.gpus.size()) + " GPUs, first on " +
            gpu(size_t(full.front())) + "; times are as if it were there\n";
  text += "\nGPUs\n" + gpuTable(simulation);
  return text + linkTable(simulation, machine);
}

std::string simulate::json(const Simulation &simulation, const Machine &machine,
                           const Options &options) {
  Json gpus = Json::array(), links = Json::array();
  for (size_t w = 0; w < simulation.gpus.size(); ++w) {
    const GpuUse &use = simulation.gpus[w];
    const int64_t memory = machine.deviceOf(int(w)).usableBytes();
    gpus.push_back({{"name", machine.nodeOf(int(w)).name},
                    {"memory_bytes", memory},
                    {"compute_seconds", use.computeSeconds},
                    {"transfer_seconds", use.transferSeconds},
                    {"exposed_seconds", use.exposedSeconds},
                    {"received_bytes", use.receivedBytes},
                    {"peak_bytes", use.peakBytes},
                    {"out_of_memory", use.peakBytes > memory}});
  }
  for (size_t l = 0; l < simulation.links.size(); ++l)
    links.push_back({{"from", machine.nodes[size_t(machine.links[l].a)].name},
                     {"to", machine.nodes[size_t(machine.links[l].b)].name},
                     {"forward_bytes", simulation.links[l].forwardBytes},
                     {"backward_bytes", simulation.links[l].backwardBytes}});
  Json all = {{"format", "smex-simulation"},
              {"version", 4},
              {"machine", machine.name},
              {"skip_copies", options.skipCopies},
              {"in_order", options.inOrder},
              {"step_seconds", simulation.stepSeconds},
              {"communication_bytes", simulation.communicationBytes},
              {"out_of_memory", !outOfMemory(simulation, machine).empty()},
              {"gpus", gpus},
              {"links", links}};
  simulation.hostTraffic.writeTo(all);
  if (simulation.recomputedSeconds > 0)
    all["recomputed_seconds"] = simulation.recomputedSeconds;
  return plan::canonicalJson(all);
}

static const char *nameOf(Queue queue) {
  switch (queue) {
  case Queue::Computing:
    return "computing";
  case Queue::Transfers:
    return "transfers";
  case Queue::ToHost:
    return "to host";
  case Queue::FromHost:
    break;
  }
  return "from host";
}

std::string simulate::trace(const Simulation &simulation,
                            const plan::Program &program) {
  Json events = Json::array();
  // A process per GPU, and in it a thread per queue.
  for (size_t w = 0; w < simulation.gpus.size(); ++w) {
    events.push_back({{"name", "process_name"},
                      {"ph", "M"},
                      {"pid", w},
                      {"args", {{"name", gpu(w)}}}});
    for (const Queue queue : plan::queuesOf(program))
      events.push_back({{"name", "thread_name"},
                        {"ph", "M"},
                        {"pid", w},
                        {"tid", int(queue)},
                        {"args", {{"name", nameOf(queue)}}}});
  }
  for (const Event &event : simulation.events) {
    const plan::Instruction &what =
        program.instructions[size_t(event.instruction)];
    events.push_back({{"name", what.node},
                      {"cat", plan::name(what.op)},
                      {"ph", "X"},
                      {"pid", event.worker},
                      {"tid", int(plan::queueOf(what.op))},
                      {"ts", event.start * 1e6},
                      {"dur", (event.end - event.start) * 1e6},
                      {"args", {{"instruction", event.instruction}}}});
  }
  return plan::canonicalJson(
      {{"displayTimeUnit", "ms"}, {"traceEvents", events}});
}
