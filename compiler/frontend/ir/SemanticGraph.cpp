#include "compiler/frontend/ir/SemanticGraph.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace mlir;
using namespace smex;
using namespace smex::frontend;

namespace {

/// The lambdas of a module, one symbol each; new ones before its function.
class LambdaSymbols {
public:
  explicit LambdaSymbols(func::FuncOp main) : builder(main) {
    for (auto op :
         cast<ModuleOp>(main->getParentOp()).getOps<tdl::LambdaOp>()) {
      names.try_emplace(op.getLambda(), op.getSymNameAttr());
      taken.insert(op.getSymNameAttr());
    }
  }

  FlatSymbolRefAttr symbolOf(const tdl::Lambda &lambda, Location loc) {
    const auto attribute = tdl::LambdaAttr::get(builder.getContext(), lambda);
    const auto [entry, isNew] = names.try_emplace(attribute);
    if (isNew) {
      do
        entry->second = builder.getStringAttr("lambda_" + Twine(next++));
      while (!taken.insert(entry->second).second);
      tdl::LambdaOp::create(builder, loc, entry->second, attribute);
    }
    return FlatSymbolRefAttr::get(entry->second);
  }

private:
  OpBuilder builder;
  llvm::DenseMap<tdl::LambdaAttr, StringAttr> names;
  llvm::DenseSet<StringAttr> taken;
  int next = 0;
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

/// Adds to a function what a model has more than it.
class Writer {
public:
  Writer(func::FuncOp main, const Model &model)
      : main(main), model(model), body(main.getBody().front()),
        builder(main.getContext()), symbols(main), values(model.values.size()) {
  }

  void run() {
    // In the order in which modelOf numbers them.
    size_t number = 0, parameters = 0, applications = 0, updates = 0;
    Operation *lastParameter = nullptr, *last = nullptr;
    for (BlockArgument input : body.getArguments())
      values[number++] = input;
    for (Operation &op : body) {
      updates += isa<semantic::UpdateOp>(op);
      if (!isa<semantic::ParameterOp, semantic::ApplyOp>(op))
        continue;
      values[number++] = op.getResult(0);
      last = &op;
      if (isa<semantic::ApplyOp>(op))
        ++applications;
      else
        ++parameters, lastParameter = &op;
    }
    for (size_t i = 0; i < body.getNumArguments(); ++i)
      setRanges(model.inputs[i], unsigned(i));
    for (size_t i = body.getNumArguments(); i < model.inputs.size(); ++i)
      addInput(model.inputs[i]);
    continueAfter(lastParameter);
    for (size_t i = parameters; i < model.parameters.size(); ++i)
      addParameter(model.parameters[i]);
    if (last != lastParameter)
      continueAfter(last);
    for (size_t i = applications; i < model.applications.size(); ++i)
      addApplication(model.applications[i]);
    builder.setInsertionPointToEnd(&body);
    if (body.mightHaveTerminator())
      body.getTerminator()->erase();
    for (size_t i = updates; i < model.updates.size(); ++i)
      addUpdate(model.updates[i]);
    setOutputs();
    setFacts();
  }

private:
  Location locationOf(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name));
  }
  const std::string &nameOf(int value) const {
    return model.values[size_t(value)].name;
  }
  RankedTensorType typeOf(int value) {
    return semantic::toMlirType(model.values[size_t(value)].type,
                                builder.getContext());
  }

  void continueAfter(Operation *op) {
    if (op)
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointToStart(&body);
  }

  void addInput(int value) {
    const unsigned number = main.getNumArguments();
    const auto name = builder.getStringAttr(nameOf(value));
    // An argument more can always be inserted.
    (void)main.insertArgument(number, typeOf(value), DictionaryAttr(),
                              NameLoc::get(name));
    main.setArgAttr(number, semantic::nameAttr, name);
    setRanges(value, number);
    values[size_t(value)] = main.getArgument(number);
  }

  /// What an input's integers may be.
  void setRanges(int value, unsigned number) {
    if (const auto range = model.inputRanges.find(value);
        range != model.inputRanges.end())
      main.setArgAttr(
          number, semantic::rangeAttr,
          semantic::RangeAttr::get(builder.getContext(), range->second.low,
                                   range->second.high, range->second.ignore));
    if (const auto parts = model.partRanges.find(value);
        parts != model.partRanges.end())
      main.setArgAttr(
          number, semantic::partRangesAttr,
          semantic::PartRangesAttr::get(builder.getContext(), parts->second));
  }

