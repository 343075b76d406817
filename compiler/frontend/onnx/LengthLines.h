// Numbers that grow evenly with the rows that nodes of a model choose.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_LENGTHLINES_H
#define SMEX_COMPILER_FRONTEND_ONNX_LENGTHLINES_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace smex::frontend {

/// A constant, and so much for each row.
struct Length {
  int64_t constant = 0;
  std::vector<int64_t> perRow; // of each node that chooses rows
  bool isFixed() const {
    return std::all_of(perRow.begin(), perRow.end(),
                       [](int64_t f) { return f == 0; });
  }
};

bool isFixed(const std::vector<Length> &shape);

using Numbers = std::vector<int64_t>;

/// Models with another number of rows of one node, and all others.
constexpr size_t perNode = 3;

/// The length where each node chooses so many rows.
int64_t at(const Length &length, const Numbers &n);

/// The line through `y`, a number of each model, if they are on one. `rows`:
/// for each model, how many rows each node chooses; model 1 + 3k has another
/// number of rows than model 0 of node k only.
std::optional<Length> lineThrough(const Numbers &y,
                                  const std::vector<Numbers> &rows);

} // namespace smex::frontend

#endif
