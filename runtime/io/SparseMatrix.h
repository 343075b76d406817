// Sparse matrices in files: features with few nonzeros, and graphs.
#ifndef SMEX_RUNTIME_IO_SPARSEMATRIX_H
#define SMEX_RUNTIME_IO_SPARSEMATRIX_H

#include "dialects/support/Tensor.h"

#include <string>
#include <string_view>

namespace smex::io {

/// Coordinates (COO), in the order of the file.
struct SparseMatrix {
  int64_t rows = 0, columns = 0;
  /// One of each per entry; all within the matrix.
  std::vector<int64_t> row, column;
  /// One per entry, or of no elements: all are 1.
  Tensor values;

  int64_t entries() const { return int64_t(row.size()); }
};

/// The value of an entry; NaN of a type that is no number.
double valueOf(const SparseMatrix &matrix, int64_t entry);

/// By content or name: scipy's .npz (CSR, CSC or COO), Matrix Market (.mtx; of
/// a symmetric one both halves), or else a list of edges: a line
/// `row column [value]` each, numbered from 0, with blanks, tabs or commas;
/// lines that begin with # or % say nothing. Any file is a safe input.
Result<SparseMatrix> readSparseMatrix(const std::string &path);
Result<SparseMatrix> parseSparseMatrix(std::string_view bytes,
                                       const std::string &name);

/// With zeros; entries that occur twice are added up.
Result<Tensor> toDense(const SparseMatrix &matrix, const std::string &name);

} // namespace smex::io

#endif
