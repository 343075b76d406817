// What workers need of a tensor to apply an operator, and what is fetched for
// all operators that read the tensor.
#ifndef SMEX_COMPILER_LOWERING_NEEDS_H
#define SMEX_COMPILER_LOWERING_NEEDS_H

#include "dialects/exec/ir/Regions.h"

namespace smex::lowering {

using Boxes = std::vector<Box>; // one per worker

bool contains(const Boxes &outer, const Boxes &inner);

/// A region for each worker, and of that no more than some rows, if there are
/// such lists.
struct Need {
  mlir::Attribute of; // the region
  const Boxes *boxes; // the same, evaluated
  std::optional<exec::RowLists> rows;

  Runs rowsOf(size_t worker) const;
};

/// Whether it serves the other's reader.
bool contains(const Need &outer, const Need &inner);

/// What is fetched of a tensor of this shape, which workers own like this, to
/// meet all needs, of which none contains another one.
std::vector<Need> joined(const std::vector<Need> &needs, const Boxes &owned,
                         llvm::ArrayRef<int64_t> shape, exec::Regions &regions,
                         mlir::MLIRContext *context);

} // namespace smex::lowering

#endif
