#include "compiler/memory/LayoutSweep.h"
#include "compiler/memory/Refills.h"
#include "test/compiler/memory/Cut.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace smex::memory;
using test::Cutting;

namespace {

using Order = std::vector<int>;
using Orders = std::set<Order>;

/// All orders that a tree stands for, by its definition.
std::vector<Order> ordersBelow(const Layouts &layouts, int node) {
  const auto [id, length, size] = layouts.nodes()[size_t(node)];
  if (id >= 0)
    return {{id}};
  std::vector<int> children;
  for (int child = node + 1; child < node + length;
       child += layouts.nodes()[size_t(child)].length)
    children.push_back(child);
  std::vector<Order> result;
  const auto append = [&](const std::vector<int> &arranged) {
    std::vector<Order> joined = {{}};
    for (int child : arranged) {
      std::vector<Order> longer;
      for (const Order &front : joined)
        for (const Order &back : ordersBelow(layouts, child)) {
          longer.push_back(front);
          longer.back().insert(longer.back().end(), back.begin(), back.end());
        }
      joined = std::move(longer);
    }
    result.insert(result.end(), joined.begin(), joined.end());
  };
  if (id == Layouts::kFixed) {
    append(children);
    std::reverse(children.begin(), children.end());
    append(children);
  } else {
    do
      append(children);
    while (std::next_permutation(children.begin(), children.end()));
  }
  return result;
}

Orders ordersOf(const Layouts &layouts) {
  const auto list = ordersBelow(layouts, 0);
  const Orders orders(list.begin(), list.end());
  CHECK(orders.size() == list.size());
  return orders;
}

/// Of all orders those in which the pieces are neighbours, with all orders of
/// others in their place.
Orders replacedIn(const Orders &orders, const std::set<int> &pieces, Order by) {
  Orders result;
  for (const Order &order : orders) {
    const auto isOne = [&](int id) { return pieces.count(id) > 0; };
    const auto first = std::find_if(order.begin(), order.end(), isOne);
    const auto last = std::find_if_not(first, order.end(), isOne);
    if (size_t(last - first) != pieces.size())
      continue;
    std::sort(by.begin(), by.end());
    do {
      Order other(order.begin(), first);
      other.insert(other.end(), by.begin(), by.end());
      other.insert(other.end(), last, order.end());
      result.insert(other);
    } while (std::next_permutation(by.begin(), by.end()));
  }
  return result;
}

} // namespace

TEST_CASE("a tree stands for the orders that all replacements leave") {
  std::mt19937 random(3);
  int refused = 0, fixed = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    Layouts layouts({0, 1});
    int next = 1;
    Orders orders = {{0}};
    for (int step = 0; step < 6; ++step) {
      const Order some = *orders.begin();
      std::vector<int> leaves;
      std::set<int> pieces;
      for (int n = 0; n < int(layouts.nodes().size()); ++n) {
        const int id = layouts.nodes()[size_t(n)].id;
        if (id >= 0 && (some.size() == 1 || random() % 5 < 2)) {
          leaves.push_back(n);
          pieces.insert(id);
        }
      }
      if (leaves.empty())
        continue;
      std::vector<Layouts::Piece> by;
      Order ids;
      const size_t most = std::min<size_t>(3, 6 - some.size() + leaves.size());
      for (size_t k = 1 + random() % most; k; --k) {
        by.push_back({next, 1});
        ids.push_back(next++);
      }
      const Orders expected = replacedIn(orders, pieces, ids);
      Layouts::Replaced replaced;
      const bool isPossible = layouts.replace(leaves, by, replaced);
      REQUIRE(isPossible == !expected.empty());
      refused += !isPossible;
      if (isPossible)
        orders = expected;
      REQUIRE(ordersOf(layouts) == orders);
      CHECK(std::exp(layouts.freedom()) == Approx(double(orders.size())));
      for (const Layouts::Node &node : layouts.nodes())
        fixed += node.id == Layouts::kFixed;
    }
  }
  CHECK(refused > 30);
  CHECK(fixed > 100);
}

