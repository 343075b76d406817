#include "runtime/plan/Table.h"

#include <algorithm>
#include <cstdio>

using namespace smex;

namespace {
/// Characters, not bytes: names may be UTF-8.
size_t width(const std::string &entry) {
  return size_t(std::count_if(entry.begin(), entry.end(),
                              [](char c) { return (c & 0xc0) != 0x80; }));
}
} // namespace

std::string plan::Table::text() const {
  std::vector<size_t> widths(columns.size());
  for (const auto &row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], width(row[c]));
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - width(row[c]), ' ');
      line += "  ";
      line += columns[c] == 'r' ? blanks + row[c] : row[c] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string plan::percent(int64_t part, int64_t whole) {
  if (whole == 0)
    return part == 0 ? "0.0 %" : "new";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                100.0 * double(part) / double(whole));
  return text;
}
