// The semantic dataflow graph; see Smex.td for its operations and for the
// attributes that hold decisions.
#ifndef SMEX_DIALECTS_SMEX_IR_SMEX_H
#define SMEX_DIALECTS_SMEX_IR_SMEX_H

#include "dialects/smex/lists/Derived.h"
#include "dialects/smex/lists/GraphInputs.h"
#include "dialects/support/PartRange.h"
#include "dialects/support/Shares.h"
#include "dialects/support/Tensor.h"
#include "dialects/tdl/analysis/RowReads.h"
#include "dialects/tdl/ir/Tdl.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace smex::semantic::detail {
struct DivisionAttrStorage;
struct RecipeAttrStorage;
struct PartRangesAttrStorage;
struct GraphAttrStorage;
struct EdgeRowsAttrStorage;
} // namespace smex::semantic::detail

#include "dialects/smex/ir/SmexDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/smex/ir/SmexAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/smex/ir/SmexOps.h.inc"

namespace smex::semantic {

/// Attribute names on functions, arguments and the module.
constexpr llvm::StringLiteral nameAttr = "smex.name";   // argument
constexpr llvm::StringLiteral rangeAttr = "smex.range"; // argument, result
constexpr llvm::StringLiteral partRangesAttr = "smex.part_ranges"; // argument
constexpr llvm::StringLiteral cutAttr = "smex.cut";                // argument
constexpr llvm::StringLiteral recipeAttr = "smex.recipe";          // argument
constexpr llvm::StringLiteral outputsAttr = "smex.outputs";        // function
constexpr llvm::StringLiteral graphsAttr = "smex.graphs";          // function
constexpr llvm::StringLiteral edgeRowsAttr = "smex.edge_rows";     // function
constexpr llvm::StringLiteral listedParametersAttr =
    "smex.listed_parameters";                             // function
constexpr llvm::StringLiteral lossAttr = "smex.loss";     // result
constexpr llvm::StringLiteral waysAttr = "smex.ways";     // module
constexpr llvm::StringLiteral searchAttr = "smex.search"; // module
/// Of applications that are placed: behind how many further ones their results
/// are copied to other workers.
constexpr llvm::StringLiteral copiedAttr = "smex.copied";

/// How a parameter or an argument follows from others; null where it does not.
RecipeAttr recipeOf(mlir::Value value);

/// The model's function, `@main`, of what this dialect says a model is; null
/// with an error where there is none.
mlir::func::FuncOp mainFunction(mlir::ModuleOp module);

/// The decision on how a value is divided; null before partitioning.
DivisionAttr cutOf(mlir::Value value);
void setCut(mlir::Value value, DivisionAttr cut);

/// The name of the tensor: an argument's, parameter's, or application's.
llvm::StringRef tensorName(mlir::Value value);
/// The values of a constant, if they are among the known ones; or null.
std::shared_ptr<const analysis::KnownList>
listOf(mlir::Value value, const analysis::NamedLists &known);

/// Another lambda in the place of an application, of the same tensor of the
/// same node; not cut yet.
ApplyOp applyInstead(mlir::OpBuilder &builder, ApplyOp old, mlir::Type type,
                     mlir::FlatSymbolRefAttr lambda, mlir::ValueRange operands,
                     llvm::ArrayRef<int64_t> extents);

/// Lambdas that nothing applies any more.
void eraseUnusedLambdas(mlir::ModuleOp module);

smex::TensorType tensorType(mlir::Type type);
mlir::RankedTensorType toMlirType(const smex::TensorType &type,
                                  mlir::MLIRContext *);

} // namespace smex::semantic

#endif
