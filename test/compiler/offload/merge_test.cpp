#include "compiler/offload/Merge.h"
#include "test/compiler/offload/Programs.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace smex::offload;
using Kind = Action::Kind;

namespace {

bool areAlike(const Schedule &a, const Schedule &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Action &one, const Action &other) {
                      return one.kind == other.kind && one.what == other.what;
                    });
}

/// Operations once each, in their order, and before each of them, in any order,
/// some stores and earlier operations again.
Schedule drawn(std::mt19937 &random, int operations) {
  const auto below = [&](int end) { return int(random() % unsigned(end)); };
  Schedule schedule;
  for (int op = 0; op <= operations; ++op) {
    Schedule between;
    for (int tensor = 0; tensor < 3; ++tensor)
      if (below(2))
        between.push_back({Kind::Store, tensor});
    if (op > 0 && below(2))
      between.push_back({Kind::Run, below(op)});
    std::shuffle(between.begin(), between.end(), random);
    schedule.insert(schedule.end(), between.begin(), between.end());
    if (op < operations)
      schedule.push_back({Kind::Run, op});
  }
  return schedule;
}

} // namespace

TEST_CASE("what two schedules do in opposite orders, before a third goes on") {
  const std::vector<Schedule> schedules = {
      {{Kind::Run, 0}},
      {{Kind::Store, 1}, {Kind::Store, 2}, {Kind::Run, 0}},
      {{Kind::Store, 2}, {Kind::Store, 1}, {Kind::Run, 0}}};
  const std::vector<Joint> joint = merge(schedules);
  REQUIRE(!joint.empty());
  CHECK(joint.back().action.kind == Kind::Run);
  CHECK(joint.back().problems == std::vector<size_t>{0, 1, 2});
}

TEST_CASE("each schedule keeps its order, and first runs are everyone's") {
  std::mt19937 random(1);
  int inOtherOrders = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const int operations = 1 + int(random() % 3);
    std::vector<Schedule> schedules(2 + random() % 7);
    for (Schedule &schedule : schedules)
      schedule = drawn(random, operations);
    const std::vector<Joint> joint = merge(schedules);
    size_t all = 0;
    for (size_t k = 0; k < schedules.size(); ++k) {
      REQUIRE(areAlike(partOf(joint, k), schedules[k]));
      all += schedules[k].size();
    }
    std::vector<size_t> everyone(schedules.size());
    for (size_t k = 0; k < everyone.size(); ++k)
      everyone[k] = k;
    int next = 0;
    for (const Joint &each : joint)
      if (each.action.kind == Kind::Run && each.action.what == next) {
        REQUIRE(each.problems == everyone);
        ++next;
      }
    REQUIRE(next == operations);
    inOtherOrders += joint.size() < all;
  }
  CHECK(inOtherOrders > 3000); // something is done together
}
