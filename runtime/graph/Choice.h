// A few of many, drawn without replacement.
#ifndef SMEX_RUNTIME_GRAPH_CHOICE_H
#define SMEX_RUNTIME_GRAPH_CHOICE_H

#include "dialects/support/Random.h"
#include "runtime/graph/Graph.h"

namespace smex::graph {

class Choice {
public:
  /// `few` different numbers below `all`, ascending; every set of them is as
  /// likely as any other. They stay until the next call. O(few log few), and a
  /// bit for each of the most numbers that were asked for.
  const Numbers &draw(int64_t few, int64_t all, const Random &random);

private:
  Numbers chosen;
  std::vector<bool> isChosen;
};

} // namespace smex::graph

#endif
