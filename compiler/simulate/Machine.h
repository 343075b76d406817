// The machine that a plan is simulated on: what one GPU can do, and how GPUs,
// switches and hosts are linked. README.md documents the JSON format,
// schema/machine.schema.json is its schema.
#ifndef SMEX_COMPILER_SIMULATE_MACHINE_H
#define SMEX_COMPILER_SIMULATE_MACHINE_H

#include "dialects/support/DType.h"
#include "dialects/support/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace smex::simulate {

/// The share of peak flops that a library kernel of w flops reaches:
/// most * w / (w + halfFlops).
struct Efficiency {
  double most = 1, halfFlops = 0;
};

struct Device {
  /// Peak flops per second by element type; always has f32, which stands for
  /// types that are not there.
  std::map<DType, double> flops;
  int64_t memoryBytes = 0;
  double memoryBandwidth = 0; // bytes per second
  double memoryEfficiency = 1;
  double launchSeconds = 0; // of any kernel or copy
  Efficiency contraction, convolution;
};

enum class NodeKind { Gpu, Switch, Host };

struct Node {
  std::string name;
  NodeKind kind = NodeKind::Gpu;
  /// A bus: all that passes through shares this. 0: no such limit.
  double bytesPerSecond = 0;
};

/// Between nodes `a` and `b`.
struct Link {
  int a = 0, b = 0;
  double bytesPerSecond = 0; // each way if duplex, else both ways together
  double latencySeconds = 0;
  bool duplex = true;
};

struct Machine {
  std::string name;
  Device device; // all GPUs are alike
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<int> gpus; // nodes, in order: worker i runs on gpus[i]
};

/// What a flow takes from one node to another.
struct Route {
  struct Hop {
    int link;
    bool forward; // from a to b
  };
  std::vector<Hop> hops;
  std::vector<int> resources; // see capacities()
  double latencySeconds = 0;
};

/// Shortest paths by number of links; of equally short ones the one whose next
/// node has the smaller number, from the source on. Only switches and hosts
/// pass data on.
class Routes {
public:
  explicit Routes(const Machine &machine);
  /// Without hops if there is no way.
  const Route &between(int from, int to);

private:
  const std::vector<int> &distancesTo(int to);

  const Machine &machine;
  std::vector<std::vector<Route::Hop>> neighbours; // per node, by number
  std::map<int, std::vector<int>> distances;       // per destination
  std::map<std::pair<int, int>, Route> routes;
};

/// Bytes per second of each resource that flows share. Two per link (the second
/// is not used where both directions share the first), then one per node.
std::vector<double> capacities(const Machine &machine);

/// Reads the JSON text of a machine. Any byte string is a safe input; the error
/// names `file` and the key.
Result<Machine> readMachine(std::string_view text, const std::string &file);

/// A preset's name, or the path of a file.
Result<Machine> findMachine(const std::string &nameOrFile);
std::vector<std::string> presets();

} // namespace smex::simulate

#endif
