// Terms that read whole rows of one vector each: x[.., h, f] for all h, where f
// goes along the vector. If these follow each other in memory, a tile of
// several reads them all at fixed distances from the first.
#ifndef SMEX_COMPILER_CODEGEN_CPU_WHOLEROWS_H
#define SMEX_COMPILER_CODEGEN_CPU_WHOLEROWS_H

#include "compiler/codegen/cpu/CpuKernel.h"

namespace smex::codegen {

/// Whether rows, of values of `along`, one for each value of `before`, are of
/// one vector each, and follow each other wherever the term reads them. Null
/// where rows are not read as a whole, or `before` is -1.
mlir::Value haveFixedDistance(CpuKernel &kernel, const tdl::ExprRef &term,
                              int before, int along);

/// The term with such rows counted from the one that index variable `origin`
/// stands for.
tdl::ExprRef countedFrom(int origin, const tdl::ExprRef &term, int along);

} // namespace smex::codegen

#endif
