// What a plan has room for where it handles the nodes of a graph in groups, by
// how many messages they receive (Buckets.h) or in topological order
// (LevelPlaces.h); and the lists that say which node and edge is where. A plan
// that is made for one graph carries them; one with room for others has them as
// inputs, which a runtime makes of each graph (Layout.h).
//
// A place that is spare holds -1: it is read as zero, and written nowhere.
#ifndef SMEX_DIALECTS_SMEX_LISTS_ROOMS_H
#define SMEX_DIALECTS_SMEX_LISTS_ROOMS_H

#include "dialects/support/Result.h"
#include "dialects/support/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smex::graph {

/// So many nodes that receive at most `width` messages.
struct BucketRoom {
  int64_t width = 0, nodes = 0;

  /// A mailbox for no messages has one place, and nothing in it.
  int64_t places() const { return width > 0 ? width : 1; }
  bool operator==(const BucketRoom &other) const {
    return width == other.width && nodes == other.nodes;
  }
};

/// So many edges from nodes of a lower level.
struct PairRoom {
  int64_t from = 0, edges = 0;

  bool operator==(const PairRoom &other) const {
    return from == other.from && edges == other.edges;
  }
};

struct LevelRoom {
  int64_t nodes = 0;
  std::vector<PairRoom> from; // levels ascend

  int64_t edges() const;
  bool operator==(const LevelRoom &other) const {
    return nodes == other.nodes && from == other.from;
  }
};

struct Rooms {
  int64_t nodes = 0, edges = 0;    // in all
  std::vector<BucketRoom> buckets; // widths ascend
  std::vector<LevelRoom> levels;   // level 0 is the lowest
  /// They are those of one graph, which leaves nothing spare.
  bool exact = false;

  bool operator==(const Rooms &other) const {
    return nodes == other.nodes && edges == other.edges &&
           buckets == other.buckets && levels == other.levels &&
           exact == other.exact;
  }
  /// Rows of a level: its nodes, and, unless all edges are there, a row for
  /// spare edges to lead to.
  int64_t rows(size_t level) const;
  /// Rows of all levels below.
  int64_t firstRow(size_t level) const;
  /// Rows of all buckets, or levels; places for edges of all buckets.
  int64_t bucketRows() const;
  int64_t bucketEdges() const;
  int64_t levelRows() const { return firstRow(levels.size()); }
};

/// What is wrong with rooms that were read, or nothing: below 0, out of order,
/// or beyond what fits in memory.
Status check(const Rooms &rooms);

/// What to do about a graph that does not fit, to end a message with.
constexpr const char *compileForIt =
    "compile it with this graph as --graph, or with a larger --graph-room";

/// A list of places. Some are of one bucket or level, `at`; the others go
/// through all of them, one after the other.
struct GraphList {
  enum class Kind {
    BucketEdges, // i64[]: nodes x width (1 at least) edges of each bucket, row-
                 // major: those that lead to a node, in their order
    BucketLengths, // i32[nodes]: of one bucket: how many edges each node has
    BucketNodes,   // i64[rows]
    BucketPlaces,  // i64[nodes of the graph]: the row of each
    LevelSources,  // i64[edges]: of edges from level `from`, rows of it
    LevelDestinations, // i64[edges]: of edges to one level, from all, rows of
                       // it; spare ones lead to spare rows
    LevelNodes,        // i64[rows]
    LevelPlaces,       // i64[nodes of the graph]: the row of each
  } kind = Kind::BucketEdges;
  int64_t at = 0, from = 0;

  /// It goes through all buckets or levels.
  bool isOfAll() const;
  bool operator==(const GraphList &other) const {
    return kind == other.kind && at == other.at && from == other.from;
  }
  bool operator<(const GraphList &other) const;
};

std::string_view name(GraphList::Kind kind);
std::optional<GraphList::Kind> parseListKind(std::string_view name);

/// What an input is called that holds it: "level3.nodes".
std::string nameOf(const GraphList &list);

/// Its type, and what its numbers may be; nothing where the rooms have no such
/// list.
struct ListType {
  TensorType type;
  int64_t low = 0, high = 0;
};
std::optional<ListType> typeOf(const GraphList &list, const Rooms &rooms);

/// All that there are.
std::vector<GraphList> listsOf(const Rooms &rooms);

} // namespace smex::graph

#endif
