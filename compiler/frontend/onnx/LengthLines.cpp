#include "compiler/frontend/onnx/LengthLines.h"

using namespace smex;
using namespace smex::frontend;

bool smex::frontend::isFixed(const std::vector<Length> &shape) {
  return std::all_of(shape.begin(), shape.end(),
                     [](const Length &length) { return length.isFixed(); });
}

int64_t smex::frontend::at(const Length &length, const Numbers &n) {
  __int128 sum = length.constant;
  for (size_t k = 0; k < length.perRow.size(); ++k)
    sum += __int128(length.perRow[k]) * n[k];
  return int64_t(sum);
}

std::optional<Length>
smex::frontend::lineThrough(const Numbers &y,
                            const std::vector<Numbers> &rows) {
  const size_t nodes = rows[0].size();
  Length line;
  line.perRow.assign(nodes, 0);
  line.constant = y[0];
  if (std::all_of(y.begin(), y.end(), [&](int64_t v) { return v == y[0]; }))
    return line;
  constexpr int64_t most = int64_t(1) << 50;
  for (int64_t value : y)
    if (value < -most || value > most)
      return std::nullopt;
  __int128 constant = y[0];
  for (size_t k = 0; k < nodes; ++k) {
    const int64_t step = rows[0][k] - rows[1 + perNode * k][k];
    const int64_t rise = y[0] - y[1 + perNode * k];
    if (rise % step != 0)
      return std::nullopt;
    line.perRow[k] = rise / step;
    constant -= __int128(line.perRow[k]) * rows[0][k];
  }
  if (constant < -most || constant > most)
    return std::nullopt;
  line.constant = int64_t(constant);
  for (size_t s = 0; s < y.size(); ++s)
    if (at(line, rows[s]) != y[s])
      return std::nullopt;
  return line;
}
