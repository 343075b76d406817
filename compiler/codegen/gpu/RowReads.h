// What an expression reads at a row of the result, whatever the term: a thread
// that has the row for all terms reads it once.
#ifndef SMEX_COMPILER_CODEGEN_GPU_ROWREADS_H
#define SMEX_COMPILER_CODEGEN_GPU_ROWREADS_H

#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

struct RowRead {
  tdl::ExprRef read;
  /// The condition, on the row, that it is read on; null: always.
  tdl::ExprRef guard;

  /// Its value at the current coordinates; 0 where the guard is false.
  mlir::Value load(GpuKernel &kernel) const;
};

/// Reads in the expression that neither use the term nor go by data, and that
/// no condition decides on which does.
std::vector<RowRead> findRowReads(const tdl::ExprRef &expression, int term);

} // namespace smex::codegen

#endif
