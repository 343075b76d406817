#include "dialects/smex/ir/Application.h"

#include "dialects/tdl/analysis/LibraryKernel.h"

using namespace mlir;
using namespace smex;
using semantic::Application;
using semantic::ApplyOp;

std::vector<int> semantic::sharedOperands(ValueRange reader, ApplyOp producer) {
  std::vector<int> same;
  for (mlir::Value input : producer.getInputs()) {
    const auto at = llvm::find(reader, input);
    same.push_back(at == reader.end() ? -1 : int(at - reader.begin()));
  }
  return same;
}

SmallVector<mlir::Value> semantic::operandsOf(const analysis::Composition &made,
                                              ValueRange reader,
                                              ApplyOp producer) {
  SmallVector<mlir::Value> operands;
  for (const analysis::Composition::Origin &origin : made.operands) {
    const ValueRange of = origin.producer ? producer.getInputs() : reader;
    operands.push_back(of[size_t(origin.operand)]);
  }
  return operands;
}

std::optional<Application> semantic::composed(const Application &reader,
                                              int operand, ApplyOp producer,
                                              const tdl::Lambda &map) {
  auto made = analysis::compose({reader.lambda, reader.extents}, operand,
                                {map, producer.getExtents().vec()},
                                sharedOperands(reader.operands, producer));
  if (!made)
    return std::nullopt;
  auto operands = operandsOf(*made, reader.operands, producer);
  return Application{std::move(made->lambda), reader.extents,
                     std::move(operands)};
}

bool semantic::hasLibraryKernel(const tdl::Lambda &lambda,
                                const std::vector<int64_t> &extents,
                                ValueRange operands) {
  analysis::Shapes shapes;
  for (mlir::Value operand : operands)
    shapes.push_back(
        cast<RankedTensorType>(operand.getType()).getShape().vec());
  return analysis::hasLibraryKernel(lambda, extents, shapes);
}
