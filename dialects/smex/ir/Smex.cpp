#include "dialects/smex/ir/Smex.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

#include "dialects/smex/ir/SmexDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/smex/ir/SmexOps.cpp.inc"

void SmexDialect::initialize() {
  addOurAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/smex/ir/SmexOps.cpp.inc"
      >();
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  const tdl::LambdaAttr use =
      tdl::verifyLambdaUse(*this, "applies", getLambdaAttr(),
                           getInputs().size(), getExtents().size(), symbols);
  if (!use)
    return failure();
  const tdl::Lambda &lambda = use.getValue();
  for (int64_t extent : getExtents())
    if (extent < 0)
      return emitOpError("has a negative extent");
  for (size_t i = 0; i < lambda.operands.size(); ++i) {
    const smex::TensorType type = tensorType(getInputs()[i].getType());
    const tdl::Operand &operand = lambda.operands[i];
    if (type.rank() != operand.rank || type.dtype != operand.type)
      return emitOpError("passes ")
             << smex::toString(type) << " for operand " << operand.name
             << " of " << getLambdaAttr();
  }
  const smex::TensorType result = tensorType(getResult().getType());
  const auto shape = getExtents().take_front(lambda.rank());
  if (result.dtype != lambda.result || ArrayRef(result.shape) != shape)
    return emitOpError("gives ")
           << smex::toString(result) << ", which is not what its extents say";
  return success();
}

LogicalResult UpdateOp::verify() {
  if (getParameter().getType() != getValue().getType())
    return emitOpError("gives a parameter of ")
           << getParameter().getType() << " a value of "
           << getValue().getType();
  auto parameter = getParameter().getDefiningOp<ParameterOp>();
  if (!parameter)
    return emitOpError("changes what is no parameter");
  auto value = getValue().getDefiningOp<ApplyOp>();
  if (!value)
    return emitOpError("needs a value that is computed");
  if (parameter->getBlock() != value->getBlock() ||
      !parameter->isBeforeInBlock(value))
    return emitOpError("gives parameter \"")
           << parameter.getName()
           << "\" a value that is computed before the parameter is there";
  for (OpOperand &use : getParameter().getUses())
    if (auto other = dyn_cast<UpdateOp>(use.getOwner()))
      if (other != *this && use.getOperandNumber() == 0)
        return emitOpError("is not the only update of parameter \"")
               << parameter.getName() << "\"";
  for (Operation *user : getValue().getUsers())
    if (isa<UpdateOp>(user) && user != getOperation())
      return emitOpError("gives two parameters one value");
  return success();
}

DivisionAttr smex::semantic::cutOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttrOfType<DivisionAttr>(argument.getArgNumber(),
                                                   cutAttr);
  }
  return value.getDefiningOp()->getAttrOfType<DivisionAttr>("cut");
}

RecipeAttr smex::semantic::recipeOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttrOfType<RecipeAttr>(argument.getArgNumber(),
                                                 recipeAttr);
  }
  auto parameter = value.getDefiningOp<ParameterOp>();
  return parameter ? parameter.getRecipeAttr() : RecipeAttr();
}

void smex::semantic::setCut(Value value, DivisionAttr cut) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    function.setArgAttr(argument.getArgNumber(), cutAttr, cut);
  } else {
    value.getDefiningOp()->setAttr("cut", cut);
  }
}

std::shared_ptr<const analysis::KnownList>
smex::semantic::listOf(Value value, const analysis::NamedLists &known) {
  auto parameter = value.getDefiningOp<ParameterOp>();
  if (!parameter || !parameter.getConstant())
    return nullptr;
  const auto found = known.find(parameter.getName().str());
  return found == known.end() ? nullptr : found->second;
}

StringRef smex::semantic::tensorName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      nameAttr);
    return name ? name.strref() : "";
  }
  if (auto parameter = value.getDefiningOp<ParameterOp>())
    return parameter.getName();
  return value.getDefiningOp<ApplyOp>().getName();
}

ApplyOp smex::semantic::applyInstead(OpBuilder &builder, ApplyOp old, Type type,
                                     FlatSymbolRefAttr lambda,
                                     ValueRange operands,
                                     ArrayRef<int64_t> extents) {
  return ApplyOp::create(builder, old.getLoc(), type, lambda, operands,
                         builder.getDenseI64ArrayAttr(extents),
                         old.getNameAttr(), old.getNodeAttr(),
                         old.getGradientOfAttr(), old.getDetachedAttr(),
                         old.getFirstAttr(), DivisionAttr(), DivisionAttr());
}

void smex::semantic::eraseUnusedLambdas(ModuleOp module) {
  llvm::DenseSet<StringAttr> used;
  module.walk(
      [&](ApplyOp apply) { used.insert(apply.getLambdaAttr().getAttr()); });
  for (auto op : llvm::make_early_inc_range(module.getOps<tdl::LambdaOp>()))
    if (!used.contains(op.getSymNameAttr()))
      op.erase();
}

smex::TensorType smex::semantic::tensorType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return {tdl::toDType(tensor.getElementType()).value_or(DType::F32),
          tensor.getShape().vec()};
}

RankedTensorType smex::semantic::toMlirType(const smex::TensorType &type,
                                            MLIRContext *context) {
  return RankedTensorType::get(type.shape,
                               tdl::toMlirType(type.dtype, context));
}
