#include "compiler/machine/Routes.h"
#include "runtime/plan/Json.h"

#include <catch2/catch.hpp>
#include <random>

using namespace smex;
using namespace smex::machines;
using plan::Json;

static Json small() {
  return *plan::parseJson(R"({
    "format": "smex-machine", "version": 1, "name": "small",
    "device": {"flops": {"f32": 1e12, "f16": 4e12}, "memory_bytes": 1000,
               "memory_bandwidth": 1e11, "launch_seconds": 1e-6,
               "issue_seconds": 3e-6, "reserved_bytes": 50, "cache_bytes": 10,
               "efficiency": {"contraction": {"most": 0.5, "half_flops": 100,
                                              "ramp_seconds": 2e-6,
                                              "most_unaligned": 0.125},
                              "convolution": {"most": 0.25}, "memory": 0.75}},
    "nodes": [{"name": "a", "kind": "gpu"}, {"name": "b", "kind": "gpu"},
              {"name": "s", "kind": "switch", "bytes_per_second": 5e9},
              {"name": "h", "kind": "host"}],
    "links": [{"between": ["a", "s"], "bytes_per_second": 1e9},
              {"between": ["s", "b"], "bytes_per_second": 2e9,
               "latency_seconds": 1e-5, "duplex": false},
              {"between": ["h", "s"], "bytes_per_second": 1e9}]})");
}

TEST_CASE("a machine is read") {
  const auto read = readMachine(small().dump(), "small.json");
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  CHECK(read->name == "small");
  CHECK(read->devices[0].flops.at(DType::F16) == 4e12);
  CHECK(read->devices[0].memoryBytes == 1000);
  CHECK(read->devices[0].usableBytes() == 950);
  CHECK(read->devices[0].launchSeconds == 1e-6);
  CHECK(read->devices[0].issueSeconds == 3e-6);
  CHECK(read->devices[0].contraction.halfFlops == 100);
  CHECK(read->devices[0].contraction.rampSeconds == 2e-6);
  CHECK(read->devices[0].contraction.mostUnaligned == 0.125);
  CHECK(read->devices[0].convolution.most == 0.25);
  CHECK(!read->devices[0].convolution.mostUnaligned);
  CHECK(read->devices[0].convolution.rampSeconds == 0);
  CHECK(read->devices[0].memoryEfficiency == 0.75);
  CHECK(read->devices[0].cacheBytes == 10);
  CHECK(read->gpus == std::vector<int>{0, 1});
  REQUIRE(read->links.size() == 3);
  CHECK(read->links[0].duplex);
  CHECK(!read->links[1].duplex);
  CHECK(read->links[1].latencySeconds == 1e-5);
  CHECK(read->nodes[2].bytesPerSecond == 5e9);
}

TEST_CASE("GPUs need not be alike") {
  Json json = small();
  json["devices"]["big"] = json["device"];
  json["devices"]["big"]["memory_bytes"] = 5000;
  json["nodes"][1]["device"] = "big";
  const auto read = readMachine(json.dump(), "small.json");
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  CHECK(read->deviceOf(0).memoryBytes == 1000);
  CHECK(read->deviceOf(1).memoryBytes == 5000);
  CHECK(read->nodeOf(1).name == "b");
}

TEST_CASE("the nearest host is the one with the fewest links between") {
  Machine machine;
  for (NodeKind kind : {NodeKind::Gpu, NodeKind::Switch, NodeKind::Host,
                        NodeKind::Host, NodeKind::Gpu})
    machine.nodes.push_back({"", kind});
  machine.gpus = {0, 4};
  for (auto [a, b] : {std::pair{0, 1}, {1, 2}, {1, 3}, {3, 4}})
    machine.links.push_back({a, b, 1});
  Routes routes(machine);
  CHECK(nearestHost(machine, routes, 0) == 2);
  CHECK(nearestHost(machine, routes, 4) == 3);
  machine.links.clear();
  Routes none(machine);
  CHECK_FALSE(nearestHost(machine, none, 0));
}

