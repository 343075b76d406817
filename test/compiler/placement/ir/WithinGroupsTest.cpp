#include "compiler/placement/ir/WithinGroups.h"

#include "test/compiler/partition/Models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;
using namespace smex::placement;

TEST_CASE("operators take their largest part, and what their group exchanges") {
  // c = a . b on the first group, cut by rows; d = c . e on the second, whole.
  Model model;
  const int a = model.tensor({9, 4}), b = model.tensor({4, 6}),
            e = model.tensor({6, 2});
  const int c = model.matmul(a, b), d = model.matmul(c, e);
  const auto steps = [&](const std::vector<int> &tensors,
                         const std::vector<int> &operators) {
    PartitionPlan plan;
    Step groups, within;
    groups.ways = within.ways = 2;
    for (const int group : {0, 0, 1, 0, 1})
      groups.tensors.push_back(Division::placed(group));
    groups.operators = {Division::placed(0), Division::placed(1)};
    within.tensors = divisions(tensors);
    within.operators = divisions(operators);
    plan.steps = {groups, within};
    REQUIRE(validate(model, plan));
    return plan;
  };
  REQUIRE(d == 4);
  Devices links;
  links.bytesPerSecond = 100;
  links.latencySeconds = 0.25;
  const std::vector<double> alone = {10, 3};
  const auto seconds = [&](const PartitionPlan &plan, double launch) {
    return secondsWithinGroups(model, plan, alone, launch, links);
  };

  // Of 9 rows, 5 are on one GPU. Each GPU has half of the 96 bytes of b, and
  // brings the other half. What the second group brings is from the first one.
  const auto rows = seconds(steps({0, 0, -1, 0, -1}, {0, -1}), 1);
  CHECK(rows[0] == Approx(1 + 9 * 5. / 9 + 0.25 + 48 / 100.));
  CHECK(rows[1] == Approx(3));

  // Where each has all of b, nothing moves; what only takes a launch takes it.
  const auto whole = seconds(steps({0, -1, -1, 0, -1}, {0, -1}), 4);
  CHECK(whole[0] == Approx(4 + 6 * 5. / 9));
  CHECK(whole[1] == Approx(3));

  // The sum over the second index cut: each makes all 54 elements of c, and
  // brings the other's for those that it has, 24 or 30.
  const auto sums = seconds(steps({1, 0, -1, 0, -1}, {2, -1}), 1);
  CHECK(sums[0] == Approx(1 + 9 / 2. + 0.25 + 54 * 4 / 2. / 100));
}
