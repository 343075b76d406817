// Takes one wait after another out of a plan and asks check() about the rest:
// each must leave a finding. usage: without_wait PLAN [MOST]
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"

#include <cstdlib>
#include <iostream>

using namespace smex;
using namespace smex::plan;

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  auto loaded = load(argv[1]);
  if (!loaded) {
    std::cerr << loaded.error().message << "\n";
    return 1;
  }
  Plan &plan = *loaded;
  plan.unpartitioned = {}; // has no waits
  struct Place {
    int worker, instruction;
    size_t wait;
    bool isOwn;
  };
  std::vector<Place> places;
  for (size_t w = 0; w < plan.partitioned.workers.size(); ++w) {
    const auto &list = plan.partitioned.workers[w].instructions;
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t k = 0; k < list[i].waits.size(); ++k)
        places.push_back(
            {int(w), int(i), k, list[i].waits[k].worker == int(w)});
  }
  const size_t most = argc > 2 ? size_t(std::atoi(argv[2])) : places.size();
  const size_t stride = std::max<size_t>(1, places.size() / most);
  int tried = 0, own = 0, unnoticed = 0;
  for (size_t p = 0; p < places.size(); p += stride) {
    const Place &at = places[p];
    auto &waits = plan.partitioned.workers[size_t(at.worker)]
                      .instructions[size_t(at.instruction)]
                      .waits;
    const std::vector<Wait> all = waits;
    waits.erase(waits.begin() + std::ptrdiff_t(at.wait));
    ++tried;
    own += at.isOwn;
    if (check(plan).empty()) {
      ++unnoticed;
      std::cerr << "gpu" << at.worker << " instruction " << at.instruction
                << ": nothing is found without its wait for gpu"
                << all[at.wait].worker << " instruction "
                << all[at.wait].instruction << "\n";
    }
    waits = all;
  }
  std::cout << "of " << places.size() << " waits " << tried << " taken out, "
            << own << " of them for the worker itself; " << unnoticed
            << " unnoticed\n";
  return unnoticed || own == 0 ? 3 : 0;
}
