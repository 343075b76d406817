// What all passes on a model ask of the function `@main`.
#include "dialects/smex/ir/Smex.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

static bool isTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         tdl::toDType(tensor.getElementType());
}

static LogicalResult verifyOutputs(func::FuncOp main) {
  const auto names = main->getAttrOfType<ArrayAttr>(outputsAttr);
  const size_t results = main.getNumResults();
  if (names ? names.size() != results : results > 0)
    return main.emitOpError("has ")
           << results << " results, but " << outputsAttr << " has "
           << (names ? names.size() : 0) << " names";
  return success();
}

static LogicalResult verifyModel(func::FuncOp main) {
  if (!llvm::hasSingleElement(main.getBody()))
    return main.emitOpError("must have a body of one block");
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (!isTensor(type))
      return main.emitOpError("has an input that is no tensor of fixed shape "
                              "and of elements that lambdas know: number ")
             << i << ", " << type;
  for (Operation &op : main.getBody().front())
    if (!isa<ParameterOp, ApplyOp, UpdateOp, func::ReturnOp>(op))
      return op.emitOpError("is not of a model: in @main there are only "
                            "smex.parameter, smex.apply and smex.update");
  return verifyOutputs(main);
}

func::FuncOp smex::semantic::mainFunction(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    module.emitError("the module has no func.func @main");
  return main && succeeded(verifyModel(main)) ? main : nullptr;
}
