#include "compiler/training/TrainingGraph.h"

#include "compiler/training/Backward.h"
#include "compiler/training/ModelTape.h"
#include "compiler/training/Optimizer.h"

#include <algorithm>
#include <charconv>
#include <set>

using namespace smex;
using namespace smex::training;
using frontend::Model;

namespace {

std::optional<int64_t> integerOf(const std::string &text) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end)
    return std::nullopt;
  return value;
}

/// A loss by name: its operator, the labels' type, its attributes.
struct Loss {
  std::string op;
  TensorType labels;
  tdl::Attributes attributes;
  std::optional<frontend::InputRange> range; // of the labels
};

Result<Loss> lossFor(const TrainingOptions &options, const std::string &output,
                     const TensorType &type) {
  if (!isFloat(type.dtype))
    return fail("output \"", output, "\" is ", toString(type),
                ": a loss needs a float");
  if (elementCount(type.shape) == 0)
    return fail("output \"", output, "\" is ", toString(type),
                ": a mean of no elements is no loss");
  const size_t colon = options.loss.find(':');
  const std::string name = options.loss.substr(0, colon);
  Loss loss{name, type, {}, {}};
  if (name == "cross_entropy") {
    if (!options.counted.empty())
      return fail("loss \"", options.loss,
                  "\": labels that don't count are those of --ignore-index; "
                  "--counted is for mse, l1, bce_with_logits and "
                  "given:NAME");
    int64_t axis = -1;
    if (colon != std::string::npos) {
      const auto given = integerOf(options.loss.substr(colon + 1));
      if (!given)
        return fail("loss \"", options.loss, "\": the axis is no number");
      axis = *given;
    }
    if (axis < -type.rank() || axis >= type.rank())
      return fail("loss \"", options.loss, "\": output \"", output, "\" is ",
                  toString(type), ", it has no such axis");
    axis = axis < 0 ? axis + type.rank() : axis;
    loss.labels.dtype = DType::I64;
    loss.labels.shape.erase(loss.labels.shape.begin() + axis);
    // As PyTorch: -100 is no class.
    const int64_t ignore = options.ignoreIndex.value_or(-100);
    loss.attributes = {{"axis", axis}, {"ignore", ignore}};
    if (const int64_t classes = type.shape[size_t(axis)]; classes > 0)
      loss.range = {0, classes - 1, ignore};
    return loss;
  }
  if (colon == std::string::npos &&
      (name == "mse" || name == "l1" || name == "bce_with_logits")) {
    const bool isCounted = !options.counted.empty();
    if (isCounted && type.rank() == 0)
      return fail("output \"", output, "\" is ", toString(type),
                  ": it has no rows to be counted");
    loss.op += isCounted ? "_counted" : "";
    return loss;
  }
  return fail("no loss \"", options.loss,
              "\"; there are cross_entropy[:AXIS], "
              "mse, l1, bce_with_logits and given:NAME");
}

constexpr frontend::InputRange oneOrNone = {1, 1, 0};

/// Of a given loss: the model's input that says which rows count.
Status markCounted(ModelTape &graph, const std::string &name) {
  const Model &model = graph.model();
  const auto input =
      std::find_if(model.inputs.begin(), model.inputs.end(),
                   [&](int each) { return graph.name(each) == name; });
  if (input == model.inputs.end())
    return fail("--counted: the model computes its loss, and has no input \"",
                name,
                "\" to say which rows count in it: give it one of integers, "
                "which the loss reads, and its name as --counted=NAME");
  const TensorType &type = graph.type(*input);
  if (!isInteger(type.dtype) || type.rank() == 0)
    return fail("--counted: input \"", name, "\" is ", toString(type),
                ": integers are needed, 1 or 0 for each row");
  if (model.inputRanges.count(*input) || model.partRanges.count(*input))
    return fail("--counted: input \"", name,
                "\" says which elements of another tensor are read, and "
                "nothing of rows that count");
  const bool isRead =
      std::any_of(model.applications.begin(), model.applications.end(),
                  [&](const frontend::Application &application) {
                    const std::vector<int> &operands = application.operands;
                    return std::find(operands.begin(), operands.end(),
                                     *input) != operands.end();
                  });
  if (!isRead)
    return fail("--counted: nothing in the model reads input \"", name,
                "\", so that all rows count in its loss");
  graph.setRange(*input, oneOrNone);
  return {};
}

const char *whereSpare(Spare spare) {
  return spare == Spare::Edges
             ? "edge, and self-loops that are added, or spare edges of a plan "
               "with room for more"
             : "node, or per graph, of graphs that come when the plan runs, "
               "and rows of a plan with room for more";
}

