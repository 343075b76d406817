// Takes one wait after another out of a plan and asks check() about the rest:
// each must leave a finding. Waits are said of groups of workers, and where
// shares are uneven it can be that of a group nobody reads what another one may
// read; so one in a hundred of those may be spared. usage: without_wait PLAN
// [MOST] without_wait PLAN --all takes all waits out of the plan's files.
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/Examples.h"

#include <cstdlib>
#include <iostream>

using namespace smex;
using namespace smex::plan;

namespace {
/// The plan's workers don't wait for anything any more.
int takeAllOut(const std::string &plan) {
  auto program = parseJson(slurp(plan + "/program.json"));
  if (!program)
    return 1;
  for (Json &instruction : (*program)["instructions"])
    instruction.erase("waits");
  spit(plan + "/program.json", canonicalJson(*program));
  rehash(plan);
  return 0;
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  if (argc == 3 && argv[2] == std::string("--all"))
    return takeAllOut(argv[1]);
  auto loaded = load(argv[1]);
  if (!loaded) {
    std::cerr << loaded.error().message << "\n";
    return 1;
  }
  Plan &plan = *loaded;
  plan.unpartitioned = {}; // has no waits
  struct Place {
    size_t instruction, wait;
  };
  std::vector<Place> places;
  auto &list = plan.partitioned.program.instructions;
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t k = 0; k < list[i].waits.size(); ++k)
      places.push_back({i, k});
  const size_t most = argc > 2 ? size_t(std::atoi(argv[2])) : places.size();
  const size_t stride = std::max<size_t>(1, places.size() / most);
  int tried = 0, own = 0, unnoticed = 0, unnoticedOwn = 0;
  for (size_t p = 0; p < places.size(); p += stride) {
    auto &waits = list[places[p].instruction].waits;
    const std::vector<Wait> all = waits;
    const Wait taken = all[places[p].wait];
    waits.erase(waits.begin() + std::ptrdiff_t(places[p].wait));
    ++tried;
    own += taken.steps == 0;
    if (check(plan).empty()) {
      ++unnoticed;
      unnoticedOwn += taken.steps == 0;
      std::cerr << "instruction " << places[p].instruction
                << ": nothing is found without its wait for instruction "
                << taken.instruction << "\n";
    }
    waits = all;
  }
  std::cout << "of " << places.size() << " waits " << tried << " taken out, "
            << own << " of them for the worker itself; " << unnoticed
            << " unnoticed\n";
  return unnoticed * 100 > tried || unnoticedOwn || own == 0 ? 3 : 0;
}
