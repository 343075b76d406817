// ParDNN's E3D: eidetic 3D LSTM for video prediction (Wang et al., 2019), as in
// its authors' code. Images are cut into patches, a channel for each pixel.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

namespace {

class E3d {
public:
  E3d(ModelBuilder &g, const Sizes &s)
      : g(g), batch(s["batch"]), hidden(s["hidden"]), window(s["window"]),
        filter(s["filter"]), side(s["image"] / s["patch"]) {}

  struct State {
    Value hidden, cell, history;
  };

  /// One layer at one timestep; the memory passes from layer to layer, and from
  /// the last one to the next timestep.
  void cell(const Value &x, const std::string &layer, const std::string &name,
            State &state, Value &memory);
  Value zeros(const std::string &name);

private:
  Value conv3d(const Value &x, const std::string &weights,
               const std::string &name, int64_t channels, bool pointwise);
  Value norm(const Value &x, const std::string &weights,
             const std::string &name);
  std::vector<Value> gates(const Value &x, const std::string &weights,
                           const std::string &name,
                           std::vector<std::string> names);
  Value recall(const Value &query, const Value &history,
               const std::string &name);
  Value sum(std::vector<Value> terms, const std::string &name);
  /// The parameters of a layer are shared by its timesteps.
  std::string once(const std::string &name, const Shape &shape, int64_t fanIn,
                   double number);

