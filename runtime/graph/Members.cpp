#include "runtime/graph/Members.h"

#include "runtime/graph/Rows.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::graph;

Result<Tensor> graph::membersWithin(const Numbers &sizes,
                                    const BatchRoom &room) {
  const int64_t graphs = int64_t(sizes.size());
  const int64_t nodes = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  if (graphs > room.graphs)
    return fail("has ", graphs, " graphs, and the plan has room for ",
                room.graphs, ": compile it with --dim graphs=", graphs,
                " or more");
  if (nodes > room.nodes)
    return fail("has ", nodes, " nodes, and the plan has room for ", room.nodes,
                ": compile it with --dim nodes=", nodes, " or more");
  const int64_t spareNodes = room.nodes - nodes;
  const int64_t spareGraphs = room.graphs - graphs;
  if (spareNodes > 0 && spareGraphs == 0 && !room.toNone)
    return fail("has all of the plan's ", graphs, " graphs, and ", spareNodes,
                " nodes fewer than the plan, which could only be of a graph "
                "more: compile it with --dim graphs=",
                graphs + 1);
  Tensor members = makeTensor({DType::I64, {room.nodes}});
  int64_t *member = members.data<int64_t>();
  for (int64_t g = 0; g < graphs; ++g)
    member = std::fill_n(member, sizes[size_t(g)], g);
  for (int64_t i = 0; i < spareNodes; ++i)
    *member++ = spareGraphs ? graphs + spread(i, spareNodes, spareGraphs) : -1;
  return members;
}
