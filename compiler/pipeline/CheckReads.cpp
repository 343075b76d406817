#include "compiler/pipeline/CheckReads.h"

#include "dialects/tdl/analysis/InBounds.h"

using namespace mlir;
using namespace smex;

namespace {
/// A faulty operator is often used many times.
constexpr int kErrors = 20;
} // namespace

LogicalResult smex::pipeline::checkReads(func::FuncOp main) {
  const tdl::LambdaTable lambdas(main->getParentOp());
  int errors = 0;
  for (auto apply : main.getOps<semantic::ApplyOp>()) {
    analysis::Shapes shapes;
    std::vector<std::string> names;
    for (Value operand : apply.getInputs()) {
      shapes.push_back(semantic::tensorType(operand.getType()).shape);
      names.push_back("\"" + semantic::tensorName(operand).str() + "\"");
    }
    const auto stray =
        analysis::strayRead(lambdas[apply.getLambdaAttr().getAttr()],
                            apply.getExtents().vec(), shapes, names);
    if (!stray)
      continue;
    emitError(apply.getLoc()) << *stray;
    if (++errors == kErrors)
      break;
  }
  return failure(errors > 0);
}
