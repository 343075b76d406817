// Extents that values decide, in plans that are static: as many rows as an edge
// list has edges without self-loops. There is room for as many as there can be;
// how many there are, is computed when the plan runs, and everything that
// depends on it reads that number.
//
// What depends on it, is found without asking any operator: the model is
// imported several times, as if there were so many rows, and so many. Numbers
// that differ between these models (extents, bounds, divisors, constants) and
// follow the number of rows along a line are computed from it: where they don't
// follow such a line, or the models differ in more than numbers, the model is
// refused, for no other answer is known to be right.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_LENGTHS_H
#define SMEX_COMPILER_FRONTEND_ONNX_LENGTHS_H

#include "compiler/frontend/Model.h"

#include <functional>

namespace smex::frontend {

/// Rows that a node of the model chooses.
struct CountedRows {
  std::string node;
  int64_t room = 0;             // as many as there can be
  int count = 0;                // value, i64[]: how many there are
  std::optional<int64_t> bound; // the most that a run may choose: --bound
};

/// A model imported as if there were certain numbers of rows.
struct SampledModel {
  Model model;
  std::vector<CountedRows> rows;
  /// What the import decided by numbers that it knew: branches and iterations,
  /// by node.
  std::map<std::string, int64_t> decisions;
  /// Of what nodes give, by the model's names.
  std::map<std::string, std::vector<int64_t>> shapes;
};

/// Imports with so many rows, by node; without an entry, with all that there is
/// room for.
using ImportWithRows =
    std::function<Result<SampledModel>(const std::map<std::string, int64_t> &)>;

/// The model for any number of rows. Rows behind those that there are hold
/// nothing that counts: reductions leave them out, and in the model's outputs
/// they are zeros. Outputs with such rows are followed by one for each number
/// of rows, `<node>.count`; a number that has a bound is always an output.
/// `training`: refuses where the first output, of which a loss would be taken,
/// has such rows.
Result<Model> withLengths(SampledModel base, const ImportWithRows &import,
                          bool training);

} // namespace smex::frontend

#endif