  void addParameter(const Parameter &parameter) {
    const std::string &name = nameOf(parameter.value);
    auto op = semantic::ParameterOp::create(builder, locationOf(name),
                                            typeOf(parameter.value),
                                            builder.getStringAttr(name));
    if (parameter.data.kind == ParameterData::Kind::Drawn)
      op.setDrawn(APFloat(parameter.data.scale));
    op.setState(parameter.state);
    op.setConstant(isConstant(model, parameter));
    if (const auto facts = listFacts(model, parameter)) {
      op.setAscending(facts->ascending);
      op.setRangeAttr(semantic::RangeAttr::get(builder.getContext(), facts->low,
                                               facts->high, {}));
    }
    values[size_t(parameter.value)] = op;
  }

  void addApplication(const Application &application) {
    const auto loc = locationOf(application.node);
    const auto flag = [&](bool is) {
      return is ? builder.getUnitAttr() : UnitAttr();
    };
    SmallVector<mlir::Value> operands;
    for (int value : application.operands)
      operands.push_back(values[size_t(value)]);
    StringAttr gradientOf;
    if (application.gradientOf >= 0)
      gradientOf = builder.getStringAttr(nameOf(application.gradientOf));
    values[size_t(application.result)] = semantic::ApplyOp::create(
        builder, loc, typeOf(application.result),
        symbols.symbolOf(application.lambda, loc), ValueRange(operands),
        builder.getDenseI64ArrayAttr(application.extents),
        builder.getStringAttr(nameOf(application.result)),
        builder.getStringAttr(application.node), gradientOf,
        flag(application.detached), flag(application.ties == tdl::Ties::First),
        semantic::DivisionAttr(), semantic::DivisionAttr());
  }

  void addUpdate(const Update &update) {
    semantic::UpdateOp::create(builder, locationOf(nameOf(update.parameter)),
                               values[size_t(update.parameter)],
                               values[size_t(update.value)]);
  }

  /// What is said of a result goes with it.
  void setOutputs() {
    SmallVector<mlir::Value> results;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> facts;
    for (auto [i, value] : llvm::enumerate(model.outputs)) {
      results.push_back(values[size_t(value)]);
      types.push_back(typeOf(value));
      NamedAttrList list;
      if (const auto most = model.mostRows.find(value);
          most != model.mostRows.end())
        list.set(semantic::rangeAttr,
                 semantic::RangeAttr::get(builder.getContext(), 0, most->second,
                                          {}));
      if (model.loss == int(i))
        list.set(semantic::lossAttr, builder.getUnitAttr());
      facts.push_back(list.getDictionary(builder.getContext()));
    }
    func::ReturnOp::create(builder, main.getLoc(), results);
    main.setFunctionType(
        builder.getFunctionType(body.getArgumentTypes(), types));
    main.setAllResultAttrs(facts);
    main->setAttr(semantic::outputsAttr, strings(model.outputNames));
  }

  void setFacts() {
    SmallVector<Attribute> graphs, rows;
    for (const GraphInputs &graph : model.graphs)
      graphs.push_back(semantic::GraphAttr::get(builder.getContext(), graph));
    for (const EdgeRows &each : model.edgeRows)
      rows.push_back(semantic::EdgeRowsAttr::get(builder.getContext(), each));
    if (!graphs.empty())
      main->setAttr(semantic::graphsAttr, builder.getArrayAttr(graphs));
    if (!rows.empty())
      main->setAttr(semantic::edgeRowsAttr, builder.getArrayAttr(rows));
    std::set<std::string> listed(model.listedParameters.begin(),
                                 model.listedParameters.end());
    for (const Parameter &parameter : model.parameters)
      listed.erase(nameOf(parameter.value));
    if (!listed.empty())
      main->setAttr(semantic::listedParametersAttr,
                    strings({listed.begin(), listed.end()}));
  }

  ArrayAttr strings(const std::vector<std::string> &list) {
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(list.begin(), list.end()));
  }

  func::FuncOp main;
  const Model &model;
  Block &body;
  OpBuilder builder;
  LambdaSymbols symbols;
  std::vector<mlir::Value> values; // by the model's numbers
};

} // namespace

void frontend::addToGraph(func::FuncOp main, const Model &model) {
  Writer(main, model).run();
}

OwningOpRef<ModuleOp> frontend::buildSemanticGraph(const Model &model,
                                                   MLIRContext *context) {
  context->loadDialect<func::FuncDialect, tdl::TdlDialect,
                       semantic::SmexDialect>();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(NameLoc::get(builder.getStringAttr(model.name)));
  builder.setInsertionPointToEnd(module->getBody());
  auto main = func::FuncOp::create(builder, module->getLoc(), "main",
                                   builder.getFunctionType({}, {}));
  main.addEntryBlock();
  addToGraph(main, model);
  return module;
}
