#include "runtime/graphpartition/RemoteRows.h"

#include <algorithm>

using namespace smex;
using namespace smex::graphpartition;

Numbers graphpartition::remoteRows(const InNeighbours &graph, int64_t first,
                                   int64_t last) {
  Numbers rows;
  for (const int32_t *u = graph.begin(first); u != graph.begin(last); ++u)
    if (*u < first || *u >= last)
      rows.push_back(*u);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

Numbers graphpartition::remoteRowCounts(const InNeighbours &graph,
                                        const Bounds &bounds) {
  Numbers counts;
  std::vector<bool> seen(size_t(graph.vertices()));
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    std::fill(seen.begin(), seen.end(), false);
    int64_t count = 0;
    for (const int32_t *u = graph.begin(bounds[i]);
         u != graph.begin(bounds[i + 1]); ++u) {
      if (*u >= bounds[i] && *u < bounds[i + 1])
        continue;
      count += !seen[size_t(*u)];
      seen[size_t(*u)] = true;
    }
    counts.push_back(count);
  }
  return counts;
}
