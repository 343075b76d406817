#include "runtime/graph/Buckets.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

/// Nodes of each degree, up to the largest.
static Numbers nodesOfDegree(const Rows &edges) {
  Numbers count;
  for (int64_t v = 0; v < edges.rows(); ++v) {
    const size_t degree = size_t(edges.length(v));
    if (degree >= count.size())
      count.resize(degree + 1, 0);
    ++count[degree];
  }
  return count;
}

/// The width that nodes of each degree get: that of the bucket which is open
/// when degrees come from the largest to the smallest.
static Numbers widths(const Numbers &count, const BucketLimits &limits,
                      int64_t frequent) {
  Numbers width(count.size(), 0);
  // Of the open bucket; padding as a double, for products beyond 2^63.
  int64_t open = 0, nodes = 0;
  double padding = 0;
  for (int64_t degree = int64_t(count.size()) - 1; degree > 0; --degree) {
    const int64_t more = count[size_t(degree)];
    if (more == 0)
      continue;
    const double padded = padding + double(open - degree) * double(more);
    const bool fits =
        nodes > 0 && more < frequent &&
        padded <= limits.padding * double(open) * double(nodes + more);
    open = fits ? open : degree;
    nodes = fits ? nodes + more : more;
    padding = fits ? padded : 0;
    width[size_t(degree)] = open;
  }
  return width;
}

Result<Buckets> graph::bucketsByDegree(const Rows &edges,
                                       const BucketLimits &limits) {
  if (!(limits.padding >= 0 && limits.padding < 1) || limits.frequent < 0)
    return fail("limits of degree buckets: padding ", limits.padding,
                ", frequent ", limits.frequent,
                ": give a share from 0 up to, not including, 1, and a number "
                "of nodes from 0 up");
  const Numbers count = nodesOfDegree(edges);
  const int64_t frequent = limits.frequent
                               ? limits.frequent
                               : std::max<int64_t>(1, edges.rows() / 64);
  const Numbers width = widths(count, limits, frequent);
  Buckets result;
  Numbers bucketOfDegree(count.size(), -1);
  for (size_t degree = 0; degree < count.size(); ++degree) {
    if (count[degree] == 0)
      continue;
    if (result.buckets.empty() || result.buckets.back().width != width[degree])
      result.buckets.push_back({width[degree], {}, {}, {}});
    bucketOfDegree[degree] = int64_t(result.buckets.size()) - 1;
  }
  Numbers bucket(size_t(edges.rows()));
  for (int64_t v = 0; v < edges.rows(); ++v)
    bucket[size_t(v)] = bucketOfDegree[size_t(edges.length(v))];
  const Rows grouped = groupBy(bucket, int64_t(result.buckets.size()));
  result.place.resize(size_t(edges.rows()));
  for (size_t i = 0; i < grouped.order.size(); ++i)
    result.place[size_t(grouped.order[i])] = int64_t(i);
  for (int64_t b = 0; b < grouped.rows(); ++b) {
    Bucket &filled = result.buckets[size_t(b)];
    filled.nodes.assign(grouped.begin(b), grouped.end(b));
    filled.edges.assign(size_t(filled.size() * filled.width), -1);
    for (int64_t i = 0; i < filled.size(); ++i) {
      const int64_t v = filled.nodes[size_t(i)];
      filled.lengths.push_back(edges.length(v));
      std::copy(edges.begin(v), edges.end(v),
                filled.edges.begin() + i * filled.width);
    }
  }
  return result;
}

/// Nodes of this degree and more are more than the plan has room for.
static Error noRoom(const Rows &byDegree, int64_t degree,
                    const std::vector<BucketRoom> &rooms) {
  int64_t room = 0;
  for (const BucketRoom &each : rooms)
    room += each.width >= degree ? each.nodes : 0;
  return fail(
      "has ", int64_t(byDegree.order.size()) - byDegree.offsets[size_t(degree)],
      " nodes that receive ", degree, " messages or more, and the plan ",
      "has room for ", room, " such nodes: ", compileForIt);
}

Result<Numbers> graph::bucketsWithin(const Rows &edges,
                                     const std::vector<BucketRoom> &rooms) {
  // From the largest degree down: what is wide enough for a node is so for all
  // that are left, and a node that finds no room would find none in another
  // order.
  Numbers widths, left, next; // `next`: the first bucket with room from there
  for (const BucketRoom &room : rooms) {
    next.push_back(int64_t(widths.size()));
    widths.push_back(room.width);
    left.push_back(room.nodes);
  }
  next.push_back(int64_t(widths.size()));
  const auto open = [&](int64_t bucket) {
    while (next[size_t(bucket)] != bucket)
      bucket = next[size_t(bucket)] = next[size_t(next[size_t(bucket)])];
    return bucket;
  };
  for (size_t b = 0; b < left.size(); ++b)
    next[b] += left[b] == 0;
  Numbers degrees(size_t(edges.rows())), bucket(size_t(edges.rows()));
  for (int64_t v = 0; v < edges.rows(); ++v)
    degrees[size_t(v)] = edges.length(v);
  const int64_t largest =
      degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
  const Rows byDegree = groupBy(degrees, largest + 1);
  for (int64_t degree = largest; degree >= 0; --degree) {
    const int64_t narrowest =
        std::lower_bound(widths.begin(), widths.end(), degree) - widths.begin();
    for (auto *v = byDegree.begin(degree); v != byDegree.end(degree); ++v) {
      const int64_t b = open(narrowest);
      if (b == int64_t(widths.size()))
        return noRoom(byDegree, degree, rooms);
      bucket[size_t(*v)] = b;
      if (--left[size_t(b)] == 0)
        next[size_t(b)] = b + 1;
    }
  }
  return bucket;
}

std::vector<BucketRoom> graph::bucketsByRank(int64_t nodes, int64_t edges,
                                             int64_t most) {
  std::vector<BucketRoom> buckets;
  for (int64_t first = 0; first < nodes;) {
    const int64_t width = std::min(most, edges / (first + 1));
    // Those that may have more than half of it.
    const int64_t end =
        width > 0 ? std::min(nodes, edges / (width / 2 + 1)) : nodes;
    buckets.push_back({width, end - first});
    first = end;
  }
  return buckets;
}
