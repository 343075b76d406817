// What reading a program (Format.h) is made of.
#ifndef SMEX_RUNTIME_PLAN_FORMATREAD_H
#define SMEX_RUNTIME_PLAN_FORMATREAD_H

#include "runtime/plan/Format.h"

#include <limits>

namespace smex::plan {

constexpr int64_t countLimit = std::numeric_limits<int>::max();
constexpr int64_t totalLimit = std::numeric_limits<int64_t>::max();

/// The number of a buffer, a tensor and the like.
inline int number(const Cursor &at, const char *key) {
  return int(at.integer(key, 0, countLimit));
}

/// [lo, hi], both in 0 .. limit.
Interval pairOf(const Cursor &at, int64_t limit);

// What crosses the border of a program.
Port inputOf(const Cursor &at);
Port outputOf(const Cursor &at);
Parameter parameterOf(const Cursor &at);
GraphInputs graphOf(const Cursor &at);
EdgeRows edgeRowsOf(const Cursor &at);

} // namespace smex::plan

#endif
