#include "compiler/placement/LevelLoads.h"

#include <algorithm>

using namespace smex::placement;

LevelLoads::LevelLoads(const std::vector<double> &levels, int devices)
    : sorted(levels), rank(levels.size()), devices(size_t(devices)) {
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (size_t t = 0; t < levels.size(); ++t)
    rank[t] = int(below(levels[t]));
  sums.assign((sorted.size() + 1) * this->devices, 0);
}

size_t LevelLoads::below(double level) const {
  return size_t(std::lower_bound(sorted.begin(), sorted.end(), level) -
                sorted.begin());
}

void LevelLoads::add(int task, int device, double seconds) {
  for (size_t i = size_t(rank[size_t(task)]) + 1; i <= sorted.size();
       i += i & -i)
    sums[i * devices + size_t(device)] += seconds;
}

double LevelLoads::within(const Span &span, int device) const {
  if (span.begin >= span.end)
    return 0;
  double sum = 0;
  for (size_t i = below(span.end); i > 0; i -= i & -i)
    sum += sums[i * devices + size_t(device)];
  for (size_t i = below(span.begin); i > 0; i -= i & -i)
    sum -= sums[i * devices + size_t(device)];
  return sum;
}

void LevelLoads::within(const Span &span, std::vector<double> &seconds) const {
  seconds.assign(devices, 0);
  if (span.begin >= span.end)
    return;
  for (size_t i = below(span.end); i > 0; i -= i & -i)
    for (size_t d = 0; d < devices; ++d)
      seconds[d] += sums[i * devices + d];
  for (size_t i = below(span.begin); i > 0; i -= i & -i)
    for (size_t d = 0; d < devices; ++d)
      seconds[d] -= sums[i * devices + d];
}
