#include "dialects/tdl/ir/Tdl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace smex;
using namespace smex::tdl;

#include "dialects/tdl/ir/TdlDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/tdl/ir/TdlOps.cpp.inc"

void TdlDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tdl/ir/TdlOps.cpp.inc"
      >();
}

LogicalResult LambdaOp::verify() {
  if (Result<Lambda> lambda = parseLambda(getText()); !lambda)
    return emitOpError("is not a lambda: ") << lambda.error().message;
  return success();
}

mlir::Type smex::tdl::toMlirType(DType type, MLIRContext *context) {
  Builder b(context);
  switch (type) {
  case DType::Bool:
    return b.getI1Type();
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  default:
    return IntegerType::get(context, unsigned(byteSize(type) * 8),
                            isUnsigned(type) ? IntegerType::Unsigned
                                             : IntegerType::Signless);
  }
}

std::optional<DType> smex::tdl::toDType(mlir::Type type) {
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  const bool isUnsignedType = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return isUnsignedType ? std::nullopt : std::optional(DType::Bool);
  case 8:
    return isUnsignedType ? DType::U8 : DType::I8;
  case 16:
    return isUnsignedType ? DType::U16 : DType::I16;
  case 32:
    return isUnsignedType ? DType::U32 : DType::I32;
  case 64:
    return isUnsignedType ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

FailureOr<std::optional<Lambda>>
smex::tdl::verifyLambdaUse(Operation *op, StringRef verb,
                           FlatSymbolRefAttr symbol, size_t operands,
                           size_t extents, SymbolTableCollection &symbols) {
  auto declared = symbols.lookupNearestSymbolFrom<LambdaOp>(op, symbol);
  if (!declared)
    return op->emitOpError(verb) << " " << symbol << ", which is no tdl.lambda";
  Result<Lambda> lambda = parseLambda(declared.getText());
  if (!lambda)
    return std::optional<Lambda>();
  if (lambda->operands.size() != operands)
    return op->emitOpError("has ") << operands << " operands, but " << symbol
                                   << " takes " << lambda->operands.size();
  if (lambda->indexCount() != int(extents))
    return op->emitOpError("gives ")
           << extents << " extents, but " << symbol << " has "
           << lambda->indexCount() << " index variables";
  return std::optional<Lambda>(std::move(*lambda));
}

LambdaTable::LambdaTable(Operation *module) {
  module->walk([&](LambdaOp op) {
    if (Result<Lambda> lambda = parseLambda(op.getText()))
      lambdas[op.getSymNameAttr()] =
          std::make_shared<const Lambda>(std::move(*lambda));
  });
}

LambdaSymbols::LambdaSymbols(ModuleOp module, StringRef prefix)
    : module(module), prefix(prefix) {
  for (auto op : module.getOps<LambdaOp>()) {
    symbols[op.getText().str()] = op.getSymNameAttr();
    if (Result<Lambda> lambda = parseLambda(op.getText()))
      lambdas[op.getSymNameAttr()] =
          std::make_shared<const Lambda>(std::move(*lambda));
  }
}

FlatSymbolRefAttr LambdaSymbols::symbolOf(const Lambda &lambda) {
  const std::string text = toString(lambda);
  const auto [entry, isNew] = symbols.try_emplace(text);
  if (isNew) {
    OpBuilder builder(module.getBodyRegion());
    do // a module may come from this very pass
      entry->second = builder.getStringAttr(prefix + "_" + Twine(next++));
    while (lambdas.contains(entry->second));
    LambdaOp::create(builder, module.getLoc(), entry->second,
                     builder.getStringAttr(text));
    lambdas[entry->second] = std::make_shared<const Lambda>(lambda);
  }
  return FlatSymbolRefAttr::get(entry->second);
}
