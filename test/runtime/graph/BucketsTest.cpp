#include "runtime/graph/Buckets.h"
#include "test/runtime/graph/Graphs.h"

#include <cmath>
#include <map>

using namespace smex;
using namespace smex::graph;

namespace {
/// All that the header promises, by looking at each place.
void checkBuckets(const Rows &rows, const BucketLimits &limits) {
  const auto buckets = bucketsByDegree(rows, limits);
  REQUIRE(buckets);
  std::map<int64_t, int64_t> nodesOfDegree;
  for (int64_t v = 0; v < rows.rows(); ++v)
    ++nodesOfDegree[rows.length(v)];
  const int64_t frequent = limits.frequent
                               ? limits.frequent
                               : std::max<int64_t>(1, rows.rows() / 64);
  Numbers seen; // nodes, bucket after bucket
  int64_t before = -1;
  for (const Bucket &bucket : buckets->buckets) {
    CHECK(bucket.width > before);
    before = bucket.width;
    REQUIRE(bucket.size() > 0);
    REQUIRE(bucket.lengths.size() == bucket.nodes.size());
    REQUIRE(int64_t(bucket.edges.size()) == bucket.size() * bucket.width);
    CHECK(std::is_sorted(bucket.nodes.begin(), bucket.nodes.end()));
    int64_t padding = 0, longest = 0;
    for (int64_t i = 0; i < bucket.size(); ++i) {
      const int64_t v = bucket.nodes[size_t(i)], degree = rows.length(v);
      seen.push_back(v);
      REQUIRE(bucket.lengths[size_t(i)] == degree);
      longest = std::max(longest, degree);
      padding += bucket.width - degree;
      CHECK((degree > 0 || bucket.width == 0));
      if (nodesOfDegree[degree] >= frequent)
        CHECK(bucket.width == degree);
      Numbers expected(rows.begin(v), rows.end(v));
      expected.resize(size_t(bucket.width), -1);
      const auto row = bucket.edges.begin() + i * bucket.width;
      CHECK(Numbers(row, row + bucket.width) == expected);
    }
    CHECK(longest == bucket.width);
    CHECK(double(padding) <=
          limits.padding * double(bucket.size() * bucket.width));
  }
  REQUIRE(int64_t(seen.size()) == rows.rows());
  for (int64_t v = 0; v < rows.rows(); ++v)
    CHECK(seen[size_t(buckets->place[size_t(v)])] == v);
  if (limits.padding > 0 && rows.order.size() > 0)
    CHECK(double(buckets->buckets.size()) <=
          2 + double(rows.rows()) / double(frequent) +
              std::log(double(before)) / -std::log(1 - limits.padding) + 1e-6);
}
} // namespace

TEST_CASE("each node and edge has its place, and padding its limit") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    for (const Rows &rows : {bySource(graph), byDestination(graph)})
      for (const double padding : {0., 0.1, 0.25, 0.9})
        checkBuckets(rows, {padding, die.below(5)});
  });
}

TEST_CASE("a power-law tail has few buckets") {
  // The i-th node has n / i edges to it.
  constexpr int64_t nodes = 20000;
  Numbers sources, destinations;
  for (int64_t v = 0; v < nodes; ++v)
    for (int64_t i = nodes / (v + 1); i > 0; --i) {
      sources.push_back((v + i) % nodes);
      destinations.push_back(v);
    }
  const Rows rows = byDestination(Graph::sound(nodes, sources, destinations));
  checkBuckets(rows, {});
  const auto exact = bucketsByDegree(rows, {0, 0});
  const auto coarse = bucketsByDegree(rows, {});
  REQUIRE(exact);
  REQUIRE(coarse);
  CHECK(exact->buckets.size() == 281); // as many as there are degrees
  CHECK(coarse->buckets.size() < 40);
}

TEST_CASE("no nodes, no edges, no limits") {
  const auto none = bucketsByDegree(byDestination(Graph()), {});
  REQUIRE(none);
  CHECK(none->buckets.empty());
  const auto idle = bucketsByDegree(byDestination(Graph::sound(3, {}, {})), {});
  REQUIRE(idle);
  REQUIRE(idle->buckets.size() == 1);
  CHECK(idle->buckets[0].width == 0);
  CHECK(idle->buckets[0].nodes == Numbers{0, 1, 2});
  CHECK(idle->buckets[0].lengths == Numbers{0, 0, 0});
  for (const BucketLimits &limits :
       {BucketLimits{1, 0}, {-0.5, 0}, {NAN, 0}, {0.5, -1}})
    CHECK(wrong(bucketsByDegree(byDestination(Graph()), limits))
              .find("limits of degree buckets: padding ") == 0);
}

TEST_CASE("buckets by rank hold any edges, in not many places") {
  for (int64_t nodes : {0, 1, 2, 5, 13, 200})
    for (int64_t edges : {0, 1, 2, 7, 50, 1000})
      for (int64_t most : {1, 3, 16, 1000}) {
        const auto buckets = bucketsByRank(nodes, edges, most);
        int64_t rank = 0, places = 0;
        for (const BucketRoom &bucket : buckets) {
          REQUIRE(bucket.nodes > 0);
          for (int64_t i = 0; i < bucket.nodes; ++i, ++rank)
            // The most that the node may have: as many as each before it.
            CHECK(bucket.width >= std::min(most, edges / (rank + 1)));
          places += bucket.nodes * bucket.width;
        }
        CHECK(rank == nodes);
        CHECK(places <= 2 * edges * int64_t(buckets.size()));
        CHECK(double(buckets.size()) <= 2 + std::log2(double(most)));
      }
  // 60 edges to one node, or 30 each to two, ...
  CHECK(bucketsByRank(9, 60, 60) ==
        std::vector<BucketRoom>{{60, 1}, {30, 2}, {15, 4}, {7, 2}});
  CHECK(bucketsByRank(9, 60, 16) == std::vector<BucketRoom>{{16, 6}, {8, 3}});
}
