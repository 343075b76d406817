#include "compiler/machine/Levels.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::machines;

namespace {

int add(Machine &machine, const std::string &name, NodeKind kind) {
  Node node;
  node.name = name;
  node.kind = kind;
  machine.nodes.push_back(node);
  if (kind == NodeKind::Gpu)
    machine.gpus.push_back(int(machine.nodes.size()) - 1);
  return int(machine.nodes.size()) - 1;
}

/// A tree: children of each node from the root on, and bytes per second of the
/// link from each child to its parent.
struct Layer {
  int children;
  double bytesPerSecond;
};

void grow(Machine &machine, int parent, const std::vector<Layer> &layers,
          size_t depth) {
  for (int child = 0; child < layers[depth].children; ++child) {
    const bool isLeaf = depth + 1 == layers.size();
    const int node = add(machine, "n" + std::to_string(machine.nodes.size()),
                         isLeaf ? NodeKind::Gpu : NodeKind::Switch);
    machine.links.push_back({node, parent, layers[depth].bytesPerSecond});
    if (!isLeaf)
      grow(machine, node, layers, depth + 1);
  }
}

Machine tree(const std::vector<Layer> &layers) {
  Machine machine;
  machine.name = "tree";
  grow(machine, add(machine, "root", NodeKind::Switch), layers, 0);
  return machine;
}

using Expected = std::vector<std::pair<int64_t, double>>;

Expected found(const Machine &machine, int64_t gpus) {
  const auto levels = levelsOf(machine, gpus);
  INFO((levels ? "" : levels.error().message));
  REQUIRE(levels);
  Expected list;
  for (const Level &level : *levels)
    list.push_back({level.gpus, level.bytesPerSecond});
  return list;
}

} // namespace

TEST_CASE("GPUs on one switch are one level") {
  const Machine machine = tree({{8, 100}});
  CHECK(found(machine, 8) == Expected{{8, 100}});
  CHECK(found(machine, 5) == Expected{{5, 100}});
  CHECK(found(machine, 1).empty());
}

TEST_CASE("hosts of four: all four share the host's link") {
  CHECK(found(tree({{3, 80}, {4, 100}}), 12) == Expected{{4, 100}, {12, 20}});
}

TEST_CASE("racks, hosts, sockets") {
  // A socket of 2, a host of 4, a rack of 8: 2, 4 and 8 GPUs share a link.
  CHECK(found(tree({{2, 80}, {2, 120}, {2, 160}, {2, 200}}), 16) ==
        Expected{{2, 200}, {4, 80}, {8, 30}, {16, 10}});
}

TEST_CASE("a link that is wide for one GPU, and narrow for four") {
  CHECK(found(tree({{2, 90}, {4, 50}}), 8) == Expected{{4, 50}, {8, 22.5}});
  CHECK(found(tree({{2, 200}, {4, 50}}), 8) == Expected{{8, 50}});
}

TEST_CASE("both ways share a link that is not duplex, and all share a bus") {
  Machine machine = tree({{4, 100}});
  for (Link &link : machine.links)
    link.duplex = false;
  CHECK(found(machine, 4) == Expected{{4, 50}});
  machine.nodes[0].bytesPerSecond = 120;
  CHECK(found(machine, 4) == Expected{{4, 30}});
}

TEST_CASE("a last host that is not full is a level of all") {
  CHECK(found(tree({{2, 80}, {4, 100}}), 6) == Expected{{2, 100}, {6, 40}});
}

TEST_CASE("what has no levels is refused") {
  Machine machine = tree({{4, 100}});
  auto levels = levelsOf(machine, 5);
  REQUIRE_FALSE(levels);
  CHECK(levels.error().message == "tree has 4 GPUs, not 5");
  machine.links.pop_back();
  levels = levelsOf(machine, 4);
  REQUIRE_FALSE(levels);
  CHECK(levels.error().message == "tree has no way from n4 to n1");
}

TEST_CASE("a pair's level is the first that holds both") {
  const std::vector<Level> levels = {{2, 9}, {4, 8}, {16, 7}};
  CHECK(levelOf(levels, 2) == 0);
  CHECK(levelOf(levels, 3) == 1);
  CHECK(levelOf(levels, 4) == 1);
  CHECK(levelOf(levels, 8) == 2);
  CHECK(levelOf(levels, 16) == 2);
}

TEST_CASE("Roc's cluster: NVLink in a node, the network between nodes") {
  const auto machine = findMachine("roc-p100-cluster");
  REQUIRE(machine);
  const auto levels = levelsOf(*machine, 16);
  REQUIRE(levels);
  REQUIRE(levels->size() == 2);
  CHECK(levels->front().gpus == 4);
  CHECK(levels->back().gpus == 16);
  CHECK(levels->front().bytesPerSecond > 4 * levels->back().bytesPerSecond);
}
