// Small random problems to prove loads of, one after the other.
#ifndef SMEX_TEST_COMPILER_PLACEMENT_RANDOMPROBLEMS_H
#define SMEX_TEST_COMPILER_PLACEMENT_RANDOMPROBLEMS_H

#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

namespace smex::placement::test {

/// Calls use(problem, random) for `count` of 3 to 8 tasks on 2 or 3 devices, at
/// one of `rates` rates: transfers take as long as tasks, or up to some times
/// as long.
template <typename Use>
void forRandomProblems(int count, int rates, Use &&use) {
  for (uint64_t seed = 0; seed < uint64_t(count); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(3 + random.below(6)), 1.5);
    const Devices devices =
        devicesOf(int(2 + random.below(2)),
                  double(int64_t(1) << random.below(rates)), 0.125);
    use(Problem(graph, devices), random);
  }
}

} // namespace smex::placement::test

#endif
