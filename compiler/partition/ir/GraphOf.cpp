#include "compiler/partition/ir/Passes.h"
#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/Linear.h"
#include "dialects/tdl/analysis/Strategies.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace smex;
using namespace smex::partition;

GraphOfModule smex::partition::graphOf(func::FuncOp main, bool outputReduction,
                                       const analysis::NamedLists &known) {
  GraphOfModule result;
  llvm::DenseMap<mlir::Value, int> ids;
  const auto add = [&](mlir::Value value) {
    const smex::TensorType type = semantic::tensorType(value.getType());
    ids[value] = int(result.values.size());
    result.values.push_back(value);
    result.graph.tensors.push_back(
        {semantic::tensorName(value).str(), type.shape, byteSize(type.dtype)});
    result.graph.tensors.back().isOutput =
        llvm::any_of(value.getUsers(), [](Operation *user) {
          return !isa<semantic::ApplyOp>(user);
        });
  };
  for (BlockArgument argument : main.getArguments())
    add(argument);

  llvm::DenseMap<mlir::Value, mlir::Value> parameterOf; // of next values
  main.walk([&](semantic::UpdateOp update) {
    parameterOf[update.getValue()] = update.getParameter();
  });

  analysis::AccessTable accesses;
  analysis::RowReadsTable rowReads;
  llvm::StringMap<int> groups;
  std::vector<std::pair<int, llvm::StringRef>>
      gradients; // and what they are of
  const tdl::LambdaTable lambdas(main->getParentOp());
  for (Operation &op : main.getBody().front()) {
    if (auto parameter = dyn_cast<semantic::ParameterOp>(op)) {
      add(parameter.getResult());
      result.graph.tensors.back().isParameter = true;
    }
    auto apply = dyn_cast<semantic::ApplyOp>(op);
    if (!apply)
      continue;
    if (mlir::Value parameter = parameterOf.lookup(apply.getResult())) {
      ids[apply.getResult()] = ids.at(parameter);
      result.nextValues.emplace_back(apply.getResult(), ids.at(parameter));
    } else {
      add(apply.getResult());
    }
    const tdl::Lambda &lambda = lambdas[apply.getLambdaAttr().getAttr()];
    Operator node;
    node.name = apply.getName().str();
    if (const auto of = apply.getNode())
      node.group = groups.try_emplace(*of, int(groups.size())).first->second;
    if (const auto of = apply.getGradientOf())
      gradients.emplace_back(ids.at(apply.getResult()), *of);
    node.extents = apply.getExtents().vec();
    node.result = ids.at(apply.getResult());
    node.splits = analysis::cuttableIndices(lambda);
    if (const DType partial = tdl::partialType(lambda.reducer, lambda.result);
        partial != lambda.result)
      node.partialBytes = byteSize(partial);
    node.isSum = lambda.reducer == tdl::Reducer::Sum && node.partialBytes == 0;
    node.isLinear = analysis::isLinearMap(lambda);
    // What sums over nothing has no terms to divide.
    const bool hasTerms = llvm::none_of(
        llvm::ArrayRef(node.extents).drop_front(size_t(lambda.rank())),
        [](int64_t extent) { return extent == 0; });
    if (!outputReduction || !hasTerms)
      llvm::erase_if(node.splits,
                     [&](int index) { return index >= lambda.rank(); });
    std::vector<std::vector<int64_t>> shapes;
    for (mlir::Value operand : apply.getInputs())
      shapes.push_back(result.graph.tensors[ids.at(operand)].shape);
    const std::vector<analysis::Access> &read = accesses.of(lambda, shapes);
    analysis::KnownLists lists;
    for (mlir::Value operand : apply.getInputs())
      lists.push_back(semantic::listOf(operand, known));
    const auto &rows = rowReads.of(lambda, shapes, lists);
    for (size_t i = 0; i < read.size(); ++i)
      node.operands.push_back({ids.at(apply.getInputs()[i]), read[i], rows[i]});
    result.applications.push_back(apply);
    result.graph.operators.push_back(std::move(node));
  }
  llvm::StringMap<int> numbers;
  for (auto [t, tensor] : llvm::enumerate(result.graph.tensors))
    numbers[tensor.name] = int(t);
  for (const auto &[tensor, of] : gradients)
    if (const auto known = numbers.find(of); known != numbers.end())
      result.graph.tensors[size_t(tensor)].gradientOf = known->second;
  return result;
}
