// From decisions to one program per worker; see Passes.td.
#ifndef SMEX_COMPILER_LOWERING_PASSES_H
#define SMEX_COMPILER_LOWERING_PASSES_H

#include "dialects/exec/ir/Exec.h"
#include "dialects/smex/ir/Smex.h"
#include "dialects/tdl/analysis/RowReads.h"

#include "mlir/Pass/Pass.h"

namespace smex::lowering {

#define GEN_PASS_DECL
#include "compiler/lowering/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/Passes.h.inc"

/// Of a module: lists of rows that overlap are fetched each for itself, so that
/// no buffer is kept from one reader to another that reads other rows.
constexpr llvm::StringLiteral fetchesApartAttr = "smex.fetches_apart";

/// Of what is read by `known` parameters, lists of integers, a fetch gets the
/// rows alone that they say.
std::unique_ptr<mlir::Pass> createLowerToExecBy(analysis::NamedLists known);

} // namespace smex::lowering

#endif
