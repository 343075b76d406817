#include "runtime/graph/Layout.h"

#include "runtime/graph/Buckets.h"
#include "runtime/graph/LevelPlaces.h"

#include <algorithm>
#include <cmath>

using namespace smex;
using namespace smex::graph;
using Kind = GraphList::Kind;

int64_t graph::moreThan(int64_t count, double share) {
  constexpr int64_t least = 4;
  return std::max(least, int64_t(std::ceil(share * double(count))));
}

static int64_t withRoom(int64_t count, double share) {
  return count + moreThan(count, share);
}

Rooms graph::roomsFor(const Graph &graph, std::optional<double> share) {
  Rooms rooms;
  rooms.exact = !share;
  rooms.nodes = share ? withRoom(graph.nodes(), *share) : graph.nodes();
  rooms.edges = share ? withRoom(graph.edges(), *share) : graph.edges();
  return rooms;
}

void graph::addBuckets(const Rows &messages, std::optional<double> share,
                       Rooms &rooms) {
  const auto buckets = bucketsByDegree(messages);
  for (const Bucket &bucket : buckets->buckets)
    rooms.buckets.push_back({bucket.width, share
                                               ? withRoom(bucket.size(), *share)
                                               : bucket.size()});
  if (!share)
    return;
  const int64_t widest = rooms.buckets.empty() ? 0 : rooms.buckets.back().width;
  rooms.buckets.push_back(
      {std::max(widest + 1, int64_t(std::ceil((1 + *share) * double(widest)))),
       withRoom(0, *share)});
}

/// Edges of the sample by how many levels they go up.
static Numbers edgesByLength(const std::vector<LevelRoom> &levels) {
  Numbers edges = {0, 0};
  for (int64_t l = 0; l < int64_t(levels.size()); ++l)
    for (const PairRoom &pair : levels[size_t(l)].from) {
      edges.resize(std::max(edges.size(), size_t(l - pair.from) + 1));
      edges[size_t(l - pair.from)] += pair.edges;
    }
  return edges;
}

Status graph::addLevels(const Graph &graph, std::optional<double> share,
                        Rooms &rooms) {
  const auto sample = levelsOf(graph);
  if (!sample)
    return sample.error();
  if (!share || sample->empty()) {
    rooms.levels = *sample;
    return {};
  }
  // Trees of another batch are deeper, or not as deep: a level may have as much
  // as the next one has here, and those of few nodes differ most, so that each
  // gets a share of the fullest of itself, the next one and a level on average;
  // pairs of levels likewise. Below the sample's, the average is halved from
  // level to level.
  const int64_t count = int64_t(sample->size());
  const int64_t more = 1 + int64_t(std::ceil(*share * double(count)));
  const Numbers byLength = edgesByLength(*sample);
  const auto sampled = [&](int64_t l) {
    return l < more || l >= count + more ? LevelRoom()
                                         : (*sample)[size_t(l - more)];
  };
  for (int64_t l = 0; l < count + more; ++l) {
    const LevelRoom own = sampled(l);
    const auto withRoom = [&](int64_t has, int64_t next, int64_t all) {
      const int64_t average =
          (all / count) >> std::clamp<int64_t>(more - l, 0, 62);
      return has + moreThan(std::max({has, next, average}), *share);
    };
    LevelRoom level = {withRoom(own.nodes, sampled(l + 1).nodes, graph.nodes()),
                       {}};
    for (int64_t length = int64_t(byLength.size()) - 1; length > 0; --length) {
      if (l < length)
        continue;
      int64_t edges = 0;
      for (const PairRoom &pair : own.from)
        edges += pair.from + more == l - length ? pair.edges : 0;
      edges = withRoom(edges, 0, byLength[size_t(length)]);
      if (length == 1)
        edges = std::max(edges, rooms.levels.back().nodes);
      level.from.push_back({l - length, edges});
    }
    rooms.levels.push_back(std::move(level));
  }
  return {};
}

namespace {

Tensor tensorOf(const ListType &type, const Numbers &numbers, int64_t spare) {
  Tensor tensor = makeTensor(type.type);
  for (int64_t i = 0; i < type.type.shape[0]; ++i) {
    const int64_t number =
        i < int64_t(numbers.size()) ? numbers[size_t(i)] : spare;
    if (type.type.dtype == DType::I32)
      tensor.data<int32_t>()[i] = int32_t(number);
    else
      tensor.data<int64_t>()[i] = number;
  }
  return tensor;
}

/// The node of each row, -1 where it is spare, and the row of each node, where
/// the groups of nodes lie one after the other, group g in rowsOf(g) rows.
struct Order {
  template <typename RowsOf>
  Order(const Rows &nodes, int64_t rows, RowsOf rowsOf)
      : node(size_t(rows), -1), row(nodes.order.size()) {
    int64_t first = 0;
    for (int64_t g = 0; g < nodes.rows(); ++g) {
      for (int64_t i = 0; i < nodes.length(g); ++i) {
        node[size_t(first + i)] = nodes.begin(g)[i];
        row[size_t(nodes.begin(g)[i])] = first + i;
      }
      first += rowsOf(size_t(g));
    }
  }
  Numbers node, row;
};

/// The numbers of a list, without spare places at the end.
class BucketLists {
public:
  BucketLists(Rows messages, const Numbers &bucket, const Rooms &rooms)
      : messages(std::move(messages)), rooms(rooms),
        nodes(groupBy(bucket, int64_t(rooms.buckets.size()))) {}

