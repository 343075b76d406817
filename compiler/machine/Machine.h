// A machine: what each GPU can do, and how GPUs, switches and hosts are linked.
// README.md documents the JSON format, schema/machine.schema.json is its
// schema.
#ifndef SMEX_COMPILER_MACHINE_MACHINE_H
#define SMEX_COMPILER_MACHINE_MACHINE_H

#include "dialects/support/DType.h"
#include "dialects/support/Result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smex::machines {

/// The share of peak flops that a library kernel of w flops reaches:
/// most * w / (w + halfFlops). It takes rampSeconds besides, whatever the peak
/// of its type: until all of the GPU works, and from when not all does.
struct Efficiency {
  double most = 1, halfFlops = 0, rampSeconds = 0;
  /// Of matrix products of 16-bit floats, `most` where a row of an operand or
  /// of the result is no multiple of 16 bytes; unknown: the same.
  std::optional<double> mostUnaligned;
};

struct Device {
  /// Peak flops per second by element type; always has f32, which stands for
  /// types that are not there.
  std::map<DType, double> flops;
  /// All that the driver reports, and what it and the libraries keep of that
  /// for themselves.
  int64_t memoryBytes = 0, reservedBytes = 0;
  int64_t usableBytes() const { return memoryBytes - reservedBytes; }
  double memoryBandwidth = 0; // bytes per second
  double memoryEfficiency = 1;
  /// Bytes per second that are reached.
  double memoryRate() const { return memoryBandwidth * memoryEfficiency; }
  /// Its last level of cache. What is gathered from a larger table comes from
  /// memory again and again; unknown: once.
  std::optional<int64_t> cacheBytes;
  /// What any kernel or copy takes on the GPU before it does anything, and what
  /// it takes the host to ask for it.
  double launchSeconds = 0, issueSeconds = 0;
  /// What its libraries may use besides a kernel's operands.
  std::optional<int64_t> workspaceBytes;
  Efficiency contraction, convolution;
};

enum class NodeKind { Gpu, Switch, Host };

struct Node {
  std::string name;
  NodeKind kind = NodeKind::Gpu;
  /// A bus: all that passes through shares this. 0: no such limit.
  double bytesPerSecond = 0;
  int device = 0; // of a GPU: which one of the machine's devices it is
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
  /// The kinds of GPUs: first the usual one, which all are that say nothing
  /// else.
  std::vector<Device> devices = {Device()};
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<int> gpus; // nodes, in order: worker i runs on gpus[i]

  const Node &nodeOf(int worker) const {
    return nodes[size_t(gpus[size_t(worker)])];
  }
  const Device &deviceOf(int worker) const {
    return devices[size_t(nodeOf(worker).device)];
  }
};

/// Reads the JSON text of a machine. Any byte string is a safe input; the error
/// names `file` and the key.
Result<Machine> readMachine(std::string_view text, const std::string &file);

/// A preset's name, or the path of a file.
Result<Machine> findMachine(const std::string &nameOrFile);
std::vector<std::string> presets();

} // namespace smex::machines

#endif
