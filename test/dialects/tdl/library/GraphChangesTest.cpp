// Active sets and graphs that a run changes, on graphs drawn at random, against
// what is said of each operator: a loop over nodes or edges, one at a time.
#include "test/dialects/tdl/library/Results.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace smex;
using namespace smex::tdl;

namespace {

using List = std::vector<int64_t>;

Tensor booleans(const List &set) {
  return tensor(DType::Bool, {int64_t(set.size())}, {set.begin(), set.end()});
}
Tensor list(const List &numbers) {
  return i64({int64_t(numbers.size())}, {numbers.begin(), numbers.end()});
}
Tensor scores(const Numbers &numbers) {
  return f32({int64_t(numbers.size())}, numbers);
}
Numbers asNumbers(const List &numbers) {
  return {numbers.begin(), numbers.end()};
}

constexpr int64_t graphs = 4;

/// Some graphs, one of which may be empty, and nodes behind them that are of
/// none; edges within a graph, some of which are not there. Scores are few, so
/// that there are equal ones.
struct Drawn {
  explicit Drawn(unsigned seed) : random(seed) {
    nodes = 1 + int64_t(random() % 30);
    for (int64_t v = 0; v < nodes; ++v)
      of.push_back(int64_t(random() % (graphs + 1)));
    std::sort(of.begin(), of.end());
    for (int64_t &g : of)
      g = g == graphs ? -1 : g;
    const int64_t edges = 1 + int64_t(random() % 60);
    for (int64_t e = 0; e < edges; ++e) {
      int64_t s = node(), d = node();
      if (random() % 8 == 0 || of[size_t(s)] < 0 ||
          of[size_t(s)] != of[size_t(d)])
        s = d = -1;
      src.push_back(s);
      dst.push_back(d);
      edgeScores.push_back(double(random() % 5) / 4);
    }
    for (int64_t v = 0; v < nodes; ++v)
      nodeScores.push_back(double(random() % 5) - 2);
    for (int64_t v = 0; v < nodes; ++v)
      set.push_back(random() % 2);
  }
  int64_t node() { return int64_t(random() % uint64_t(nodes)); }
  Tensor features() const { return f32({nodes, 1}, Numbers(size_t(nodes))); }

  std::mt19937 random;
  int64_t nodes;
  List of, src, dst, set;
  Numbers edgeScores, nodeScores;
};

template <typename F> void onDrawn(F &&check) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    Drawn g(seed);
    check(g);
  }
}

} // namespace

TEST_CASE("edges of an active set, and the nodes that they reach") {
  onDrawn([](Drawn &g) {
    List pushed, pulled, sent, received(size_t(g.nodes));
    List edgeSet;
    for (size_t e = 0; e < g.src.size(); ++e) {
      const int64_t s = g.src[e], d = g.dst[e];
      edgeSet.push_back(int64_t(g.random() % 2));
      pushed.push_back(s >= 0 && g.set[size_t(s)] ? d : -1);
      pulled.push_back(d >= 0 && g.set[size_t(d)] ? d : -1);
      sent.push_back(edgeSet[e] ? d : -1);
      if (sent[e] >= 0)
        received[size_t(sent[e])] = 1;
    }
    const Tensor src = list(g.src), dst = list(g.dst);
    CHECK(results("push_edges", {src, dst, booleans(g.set)})[0] ==
          asNumbers(pushed));
    CHECK(results("pull_edges", {dst, booleans(g.set)})[0] ==
          asNumbers(pulled));
    const Tensor edges = booleans(edgeSet);
    CHECK(results("send_edges", {dst, edges})[0] == asNumbers(sent));
    CHECK(results("receivers", {list(sent), g.features()})[0] ==
          asNumbers(received));
  });
}

TEST_CASE("nodes outside of a set keep what they have") {
  const Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6}),
               y = f32({3, 2}, {-1, -2, -3, -4, -5, -6});
  CHECK(results("update_nodes", {y, x, booleans({1, 0, 1})})[0] ==
        Numbers{-1, -2, 3, 4, -5, -6});
  CHECK(results("update_places",
                {f32({2, 2}, {7, 8, 9, 10}), x, i64({3}, {1, -1, 0})})[0] ==
        Numbers{9, 10, 3, 4, 7, 8});
}

TEST_CASE("places of a set's nodes") {
  onDrawn([](Drawn &g) {
    List place, nodes;
    for (int64_t v = 0; v < g.nodes; ++v) {
      place.push_back(g.set[size_t(v)] ? int64_t(nodes.size()) : -1);
      if (g.set[size_t(v)])
        nodes.push_back(v);
    }
    nodes.resize(size_t(g.nodes), -1);
    CHECK(results("places", {booleans(g.set)})[0] == asNumbers(place));
    CHECK(results("nodes_at_places", {list(place)})[0] == asNumbers(nodes));
    List of;
    for (int64_t v : nodes)
      of.push_back(v < 0 ? -1 : g.of[size_t(v)]);
    CHECK(results("graph_of_places", {list(g.of), list(nodes)})[0] ==
          asNumbers(of));
    // Both ends have places, or the edge has none.
    List src, dst;
    for (size_t e = 0; e < g.src.size(); ++e) {
      const bool stays = g.src[e] >= 0 && place[size_t(g.src[e])] >= 0 &&
                         place[size_t(g.dst[e])] >= 0;
      src.push_back(stays ? place[size_t(g.src[e])] : -1);
      dst.push_back(stays ? place[size_t(g.dst[e])] : -1);
    }
    const auto ends =
        results("rename_edges", {list(g.src), list(g.dst), list(place)});
    CHECK(ends[0] == asNumbers(src));
    CHECK(ends[1] == asNumbers(dst));
  });
}

