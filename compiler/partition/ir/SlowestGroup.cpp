#include "compiler/partition/ir/SlowestGroup.h"

#include <cmath>

using namespace smex;
using namespace smex::partition;

SlowestGroup::SlowestGroup(const GraphOfModule &module, mlir::ModuleOp ir,
                           const Rates &rates,
                           const analysis::NamedLists &known)
    : graph(module.graph), rates(rates) {
  const tdl::LambdaTable lambdas(ir);
  analysis::CountedTermsTable table;
  for (semantic::ApplyOp apply : module.applications) {
    const mlir::StringAttr symbol = apply.getLambdaAttr().getAttr();
    const tdl::Lambda &lambda = lambdas[symbol];
    std::unique_ptr<simulate::KernelTime> &time = times[symbol];
    if (!time)
      time = std::make_unique<simulate::KernelTime>(lambda);
    std::vector<std::vector<int64_t>> shapes;
    analysis::KnownLists lists;
    for (mlir::Value operand : apply.getInputs()) {
      shapes.push_back(semantic::tensorType(operand.getType()).shape);
      lists.push_back(semantic::listOf(operand, known));
    }
    kernels.push_back(
        {time.get(), table.of(lambda, std::move(shapes), std::move(lists)),
         semantic::tensorType(apply.getResult().getType()).dtype});
  }
}

double SlowestGroup::seconds(int op, const Box &share) const {
  if (isEmpty(share))
    return 0;
  const Operator &current = graph.operators[size_t(op)];
  const Kernel &kernel = kernels[size_t(op)];
  const Tensor &result = graph.tensors[size_t(current.result)];
  const Box written = front(share, result.shape.size());
  simulate::Amounts amounts;
  amounts.bytes = simulate::bytesOf(written, result.elementBytes);
  amounts.aligned = simulate::hasAlignedRows(written, result.elementBytes);
  std::vector<simulate::Part> parts;
  for (const Operand &operand : current.operands) {
    const Tensor &tensor = graph.tensors[size_t(operand.tensor)];
    parts.push_back(
        {operand.access.region(share, tensor.shape), tensor.elementBytes});
  }
  kernel.time->addReads(rates.device, share, kernel.terms.get(), result.shape,
                        parts, amounts);
  return kernel.time->seconds(rates.device, kernel.type, amounts);
}

int64_t SlowestGroup::inBytes(int op, const std::vector<Box> &shares) const {
  constexpr double most = 1e18; // which a plan cannot have anyway
  double slowest = 0;
  for (size_t g = 0; g < shares.size(); ++g)
    if (g == 0 || shares[g] != shares[g - 1])
      slowest = std::max(slowest, seconds(op, shares[g]));
  return std::llround(std::min(most, slowest * double(shares.size()) *
                                         rates.linkBytesPerSecond));
}
