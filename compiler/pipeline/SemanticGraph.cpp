#include "compiler/pipeline/SemanticGraph.h"

#include "dialects/smex/ir/Smex.h"
#include "mlir/IR/Builders.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace mlir;
using namespace smex;
using namespace smex::frontend;

namespace {

/// The lambdas of a module under construction: one symbol each.
class LambdaSymbols {
public:
  explicit LambdaSymbols(OpBuilder builder) : builder(builder) {}

  FlatSymbolRefAttr symbolOf(const tdl::Lambda &lambda, Location loc) {
    const auto attribute = tdl::LambdaAttr::get(builder.getContext(), lambda);
    const auto [entry, isNew] = names.try_emplace(attribute);
    if (isNew) {
      entry->second =
          builder.getStringAttr("lambda_" + Twine(names.size() - 1));
      tdl::LambdaOp::create(builder, loc, entry->second, attribute);
    }
    return FlatSymbolRefAttr::get(entry->second);
  }

private:
  OpBuilder builder;
  llvm::DenseMap<tdl::LambdaAttr, StringAttr> names;
};

/// Not a weight, nor a statistic that training moves, nor an optimizer's state.
bool isConstant(const Model &model, const Parameter &parameter) {
  return parameter.constant && !parameter.state &&
         llvm::none_of(model.updates, [&](const Update &update) {
           return update.parameter == parameter.value;
         });
}

/// What is known of a list of integers, such as the destinations of edges, or
/// of a matrix of which such lists are the rows: their ends, which are in no
/// order.
struct ListFacts {
  bool ascending;
  int64_t low, high;
};

std::optional<ListFacts> listFacts(const Model &model,
                                   const Parameter &parameter) {
  const smex::TensorType &type = model.values[parameter.value].type;
  const int64_t elements = elementCount(type.shape).value_or(0);
  if (!isConstant(model, parameter) || type.rank() < 1 || type.rank() > 2 ||
      elements == 0 || parameter.data.kind != ParameterData::Kind::Memory)
    return std::nullopt;
  const auto facts = [&](auto element) {
    using Element = decltype(element);
    auto *first = reinterpret_cast<const Element *>(parameter.data.bytes);
    const Element *last = first + elements;
    const auto ends = std::minmax_element(first, last);
    return ListFacts{type.rank() == 1 && std::is_sorted(first, last),
                     *ends.first, *ends.second};
  };
  if (type.dtype == DType::I64)
    return facts(int64_t());
  if (type.dtype == DType::I32)
    return facts(int32_t());
  return std::nullopt;
}

} // namespace

OwningOpRef<ModuleOp> smex::pipeline::buildSemanticGraph(const Model &model,
                                                         MLIRContext *context) {
  context->loadDialect<func::FuncDialect, tdl::TdlDialect,
                       semantic::SmexDialect>();
  OpBuilder builder(context);
  auto module =
      ModuleOp::create(NameLoc::get(StringAttr::get(context, model.name)));
  const auto typeOf = [&](int value) {
    return semantic::toMlirType(model.values[value].type, context);
  };
  const auto locationOf = [&](llvm::StringRef name) {
    return NameLoc::get(StringAttr::get(context, name));
  };

  SmallVector<Type> inputs, outputs;
  for (int value : model.inputs)
    inputs.push_back(typeOf(value));
  for (int value : model.outputs)
    outputs.push_back(typeOf(value));
  builder.setInsertionPointToEnd(module.getBody());
  auto main = func::FuncOp::create(builder, module.getLoc(), "main",
                                   builder.getFunctionType(inputs, outputs));
  SmallVector<StringRef> outputNames(model.outputNames.begin(),
                                     model.outputNames.end());
  main->setAttr(semantic::outputsAttr, builder.getStrArrayAttr(outputNames));
  for (auto [i, value] : llvm::enumerate(model.outputs))
    if (const auto most = model.mostRows.find(value);
        most != model.mostRows.end())
      main.setResultAttr(
          unsigned(i), semantic::rangeAttr,
          semantic::RangeAttr::get(context, 0, most->second, {}));
  if (model.loss)
    main.setResultAttr(unsigned(*model.loss), semantic::lossAttr,
                       builder.getUnitAttr());
  SmallVector<Attribute> graphs;
  for (const GraphInputs &graph : model.graphs)
    graphs.push_back(semantic::GraphAttr::get(context, graph));
  if (!graphs.empty())
    main->setAttr(semantic::graphsAttr, builder.getArrayAttr(graphs));
  Block *body = main.addEntryBlock();

  std::vector<mlir::Value> values(model.values.size());
  for (auto [i, value] : llvm::enumerate(model.inputs)) {
    const std::string &name = model.values[value].name;
    main.setArgAttr(unsigned(i), semantic::nameAttr,
                    builder.getStringAttr(name));
    if (const auto range = model.inputRanges.find(value);
        range != model.inputRanges.end())
      main.setArgAttr(unsigned(i), semantic::rangeAttr,
                      semantic::RangeAttr::get(context, range->second.low,
                                               range->second.high,
                                               range->second.ignore));
    if (const auto parts = model.partRanges.find(value);
        parts != model.partRanges.end())
      main.setArgAttr(unsigned(i), semantic::partRangesAttr,
                      semantic::PartRangesAttr::get(context, parts->second));
    body->getArgument(unsigned(i)).setLoc(locationOf(name));
    values[value] = body->getArgument(unsigned(i));
  }

  OpBuilder lambdaBuilder(main);
  LambdaSymbols symbols(lambdaBuilder);
  builder.setInsertionPointToEnd(body);
  for (const Parameter &parameter : model.parameters) {
    const std::string &name = model.values[parameter.value].name;
    const bool drawn = parameter.data.kind == ParameterData::Kind::Drawn;
    auto op = semantic::ParameterOp::create(builder, locationOf(name),
                                            typeOf(parameter.value),
                                            builder.getStringAttr(name));
    if (drawn)
      op.setDrawn(APFloat(parameter.data.scale));
    op.setState(parameter.state);
    op.setConstant(isConstant(model, parameter));
    if (const auto facts = listFacts(model, parameter)) {
      op.setAscending(facts->ascending);
      op.setRangeAttr(
          semantic::RangeAttr::get(context, facts->low, facts->high, {}));
    }
    values[parameter.value] = op;
  }
  for (const Application &application : model.applications) {
    const auto loc = locationOf(application.node);
    SmallVector<mlir::Value> operands;
    for (int value : application.operands)
      operands.push_back(values[value]);
    StringAttr gradientOf;
    if (application.gradientOf >= 0)
      gradientOf =
          builder.getStringAttr(model.values[application.gradientOf].name);
    values[application.result] = semantic::ApplyOp::create(
        builder, loc, typeOf(application.result),
        symbols.symbolOf(application.lambda, loc), ValueRange(operands),
        builder.getDenseI64ArrayAttr(application.extents),
        builder.getStringAttr(model.values[application.result].name),
        builder.getStringAttr(application.node), gradientOf,
        semantic::DivisionAttr(), semantic::DivisionAttr());
  }
  for (const Update &update : model.updates)
    semantic::UpdateOp::create(builder,
                               locationOf(model.values[update.parameter].name),
                               values[update.parameter], values[update.value]);
  SmallVector<mlir::Value> results;
  for (int value : model.outputs)
    results.push_back(values[value]);
  func::ReturnOp::create(builder, module.getLoc(), results);
  return module;
}
