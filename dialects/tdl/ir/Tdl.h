// The MLIR side of the tensor description language; the language itself is in
// dialects/tdl/lambda.
#ifndef SMEX_DIALECTS_TDL_IR_TDL_H
#define SMEX_DIALECTS_TDL_IR_TDL_H

#include "dialects/tdl/lambda/Lambda.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

namespace smex::tdl::detail {
struct LambdaAttrStorage;
}

#include "dialects/tdl/ir/TdlDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tdl/ir/TdlAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/tdl/ir/TdlOps.h.inc"

namespace smex::tdl {

/// Element types: bool is i1, unsigned integers are ui8 .. ui64.
mlir::Type toMlirType(DType type, mlir::MLIRContext *context);
std::optional<DType> toDType(mlir::Type type);

/// What an operation that applies a lambda must have: the symbol of one (or an
/// error that it `verb`s something else), as many operands, and an extent for
/// each index variable. Null where it has not; the error is reported.
LambdaAttr verifyLambdaUse(mlir::Operation *op, llvm::StringRef verb,
                           mlir::FlatSymbolRefAttr symbol, size_t operands,
                           size_t extents,
                           mlir::SymbolTableCollection &symbols);

/// The lambdas of a module by symbol; not those of modules within it.
class LambdaTable {
public:
  explicit LambdaTable(mlir::Operation *module);
  /// The lambda named so; verified modules always have it.
  const Lambda &operator[](mlir::StringAttr symbol) const {
    return lambdas.at(symbol).getValue();
  }

private:
  llvm::DenseMap<mlir::StringAttr, LambdaAttr> lambdas;
};

/// The lambdas of a module by symbol, for passes that add some: one symbol per
/// distinct lambda.
class LambdaSymbols {
public:
  /// New ones are named `prefix`_0, `prefix`_1, ..
  LambdaSymbols(mlir::ModuleOp module, llvm::StringRef prefix);
  const Lambda &operator[](mlir::StringAttr symbol) const {
    return lambdas.at(symbol).getValue();
  }
  /// The symbol of this lambda, which must be canonical: one that is there, or
  /// a new one at the module's start.
  mlir::FlatSymbolRefAttr symbolOf(const Lambda &lambda);

private:
  mlir::ModuleOp module;
  std::string prefix;
  llvm::DenseMap<LambdaAttr, mlir::StringAttr> symbols;
  llvm::DenseMap<mlir::StringAttr, LambdaAttr> lambdas;
  llvm::DenseSet<mlir::StringAttr> taken; // symbols, of lambdas or not
  int next = 0;
};

} // namespace smex::tdl

#endif
