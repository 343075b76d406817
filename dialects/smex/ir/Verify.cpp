// What the attributes of a model's function may be: passes that ask for one of
// another kind would find nothing.
#include "dialects/smex/ir/Smex.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

namespace {

LogicalResult wrong(Operation *op, NamedAttribute attribute, StringRef what) {
  return op->emitOpError() << "has " << attribute.getName()
                           << ", which has to be " << what;
}

/// Nothing where the type is none of a model.
std::optional<smex::TensorType> typeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tdl::toDType(tensor.getElementType()))
    return std::nullopt;
  return tensorType(tensor);
}

bool isOfIntegers(Type type) {
  const auto tensor = typeOf(type);
  return tensor && isInteger(tensor->dtype);
}

LogicalResult verifyRange(Operation *op, NamedAttribute attribute, Type type) {
  if (isa<RangeAttr>(attribute.getValue()) && isOfIntegers(type))
    return success();
  return wrong(op, attribute, "a #smex.range, of a tensor of integers");
}

LogicalResult verifyPartRanges(Operation *op, NamedAttribute attribute,
                               Type type) {
  auto ranges = dyn_cast<PartRangesAttr>(attribute.getValue());
  if (!ranges || !isOfIntegers(type))
    return wrong(op, attribute, "a #smex.part_ranges, of a tensor of integers");
  for (const PartRange &range : ranges.getValue())
    if (const std::string why = notPartOf(range.part, typeOf(type)->shape);
        !why.empty())
      return op->emitOpError() << "has a range of a part that " << why;
  return success();
}

} // namespace

LogicalResult SmexDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  const auto isListOf = [&](auto isOne) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    return list && llvm::all_of(list, isOne);
  };
  if (attribute.getName() == graphsAttr &&
      !isListOf([](Attribute each) { return isa<GraphAttr>(each); }))
    return wrong(op, attribute, "a list of #smex.graph");
  if (attribute.getName() == edgeRowsAttr &&
      !isListOf([](Attribute each) { return isa<EdgeRowsAttr>(each); }))
    return wrong(op, attribute, "a list of #smex.edge_rows");
  if ((attribute.getName() == outputsAttr ||
       attribute.getName() == listedParametersAttr) &&
      !isListOf([](Attribute each) { return isa<StringAttr>(each); }))
    return wrong(op, attribute, "a list of names");
  return success();
}

LogicalResult SmexDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success();
  const StringRef name = attribute.getName();
  const Attribute value = attribute.getValue();
  const Type type = function.getArgumentTypes()[argument];
  if (name == nameAttr && !isa<StringAttr>(value))
    return wrong(op, attribute, "a string");
  if (name == cutAttr && !isa<DivisionAttr>(value))
    return wrong(op, attribute, "a #smex.division");
  if (name == recipeAttr && !isa<RecipeAttr>(value))
    return wrong(op, attribute, "a #smex.recipe");
  if (name == rangeAttr)
    return verifyRange(op, attribute, type);
  if (name == partRangesAttr)
    return verifyPartRanges(op, attribute, type);
  return success();
}

LogicalResult SmexDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success();
  if (attribute.getName() == rangeAttr)
    return verifyRange(op, attribute, function.getResultTypes()[result]);
  if (attribute.getName() == lossAttr && !isa<UnitAttr>(attribute.getValue()))
    return wrong(op, attribute, "there, without a value");
  return success();
}
