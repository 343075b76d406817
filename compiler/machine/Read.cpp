#include "compiler/machine/MachineFiles.h"
#include "compiler/machine/Routes.h"
#include "dialects/support/File.h"
#include "runtime/plan/Cursor.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace smex;
using namespace smex::machines;
using plan::Cursor;

namespace {

// Numbers between which sums and quotients of a few of them stay finite.
constexpr double largestRate = 1e21, longestSeconds = 1e3;
constexpr size_t largestFile = size_t(1) << 26;
// Ways between all pairs are looked at.
constexpr size_t mostNodes = 4096, mostGpus = 1024;

double inRange(const Cursor &at, double lo, double hi, const char *range) {
  const double value = at.real();
  if (at.ok() && !(lo <= value && value <= hi))
    at.refuse(std::string("must be ") + range);
  return value;
}

double rate(const Cursor &at) {
  return inRange(at, 1, largestRate, "between 1 and 1e21");
}

double seconds(const Cursor &at) {
  return inRange(at, 0, longestSeconds, "between 0 and 1000 seconds");
}

double share(const Cursor &at) {
  return inRange(at, 1e-6, 1, "between 1e-6 and 1");
}

Efficiency efficiency(const Cursor &at) {
  at.object({"most"}, {"half_flops", "ramp_seconds", "most_unaligned"});
  Efficiency efficiency;
  efficiency.most = at.with("most", share);
  if (at.has("half_flops"))
    efficiency.halfFlops = at.with("half_flops", [](const Cursor &flops) {
      return inRange(flops, 0, largestRate, "between 0 and 1e21");
    });
  if (at.has("ramp_seconds"))
    efficiency.rampSeconds = at.with("ramp_seconds", seconds);
  if (at.has("most_unaligned"))
    efficiency.mostUnaligned = at.with("most_unaligned", share);
  return efficiency;
}

Device device(const Cursor &at) {
  at.object({"flops", "memory_bytes", "memory_bandwidth"},
            {"cache_bytes", "efficiency", "issue_seconds", "launch_seconds",
             "reserved_bytes", "workspace_bytes"});
  Device device;
  at.with("flops", [&](const Cursor &flops) {
    if (!flops.json().is_object() || !flops.has("f32"))
      return flops.refuse("must be an object with flops per second of \"f32\"");
    for (const auto &member : flops.json().items())
      flops.with(member.key().c_str(), [&](const Cursor &value) {
        const auto type = parseDType(member.key());
        if (!type)
          return value.refuse("is no element type");
        device.flops[*type] = rate(value);
      });
  });
  device.memoryBytes = at.integer("memory_bytes", 1, int64_t(1) << 48);
  device.memoryBandwidth = at.with("memory_bandwidth", rate);
  if (at.has("reserved_bytes"))
    device.reservedBytes =
        at.integer("reserved_bytes", 0, device.memoryBytes - 1);
  if (at.has("cache_bytes"))
    device.cacheBytes = at.integer("cache_bytes", 0, device.memoryBytes);
  if (at.has("workspace_bytes"))
    device.workspaceBytes =
        at.integer("workspace_bytes", 0, device.usableBytes());
  if (at.has("issue_seconds"))
    device.issueSeconds = at.with("issue_seconds", seconds);
  if (at.has("launch_seconds"))
    device.launchSeconds = at.with("launch_seconds", seconds);
  if (at.has("efficiency"))
    at.with("efficiency", [&](const Cursor &of) {
      of.object({}, {"contraction", "convolution", "memory"});
      if (of.has("contraction"))
        device.contraction = of.with("contraction", efficiency);
      if (of.has("convolution"))
        device.convolution = of.with("convolution", [](const Cursor &what) {
          if (what.has("most_unaligned"))
            what.refuse("most_unaligned is of contractions only");
          return efficiency(what);
        });
      if (of.has("memory"))
        device.memoryEfficiency = of.with("memory", share);
    });
  return device;
}

class Reader {
public:
  Machine machine;

  void read(const Cursor &at) {
    at.object({"format", "version", "name", "device", "nodes"},
              {"links", "description", "devices"});
    at.with("format", [](const Cursor &format) {
      if (format.string() != "smex-machine")
        format.refuse("must be \"smex-machine\"");
    });
    at.integer("version", 1, 1);
    machine.name = at.string("name");
    if (at.has("description"))
      at.string("description");
    machine.devices = {at.with("device", device)};
    if (at.has("devices"))
      at.with("devices", [&](const Cursor &all) { readDevices(all); });
    at.list("nodes", [&](const Cursor &node) {
      readNode(node);
      return 0;
    });
    if (at.ok() && machine.gpus.empty())
      at.with("nodes",
              [](const Cursor &nodes) { nodes.refuse("no node is a gpu"); });
    if (at.has("links"))
      at.list("links", [&](const Cursor &link) {
        readLink(link);
        return 0;
      });
    if (at.ok())
      requireWays(at);
  }

private:
  void readDevices(const Cursor &at) {
    if (!at.json().is_object())
      return at.refuse("must be an object, of devices by their names");
    for (const auto &member : at.json().items()) {
      kinds[member.key()] = int(machine.devices.size());
      machine.devices.push_back(at.with(member.key().c_str(), device));
    }
  }