  Numbers operator()(const GraphList &list) const {
    if (list.kind == Kind::BucketLengths) {
      Numbers lengths;
      for (auto *v = nodes.begin(list.at); v != nodes.end(list.at); ++v)
        lengths.push_back(messages.length(*v));
      return lengths;
    }
    if (list.kind == Kind::BucketEdges)
      return edges();
    const Order order(nodes, rooms.bucketRows(),
                      [&](size_t b) { return rooms.buckets[b].nodes; });
    return list.kind == Kind::BucketNodes ? order.node : order.row;
  }

private:
  Numbers edges() const {
    Numbers list(size_t(rooms.bucketEdges()), -1);
    auto row = list.begin();
    for (int64_t b = 0; b < nodes.rows(); ++b) {
      const BucketRoom &room = rooms.buckets[size_t(b)];
      for (int64_t i = 0; i < nodes.length(b); ++i) {
        const int64_t v = nodes.begin(b)[i];
        std::copy(messages.begin(v), messages.end(v), row + i * room.places());
      }
      row += room.nodes * room.places();
    }
    return list;
  }

  const Rows messages; // edges by the node that they lead to
  const Rooms &rooms;
  const Rows nodes; // by bucket
};

class LevelLists {
public:
  LevelLists(const Graph &graph, Numbers given, const Rooms &rooms)
      : graph(graph), rooms(rooms), level(std::move(given)),
        nodes(groupBy(level, int64_t(rooms.levels.size()))),
        place(level.size()) {
    for (int64_t l = 0; l < nodes.rows(); ++l)
      for (int64_t i = 0; i < nodes.length(l); ++i)
        place[size_t(nodes.begin(l)[i])] = i;
    for (const LevelRoom &room : rooms.levels)
      firstPair.push_back(firstPair.back() + int64_t(room.from.size()));
    Numbers pair;
    for (int64_t e = 0; e < graph.edges(); ++e)
      pair.push_back(pairOf(level[size_t(graph.destination(e))],
                            level[size_t(graph.source(e))]));
    edges = groupBy(pair, firstPair.back());
  }

  Numbers operator()(const GraphList &list) const {
    switch (list.kind) {
    case Kind::LevelSources:
      return placesOf(pairOf(list.at, list.from), graph.sources());
    case Kind::LevelDestinations:
      return destinations(list.at);
    default:
      const Order order(nodes, rooms.levelRows(),
                        [&](size_t l) { return rooms.rows(l); });
      return list.kind == Kind::LevelNodes ? order.node : order.row;
    }
  }

private:
  /// Pairs of levels are numbered as they are listed.
  int64_t pairOf(int64_t to, int64_t from) const {
    const auto &pairs = rooms.levels[size_t(to)].from;
    const auto found = std::lower_bound(
        pairs.begin(), pairs.end(), from,
        [](const PairRoom &pair, int64_t level) { return pair.from < level; });
    return firstPair[size_t(to)] + (found - pairs.begin());
  }

  /// Of one end of the edges between two levels.
  Numbers placesOf(int64_t pair, const Numbers &ends) const {
    Numbers list;
    for (const int64_t *e = edges.begin(pair); e != edges.end(pair); ++e)
      list.push_back(place[size_t(ends[size_t(*e)])]);
    return list;
  }

  /// Spare edges lead to spare rows, evenly.
  Numbers destinations(int64_t at) const {
    Numbers all;
    const int64_t first = nodes.length(at);
    const int64_t spareRows = rooms.rows(size_t(at)) - first;
    for (const PairRoom &room : rooms.levels[size_t(at)].from) {
      const Numbers some =
          placesOf(pairOf(at, room.from), graph.destinations());
      all.insert(all.end(), some.begin(), some.end());
      const int64_t spare = room.edges - int64_t(some.size());
      for (int64_t i = 0; i < spare; ++i)
        all.push_back(first + spread(i, spare, spareRows));
    }
    return all;
  }

  const Graph &graph;
  const Rooms &rooms;
  const Numbers level;
  const Rows nodes; // by level
  Numbers place;    // within the level
  Numbers firstPair = {0};
  Rows edges; // by pair
};

Graph canonical(const Graph &graph) {
  const Numbers order = canonicalOrder(graph);
  return Graph::sound(graph.nodes(), gather(graph.sources(), order),
                      gather(graph.destinations(), order));
}

} // namespace

Result<std::vector<Tensor>> graph::layOut(const Graph &given,
                                          const Rooms &rooms,
                                          const std::vector<GraphList> &lists) {
  const auto above = [](const char *what, int64_t has, int64_t fits) {
    return fail("has ", has, " ", what, ", and the plan has room for ", fits,
                ": ", compileForIt);
  };
  if (given.nodes() > rooms.nodes && !rooms.exact)
    return above("nodes", given.nodes(), rooms.nodes);
  if (given.edges() > rooms.edges)
    return above("edges", given.edges(), rooms.edges);
  const Graph graph = canonical(given);
  std::optional<BucketLists> buckets;
  if (!rooms.buckets.empty()) {
    Rows messages =
        groupBy(graph.destinations(), std::min(graph.nodes(), rooms.nodes));
    const auto bucket = bucketsWithin(messages, rooms.buckets);
    if (!bucket)
      return bucket.error();
    buckets.emplace(std::move(messages), *bucket, rooms);
  }
  std::optional<LevelLists> levels;
  if (!rooms.levels.empty()) {
    auto made = levelsWithin(graph, rooms.levels);
    if (!made)
      return made.takeError();
    levels.emplace(graph, std::move(*made), rooms);
  }
  std::vector<Tensor> tensors;
  for (const GraphList &list : lists)
    tensors.push_back(tensorOf(
        *typeOf(list, rooms),
        list.kind <= Kind::BucketPlaces ? (*buckets)(list) : (*levels)(list),
        list.kind == Kind::BucketLengths ? 0 : -1));
  return tensors;
}
