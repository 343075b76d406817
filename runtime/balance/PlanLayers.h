// The layers of a graph network, as a plan has them: what passes messages, and
// what is computed per vertex or per edge with it. Roc's cost model is of these
// (MLSys'20, section 4.1).
//
// Nothing but the program says which they are. A layer begins where an
// instruction sums over edges, for each vertex v those that an operand numbers
// from offsets[v] to offsets[v + 1]. What has an index per vertex, or per edge,
// belongs to the last layer that it depends on, or to the first one, if it
// depends on none: so a layer's matrix product and activation are its own, and
// the classifier and the loss are the last layer's.
#ifndef SMEX_RUNTIME_BALANCE_PLANLAYERS_H
#define SMEX_RUNTIME_BALANCE_PLANLAYERS_H

#include "dialects/support/Result.h"
#include "runtime/plan/Plan.h"

namespace smex::balance {

struct MessageLayer {
  int instruction = -1;
  int64_t vertices = 0, edges = 0, width = 0;
  int edgeDimension = 0; // of its index space; vertices have the first one
  /// Tensors, lists of integers: where each vertex's edges begin, and the
  /// vertex at the other end of each edge; -1: no layer of these offsets reads
  /// vertices there.
  int offsets = -1, ends = -1;
  /// As FittedLayer has them.
  bool gradient = false, reversed = false;
};

/// An instruction of a layer.
struct Member {
  int layer = -1;       // or -1: of none
  int dimension = 0;    // of its index space, which is per vertex
  bool perEdge = false; // or per edge
};

struct PlanLayers {
  std::vector<MessageLayer> layers; // as the program has them
  std::vector<Member> members;      // one per instruction
};

/// No layers: the program passes no messages. Errors: kernels whose lambdas are
/// none.
Result<PlanLayers> layersOf(const plan::Program &program);

/// What a worker does of a member: these vertices, or edges, and of the rest of
/// the index space such a share. Nothing: no vertices, or none of the rest.
struct Share {
  Interval rows;
  double rest = 0;

  bool isEmpty() const { return rows.empty() || rest <= 0; }
};
Share shareOfMember(const plan::Partitioned &partitioned, int worker,
                    int instruction, int dimension);

/// What a worker does of a layer's sum over edges: of all sides but vertices
/// and edges such a share.
double restOfMessages(const plan::Partitioned &partitioned, int worker,
                      const MessageLayer &layer);
/// The edges that it sums over.
Interval edgesOfMessages(const plan::Partitioned &partitioned, int worker,
                         const MessageLayer &layer);

/// The ways of the steps that divide a layer's vertices, or the edges that lead
/// to them, and for each worker which of the ranges that these make is its own.
/// Of a region that no division says, the ranges that there are, in order.
struct VertexSteps {
  Ways ways;
  std::vector<int64_t> range; // per worker
  bool ofEdges = false;       // one of the steps divides edges
};
VertexSteps vertexSteps(const plan::Partitioned &partitioned,
                        const MessageLayer &layer);

} // namespace smex::balance

#endif
