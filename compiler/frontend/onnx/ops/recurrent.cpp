// Recurrent layers, unrolled: one product for the inputs of all timesteps, then
// per timestep one product with the hidden state and the gates.
#include "compiler/frontend/onnx/ops/recurrent.h"

#include "compiler/frontend/onnx/Elements.h"
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

Recurrent::Recurrent(Node &n, int64_t gates, std::vector<std::string> defaults)
    : n(n), gates(gates) {
  const std::string direction = n.text("direction", "forward");
  n.require(direction == "forward" || direction == "reverse" ||
                direction == "bidirectional",
            "direction is not known");
  directions = direction == "bidirectional" ? 2 : 1;
  reversed = direction == "reverse";
  batchFirst = n.integer("layout", 0) != 0;
  n.ignore("output_sequence");
  n.require(n.rank(0) == 3 && n.rank(1) == 3 && n.rank(2) == 3,
            "its operands must have rank 3");
  x = batchFirst ? n.transpose(n.in(0), {1, 0, 2}) : n.in(0);
  steps = n.type(x).shape[0];
  batch = n.type(x).shape[1];
  hidden = n.shape(2)[2];
  type = n.inType(0).dtype;
  n.require(n.integer("hidden_size", hidden) == hidden,
            "hidden_size is not that of its weights");
  n.require(n.shape(1)[0] == directions && n.shape(2)[0] == directions &&
                n.shape(1)[1] == gates * hidden &&
                n.shape(2)[1] == gates * hidden,
            "its weights do not go together");
  n.require(steps >= 1 && steps <= 100000,
            "the number of timesteps is out of range");
  if (n.hasAttribute("clip"))
    clip = n.real("clip");
  readActivations(std::move(defaults));
}

/// Parameters are taken in order by the functions that have them.
void Recurrent::readActivations(std::vector<std::string> defaults) {
  const auto names = n.texts("activations");
  const auto alphas = n.reals("activation_alpha"),
             betas = n.reals("activation_beta");
  const size_t count = defaults.size() * directions;
  usual = names.empty() && !clip;
  n.require(names.empty() || names.size() == count,
            "the number of activations is wrong");
  size_t alpha = 0, beta = 0;
  for (size_t i = 0; i < count; ++i) {
    Activation a{names.empty() ? defaults[i % defaults.size()] : names[i], {}};
    for (char &c : a.name)
      c = char(std::tolower(static_cast<unsigned char>(c)));
    const auto take = [&](const char *key, const std::vector<double> &from,
                          size_t &next, double otherwise) {
      a.attributes[key] = next < from.size() ? from[next] : otherwise;
      ++next;
    };
    static const std::map<std::string, std::string> plainNames = {
        {"relu", "relu"},
        {"tanh", "tanh"},
        {"sigmoid", "sigmoid"},
        {"softsign", "softsign"},
        {"softplus", "softplus"}};
    if (const auto known = plainNames.find(a.name); known != plainNames.end()) {
      a.name = known->second;
    } else if (a.name == "affine" || a.name == "scaledtanh" ||
               a.name == "hardsigmoid") {
      const bool hard = a.name == "hardsigmoid";
      take("alpha", alphas, alpha, hard ? 0.2 : 1.0);
      take("beta", betas, beta, hard ? 0.5 : a.name == "affine" ? 0.0 : 1.0);
      a.name = hard                 ? "hard_sigmoid"
               : a.name == "affine" ? "affine"
                                    : "scaled_tanh";
    } else if (a.name == "leakyrelu" || a.name == "thresholdedrelu" ||
               a.name == "elu") {
      take("alpha", alphas, alpha, a.name == "leakyrelu" ? 0.01 : 1.0);
      a.name = a.name == "leakyrelu"         ? "leaky_relu"
               : a.name == "thresholdedrelu" ? "thresholded_relu"
                                             : "elu";
    } else {
      n.refuse("activation \"", a.name, "\" is not known");
    }
    activations.push_back(std::move(a));
  }
}

