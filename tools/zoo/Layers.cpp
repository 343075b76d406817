#include "tools/zoo/Layers.h"

using namespace smex;
using namespace smex::zoo;

Window zoo::square(int64_t kernel, int64_t stride, int64_t pad) {
  return {{kernel, kernel}, {stride, stride}, {pad, pad}};
}

static Json attributesOf(const Window &window) {
  Shape pads = window.pads;
  pads.insert(pads.end(), window.pads.begin(), window.pads.end());
  return {{"kernel_shape", window.kernel},
          {"strides", window.strides},
          {"pads", pads}};
}

Value zoo::conv(ModelBuilder &g, const Value &x, const std::string &name,
                int64_t channels, const Window &window, bool bias) {
  Shape shape = {channels, x.width};
  int64_t fanIn = x.width;
  for (int64_t k : window.kernel) {
    shape.push_back(k);
    fanIn *= k;
  }
  std::vector<std::string> inputs = {x.name,
                                     g.weight(name + "/weight", shape, fanIn)};
  if (bias)
    inputs.push_back(g.filled(name + "/bias", {channels}, 0));
  return g.node("Conv", name, inputs, channels, attributesOf(window));
}

Value zoo::batchNorm(ModelBuilder &g, const Value &x, const std::string &name,
                     double epsilon, double scale) {
  const Shape shape = {x.width};
  return g.nodeWith({name + "/new_mean", name + "/new_variance"},
                    "BatchNormalization", name,
                    {x.name, g.filled(name + "/scale", shape, scale),
                     g.filled(name + "/bias", shape, 0),
                     g.statistic(name + "/running_mean", shape, 0),
                     g.statistic(name + "/running_variance", shape, 1)},
                    x.width, {{"training_mode", 1}, {"epsilon", epsilon}});
}

Value zoo::convNorm(ModelBuilder &g, const Value &x, const std::string &name,
                    int64_t channels, const Window &window, double epsilon,
                    double scale) {
  return batchNorm(g, conv(g, x, name + "/conv", channels, window),
                   name + "/norm", epsilon, scale);
}

Value zoo::pool(ModelBuilder &g, const char *op, const Value &x,
                const std::string &name, const Window &window) {
  return g.node(op, name, {x.name}, x.width, attributesOf(window));
}

Value zoo::globalAverage(ModelBuilder &g, const Value &x,
                         const std::string &name) {
  const Value mean =
      g.node("GlobalAveragePool", name + "/mean", {x.name}, x.width);
  return g.node("Flatten", name, {mean.name}, x.width);
}

Value zoo::map(ModelBuilder &g, const char *op, const Value &x,
               const std::string &name) {
  return g.node(op, name, {x.name}, x.width);
}

Value zoo::dropout(ModelBuilder &g, const Value &x, const std::string &name,
                   double rate) {
  if (rate == 0)
    return x;
  return g.node("Dropout", name,
                {x.name, g.constant(name + "/rate", rate), g.training()},
                x.width);
}

Value zoo::add(ModelBuilder &g, const Value &x, const Value &y,
               const std::string &name) {
  return g.node("Add", name, {x.name, y.name}, x.width);
}

Value zoo::multiply(ModelBuilder &g, const Value &x, const Value &y,
                    const std::string &name) {
  return g.node("Mul", name, {x.name, y.name}, x.width);
}

Value zoo::concat(ModelBuilder &g, const std::vector<Value> &parts,
                  const std::string &name, int64_t axis) {
  std::vector<std::string> names;
  int64_t width = 0;
  for (const Value &part : parts) {
    names.push_back(part.name);
    width += part.width;
  }
  return g.node("Concat", name, names, width, {{"axis", axis}});
}

Value zoo::reshape(ModelBuilder &g, const Value &x, const std::string &name,
                   const Shape &shape) {
  return g.node("Reshape", name, {x.name, g.integers(name + "/shape", shape)},
                x.width);
}

