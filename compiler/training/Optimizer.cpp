#include "compiler/training/Optimizer.h"

#include "dialects/tdl/lambda/Accumulated.h"

#include <cmath>
#include <map>

using namespace smex;
using namespace smex::training;

namespace {

/// An optimizer's operator, PyTorch's names for its state, and what PyTorch
/// takes where nothing is said.
struct Row {
  const char *op;
  std::vector<const char *> state;
  double learningRate, weightDecay;
};

const std::map<std::string, Row> &table() {
  static const std::map<std::string, Row> rows = {
      {"sgd", {"sgd", {}, 1e-3, 0}},
      {"momentum", {"sgd_momentum", {"momentum_buffer"}, 1e-3, 0}},
      {"adam", {"adam_step", {"exp_avg", "exp_avg_sq"}, 1e-3, 0}},
      {"adamw", {"adam_step", {"exp_avg", "exp_avg_sq"}, 1e-3, 1e-2}},
      {"adagrad", {"adagrad_step", {"sum"}, 1e-2, 0}},
  };
  return rows;
}

} // namespace

std::vector<std::string> training::optimizerNames() {
  std::vector<std::string> names;
  for (const auto &[name, unused] : table())
    names.push_back(name);
  return names;
}

Result<Optimizer> Optimizer::make(const TrainingOptions &options) {
  const auto row = table().find(options.optimizer);
  if (row == table().end()) {
    std::string all;
    for (const auto &[name, unused] : table())
      all += (all.empty() ? "" : ", ") + name;
    return fail("no optimizer \"", options.optimizer, "\"; there are ", all);
  }
  Optimizer made;
  made.name = options.optimizer;
  made.learningRate = options.learningRate.value_or(row->second.learningRate);
  made.weightDecay = options.weightDecay.value_or(row->second.weightDecay);
  made.momentum = options.momentum.value_or(0.9);
  for (double number : {made.learningRate, made.weightDecay, made.momentum})
    if (!std::isfinite(number) || number < 0)
      return fail("an optimizer's numbers must be finite and not negative");
  return made;
}

Result<int> Optimizer::stepNumber(ModelTape &graph) {
  const int before = graph.addState("optimizer.step", {DType::I64, {}});
  auto after =
      graph.apply("next_step", {before}, {}, "optimizer.step.next", "");
  if (!after)
    return after.takeError();
  graph.addUpdate(before, after->front());
  return after->front();
}

Status Optimizer::step(ModelTape &graph, int parameter, int gradient) {
  const Row &row = table().at(name);
  const std::string label = graph.name(parameter);
  tdl::Attributes attributes = {{"lr", learningRate},
                                {"weight_decay", weightDecay}};
  std::vector<int> operands = {parameter, gradient};
  if (name == "momentum")
    attributes["momentum"] = momentum;
  if (name == "adam" || name == "adamw") {
    attributes["decoupled"] = int64_t(name == "adamw");
    if (adamScales.empty()) {
      const auto number = stepNumber(graph);
      if (!number)
        return number.error();
      auto scales = graph.apply("adam_scales", {*number},
                                {{"lr", learningRate}}, "optimizer.scale", "");
      if (!scales)
        return scales.takeError();
      adamScales = std::move(*scales);
    }
    operands.insert(operands.end(), adamScales.begin(), adamScales.end());
  }
  std::vector<int> targets = {parameter};
  for (const char *state : row.state) {
    const std::string stateName = label + "." + state;
    TensorType type = graph.type(parameter);
    if (tdl::is16Bit(type.dtype))
      type.dtype = DType::F32;
    targets.push_back(graph.addState(stateName, type));
    operands.push_back(targets.back());
  }
  auto results = graph.apply(row.op, operands, attributes, label + ".next",
                             "optimizer of " + label);
  if (!results)
    return results.takeError();
  for (size_t i = 0; i < targets.size(); ++i)
    graph.addUpdate(targets[i], (*results)[i]);
  return {};
}
