#include "compiler/placement/ir/PlanBytes.h"

#include "compiler/placement/ir/TasksOf.h"

#include <set>

using namespace smex;
using namespace smex::placement;

PlanBytes::PlanBytes(const partition::GraphOfModule &module,
                     const tdl::LambdaTable &lambdas,
                     const PlaceOptions &options, int64_t workers)
    : workspaceBytes(options.workspaceBytes), workers(workers),
      exchanges(options.exchanges) {
  const partition::OperatorGraph &graph = module.graph;
  const auto bytesOf = [&](int tensor) {
    return placement::bytesOf(graph.tensors[size_t(tensor)]) +
           4096; // and what alignment takes
  };
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const partition::Operator &op = graph.operators[o];
    const tdl::Lambda &lambda = lambdas
        [semantic::ApplyOp(module.applications[o]).getLambdaAttr().getAttr()];
    std::vector<std::vector<int64_t>> shapes;
    for (const partition::Operand &operand : op.operands)
      shapes.push_back(graph.tensors[size_t(operand.tensor)].shape);
    libraries.include(memory::libraryScratch(
        lambda, op.extents, shapes,
        [&] {
          int64_t bytes = bytesOf(op.result);
          for (const partition::Operand &operand : op.operands)
            bytes += bytesOf(operand.tensor);
          return bytes;
        },
        options.onGpus));
    libraries.include(memory::rowScratch(lambda, op.extents, shapes));
    if (!options.kernelsOnGpus)
      continue;
    Box indices;
    for (const int64_t extent : op.extents)
      indices.push_back({0, extent});
    kernels = std::max(kernels, memory::kernelScratch(lambda, indices, shapes));
  }
}

int64_t PlanBytes::of(int64_t alive, int64_t onFirst, bool stages) const {
  // The order of transfers and the packing of buffers are not improved further
  // where each is within 1 / 512 of what is alive (memory::isNearEnough), and
  // of E3D's buffers the packing leaves gaps of up to 0.7 %.
  constexpr int64_t ofChance = 128;
  const int64_t scratch = std::max(
      kernels, workspaceBytes >= 0 ? workspaceBytes
                                   : memory::workspaceFor(libraries, onFirst));
  const int64_t arena = alive + alive / ofChance + scratch;
  return exchanges && stages ? memory::withStaging(arena, workers) : arena;
}

std::vector<int64_t>
placement::planBytesOf(const PlanBytes &planBytes, const Tasks &tasks,
                       const std::vector<int> &placement,
                       const std::vector<int64_t> &aliveBytes) {
  // What is fetched whole is fetched once, for readers of its parts, too.
  std::set<std::pair<int, int>> whole; // who made it, and where it is read
  const auto crosses = [&](const Edge &edge) {
    return edge.bytes > 0 &&
           placement[size_t(edge.from)] != placement[size_t(edge.to)];
  };
  for (const Edge &edge : tasks.graph.edges)
    if (edge.part == 0 && crosses(edge))
      whole.emplace(edge.from, placement[size_t(edge.to)]);
  bool stages = false;
  for (size_t e = 0; e < tasks.graph.edges.size() && !stages; ++e) {
    const Edge &edge = tasks.graph.edges[e];
    stages = tasks.packs[e] && crosses(edge) &&
             !whole.count({edge.from, placement[size_t(edge.to)]});
  }
  std::vector<int64_t> bytes;
  for (const int64_t alive : aliveBytes)
    bytes.push_back(planBytes.of(alive, aliveBytes.front(), stages));
  return bytes;
}
