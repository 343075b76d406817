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

#include <map>

#include "dialects/tdl/ir/TdlDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/tdl/ir/TdlOps.h.inc"

namespace smex::tdl {

/// Element types: bool is i1, unsigned integers are ui8 .. ui64.
mlir::Type toMlirType(DType type, mlir::MLIRContext *context);
std::optional<DType> toDType(mlir::Type type);

/// What an operation that applies a lambda must have: the symbol of one (or an
/// error that it `verb`s something else), as many operands, and an extent for
/// each index variable. Nothing in it: the lambda does not parse, which its own
/// verifier reports.
mlir::FailureOr<std::optional<Lambda>>
verifyLambdaUse(mlir::Operation *op, llvm::StringRef verb,
                mlir::FlatSymbolRefAttr symbol, size_t operands, size_t extents,
                mlir::SymbolTableCollection &symbols);

/// The lambdas of a module by symbol, parsed once.
class LambdaTable {
public:
  explicit LambdaTable(mlir::Operation *module);
  /// The lambda named so; verified modules always have it.
  const Lambda &operator[](mlir::StringAttr symbol) const {
    return *lambdas.at(symbol);
  }

private:
  llvm::DenseMap<mlir::StringAttr, std::shared_ptr<const Lambda>> lambdas;
};

/// The lambdas of a module by symbol, for passes that add some: one symbol per
/// distinct text.
class LambdaSymbols {
public:
  /// New ones are named `prefix`_0, `prefix`_1, ..
  LambdaSymbols(mlir::ModuleOp module, llvm::StringRef prefix);
  const Lambda &operator[](mlir::StringAttr symbol) const {
    return *lambdas.at(symbol);
  }
  /// The symbol of this lambda, which must be canonical: one that is there, or
  /// a new one at the module's start.
  mlir::FlatSymbolRefAttr symbolOf(const Lambda &lambda);

private:
  mlir::ModuleOp module;
  std::string prefix;
  std::map<std::string, mlir::StringAttr> symbols; // by text
  llvm::DenseMap<mlir::StringAttr, std::shared_ptr<const Lambda>> lambdas;
  int next = 0;
};

} // namespace smex::tdl

#endif