TEST_CASE("edges that are there twice") {
  onDrawn([](Drawn &g) {
    std::set<std::pair<int64_t, int64_t>> seen;
    List src, dst;
    for (size_t e = 0; e < g.src.size(); ++e) {
      const bool isNew =
          g.src[e] >= 0 && seen.insert({g.src[e], g.dst[e]}).second;
      src.push_back(isNew ? g.src[e] : -1);
      dst.push_back(isNew ? g.dst[e] : -1);
    }
    const auto ends =
        results("distinct_edges", {list(g.src), list(g.dst), g.features()});
    CHECK(ends[0] == asNumbers(src));
    CHECK(ends[1] == asNumbers(dst));
  });
}

TEST_CASE("the nodes with the largest scores of each graph") {
  onDrawn([](Drawn &g) {
    for (const auto &[part, whole] : {std::pair(1, 2), std::pair(4, 5)}) {
      List top(size_t(g.nodes)), best;
      for (int64_t graph = 0; graph < graphs; ++graph) {
        List nodes;
        for (int64_t v = 0; v < g.nodes; ++v)
          if (g.of[size_t(v)] == graph)
            nodes.push_back(v);
        std::stable_sort(nodes.begin(), nodes.end(), [&](int64_t a, int64_t b) {
          return g.nodeScores[size_t(a)] > g.nodeScores[size_t(b)];
        });
        best.push_back(nodes.empty() ? -1 : nodes[0]);
        const int64_t many = (part * int64_t(nodes.size()) + whole - 1) / whole;
        for (int64_t n = 0; n < many; ++n)
          top[size_t(nodes[size_t(n)])] = 1;
      }
      const std::vector<Tensor> operands = {scores(g.nodeScores), list(g.of)};
      const auto found = results("top_nodes", operands,
                                 {{"graphs", graphs},
                                  {"part", int64_t(part)},
                                  {"whole", int64_t(whole)}});
      CHECK(found[0] == asNumbers(top));
      CHECK(results("best_nodes", operands, {{"graphs", graphs}})[0] ==
            asNumbers(best));
      // The places that are enough for them.
      const auto places = results("nodes_at_places", {list(g.of)},
                                  {{"graphs", graphs},
                                   {"part", int64_t(part)},
                                   {"whole", int64_t(whole)}});
      CHECK(std::count(top.begin(), top.end(), 1) <= int64_t(places[0].size()));
    }
  });
}

TEST_CASE("rounds of matching are the greedy matching") {
  onDrawn([](Drawn &g) {
    List order, match(size_t(g.nodes), -1);
    for (size_t e = 0; e < g.src.size(); ++e)
      order.push_back(int64_t(e));
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return g.edgeScores[size_t(a)] > g.edgeScores[size_t(b)];
    });
    for (int64_t e : order) {
      const int64_t s = g.src[size_t(e)], d = g.dst[size_t(e)];
      if (s >= 0 && match[size_t(s)] < 0 && match[size_t(d)] < 0)
        match[size_t(s)] = match[size_t(d)] = e;
    }
    Numbers rounds(size_t(g.nodes), -1), before;
    while (rounds != before) {
      before = rounds;
      rounds = results("match_edges",
                       {scores(g.edgeScores), list(g.src), list(g.dst),
                        list({rounds.begin(), rounds.end()})})[0];
    }
    CHECK(rounds == asNumbers(match));

    std::map<int64_t, int64_t> places;
    List place;
    for (int64_t v = 0; v < g.nodes; ++v) {
      const int64_t e = match[size_t(v)];
      const int64_t first =
          e < 0 ? v : std::min(g.src[size_t(e)], g.dst[size_t(e)]);
      if (g.of[size_t(v)] >= 0)
        places.emplace(first, int64_t(places.size()));
      place.push_back(g.of[size_t(v)] < 0 ? -1 : places.at(first));
    }
    CHECK(results("contracted_nodes", {list(match), list(g.src), list(g.dst),
                                       list(g.of)})[0] == asNumbers(place));
  });
}

TEST_CASE("nodes that are added") {
  const Tensor x = f32({3, 1}, {1, 2, 3});
  CHECK(results("added_nodes", {i64({3}, {2, -1, 0}), x})[0] ==
        Numbers{3, -1, 5});
}
