// What check() collects: findings, and the words for the places they are at.
#ifndef SMEX_RUNTIME_PLAN_FINDINGS_H
#define SMEX_RUNTIME_PLAN_FINDINGS_H

#include "runtime/plan/Check.h"

#include <array>

namespace smex::plan {

class Findings {
public:
  explicit Findings(int limitPerKind) : limit(limitPerKind) {}

  template <typename... Parts> void add(FindingKind kind, Parts &&...parts) {
    if (++counts[size_t(kind)] <= limit)
      list.push_back({kind, fail(std::forward<Parts>(parts)...).message});
  }
  /// In order of kinds, and for each as they were added.
  std::vector<Finding> take();

private:
  int64_t limit;
  std::array<int64_t, size_t(FindingKind::Totals) + 1> counts{};
  std::vector<Finding> list;
};

/// How messages call the parts of one program.
struct Names {
  const Partitioned &partitioned;
  std::string prefix; // "" or "unpartitioned "

  /// gpu1 instruction 3 (fetch, node "fc1")
  std::string instruction(int worker, int instruction) const;
  /// instruction 3 (fetch, node "fc1")
  std::string instruction(int instruction) const;
  /// buffer 4 of "h"
  std::string buffer(int buffer) const;
  std::string gpu(int worker) const;
};

} // namespace smex::plan

#endif