ValueId Recurrent::activate(size_t function, ValueId v, bool clipped) {
  if (clip && clipped)
    v = n.apply("clip", {v}, {{"low", -*clip}, {"high", *clip}});
  const size_t perDirection = activations.size() / directions;
  const Activation &a = activations[direction * perDirection + function];
  return n.apply(a.name, {v}, a.attributes);
}

/// Part `direction` of an operand, without that dimension.
ValueId Recurrent::part(ValueId v, size_t dimension) {
  const auto &shape = n.type(v).shape;
  n.require(shape.size() > dimension && shape[dimension] == directions,
            "an operand does not fit the number of directions");
  return n.take(v, int64_t(dimension), direction);
}

ValueId Recurrent::initial(size_t operand) {
  const ValueId state =
      n.has(operand) ? part(n.in(operand), batchFirst ? 1 : 0)
                     : n.expand(n.addReals({0}, {}, type), {batch, hidden});
  n.require(n.type(state).shape == std::vector<int64_t>({batch, hidden}),
            "an initial state has the wrong shape");
  return state;
}

ValueId Recurrent::hiddenProduct(ValueId h) {
  // The first timestep starts from zero, unless the model says otherwise.
  if (const auto known = n.builder.known(h))
    if (std::all_of(known->bytes.begin(), known->bytes.end(),
                    [](std::byte b) { return b == std::byte(0); }))
      return n.expand(n.addReals({0}, {}, type), {batch, gates * hidden});
  return n.apply("rnn_hidden", {h, recurrentWeights});
}

void Recurrent::run(bool splitBias, size_t states,
                    const std::function<std::vector<ValueId>(
                        ValueId zx, const std::vector<ValueId> &)> &step) {
  const std::vector<size_t> stateOperands = {5, 6};
  // Up to there, no sequence has ended.
  int64_t shortest = 0;
  if (const auto lengths = n.has(4) ? n.builder.known(n.in(4)) : nullptr) {
    const std::vector<int64_t> all = asInts(*lengths);
    shortest = all.empty() ? 0 : *std::min_element(all.begin(), all.end());
  }
  std::vector<ValueId> outputs, last[2];
  for (direction = 0; direction < directions; ++direction) {
    recurrentWeights = part(n.in(2), 0);
    ValueId zx = n.apply("rnn_input", {x, part(n.in(1), 0)});
    recurrentBias = noValue;
    if (n.has(3)) {
      const ValueId bias = part(n.in(3), 0);
      const int64_t size = gates * hidden;
      n.require(n.type(bias).shape == std::vector<int64_t>({2 * size}),
                "its bias has the wrong shape");
      ValueId input = n.slice(bias, 0, 0, size);
      recurrentBias = n.slice(bias, 0, size, size);
      // Both are added to the same sum, unless something lies between.
      if (!splitBias)
        input = n.apply("add", {input, recurrentBias});
      zx = n.apply("add_row", {zx, input});
    }
    std::vector<ValueId> state;
    for (size_t s = 0; s < states; ++s)
      state.push_back(initial(stateOperands[s]));
    Elements inputs(n, zx, 0);
    std::vector<ValueId> hiddens(steps);
    const bool backward = reversed || direction == 1;
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = backward ? steps - 1 - i : i;
      std::vector<ValueId> next = step(inputs.at(t), state);
      ValueId shown = next[0];
      if (n.has(4) && t >= shortest) {
        for (size_t s = 0; s < states; ++s)
          next[s] =
              n.apply("while_lasts", {next[s], state[s], n.in(4)}, {{"t", t}});
        shown = n.apply("zero_after", {next[0], n.in(4)}, {{"t", t}});
      }
      state = next;
      hiddens[t] = shown;
    }
    if (n.wants(0)) {
      for (ValueId &h : hiddens)
        h = n.reshape(h, {1, 1, batch, hidden});
      outputs.push_back(n.concat(hiddens, 0));
    }
    for (size_t s = 0; s < states; ++s)
      last[s].push_back(n.reshape(state[s], {1, batch, hidden}));
  }
  if (n.wants(0)) {
    const ValueId y = n.concat(outputs, 1);
    n.out(0, batchFirst ? n.transpose(y, {2, 0, 1, 3}) : y);
  }
  for (size_t s = 0; s < states; ++s)
    if (n.wants(1 + s)) {
      const ValueId y = n.concat(last[s], 0);
      n.out(1 + s, batchFirst ? n.transpose(y, {1, 0, 2}) : y);
    }
}

