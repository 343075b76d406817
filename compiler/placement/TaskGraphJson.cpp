#include "compiler/placement/TaskGraphJson.h"

#include "compiler/placement/Names.h"
#include "runtime/plan/Cursor.h"

#include <cmath>
#include <limits>
#include <unordered_map>

using namespace smex;
using namespace smex::placement;
using plan::Cursor;
using plan::Json;

namespace {

constexpr int kVersion = 1;
constexpr size_t kMostNodes = size_t(1) << 26;

constexpr const char *kindNames[] = {"normal", "residual", "reference"};

/// Where each name stands in the list of nodes.
using Numbers = std::unordered_map<std::string, int>;

int taskOf(const Cursor &at, const Numbers &numbers) {
  const std::string name = at.string();
  if (!at.ok())
    return -1;
  const auto found = numbers.find(name);
  if (found == numbers.end()) {
    at.refuse("no node is called \"" + shortName(name) + "\"");
    return -1;
  }
  return found->second;
}

MemoryKind readKind(const Cursor &at) {
  const std::string name = at.string();
  for (int kind = 0; kind < 3; ++kind)
    if (name == kindNames[kind])
      return MemoryKind(kind);
  at.refuse("must be \"normal\", \"residual\" or \"reference\"");
  return MemoryKind::Normal;
}

double readPositive(const Cursor &at) {
  const double number = at.real();
  if (at.ok() && !(number > 0 && std::isfinite(number)))
    at.refuse("must be more than 0");
  return number;
}

double readSeconds(const Cursor &at) {
  const double seconds = at.real();
  if (at.ok() && !(seconds >= 0 && seconds <= kMostSeconds))
    at.refuse("must be seconds, from 0 to 1e9");
  return seconds;
}

/// All of a node but the nodes that it names, which may come later in the list.
Task readNode(const Cursor &at, Numbers &numbers) {
  at.object({"name", "time"}, {"memory", "kind", "target", "overwrites", "kept",
                               "together", "layer", "gpu"});
  Task task;
  if (!at.ok())
    return task;
  task.name = at.string("name");
  if (at.ok() && (task.name.empty() || !isText(task.name)))
    at.refuse("its name must be text, without control characters");
  else if (at.ok() && !numbers.emplace(task.name, int(numbers.size())).second)
    at.refuse("another node is called \"" + shortName(task.name) + "\", too");
  task.seconds = at.with("time", readSeconds);
  if (at.has("memory"))
    task.bytes = at.integer("memory", 0, kMostBytes);
  if (at.has("kind"))
    task.memory = at.with("kind", readKind);
  if (at.ok() && task.memory == MemoryKind::Reference && task.bytes > 0)
    at.refuse("a reference has no memory of its own");
  if (at.has("kept"))
    task.kept = at.boolean("kept");
  if (at.has("together"))
    task.together =
        int(at.integer("together", 0, std::numeric_limits<int>::max()));
  if (at.has("layer"))
    task.layer = int(at.integer("layer", 0, std::numeric_limits<int>::max()));
  if (at.has("gpu"))
    task.hasGpuKernel = at.boolean("gpu");
  return task;
}

Edge readEdge(const Cursor &at, const Numbers &numbers) {
  at.object({"from", "to", "bytes"}, {"part"});
  Edge edge;
  if (!at.ok())
    return edge;
  const auto end = [&](const Cursor &name) { return taskOf(name, numbers); };
  edge.from = at.with("from", end);
  edge.to = at.with("to", end);
  edge.bytes = at.integer("bytes", 0, kMostBytes);
  if (at.has("part"))
    edge.part = int(at.integer("part", 0, std::numeric_limits<int>::max()));
  return edge;
}

Devices readDevices(const Cursor &at) {
  at.object({}, {"bytes_per_second", "host_bytes_per_second", "latency_seconds",
                 "memory_bytes"});
  Devices devices;
  if (at.has("bytes_per_second"))
    devices.bytesPerSecond = devices.hostBytesPerSecond =
        at.with("bytes_per_second", readPositive);
  if (at.has("host_bytes_per_second"))
    devices.hostBytesPerSecond = at.with("host_bytes_per_second", readPositive);
  if (at.has("latency_seconds"))
    devices.latencySeconds = at.with("latency_seconds", readSeconds);
  if (at.has("memory_bytes"))
    devices.memoryBytes = at.integer("memory_bytes", 1, kMostBytes);
  return devices;
}

TaskGraphFile readFile(const Cursor &root) {
  TaskGraphFile read;
  if (root.has("format") && root.string("format") != "smex-task-graph")
    root.refuse("its format is not \"smex-task-graph\"");
  if (root.has("version"))
    if (const int64_t version =
            root.integer("version", 1, std::numeric_limits<int64_t>::max());
        root.ok() && version != kVersion)
      root.refuse("its version is " + std::to_string(version) +
                  ", and this program reads version 1");
  root.object({"format", "version", "nodes", "edges"}, {"devices"});
  if (!root.ok())
    return read;
  if (root.has("devices"))
    read.devices = root.with("devices", readDevices);
  if (root.json()["nodes"].size() > kMostNodes)
    root.refuse("has more than 2^26 nodes");
  if (!root.ok())
    return read;
  Numbers numbers;
  numbers.reserve(root.json()["nodes"].size());
  read.graph.tasks = root.list(
      "nodes", [&](const Cursor &at) { return readNode(at, numbers); });
  size_t next = 0;
  root.list("nodes", [&](const Cursor &at) {
    Task &task = read.graph.tasks[next++];
    const auto named = [&](const char *key) {
      return at.has(key) ? at.with(key,
                                   [&](const Cursor &name) {
                                     return taskOf(name, numbers);
                                   })
                         : -1;
    };
    task.target = named("target");
    task.overwrites = named("overwrites");
    return 0;
  });
  read.graph.edges = root.list(
      "edges", [&](const Cursor &at) { return readEdge(at, numbers); });
  return read;
}

} // namespace

