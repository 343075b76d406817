#include "dialects/tdl/ir/Tdl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::tdl;

#include "dialects/tdl/ir/TdlDialect.cpp.inc"

namespace smex::tdl::detail {

struct LambdaAttrStorage : AttributeStorage {
  struct KeyTy {
    StringRef text;
    const Lambda *lambda; // of that text
    bool operator==(const KeyTy &other) const { return text == other.text; }
  };

  LambdaAttrStorage(StringRef text, const Lambda &lambda)
      : text(text), lambda(lambda) {}

  bool operator==(const KeyTy &key) const { return text == key.text; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_value(key.text);
  }
  static LambdaAttrStorage *construct(AttributeStorageAllocator &allocator,
                                      const KeyTy &key) {
    return new (allocator.allocate<LambdaAttrStorage>())
        LambdaAttrStorage(allocator.copyInto(key.text), *key.lambda);
  }

  StringRef text;
  Lambda lambda;
};

} // namespace smex::tdl::detail

LambdaAttr LambdaAttr::get(MLIRContext *context, const Lambda &lambda) {
  const std::string text = toString(lambda);
  return Base::get(context, detail::LambdaAttrStorage::KeyTy{text, &lambda});
}

LambdaAttr LambdaAttr::parse(function_ref<InFlightDiagnostic()> emitError,
                             MLIRContext *context, StringRef text) {
  const Result<Lambda> lambda = parseLambda(text);
  if (lambda)
    return get(context, *lambda);
  emitError() << "is not a lambda: " << lambda.error().message;
  return {};
}

const Lambda &LambdaAttr::getValue() const { return getImpl()->lambda; }
StringRef LambdaAttr::getText() const { return getImpl()->text; }

template <typename Parser>
static ParseResult parseLambdaText(Parser &parser, LambdaAttr &lambda) {
  std::string text;
  const auto location = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  lambda = LambdaAttr::parse([&] { return parser.emitError(location); },
                             parser.getContext(), text);
  return success(bool(lambda));
}

static void printLambdaText(OpAsmPrinter &printer, Operation *,
                            LambdaAttr lambda) {
  printer.printString(lambda.getText());
}

Attribute LambdaAttr::parse(AsmParser &parser, mlir::Type) {
  LambdaAttr lambda;
  if (parser.parseLess() || parseLambdaText(parser, lambda) ||
      parser.parseGreater())
    return {};
  return lambda;
}

void LambdaAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getText());
  printer << '>';
}

#define GET_ATTRDEF_CLASSES
#include "dialects/tdl/ir/TdlAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/tdl/ir/TdlOps.cpp.inc"

void TdlDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tdl/ir/TdlAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tdl/ir/TdlOps.cpp.inc"
      >();
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

LambdaAttr smex::tdl::verifyLambdaUse(Operation *op, StringRef verb,
                                      FlatSymbolRefAttr symbol, size_t operands,
                                      size_t extents,
                                      SymbolTableCollection &symbols) {
  auto declared = symbols.lookupNearestSymbolFrom<LambdaOp>(op, symbol);
  if (!declared) {
    op->emitOpError(verb) << " " << symbol << ", which is no tdl.lambda";
    return {};
  }
  const Lambda &lambda = declared.getLambda().getValue();
  if (lambda.operands.size() != operands)
    op->emitOpError("has ") << operands << " operands, but " << symbol
                            << " takes " << lambda.operands.size();
  else if (lambda.indexCount() != int(extents))
    op->emitOpError("gives ")
        << extents << " extents, but " << symbol << " has "
        << lambda.indexCount() << " index variables";
  else
    return declared.getLambda();
  return {};
}

LambdaTable::LambdaTable(Operation *module) {
  for (auto op : module->getRegion(0).getOps<LambdaOp>())
    lambdas[op.getSymNameAttr()] = op.getLambda();
}

LambdaSymbols::LambdaSymbols(ModuleOp module, StringRef prefix)
    : module(module), prefix(prefix) {
  for (auto op : module.getOps<LambdaOp>()) {
    symbols[op.getLambda()] = op.getSymNameAttr();
    lambdas[op.getSymNameAttr()] = op.getLambda();
  }
  for (auto op : module.getOps<SymbolOpInterface>())
    taken.insert(op.getNameAttr());
}

FlatSymbolRefAttr LambdaSymbols::symbolOf(const Lambda &lambda) {
  const auto attribute = LambdaAttr::get(module.getContext(), lambda);
  const auto [entry, isNew] = symbols.try_emplace(attribute);
  if (isNew) {
    OpBuilder builder(module.getBodyRegion());
    do // a module may come from this very pass
      entry->second = builder.getStringAttr(prefix + "_" + Twine(next++));
    while (!taken.insert(entry->second).second);
    LambdaOp::create(builder, module.getLoc(), entry->second, attribute);
    lambdas[entry->second] = attribute;
  }
  return FlatSymbolRefAttr::get(entry->second);
}
