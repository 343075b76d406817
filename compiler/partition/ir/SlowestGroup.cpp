#include "compiler/partition/ir/SlowestGroup.h"

#include <cmath>

using namespace smex;
using namespace smex::partition;
using simulate::bytesOf;

namespace {

using Shapes = std::vector<std::vector<int64_t>>;

} // namespace

SlowestGroup::SlowestGroup(const GraphOfModule &module, mlir::ModuleOp ir,
                           const Rates &rates,
                           const analysis::NamedLists &known)
    : graph(module.graph), rates(rates) {
  const tdl::LambdaTable lambdas(ir);
  std::map<std::tuple<const tdl::Lambda *, Shapes, analysis::KnownLists>,
           std::shared_ptr<const analysis::CountedTerms>>
      counted;
  for (semantic::ApplyOp apply : module.applications) {
    const mlir::StringAttr symbol = apply.getLambdaAttr().getAttr();
    const tdl::Lambda &lambda = lambdas[symbol];
    std::unique_ptr<simulate::KernelTime> &time = times[symbol];
    if (!time)
      time = std::make_unique<simulate::KernelTime>(lambda);
    Shapes shapes;
    analysis::KnownLists lists;
    for (mlir::Value operand : apply.getInputs()) {
      shapes.push_back(semantic::tensorType(operand.getType()).shape);
      lists.push_back(semantic::listOf(operand, known));
    }
    const auto [terms, isNew] =
        counted.try_emplace({&lambda, shapes, lists}, nullptr);
    if (isNew)
      terms->second = analysis::CountedTerms::of(lambda, shapes, lists);
    kernels.push_back(
        {time.get(), terms->second,
         semantic::tensorType(apply.getResult().getType()).dtype});
  }
}

double SlowestGroup::seconds(int op, const Box &share) const {
  if (isEmpty(share))
    return 0;
  const Operator &current = graph.operators[size_t(op)];
  const Kernel &kernel = kernels[size_t(op)];
  const Tensor &result = graph.tensors[size_t(current.result)];
  const auto ofTerms = kernel.terms ? kernel.terms->share(share) : std::nullopt;
  const double points = bytesOf(share, 1);
  const double counted = ofTerms
                             ? kernel.time->counted(points, ofTerms->ofPoints)
                             : kernel.time->counted(points, result.shape);
  const Box written = front(share, result.shape.size());
  double bytes = bytesOf(written, result.elementBytes);
  bool aligned = simulate::hasAlignedRows(written, result.elementBytes);
  for (size_t k = 0; k < current.operands.size(); ++k) {
    const Operand &operand = current.operands[k];
    const Tensor &tensor = graph.tensors[size_t(operand.tensor)];
    const Box region = operand.access.region(share, tensor.shape);
    aligned &= simulate::hasAlignedRows(region, tensor.elementBytes);
    const double read =
        ofTerms && kernel.terms->hasTerms()[k] ? ofTerms->ofTerms : 1;
    bytes += kernel.time->bytesRead(rates.device, k,
                                    read * bytesOf(region, tensor.elementBytes),
                                    double(tensor.elementBytes), counted);
  }
  return kernel.time->seconds(rates.device, kernel.type, counted, bytes,
                              aligned);
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