Result<TaskGraphFile> placement::readTaskGraph(std::string_view text,
                                               const std::string &file) {
  auto json = plan::parseJson(text);
  if (!json)
    return fail(file, ": ", json.error().message);
  std::optional<Error> error;
  TaskGraphFile read = ::readFile(Cursor(*json, file, error));
  if (error)
    return *error;
  if (const Status valid = validate(read.graph); !valid)
    return fail(file, ": ", valid.error().message);
  return read;
}

std::string placement::writeTaskGraph(const TaskGraph &graph,
                                      const Devices &devices) {
  Json json;
  json["format"] = "smex-task-graph";
  json["version"] = kVersion;
  json["devices"] = {{"bytes_per_second", devices.bytesPerSecond},
                     {"host_bytes_per_second", devices.hostBytesPerSecond},
                     {"latency_seconds", devices.latencySeconds}};
  if (devices.memoryBytes)
    json["devices"]["memory_bytes"] = *devices.memoryBytes;
  json["nodes"] = Json::array();
  for (const Task &task : graph.tasks) {
    Json node = {
        {"name", task.name},
        {"time", task.seconds},
        {"memory", task.memory == MemoryKind::Reference ? 0 : task.bytes},
        {"kind", kindNames[int(task.memory)]}};
    if (task.target >= 0)
      node["target"] = graph.tasks[size_t(task.target)].name;
    if (task.overwrites >= 0)
      node["overwrites"] = graph.tasks[size_t(task.overwrites)].name;
    if (task.kept)
      node["kept"] = true;
    if (task.together >= 0)
      node["together"] = task.together;
    if (task.layer >= 0)
      node["layer"] = task.layer;
    if (!task.hasGpuKernel)
      node["gpu"] = false;
    json["nodes"].push_back(std::move(node));
  }
  json["edges"] = Json::array();
  for (const Edge &edge : graph.edges) {
    Json read = {{"from", graph.tasks[size_t(edge.from)].name},
                 {"to", graph.tasks[size_t(edge.to)].name},
                 {"bytes", edge.bytes}};
    if (edge.part > 0)
      read["part"] = edge.part;
    json["edges"].push_back(std::move(read));
  }
  return plan::canonicalJson(json);
}

std::string placement::writePlacement(const Problem &problem,
                                      const Placement &placement,
                                      const PlacementSummary &summary) {
  Json json;
  json["format"] = "smex-placement";
  json["version"] = kVersion;
  json["gpus"] = problem.devices.count;
  json["algorithm"] = summary.algorithm;
  json["objective"] = summary.objective;
  json["seconds"] = summary.seconds;
  json["makespan_seconds"] = summary.makespanSeconds;
  json["largest_load_seconds"] = summary.largestLoadSeconds;
  json["lower_bound_seconds"] = summary.lowerBoundSeconds;
  json["moved"] = summary.moved;
  json["peak_bytes"] = summary.peakBytes;
  for (const int task : summary.order)
    json["order"].push_back(problem.graph.tasks[size_t(task)].name);
  json["nodes"] = Json::array();
  for (size_t t = 0; t < placement.size(); ++t) {
    Json node = {{"name", problem.graph.tasks[t].name}};
    if (placement[t] == problem.devices.host())
      node["device"] = "host";
    else
      node["device"] = placement[t];
    json["nodes"].push_back(std::move(node));
  }
  return plan::canonicalJson(json);
}