  void readNode(const Cursor &at) {
    at.object({"name", "kind"}, {"bytes_per_second", "device"});
    Node node;
    node.name = at.string("name");
    const std::string kind = at.string("kind");
    if (kind != "gpu" && kind != "switch" && kind != "host")
      at.refuse("kind must be \"gpu\", \"switch\" or \"host\"");
    node.kind = kind == "gpu"    ? NodeKind::Gpu
                : kind == "host" ? NodeKind::Host
                                 : NodeKind::Switch;
    if (at.has("bytes_per_second")) {
      if (node.kind == NodeKind::Gpu)
        at.refuse("a gpu passes nothing on, so it has no bytes_per_second");
      node.bytesPerSecond = at.with("bytes_per_second", rate);
    }
    if (at.has("device"))
      node.device = at.with("device", [&](const Cursor &which) {
        const std::string name = which.string();
        const auto found = kinds.find(name);
        if (node.kind != NodeKind::Gpu)
          which.refuse("only a gpu has one");
        else if (found == kinds.end())
          which.refuse("no device is called \"" + name + "\"");
        return found == kinds.end() ? 0 : found->second;
      });
    if (machine.nodes.size() >= mostNodes)
      at.refuse("more than 4096 nodes");
    const int number = int(machine.nodes.size());
    if (!numbers.emplace(node.name, number).second)
      at.refuse("another node is called \"" + node.name + "\"");
    if (node.kind == NodeKind::Gpu)
      machine.gpus.push_back(number);
    if (machine.gpus.size() > mostGpus)
      at.refuse("more than 1024 gpus");
    machine.nodes.push_back(node);
  }

  void readLink(const Cursor &at) {
    at.object({"between", "bytes_per_second"}, {"latency_seconds", "duplex"});
    const std::vector<int> ends =
        at.list("between", [&](const Cursor &end) -> int {
          const std::string name = end.string();
          const auto found = numbers.find(name);
          if (found == numbers.end())
            end.refuse("no node is called \"" + name + "\"");
          return found == numbers.end() ? 0 : found->second;
        });
    if (at.ok() && (ends.size() != 2 || ends[0] == ends[1]))
      at.refuse("\"between\" must name two nodes");
    if (!at.ok())
      return;
    if (!linked.insert({std::min(ends[0], ends[1]), std::max(ends[0], ends[1])})
             .second)
      at.refuse("another link is between these nodes");
    Link link;
    link.a = ends[0];
    link.b = ends[1];
    link.bytesPerSecond = at.with("bytes_per_second", rate);
    if (at.has("latency_seconds"))
      link.latencySeconds = at.with("latency_seconds", seconds);
    if (at.has("duplex"))
      link.duplex = at.boolean("duplex");
    machine.links.push_back(link);
  }

  /// Links work both ways, so that all GPUs reach one another if the first
  /// reaches each; but a GPU passes nothing on, so every pair is looked at
  /// where two GPUs are linked directly.
  void requireWays(const Cursor &at) const {
    bool direct = false;
    for (const Link &link : machine.links)
      direct |= machine.nodes[size_t(link.a)].kind == NodeKind::Gpu &&
                machine.nodes[size_t(link.b)].kind == NodeKind::Gpu;
    Routes routes(machine);
    const size_t sources = direct ? machine.gpus.size() : 1;
    for (size_t i = 0; i < sources && at.ok(); ++i)
      for (size_t j = i + 1; j < machine.gpus.size() && at.ok(); ++j)
        if (routes.between(machine.gpus[j], machine.gpus[i]).hops.empty())
          at.refuse("no links lead from \"" + nameOf(machine.gpus[i]) +
                    "\" to \"" + nameOf(machine.gpus[j]) + "\"");
  }
  const std::string &nameOf(int node) const {
    return machine.nodes[size_t(node)].name;
  }

  std::map<std::string, int> kinds;   // of devices
  std::map<std::string, int> numbers; // of nodes
  std::set<std::pair<int, int>> linked;
};

constexpr std::string_view suffix = ".json", folder = "presets/";

std::string presetName(std::string_view file) {
  if (file.substr(0, folder.size()) == folder)
    file.remove_prefix(folder.size());
  return std::string(file.substr(0, file.size() - suffix.size()));
}

} // namespace

Result<Machine> machines::readMachine(std::string_view text,
                                      const std::string &file) {
  if (text.size() > largestFile)
    return fail(file, ": larger than 64 MiB");
  const auto json = plan::parseJson(text);
  if (!json)
    return fail(file, ": ", json.error().message);
  std::optional<Error> error;
  Reader reader;
  reader.read(Cursor(*json, file, error));
  if (error)
    return *error;
  return std::move(reader.machine);
}

std::vector<std::string> machines::presets() {
  std::vector<std::string> names;
  for (const auto &[file, text] : machineFiles())
    names.push_back(presetName(file));
  return names;
}

Result<Machine> machines::findMachine(const std::string &nameOrFile) {
  std::string known;
  for (const auto &[file, text] : machineFiles()) {
    if (presetName(file) == nameOrFile)
      return readMachine(text, presetName(file));
    known += (known.empty() ? "" : ", ") + presetName(file);
  }
  std::error_code code;
  if (std::filesystem::is_fifo(nameOrFile, code)) {
    // Which may have no writer.
    const auto text = readFile(nameOrFile);
    return text ? readMachine(*text, nameOrFile) : text.error();
  }
  std::ifstream stream(nameOrFile, std::ios::binary);
  if (!stream && errno != ENOENT)
    return openError(nameOrFile, errno);
  if (!stream)
    return fail(nameOrFile, ": no such file, and no machine known by this ",
                "name; known: ", known);
  // Not more than is read anyway: the file may be a device without an end.
  std::string text(largestFile + 1, '\0');
  stream.read(text.data(), std::streamsize(text.size()));
  if (stream.bad() || (stream.gcount() == 0 && !stream.eof()))
    return fail(nameOrFile, ": cannot read it");
  text.resize(size_t(stream.gcount()));
  return readMachine(text, nameOrFile);
}