TEST_CASE("every preset loads") {
  CHECK(presets() == std::vector<std::string>{"dgx-2", "dgx-h100", "h200",
                                              "p2.8xlarge", "p3.2xlarge",
                                              "roc-p100-cluster"});
  for (const auto &[name, gpus] :
       std::vector<std::pair<std::string, size_t>>{{"dgx-2", 16},
                                                   {"dgx-h100", 8},
                                                   {"h200", 8},
                                                   {"p2.8xlarge", 8},
                                                   {"p3.2xlarge", 1},
                                                   {"roc-p100-cluster", 16}}) {
    const auto machine = findMachine(name);
    INFO((machine ? name : machine.error().message));
    REQUIRE(machine);
    CHECK(machine->name == name);
    CHECK(machine->gpus.size() == gpus);
  }
}

TEST_CASE("what is wrong with a machine is said, with file and key") {
  const auto error = [](const char *pointer, const Json &value) {
    Json json = small();
    json[Json::json_pointer(pointer)] = value;
    const auto read = readMachine(json.dump(), "m.json");
    return read ? std::string("none") : read.error().message;
  };
  const std::pair<std::pair<const char *, Json>, const char *> cases[] = {
      {{"/format", "plan"}, "m.json: format: must be \"smex-machine\""},
      {{"/version", 2}, "m.json: version: 2 is not in 1 .. 1"},
      {{"/extra", 0}, "m.json: has a key \"extra\""},
      {{"/name", 0}, "m.json: name: must be a string"},
      {{"/device/flops", 1}, "m.json: device.flops: must be an object"},
      {{"/device/flops/f32", 0},
       "m.json: device.flops.f32: must be between 1 and 1e21"},
      {{"/device/flops/f33", 1e9},
       "m.json: device.flops.f33: is no element type"},
      {{"/device/memory_bytes", 0}, "m.json: device.memory_bytes: 0 is not in"},
      {{"/device/memory_bandwidth", -1},
       "m.json: device.memory_bandwidth: must be between"},
      {{"/device/launch_seconds", 1e9},
       "m.json: device.launch_seconds: must be between 0 and 1000 seconds"},
      {{"/device/efficiency/contraction/most_unaligned", 2},
       "m.json: device.efficiency.contraction.most_unaligned: must be between"},
      {{"/device/efficiency/convolution/most_unaligned", 0.5},
       "m.json: device.efficiency.convolution: most_unaligned is of"},
      {{"/device/cache_bytes", 1001},
       "m.json: device.cache_bytes: 1001 is not in 0 .. 1000"},
      {{"/device/reserved_bytes", 1000},
       "m.json: device.reserved_bytes: 1000 is not in 0 .. 999"},
      {{"/device/workspace_bytes", 951},
       "m.json: device.workspace_bytes: 951 is not in 0 .. 950"},
      {{"/device/issue_seconds", -1},
       "m.json: device.issue_seconds: must be between 0 and 1000 seconds"},
      {{"/device/efficiency/memory", 1.5},
       "m.json: device.efficiency.memory: must be between 1e-6 and 1"},
      {{"/device/efficiency/contraction/half_flops", -1},
       "m.json: device.efficiency.contraction.half_flops: must be between 0"},
      {{"/device/efficiency/convolution/ramp_seconds", -1},
       "m.json: device.efficiency.convolution.ramp_seconds: must be between 0"},
      {{"/devices", 1}, "m.json: devices: must be an object"},
      {{"/devices/big", {{"flops", 1}}},
       "m.json: devices.big: has no \"memory_b"},
      {{"/nodes/0/device", "big"},
       "m.json: nodes[0].device: no device is called \"big\""},
      {{"/nodes/2/device", "big"},
       "m.json: nodes[2].device: only a gpu has one"},
      {{"/nodes/0/kind", "tpu"}, "m.json: nodes[0]: kind must be"},
      {{"/nodes/0/bytes_per_second", 1}, "m.json: nodes[0]: a gpu passes"},
      {{"/nodes/1/name", "a"},
       "m.json: nodes[1]: another node is called \"a\""},
      {{"/nodes", Json::array()}, "m.json: nodes: no node is a gpu"},
      {{"/links/0/between/0", "z"},
       "m.json: links[0].between[0]: no node is called \"z\""},
      {{"/links/0/between/1", "a"}, "m.json: links[0]: \"between\" must name"},
      {{"/links/1/between", {"s", "a"}},
       "m.json: links[1]: another link is between these nodes"},
      {{"/links/2/bytes_per_second", "fast"},
       "m.json: links[2].bytes_per_second: must be a number"},
      {{"/links/2/latency_seconds", -1},
       "m.json: links[2].latency_seconds: must be between"},
      {{"/links/2/duplex", 1}, "m.json: links[2].duplex: must be true or"},
      {{"/links/0/between", {"a", "h"}}, "none"},
      {{"/links", Json::array()}, "m.json: no links lead from \"a\" to \"b\""},
  };
  for (const auto &[damage, message] : cases) {
    INFO(damage.first);
    CHECK_THAT(error(damage.first, damage.second), Catch::StartsWith(message));
  }
  CHECK_THAT(readMachine("{", "m.json").error().message,
             Catch::StartsWith("m.json: "));
  CHECK_THAT(findMachine("nowhere").error().message,
             Catch::Contains("nowhere: no such file, and no machine known by "
                             "this name; known: dgx-2, dgx-h100"));
}

