// Where tensors are, and what each worker computes of an operator, as decided.
#ifndef SMEX_COMPILER_LOWERING_WORK_H
#define SMEX_COMPILER_LOWERING_WORK_H

#include "compiler/lowering/Needs.h"

#include "dialects/smex/ir/Smex.h"

namespace smex::lowering {

/// How a tensor is divided; whole on the only worker where nothing is
/// partitioned.
semantic::DivisionAttr homeOf(mlir::Value value, const Ways &ways);

/// Whether workers keep their terms of a sum, which others add up with theirs
/// of other sums.
bool isInTerms(mlir::Value value);

/// What each worker computes of one application.
struct Work {
  semantic::DivisionAttr indices;
  mlir::Attribute result; // what that is of the result: of terms, too
  bool partial = false;   // there is more than one term
};

Work workOf(semantic::ApplyOp apply, const tdl::Lambda &lambda,
            const Ways &ways, exec::Regions &regions);

} // namespace smex::lowering

#endif