Value zoo::dense(ModelBuilder &g, const Value &x, const std::string &name,
                 int64_t features, bool bias) {
  return denseOf(g, x, g.weight(name + "/weight", {x.width, features}, x.width),
                 name, features, bias);
}

Value zoo::denseOf(ModelBuilder &g, const Value &x, const std::string &weight,
                   const std::string &name, int64_t features, bool bias) {
  std::vector<std::string> inputs = {x.name, weight};
  if (bias)
    inputs.push_back(g.filled(name + "/bias", {features}, 0));
  return g.node("Gemm", name, inputs, features);
}

Value zoo::denseSequence(ModelBuilder &g, const Value &x,
                         const std::string &name, int64_t features, bool bias) {
  const Value product =
      g.node("MatMul", bias ? name + "/product" : name,
             {x.name, g.weight(name + "/weight", {x.width, features}, x.width)},
             features);
  if (!bias)
    return product;
  return g.node("Add", name,
                {product.name, g.filled(name + "/bias", {features}, 0)},
                features);
}

Value zoo::layerNorm(ModelBuilder &g, const Value &x, const std::string &name) {
  return g.node("LayerNormalization", name,
                {x.name, g.filled(name + "/scale", {x.width}, 1),
                 g.filled(name + "/bias", {x.width}, 0)},
                x.width, {{"axis", -1}});
}

Value zoo::embed(ModelBuilder &g, const std::string &table, const Value &tokens,
                 const std::string &name, int64_t features) {
  return g.node("Gather", name, {table, tokens.name}, features);
}

std::vector<Value> zoo::timesteps(ModelBuilder &g, const Value &x, int64_t axis,
                                  int64_t steps) {
  std::vector<Value> slices;
  for (int64_t t = 0; t < steps; ++t) {
    const std::string name = x.name + "/step" + std::to_string(t);
    slices.push_back(g.node("Gather", name,
                            {x.name, g.integer(name + "/number", t)}, x.width,
                            {{"axis", axis}}));
  }
  return slices;
}

/// The state before the first timestep, and its product with any weights.
static Value zeros(ModelBuilder &g, const std::string &name, int64_t batch,
                   int64_t features) {
  return g.node("Expand", name,
                {g.constant(name + "/value", 0),
                 g.integers(name + "/shape", {batch, features})},
                features);
}

Value zoo::lstm(ModelBuilder &g, std::vector<Value> steps, int64_t layers,
                int64_t hidden, int64_t batch, double rate) {
  const int64_t gates = 4 * hidden;
  const Value noCell = zeros(g, "zero/cell", batch, hidden),
              noGates = zeros(g, "zero/gates", batch, gates);
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string prefix = "layer" + std::to_string(layer);
    const std::string input =
        g.weight(prefix + "/input_weight", {steps[0].width, gates}, hidden);
    // With a single timestep, nothing would read it.
    const std::string recurrent =
        steps.size() > 1
            ? g.weight(prefix + "/hidden_weight", {hidden, gates}, hidden)
            : "";
    const std::string bias = g.filled(prefix + "/bias", {gates}, 0);
    Value state, cell = noCell;
    for (size_t t = 0; t < steps.size(); ++t) {
      const std::string name = prefix + "/step" + std::to_string(t);
      const Value read = dropout(g, steps[t], name + "/dropped", rate);
      const Value fromInput =
          g.node("Gemm", name + "/from_input", {read.name, input, bias}, gates);
      const Value fromHidden = t == 0 ? noGates
                                      : g.node("MatMul", name + "/from_hidden",
                                               {state.name, recurrent}, gates);
      // Gates in ONNX's order: input, output, forget, cell.
      cell = g.node("lstm_cell", name + "/cell",
                    {fromInput.name, fromHidden.name, cell.name}, hidden);
      state = g.node("lstm_hidden", name + "/hidden",
                     {fromInput.name, fromHidden.name, cell.name}, hidden);
      steps[t] = state;
    }
  }
  Value all = concat(g, steps, "hidden", 0);
  all.width = hidden;
  return dropout(g, all, "hidden/dropped", rate);
}