TEST_CASE("machines are not without end") {
  const auto error = [](int nodes, const char *kind) {
    Json json = small();
    for (int n = 0; n < nodes; ++n)
      json["nodes"].push_back({{"name", std::to_string(n)}, {"kind", kind}});
    return readMachine(json.dump(), "m").error().message;
  };
  CHECK(error(4093, "switch") == "m: nodes[4096]: more than 4096 nodes");
  CHECK(error(1023, "gpu") == "m: nodes[1026]: more than 1024 gpus");
  CHECK(readMachine(std::string((1 << 26) + 1, ' '), "m").error().message ==
        "m: larger than 64 MiB");
}

TEST_CASE("a GPU passes nothing on") {
  Json json = small();
  json["nodes"].push_back({{"name", "c"}, {"kind", "gpu"}});
  json["links"].push_back({{"between", {"a", "c"}}, {"bytes_per_second", 1e9}});
  CHECK(readMachine(json.dump(), "m").error().message ==
        "m: no links lead from \"b\" to \"c\"");
}

TEST_CASE("any bytes are a safe machine") {
  const std::string text = small().dump();
  std::mt19937 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string damaged = text;
    for (int k = 0; k < 3; ++k) {
      const size_t at = random() % damaged.size();
      if (random() % 2)
        damaged[at] = char(random());
      else
        damaged.erase(at, random() % 20);
    }
    (void)readMachine(damaged, "m");
  }
}

TEST_CASE("routes are shortest, and ties go by number") {
  // 0 and 1 are GPUs, 2 to 5 switches: 0-3-1 and 0-2-1 are equally short, as is
  // the way back; 0-4-5-1 is longer.
  Machine machine;
  for (int n = 0; n < 6; ++n)
    machine.nodes.push_back(
        {std::to_string(n), n < 2 ? NodeKind::Gpu : NodeKind::Switch});
  machine.gpus = {0, 1};
  for (auto [a, b] :
       {std::pair{0, 4}, {4, 5}, {5, 1}, {0, 3}, {3, 1}, {1, 2}, {2, 0}})
    machine.links.push_back({a, b, 1, 0.5});
  Routes routes(machine);
  const Route &there = routes.between(0, 1);
  REQUIRE(there.hops.size() == 2);
  CHECK(there.hops[0].link == 6);
  CHECK(!there.hops[0].forward);
  CHECK(there.hops[1].link == 5);
  CHECK(there.latencySeconds == 1);
  CHECK(routes.between(1, 0).hops[0].link == 5);
  CHECK(routes.between(0, 0).hops.empty());
}
