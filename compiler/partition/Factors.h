// Under CostNetwork.h: costs on any number of variables, and what elimination
// does to them. A table is known by its number and never changes; the same
// operation on the same tables is done once, so that a network of repeated
// structure costs what one repetition costs.
#ifndef SMEX_COMPILER_PARTITION_FACTORS_H
#define SMEX_COMPILER_PARTITION_FACTORS_H

#include "compiler/partition/CostNetwork.h"
#include "compiler/partition/Numbering.h"

#include <deque>
#include <limits>

namespace smex::partition::network {

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
  /// Of a table that no bucket made (Buckets.h).
  const std::vector<Cost> &costs(int table) const { return tables[table]; }

  /// The bytes of a table whose costs have no tie part, if it is kept so, or
  /// nothing: lower bounds of whole plans have no ties. Whole numbers, exact as
  /// double, for which any processor has vector instructions.
  const std::vector<double> &bytes(int table) const { return untied[table]; }

  /// Sums of whole numbers below that, without sign, are exact as double.
  static constexpr double kExact = double(int64_t(1) << 53);

  /// Whether some cost may have a tie part.
  bool hasTies(int table) const { return magnitudes[table] < 0; }

  /// The most bytes of a cost, without sign; infinite if there may be ties.
  double magnitude(int table) const {
    return hasTies(table) ? std::numeric_limits<double>::infinity()
                          : magnitudes[table];
  }

  /// The cost of an assignment to all variables.
  Cost at(const Factor &factor, const std::vector<int> &sizes,
          const std::vector<int> &values) const;

  /// A table of these costs; equal ones are one.
  int given(const std::vector<Cost> &costs);

  /// A problem's table, or its transpose; to be asked for once.
  int given(const Table &table, bool transposed);

  int sum(int a, int b);

  /// Rows or columns `picked`, whose number is `list`, of a table with `size`
  /// of them.
  int pick(int table, bool rows, int size, const std::vector<int> &picked,
           int list);

  /// Where row and column are both the i-th, of `size` of them.
  int diagonal(int table, int size);
  int transpose(int table, int columns);

  /// What the factors, which all know the variable, cost at least together:
  /// their sum, minimized over it, a factor on their other variables.
  Factor eliminate(int variable, const std::vector<int> &sizes,
                   std::vector<Factor> factors);

  /// The same in two parts: a table's number, and its costs, which `schedule`
  /// leaves to be computed if the table is new.
  struct Elimination {
    int variable;
    std::vector<int> scope;
    std::vector<Factor> factors;
    int table;
  };
  Factor schedule(int variable, const std::vector<int> &sizes,
                  std::vector<Factor> factors,
                  std::vector<Elimination> &scheduled);
  void compute(const Elimination &elimination, const std::vector<int> &sizes);

  /// Forgets the costs of a table that nothing will ask for again.
  void drop(int table);

  int count() const { return int(tables.size()); }

  /// The factor with some of its variables fixed: those with value >= 0.
  Factor fix(const Factor &factor, const std::vector<int> &sizes,
             const std::vector<int> &values);

private:
  /// A table made by `make()`, or the one that the same key made before.
  template <typename Make> int make(const Numbering::Key &key, Make make) {
    return of(keys.number(key), make);
  }
  template <typename Make>
  int make(std::initializer_list<int64_t> key, Make make) {
    return of(keys.number(key), make);
  }
  template <typename Make> int of(int number, Make make) {
    if (number == int(tables.size())) {
      tables.push_back(make());
      untied.emplace_back();
      magnitudes.push_back(magnitudeOf(tables.back()));
    }
    return number;
  }

  static double magnitudeOf(const std::vector<Cost> &costs);

  std::deque<std::vector<Cost>> tables;   // a deque: references stay valid
  std::deque<std::vector<double>> untied; // instead, of some
  std::vector<double> magnitudes; // per table; negative if there are ties
  std::vector<std::vector<double>> spare; // of tables that were dropped
  Numbering keys; // of each table: what it was made from
  Numbering::Key key;
};

} // namespace smex::partition::network

#endif