static void convertLstm(Node &n) {
  Recurrent r(n, 4, {"Sigmoid", "Tanh", "Tanh"});
  const bool coupled = n.integer("input_forget", 0) != 0;
  const int64_t H = r.hidden;
  r.run(false, 2, [&](ValueId zx, const std::vector<ValueId> &state) {
    const ValueId h = state[0], c = state[1], zh = r.hiddenProduct(h);
    if (r.usual && !coupled && !n.has(7)) {
      const ValueId cell = n.apply("lstm_cell", {zx, zh, c});
      return std::vector<ValueId>{n.apply("lstm_hidden", {zx, zh, cell}), cell};
    }
    const ValueId peepholes = n.has(7) ? r.part(n.in(7), 0) : noValue;
    // Peepholes are in the order input, output, forget.
    const auto gate = [&](int64_t number, int64_t peephole, ValueId from) {
      if (peepholes == noValue || peephole < 0)
        return n.apply("gate", {zx, zh}, {{"first", number * H}, {"H", H}});
      return n.apply("gate_peephole", {zx, zh, from, peepholes},
                     {{"first", number * H}, {"peephole", peephole * H}});
    };
    const ValueId input = r.activate(0, gate(0, 0, c));
    const ValueId forget =
        coupled ? n.apply("affine", {input}, {{"alpha", -1.0}, {"beta", 1.0}})
                : r.activate(0, gate(2, 2, c));
    const ValueId candidate = r.activate(1, gate(3, -1, c));
    const ValueId cell = n.apply("lstm_blend", {forget, c, input, candidate});
    const ValueId output = r.activate(0, gate(1, 1, cell));
    return std::vector<ValueId>{
        n.apply("mul", {output, r.activate(2, cell, false)}), cell};
  });
}

static void convertGru(Node &n) {
  Recurrent r(n, 3, {"Sigmoid", "Tanh"});
  const bool resetAfter = n.integer("linear_before_reset", 0) != 0;
  const int64_t H = r.hidden;
  r.run(resetAfter, 1, [&](ValueId zx, const std::vector<ValueId> &state) {
    const ValueId h = state[0];
    ValueId zh = r.hiddenProduct(h);
    if (resetAfter && r.recurrentBias != noValue)
      zh = n.apply("add_row", {zh, r.recurrentBias});
    const auto gate = [&](int64_t number) {
      return r.activate(
          0, n.apply("gate", {zx, zh}, {{"first", number * H}, {"H", H}}));
    };
    const ValueId update = gate(0), reset = gate(1);
    const ValueId candidate =
        resetAfter
            ? n.apply("gru_candidate", {zx, reset, zh})
            : n.apply("gru_candidate_reset",
                      {zx, n.apply("rnn_hidden", {n.apply("mul", {reset, h}),
                                                  r.hiddenWeights(2)})});
    return std::vector<ValueId>{
        n.apply("gru_blend", {update, r.activate(1, candidate), h})};
  });
}

static void convertRnn(Node &n) {
  Recurrent r(n, 1, {"Tanh"});
  r.run(false, 1, [&](ValueId zx, const std::vector<ValueId> &state) {
    return std::vector<ValueId>{
        r.activate(0, n.apply("add", {zx, r.hiddenProduct(state[0])}))};
  });
}

std::vector<Row> smex::frontend::recurrentRows() {
  return {
      {"LSTM", 7, convertLstm},
      {"GRU", 7, convertGru},
      {"RNN", 7, convertRnn},
  };
}
