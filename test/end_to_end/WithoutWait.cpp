// Takes one wait after another out of a plan and asks check() about the rest:
// each must leave a finding. usage: without_wait PLAN [MOST]
// without_wait PLAN --all takes all waits out of the plan's files.
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/Examples.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace smex;
using namespace smex::plan;

namespace {
/// The plan's workers don't wait for anything any more.
int takeAllOut(const std::string &plan) {
  for (const auto &entry : std::filesystem::directory_iterator(plan)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("gpu", 0) != 0 || entry.path().extension() != ".json")
      continue;
    auto worker = parseJson(slurp(entry.path()));
    if (!worker)
      return 1;
    for (Json &instruction : (*worker)["instructions"])
      instruction.erase("waits");
    spit(entry.path(), canonicalJson(*worker));
  }
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
