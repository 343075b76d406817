// What LSTM, GRU and RNN share: directions, initial states, activations, the
// loop over timesteps.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_OPS_RECURRENT_H
#define SMEX_COMPILER_FRONTEND_ONNX_OPS_RECURRENT_H

#include "compiler/frontend/onnx/Node.h"

#include <functional>

namespace smex::frontend {

class Recurrent {
public:
  /// `defaults`: the activations of one direction.
  Recurrent(Node &n, int64_t gates, std::vector<std::string> defaults);

  /// Calls `step` for every timestep of every direction: it gets the gates'
  /// parts from the input and the state (hidden first), and gives the new one.
  /// `splitBias`: the recurrent bias is left to `step`.
  void run(bool splitBias, size_t states,
           const std::function<std::vector<ValueId>(
               ValueId zx, const std::vector<ValueId> &)> &step);

  ValueId part(ValueId v, size_t dimension);
  ValueId hiddenProduct(ValueId h);
  /// Recurrent weights of one gate.
  ValueId hiddenWeights(int64_t gate) {
    return n.slice(recurrentWeights, 0, gate * hidden, hidden);
  }
  /// The direction's activation of this number; gates are clipped before.
  ValueId activate(size_t function, ValueId v, bool clipped = true);

  int64_t hidden = 0;
  ValueId recurrentBias = noValue;
  /// Default activations and no clip.
  bool usual = true;

private:
  struct Activation {
    std::string name;
    tdl::Attributes attributes;
  };
  void readActivations(std::vector<std::string> defaults);
  ValueId initial(size_t operand);

  Node &n;
  int64_t gates, directions = 1, direction = 0, steps = 0, batch = 0;
  bool reversed = false, batchFirst = false;
  std::optional<double> clip;
  DType type = DType::F32;
  ValueId x = noValue, recurrentWeights = noValue;
  std::vector<Activation> activations;
};

} // namespace smex::frontend

#endif
