#include "compiler/offload/Uses.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

Uses::Uses(const Problem &problem)
    : uses(problem.tensors.size()), end(int(problem.operations.size())) {
  for (size_t t = 0; t < uses.size(); ++t)
    if (problem.tensors[t].start != Start::Nowhere)
      uses[t].push_back(-1);
  for (int o = 0; o < end; ++o) {
    const Operation &op = problem.operations[size_t(o)];
    for (const std::vector<int> *list : {&op.reads, &op.writes})
      for (int t : *list)
        if (uses[size_t(t)].empty() || uses[size_t(t)].back() != o)
          uses[size_t(t)].push_back(o);
  }
}

int Uses::lastBefore(int tensor, int operation) const {
  const std::vector<int> &list = uses[size_t(tensor)];
  const auto next = std::lower_bound(list.begin(), list.end(), operation);
  return next == list.begin() ? -1 : *(next - 1);
}

int Uses::nextFrom(int tensor, int operation) const {
  const std::vector<int> &list = uses[size_t(tensor)];
  const auto next = std::lower_bound(list.begin(), list.end(), operation);
  return next == list.end() ? end : *next;
}
