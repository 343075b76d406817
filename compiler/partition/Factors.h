// Under CostNetwork.h: costs on any number of variables, and what elimination
// does to them. A table is known by its number and never changes; the same
// operation on the same tables is done once, so that a network of repeated
// structure costs what one repetition costs.
#ifndef SMEX_COMPILER_PARTITION_FACTORS_H
#define SMEX_COMPILER_PARTITION_FACTORS_H

#include "compiler/partition/CostNetwork.h"

#include <deque>
#include <unordered_map>

namespace smex::partition::network {

/// What a table was made from.
using Key = std::vector<int64_t>;
struct KeyHash {
  size_t operator()(const Key &key) const {
    uint64_t hash = key.size();
    for (int64_t word : key) {
      hash = (hash ^ uint64_t(word)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }
};
/// Never iterated over, so that its order cannot matter.
template <typename T> using KeyMap = std::unordered_map<Key, T, KeyHash>;

/// A cost on the variables of its scope, which ascend: a row-major table.
struct Factor {
  std::vector<int> scope;
  int table;
};

/// A network of factors. Variables keep their numbers when others are
/// eliminated or fixed.
struct FactorGraph {
  std::vector<int> sizes; // of each variable's domain
  std::vector<Factor> factors;
};

/// Entries of a table over these variables; saturates.
int64_t tableSize(const std::vector<int> &sizes, const std::vector<int> &scope);

/// All variables of the factors but this one, ascending.
std::vector<int> otherVariables(int variable,
                                const std::vector<Factor> &factors);

class Tables {
public:
  const std::vector<Cost> &costs(int table) const { return tables[table]; }

  /// The cost of an assignment to all variables.
  Cost at(const Factor &factor, const std::vector<int> &sizes,
          const std::vector<int> &values) const;

  /// A table made by `make()`, or the one that the same key made before.
  template <typename Make> int make(const Key &key, Make make) {
    const auto [it, isNew] = made.try_emplace(key, int(tables.size()));
    if (isNew)
      tables.push_back(make());
    return it->second;
  }

  /// What the factors, which all know the variable, cost at least together:
  /// their sum, minimized over it, a factor on their other variables.
  Factor eliminate(int variable, const std::vector<int> &sizes,
                   std::vector<Factor> factors);

  /// The factor with some of its variables fixed: those with value >= 0.
  Factor fix(const Factor &factor, const std::vector<int> &sizes,
             const std::vector<int> &values);

private:
  std::deque<std::vector<Cost>> tables;
  KeyMap<int> made;
};

} // namespace smex::partition::network

#endif
