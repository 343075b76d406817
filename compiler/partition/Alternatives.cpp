#include "compiler/partition/Alternatives.h"

#include "compiler/partition/Choices.h"
#include "compiler/partition/Factorize.h"

using namespace smex;
using namespace smex::partition;

std::string partition::toString(const Search &search) {
  std::string text = search.algorithm;
  for (size_t s = 0; s < search.ways.size(); ++s)
    text += (s ? " x " : ", steps of ") + std::to_string(search.ways[s]);
  return text + (search.alwaysCut ? ", all cut" : "");
}

std::vector<Search> partition::alternatives(int64_t workers) {
  std::vector<Search> list;
  if (workers == 1)
    return list;
  const auto ways = sequences(workers, size_t(Params().maxSequences));
  for (const std::vector<int64_t> &each : ways)
    for (const bool alwaysCut : {false, true})
      if (alwaysCut || &each != &ways.front())
        list.push_back({"recursive", each, alwaysCut});
  for (const char *name :
       {"tofu", "critical-dp", "equal-chop", "spartan", "all-row-greedy",
        "icml18", "layer-wise", "one-weird-trick", "data-parallel"})
    list.push_back({name, {}, false});
  return list;
}