TEST_CASE("refills that leave nothing come first, one edge before two") {
  int64_t steps = 0;
  const RefillOdds odds{20};
  const auto one = refills({{30, true}, {70, true}},
                           {{60, 5}, {25, 6}, {15, 7}}, odds, 8, steps);
  REQUIRE(one.size() == 1);
  CHECK(one[0].holes == std::vector<int>{0, 1});
  CHECK(one[0].buffers.size() == 3);
  CHECK(steps > 0);
  // Equal sums may be two edges.
  const auto two = refills({{30, true}, {70, true}},
                           {{70, 5}, {20, 6}, {10, 7}}, odds, 8, steps);
  REQUIRE(two.size() == 2);
  CHECK(two[0].left == 0);
  CHECK(two[1].left == 0);
  CHECK(std::min(two[0].holes.size(), two[1].holes.size()) == 1);
  // Those that end together are not torn apart.
  const auto torn = refills({{30, true}, {70, true}},
                            {{70, 5}, {20, 6}, {10, 5}}, odds, 8, steps);
  REQUIRE(torn.size() == 2);
  CHECK(torn[0].buffers.size() == 3);
  // An older hole helps where what ends is not enough; the rest stays.
  const auto old = refills({{30, true}, {50, false}, {40, false}}, {{70, 5}},
                           odds, 8, steps);
  REQUIRE(old.size() == 3);
  CHECK(old[0].left == 0);
  CHECK(old[0].holes == std::vector<int>{0, 2});
  CHECK(old[1].left + old[2].left == 30);
  CHECK(refills({{30, true}}, {{31, 5}}, odds, 8, steps).empty());
}

TEST_CASE("hundreds of buffers and a thousand are put together at capacity") {
  const Cutting kind = GENERATE(test::ofMebibyte(300, 64, 0, 50, 0),
                                test::ofMebibyte(300, 64, 0, 50, 50),
                                test::ofMebibyte(300, 64, 5, 80, 0),
                                test::ofMebibyte(300, 4096, 0, 80, 50),
                                test::ofMebibyte(300, 4096, 5, 80, 0),
                                test::ofMebibyte(1000, 64, 0, 80, 0),
                                test::ofMebibyte(1000, 4096, 0, 80, 0));
  const unsigned seed = GENERATE(1u, 2u);
  CAPTURE(kind.pieces, kind.unit, kind.gaps, kind.inTime, kind.pinwheels, seed);
  const auto buffers = test::cut(kind, seed);
  LayoutSweep sweep(buffers), again(buffers);
  const auto offsets = sweep.fit(kind.capacity(), int64_t(1) << 26);
  REQUIRE(offsets);
  CHECK(test::isPacking(buffers, *offsets, kind.capacity()));
  CHECK(again.fit(kind.capacity(), int64_t(1) << 26) == offsets);
  CHECK(again.steps() == sweep.steps());
}

TEST_CASE("a sweep finds nothing below the bound, and knows when to stop") {
  const Cutting kind{300, 300, 16384, 64};
  const auto buffers = test::cut(kind, 1);
  LayoutSweep sweep(buffers);
  CHECK_FALSE(sweep.fit(kind.capacity() - 64, int64_t(1) << 24));
  CHECK_FALSE(sweep.fit(kind.capacity(), 1));
  CHECK(sweep.steps() < int64_t(1) << 25);
}

TEST_CASE("a sweep packs what has free space, too, and what needs no place") {
  std::mt19937 random(5);
  int found = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<Allocation> buffers = {{0, 9, 0}, {4, 4, 640}};
    for (int i = 0; i < 40; ++i) {
      const int64_t lower = random() % 50;
      buffers.push_back({lower, lower + 1 + int64_t(random() % 10),
                         1 + int64_t(random() % 5000)});
    }
    const int64_t capacity = mostAlive(buffers) * 5 / 4;
    LayoutSweep sweep(buffers);
    const auto offsets = sweep.fit(capacity, int64_t(1) << 24);
    if (!offsets)
      continue;
    ++found;
    REQUIRE(test::isPacking(buffers, *offsets, capacity));
    CHECK((*offsets)[0] == 0);
    CHECK((*offsets)[1] == 0);
    for (int64_t offset : *offsets)
      CHECK(offset % 64 == 0);
  }
  CHECK(found > 50);
  CHECK(LayoutSweep({}).fit(0, 1000));
}
