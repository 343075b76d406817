// Sparse matrices as text: Matrix Market, and lists of edges.
#ifndef SMEX_RUNTIME_IO_SPARSETEXT_H
#define SMEX_RUNTIME_IO_SPARSETEXT_H

#include "runtime/io/SparseMatrix.h"

namespace smex::io {

/// See readSparseMatrix. A list of edges is a square matrix, as large as the
/// largest number asks for.
Result<SparseMatrix> parseSparseText(std::string_view bytes,
                                     const std::string &name);

} // namespace smex::io

#endif