Result<int> addLoss(ModelTape &graph, const TrainingOptions &options) {
  const Model &model = graph.model();
  const std::string given = "given:";
  if (options.loss.compare(0, given.size(), given) == 0) {
    if (!options.counted.empty())
      if (Status marked = markCounted(graph, options.counted); !marked)
        return marked.takeError();
    const std::string name = options.loss.substr(given.size());
    // An output may have another name than the value that it is.
    const auto output =
        std::find(model.outputNames.begin(), model.outputNames.end(), name);
    const int shown =
        output == model.outputNames.end()
            ? -1
            : model.outputs[size_t(output - model.outputNames.begin())];
    for (size_t v = 0; v < model.values.size(); ++v)
      if (model.values[v].name == name || int(v) == shown) {
        if (!isFloat(model.values[v].type.dtype) ||
            elementCount(model.values[v].type.shape) != 1)
          return fail("loss \"", name, "\" is ", toString(model.values[v].type),
                      ": one float is needed");
        return int(v);
      }
    return fail("the model has no value \"", name, "\" to take as its loss");
  }
  if (model.outputs.empty())
    return fail("the model has no output to take a loss of");
  const int output = model.outputs.front();
  const std::string name = model.outputNames.front();
  const auto loss = lossFor(options, name, graph.type(output));
  if (!loss)
    return loss.error();
  for (int input : model.inputs)
    if (graph.name(input) == "labels")
      return fail("the model has an input \"labels\" of its own: give its loss "
                  "with --loss given:NAME");
  const int labels = graph.addInput("labels", loss->labels);
  if (loss->range)
    graph.setRange(labels, *loss->range);
  const Spare spare = graph.setRows(labels, name);
  std::vector<int> operands = {output, labels};
  if (const std::string &counted = options.counted; !counted.empty()) {
    for (int input : model.inputs)
      if (graph.name(input) == counted)
        return fail("the model has an input \"", counted,
                    "\" of its own: --counted adds one, under another name "
                    "with --counted=NAME");
    operands.push_back(
        graph.addInput(counted, {DType::I64, {graph.type(labels).shape[0]}}));
    graph.setRange(operands.back(), oneOrNone);
    graph.setRows(operands.back(), name);
  } else if (spare != Spare::None && !(loss->range && loss->range->ignore)) {
    return fail("output \"", name, "\" has a row per ", whereSpare(spare),
                ", have no label: take --counted, an input that says which "
                "rows count, --loss cross_entropy, where a label that counts "
                "for nothing can be told, or a loss of the model's own, --loss "
                "given:NAME");
  }
  auto value =
      graph.apply(loss->op, operands, loss->attributes, "loss", "loss");
  if (!value)
    return value.takeError();
  return value->front();
}

Result<std::vector<int>> trainedParameters(const Model &model,
                                           const TrainingOptions &options) {
  std::set<std::string> frozen(options.freeze.begin(), options.freeze.end());
  std::set<int> moved; // by the model itself
  for (const frontend::Update &update : model.updates)
    moved.insert(update.parameter);
  std::vector<int> trained;
  for (const frontend::Parameter &parameter : model.parameters) {
    const frontend::Value &value = model.values[size_t(parameter.value)];
    const bool isFrozen = frozen.erase(value.name) > 0;
    if (!isFrozen && !parameter.constant && !moved.count(parameter.value) &&
        isFloat(value.type.dtype))
      trained.push_back(parameter.value);
  }
  for (const std::string &listed : model.listedParameters)
    frozen.erase(listed); // nothing to train is left of it
  if (!frozen.empty())
    return fail("the model has no parameter \"", *frozen.begin(),
                "\" to freeze");
  return trained;
}

/// A scale that the type of the loss has.
Status checkScale(double scale, DType type) {
  const double most = type == DType::F16 ? 65504 : 0x1p100;
  if (scale > 0 && scale <= most)
    return {};
  return fail("a loss of ", name(type),
              " can be scaled by more than 0, and by ", most, " at most");
}

} // namespace

Status training::addTrainingStep(Model &model, const TrainingOptions &options) {
  auto optimizer = Optimizer::make(options);
  if (!optimizer)
    return optimizer.takeError();
  const auto trained = trainedParameters(model, options);
  if (!trained)
    return trained.error();
  ModelTape graph(model);
  const auto loss = addLoss(graph, options);
  if (!loss)
    return loss.error();
  if (Status valid = checkScale(options.lossScale, graph.type(*loss).dtype);
      !valid)
    return valid.takeError();
  bool any = false;
  const auto step = [&](int parameter, int gradient) -> Status {
    any = true;
    if (options.lossScale != 1) {
      const std::string name = graph.name(gradient);
      auto unscaled =
          graph.apply("unscale", {gradient}, {{"scale", options.lossScale}},
                      name + ".unscaled", "optimizer of " + name);
      if (!unscaled)
        return unscaled.takeError();
      gradient = unscaled->front();
    }
    return optimizer->step(graph, parameter, gradient);
  };
  int scaled = *loss;
  if (options.lossScale != 1) {
    auto product = graph.apply("scale", {*loss}, {{"by", options.lossScale}},
                               "loss.scaled", "loss");
    if (!product)
      return product.takeError();
    scaled = product->front();
  }
  const Status added = addGradients(graph, scaled, *trained, step);
  if (!added)
    return added.error();
  if (!any)
    return fail("no parameter of the model has an influence on the loss that "
                "is smooth: there is nothing to train");
  // Numbers of rows that a run must keep to are looked at in training, too.
  std::vector<int> outputs = {*loss};
  std::vector<std::string> outputNames = {"loss"};
  for (size_t o = 0; o < model.outputs.size(); ++o)
    if (model.mostRows.count(model.outputs[o])) {
      outputs.push_back(model.outputs[o]);
      outputNames.push_back(model.outputNames[o]);
    }
  model.outputs = std::move(outputs);
  model.outputNames = std::move(outputNames);
  model.loss = 0;
  return {};
}
