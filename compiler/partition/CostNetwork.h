// Cost function networks: variables with small domains, costs on one and on two
// of them, minimize the sum. One step of the recursion is one (Recursive.h).
//
// Solved exactly by variable elimination (bucket elimination: Dechter 1999; on
// a chain it is the dynamic program of thesis section 3.5.1, on any graph it is
// as cheap as the graph is narrow): to eliminate x, add up all costs that know
// x, minimize over x, and leave the result as one cost on x's neighbours.
//
// Costs have two parts, compared in order. Deterministic: equal problems and
// parameters give equal solutions on any machine.
#ifndef SMEX_COMPILER_PARTITION_COSTNETWORK_H
#define SMEX_COMPILER_PARTITION_COSTNETWORK_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <tuple>
#include <vector>

namespace smex::partition::network {

struct Cost {
  int64_t bytes = 0;
  int64_t tie = 0; // decides between equal bytes

  Cost operator+(Cost other) const {
    return {bytes + other.bytes, tie + other.tie};
  }
  Cost operator-(Cost other) const {
    return {bytes - other.bytes, tie - other.tie};
  }
  void operator+=(Cost other) { *this = *this + other; }
  bool operator<(Cost other) const {
    return bytes < other.bytes || (bytes == other.bytes && tie < other.tie);
  }
  bool operator==(Cost other) const {
    return bytes == other.bytes && tie == other.tie;
  }
};

/// Row-major.
struct Table {
  int rows = 0, columns = 0;
  std::vector<Cost> costs;

  Cost at(int row, int column) const {
    return costs[size_t(row) * columns + column];
  }
};

struct Problem {
  /// Values of variable v: 0 .. domains[v] - 1.
  std::vector<int> domains;

  struct Unary {
    int variable;
    std::vector<Cost> costs;
  };
  std::vector<Unary> unaries;

  /// Tables are named by number, so that repeated structure shares them.
  std::vector<Table> tables;
  struct Binary {
    int first, second; // row, column; different variables
    int table;
  };
  std::vector<Binary> binaries;
};

struct Params {
  /// Eliminating a variable may make a table of at most this many entries;
  /// where it would be larger, the search is bounded and not exact.
  int64_t maxTableEntries = int64_t(1) << 22;
  /// The same for all tables of one elimination together (16 bytes each).
  int64_t maxTotalEntries = int64_t(1) << 25;
  /// Entries of a table of the lower bound that a bounded search computes.
  int64_t maxBoundEntries = int64_t(1) << 16;
  /// A bounded search frees as many variables as can be eliminated with tables
  /// of this size, the others being fixed, solves that part exactly, and goes
  /// on with another part: so often at most, and until so many parts in a row
  /// were no better.
  int64_t maxPartEntries = int64_t(1) << 12;
  int parts = 64;
  int patience = 6;
  /// Whether to search where elimination would make larger tables, or to return
  /// no values.
  bool bounded = true;
};

struct Solution {
  std::vector<int> values;
  Cost cost;
  /// No assignment costs less. Its tie part is meaningful only if optimal.
  Cost lowerBound;
  bool optimal = false;
};

Solution solve(const Problem &problem, const Params &params = {});

/// The problem in which the variables of a class have one value: a variable per
/// class, numbered from 0, whose members have as many values each.
Problem tie(const Problem &problem, const std::vector<int> &classes);

/// Only Solution::lowerBound of solve: exact where the tables allow, without
/// the search for an assignment where they don't.
Cost lowerBound(const Problem &problem, const Params &params = {});

/// The cost of an assignment, added up from scratch.
Cost evaluate(const Problem &problem, const std::vector<int> &values);

/// Domains of at least one value and at most 65,536, variables and tables that
/// exist and fit each other. Sums of costs are the caller's to bound: 62 bits.
Status validate(const Problem &problem);

/// Independent of the solver: values in range, and the cost is theirs.
Status validate(const Problem &problem, const Solution &solution);

} // namespace smex::partition::network

#endif
