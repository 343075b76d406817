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

/// Of a module: what readers need of a tensor is fetched each for itself, so
/// that no buffer is kept from one to another that needs other parts.
constexpr llvm::StringLiteral fetchesApartAttr = "smex.fetches_apart";

/// Of a module that has been lowered without that: it has fetches for several
/// readers, none of which needs all that they bring.
constexpr llvm::StringLiteral fetchesJoinedAttr = "smex.fetches_joined";

/// Of what is read by `known` parameters, lists of integers, a fetch gets the
/// rows alone that they say.
std::unique_ptr<mlir::Pass> createLowerToExecBy(analysis::NamedLists known);

} // namespace smex::lowering

#endif
