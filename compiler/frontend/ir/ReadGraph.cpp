#include "compiler/frontend/ir/SemanticGraph.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace smex;
using namespace smex::frontend;
using semantic::ApplyOp;
using semantic::ParameterOp;

namespace {

class Reader {
public:
  explicit Reader(func::FuncOp main)
      : main(main), lambdas(main->getParentOp()) {}

  Model run() {
    for (BlockArgument input : main.getArguments())
      addInput(input);
    for (Operation &op : main.getBody().front())
      if (auto update = dyn_cast<semantic::UpdateOp>(op))
        model.updates.push_back(
            {numbers.at(update.getParameter()), numbers.at(update.getValue())});
      else if (auto parameter = dyn_cast<ParameterOp>(op))
        model.parameters.push_back(
            {add(parameter.getResult()),
             {},
             parameter.getConstant() || parameter.getState(),
             parameter.getState()});
      else if (auto apply = dyn_cast<ApplyOp>(op))
        add(apply);
    addOutputs();
    addGraphs();
    if (const auto listed =
            main->getAttrOfType<ArrayAttr>(semantic::listedParametersAttr))
      for (const auto name : listed.getAsRange<StringAttr>())
        model.listedParameters.push_back(name.str());
    return std::move(model);
  }

private:
  void addInput(BlockArgument input) {
    const int number = add(input);
    const unsigned at = input.getArgNumber();
    model.inputs.push_back(number);
    if (const auto range =
            main.getArgAttrOfType<semantic::RangeAttr>(at, semantic::rangeAttr))
      model.inputRanges[number] = {range.getLow(), range.getHigh(),
                                   range.getIgnore()};
    if (const auto parts = main.getArgAttrOfType<semantic::PartRangesAttr>(
            at, semantic::partRangesAttr))
      model.partRanges[number] = parts.getValue();
  }

  int add(mlir::Value value) {
    const int number = int(model.values.size());
    const std::string name = semantic::tensorName(value).str();
    numbers[value] = number;
    named.try_emplace(name, number);
    model.values.push_back({name, semantic::tensorType(value.getType())});
    return number;
  }

  void add(ApplyOp apply) {
    Application made;
    made.lambda = lambdas[apply.getLambdaAttr().getAttr()];
    made.extents = apply.getExtents().vec();
    for (mlir::Value operand : apply.getInputs())
      made.operands.push_back(numbers.at(operand));
    made.result = add(apply.getResult());
    made.node = apply.getNode().value_or("").str();
    if (const auto of = apply.getGradientOf())
      if (const auto found = named.find(*of); found != named.end())
        made.gradientOf = found->second;
    made.detached = apply.getDetached();
    made.ties = apply.getFirst() ? tdl::Ties::First : tdl::Ties::Shared;
    model.applications.push_back(std::move(made));
  }

  void addOutputs() {
    const auto names = main->getAttrOfType<ArrayAttr>(semantic::outputsAttr);
    const auto results = main.getBody().front().getTerminator()->getOperands();
    for (auto [i, value] : llvm::enumerate(results)) {
      const int number = numbers.at(value);
      model.outputs.push_back(number);
      model.outputNames.push_back(cast<StringAttr>(names[i]).str());
      if (const auto range = main.getResultAttrOfType<semantic::RangeAttr>(
              unsigned(i), semantic::rangeAttr))
        model.mostRows[number] = range.getHigh();
      if (main.getResultAttr(unsigned(i), semantic::lossAttr))
        model.loss = int(i);
    }
  }

  void addGraphs() {
    if (const auto graphs =
            main->getAttrOfType<ArrayAttr>(semantic::graphsAttr))
      for (const auto graph : graphs.getAsRange<semantic::GraphAttr>())
        model.graphs.push_back(graph.getValue());
    if (const auto list =
            main->getAttrOfType<ArrayAttr>(semantic::edgeRowsAttr))
      for (const auto rows : list.getAsRange<semantic::EdgeRowsAttr>())
        model.edgeRows.push_back({rows.getValue(), nullptr});
  }

  func::FuncOp main;
  const tdl::LambdaTable lambdas;
  Model model;
  llvm::DenseMap<mlir::Value, int> numbers;
  llvm::StringMap<int> named;
};

} // namespace

Model frontend::modelOf(func::FuncOp main) { return Reader(main).run(); }
