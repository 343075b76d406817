// The small tables of one and two variables that a reduction makes
// (Reduction.h): see Factors.h.
#include "compiler/partition/Factors.h"

using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// First words of keys (Factors.cpp has the others).
enum KeyKind : int64_t {
  kGiven = -3,
  kSum = -4,
  kPick = -5,
  kTable = -6,
  kDiagonal = -7,
  kTranspose = -8
};

std::vector<Cost> transposed(const std::vector<Cost> &costs, size_t columns) {
  const size_t rows = costs.size() / columns;
  std::vector<Cost> result(costs.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      result[column * rows + row] = costs[row * columns + column];
  return result;
}

} // namespace

int Tables::given(const std::vector<Cost> &costs) {
  key = {kGiven};
  for (Cost cost : costs) {
    key.push_back(cost.bytes);
    key.push_back(cost.tie);
  }
  return make(key, [&] { return costs; });
}

int Tables::given(const Table &table, bool isTransposed) {
  return make({kTable, count()}, [&] {
    return isTransposed ? transposed(table.costs, table.columns) : table.costs;
  });
}

int Tables::sum(int a, int b) {
  return make({kSum, std::min(a, b), std::max(a, b)}, [&] {
    std::vector<Cost> costs = tables[a];
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] += tables[b][i];
    return costs;
  });
}

int Tables::pick(int table, bool rows, int size, const std::vector<int> &picked,
                 int list) {
  return make({kPick, table, rows, size, list}, [&] {
    const std::vector<Cost> &costs = tables[table];
    const int64_t others = int64_t(costs.size()) / size;
    std::vector<Cost> result;
    result.reserve(others * picked.size());
    if (rows)
      for (int row : picked)
        result.insert(result.end(), costs.begin() + row * others,
                      costs.begin() + (row + 1) * others);
    else
      for (int64_t row = 0; row < others; ++row)
        for (int column : picked)
          result.push_back(costs[row * size + column]);
    return result;
  });
}

int Tables::diagonal(int table, int size) {
  return make({kDiagonal, table, size}, [&] {
    std::vector<Cost> costs;
    for (int i = 0; i < size; ++i)
      costs.push_back(tables[table][size_t(i) * size + i]);
    return costs;
  });
}

int Tables::transpose(int table, int columns) {
  return make({kTranspose, table, columns},
              [&] { return transposed(tables[table], columns); });
}