  ModelBuilder &g;
  int64_t batch, hidden, window, filter, side;
  std::map<std::string, bool> made;
};

std::string E3d::once(const std::string &name, const Shape &shape,
                      int64_t fanIn, double number) {
  if (made.emplace(name, true).second) {
    if (fanIn)
      g.weight(name, shape, fanIn);
    else
      g.filled(name, shape, number);
  }
  return name;
}

Value E3d::zeros(const std::string &name) {
  return g.node(
      "Expand", name,
      {g.constant(name + "/value", 0),
       g.integers(name + "/shape", {batch, hidden, window, side, side})},
      hidden);
}

Value E3d::conv3d(const Value &x, const std::string &weights,
                  const std::string &name, int64_t channels, bool pointwise) {
  const Shape kernel =
      pointwise ? Shape{1, 1, 1} : Shape{window, filter, filter};
  Shape shape = {channels, x.width}, pads;
  for (int64_t k : kernel) {
    shape.push_back(k);
    pads.push_back((k - 1) / 2);
  }
  for (int64_t k : kernel)
    pads.push_back(k / 2); // an even kernel reaches further ahead
  return g.node("Conv", name,
                {x.name,
                 once(weights + "/weight", shape,
                      x.width * kernel[0] * kernel[1] * kernel[2], 0),
                 once(weights + "/bias", {channels}, 0, 0)},
                channels, {{"kernel_shape", kernel}, {"pads", pads}});
}

/// Over all but the batch.
Value E3d::norm(const Value &x, const std::string &weights,
                const std::string &name) {
  return g.node("GroupNormalization", name,
                {x.name, once(weights + "/scale", {x.width}, 0, 1),
                 once(weights + "/shift", {x.width}, 0, 0)},
                x.width, {{"num_groups", 1}});
}

/// One convolution for several gates.
std::vector<Value> E3d::gates(const Value &x, const std::string &weights,
                              const std::string &name,
                              std::vector<std::string> names) {
  const int64_t parts = int64_t(names.size());
  const Value all = norm(conv3d(x, weights, name, parts * hidden, false),
                         weights, name + "/norm");
  for (std::string &each : names)
    each = name + "/" + each;
  const std::vector<std::string> further(names.begin() + 1, names.end());
  g.nodeWith(further, "Split", names[0], {all.name}, hidden,
             {{"axis", 1}, {"num_outputs", parts}});
  std::vector<Value> values;
  for (const std::string &each : names)
    values.push_back({each, hidden});
  return values;
}

Value E3d::sum(std::vector<Value> terms, const std::string &name) {
  Value total = terms[0];
  for (size_t i = 1; i < terms.size(); ++i)
    total = add(g, total, terms[i],
                i + 1 == terms.size() ? name : name + std::to_string(i));
  return total;
}

/// Attention of every place over all places of all cells so far.
Value E3d::recall(const Value &query, const Value &history,
                  const std::string &name) {
  const Value q =
      reshape(g, query, name + "/query", {batch, hidden, window * side * side});
  const Value past = reshape(g, history, name + "/past", {batch, hidden, -1});
  Value p = g.node("Einsum", name + "/scores", {q.name, past.name}, 0,
                   {{"equation", "bcn,bcm->bnm"}});
  p = g.node("Softmax", name + "/weights", {p.name}, 0, {{"axis", -1}});
  const Value found = g.node("Einsum", name + "/found", {p.name, past.name},
                             hidden, {{"equation", "bnm,bcm->bcn"}});
  return reshape(g, found, name, {batch, hidden, window, side, side});
}

void E3d::cell(const Value &x, const std::string &layer,
               const std::string &name, State &state, Value &memory) {
  const auto sigmoid = [&](const Value &v, const std::string &as) {
    return map(g, "Sigmoid", v, name + as);
  };
  const auto tanh = [&](const Value &v, const std::string &as) {
    return map(g, "Tanh", v, name + as);
  };
  const auto h = gates(state.hidden, layer + "/hidden", name + "/from_hidden",
                       {"input", "candidate", "recall", "output"});
  const auto in = gates(x, layer + "/input", name + "/from_input",
                        {"input", "candidate", "recall", "output",
                         "memory_input", "memory_candidate", "memory_forget"});
  const Value input = sigmoid(sum({in[0], h[0]}, name + "/i/sum"), "/i"),
              candidate = tanh(sum({in[1], h[1]}, name + "/g/sum"), "/g"),
              query = sigmoid(sum({in[2], h[2]}, name + "/r/sum"), "/r");

  Value cell =
      add(g, state.cell, recall(query, state.history, name + "/recall"),
          name + "/recalled");
  cell = norm(cell, layer + "/recall", name + "/recalled/norm");
  cell = add(g, cell, multiply(g, input, candidate, name + "/new"),
             name + "/cell");

  const auto m = gates(memory, layer + "/memory", name + "/from_memory",
                       {"input", "forget", "candidate", "kept"});
  const Value one = {g.constant(name + "/forget_bias", 1), hidden};
  const Value memoryInput =
                  sigmoid(sum({in[4], m[0]}, name + "/mi/sum"), "/mi"),
              memoryForget =
                  sigmoid(sum({in[6], m[1], one}, name + "/mf/sum"), "/mf"),
              memoryCandidate =
                  tanh(sum({in[5], m[2]}, name + "/mg/sum"), "/mg");
  memory = add(
      g, multiply(g, memoryForget, tanh(m[3], "/kept"), name + "/memory/kept"),
      multiply(g, memoryInput, memoryCandidate, name + "/memory/new"),
      name + "/memory");

  const Value output = tanh(sum({in[3], h[3],
                                 conv3d(cell, layer + "/output_cell",
                                        name + "/o/cell", hidden, false),
                                 conv3d(memory, layer + "/output_memory",
                                        name + "/o/memory", hidden, false)},
                                name + "/o/sum"),
                            "/o");
  Value both = concat(g, {cell, memory}, name + "/both", 1);
  both = conv3d(both, layer + "/both", name + "/both/mixed", hidden, true);
  state.hidden = multiply(g, tanh(both, "/both/tanh"),
                          sigmoid(output, "/o/gate"), name + "/hidden");
  state.history = concat(g, {state.history, cell}, name + "/history", 2);
  state.history.width = hidden;
  state.cell = cell;
}

Status e3d(ModelBuilder &g, const Sizes &s) {
  const int64_t steps = s["steps"], window = s["window"], patch = s["patch"],
                side = s["image"] / patch, pixels = patch * patch;
  if (s["image"] % patch)
    return Error{"--image " + std::to_string(s["image"]) +
                     ": must be a multiple of --patch " + std::to_string(patch),
                 Fault::Usage};
  if (Status ok = checkUnrolled(s, 64); !ok)
    return ok;
  Value video = g.image("video", {s["batch"], pixels, steps, side, side});
  // The first window holds frames from before the video.
  video = g.node("Pad", "padded",
                 {video.name, g.integers("padded/pads", {0, 0, window - 1, 0, 0,
                                                         0, 0, 0, 0, 0})},
                 pixels);
  E3d net(g, s);
  std::vector<E3d::State> states;
  const Value zero = net.zeros("zero");
  states.assign(size_t(s["layers"]), {zero, zero, zero});
  Value memory = zero;
  const std::string axis = g.integers("time", {2});
  const std::string weight =
      g.weight("frame/weight", {pixels, s["hidden"], window, 1, 1},
               s["hidden"] * window);
  const std::string bias = g.filled("frame/bias", {pixels}, 0);
  std::vector<Value> frames;
  for (int64_t t = 0; t < steps; ++t) {
    const std::string step = "step" + std::to_string(t);
    Value x = g.node("Slice", step + "/window",
                     {video.name, g.integers(step + "/first", {t}),
                      g.integers(step + "/end", {t + window}), axis},
                     pixels);
    for (int64_t i = 0; i < s["layers"]; ++i) {
      const std::string layer = "layer" + std::to_string(i);
      net.cell(x, layer, layer + "/" + step, states[size_t(i)], memory);
      x = states[size_t(i)].hidden;
    }
    frames.push_back(g.node("Conv", step + "/frame", {x.name, weight, bias},
                            pixels, {{"kernel_shape", {window, 1, 1}}}));
  }
  g.output("frames", concat(g, frames, "predicted", 2));
  return {};
}
} // namespace

std::vector<Model> zoo::e3dModels() {
  return {{"e3d",
           "ParDNN's E3D: eidetic 3D LSTM, predicts a video's next frames",
           {{"layers", 11, 1, 4096, "layers"},
            hiddenSize(320, "channels of each layer"),
            {"filter", 5, 1, 64, "rows and columns of a filter"},
            {"patch", 4, 1, 1 << 10, "rows and columns of a patch"},
            {"window", 2, 1, 64, "frames that a layer sees at a time"},
            {"steps", 19, 1, 4096, "frames given, each to predict the next"},
            imageSize(64, 1),
            batchSize(1)},
           e3d}};
}
