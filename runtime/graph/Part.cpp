#include "runtime/graph/Part.h"

#include <cstring>
#include <numeric>

using namespace smex;
using namespace smex::graph;

Part graph::whole(Graph graph) {
  Part part;
  part.oldNodes.resize(size_t(graph.nodes()));
  part.oldEdges.resize(size_t(graph.edges()));
  std::iota(part.oldNodes.begin(), part.oldNodes.end(), 0);
  std::iota(part.oldEdges.begin(), part.oldEdges.end(), 0);
  part.graph = std::move(graph);
  return part;
}

Part graph::compose(const Part &first, Part second) {
  const auto through = [](const Numbers &before, Numbers &numbers) {
    for (int64_t &number : numbers)
      number = number < 0 ? -1 : before[size_t(number)];
  };
  through(first.oldNodes, second.oldNodes);
  through(first.oldEdges, second.oldEdges);
  return second;
}

Result<Tensor> graph::gatherRows(const Tensor &features, const Numbers &old) {
  if (features.type.rank() == 0)
    return fail("features of type ", toString(features.type),
                ": give a row for each node or edge");
  const int64_t rows = features.type.shape[0];
  TensorType type = features.type;
  type.shape[0] = int64_t(old.size());
  if (!byteCount(type))
    return fail("features of type ", toString(type), ": more than 2^63 bytes");
  for (size_t i = 0; i < old.size(); ++i)
    if (old[i] < -1 || old[i] >= rows)
      return fail("features of type ", toString(features.type),
                  ": have no row ", old[i]);
  Tensor result = makeTensor(std::move(type));
  const size_t bytes = old.empty() ? 0 : result.bytes.size() / old.size();
  for (size_t i = 0; i < old.size(); ++i)
    if (bytes && old[i] >= 0)
      std::memcpy(result.bytes.data() + i * bytes,
                  features.bytes.data() + size_t(old[i]) * bytes, bytes);
  return result;
}
