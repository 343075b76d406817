// Columns for a person to read: as wide as their longest entry, two spaces
// apart.
#ifndef SMEX_RUNTIME_PLAN_TABLE_H
#define SMEX_RUNTIME_PLAN_TABLE_H

#include <string>
#include <vector>

namespace smex::plan {

class Table {
public:
  /// One letter per column: 'l' or 'r' for where its entries stand.
  explicit Table(std::string columns) : columns(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  /// Lines indented by two spaces, without blanks at their ends.
  std::string text() const;

private:
  std::string columns;
  std::vector<std::vector<std::string>> rows;
};

/// "3.2 %" of a change or share; "new" where `whole` is 0.
std::string percent(int64_t part, int64_t whole);

} // namespace smex::plan

#endif
