#include "compiler/partition/Numbering.h"
#include "compiler/partition/Edges.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <map>

using namespace smex::partition;
using smex::partition::test::Random;

TEST_CASE("equal keys have equal numbers, in order of appearance") {
  Random random(1);
  Numbering numbering;
  std::map<Numbering::Key, int> expected;
  for (int i = 0; i < 5000; ++i) {
    Numbering::Key key(random.below(4)); // the empty one, too
    for (int64_t &word : key)
      word = random.below(12) - 1;
    const int number =
        expected.try_emplace(key, int(expected.size())).first->second;
    REQUIRE(numbering.number(key) == number);
    REQUIRE(numbering.size() == int(expected.size()));
  }
  CHECK(numbering.number({-7, 1}) == int(expected.size()));
}

TEST_CASE("edges are found while they live, between hubs as well") {
  Random random(2);
  const int variables = 90; // dense enough for long lists
  network::Edges edges(variables, 0);
  std::map<std::pair<int, int>, int> tables; // of living edges
  for (int i = 0; i < 20000; ++i) {
    const int a = int(random.below(variables - 1));
    const int b = int(random.between(a + 1, variables - 1));
    network::Edge *edge = edges.find(a, b);
    const auto it = tables.find({a, b});
    REQUIRE((edge != nullptr) == (it != tables.end()));
    if (!edge) {
      edges.add(a, b, i);
      tables[{a, b}] = i;
      continue;
    }
    REQUIRE(edge->table == it->second);
    edges.remove(*edge);
    tables.erase(it);
  }
  for (int v = 0; v < variables; ++v) {
    int degree = 0, last = -1;
    edges.forEach(v, [&](const network::Edge &edge) {
      CHECK(edge.table > last); // oldest first
      last = edge.table;
      ++degree;
    });
    CHECK(degree == edges.degree(v));
  }
}
