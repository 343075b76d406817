// known_launches PLAN TARGET GPUS: the launches of a plan, for
// SMEX_EMULATED_LAUNCHES.
#include "runtime/plan/Load.h"
#include "test/runtime/backends/cuda/KnownLaunches.h"

#include <cstdlib>
#include <iostream>

using namespace smex;

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const auto plan = plan::load(argv[1]);
  if (!plan) {
    std::cerr << plan.error().message << "\n";
    return 1;
  }
  for (const plan::Artifact &each : plan->code)
    if (each.target == argv[2]) {
      std::cout << test::knownLaunches(plan->partitioned, each,
                                       std::atoi(argv[3]));
      return 0;
    }
  std::cerr << "the plan has no code for " << argv[2] << "\n";
  return 1;
}
