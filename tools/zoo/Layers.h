// Layers that several families of models share. Each takes the name of what it
// adds; its parameters' names start with it.
#ifndef SMEX_TOOLS_ZOO_LAYERS_H
#define SMEX_TOOLS_ZOO_LAYERS_H

#include "tools/zoo/ModelBuilder.h"

namespace smex::zoo {

/// Kernel, stride and padding, per spatial dimension; padding is the same at
/// both ends.
struct Window {
  Shape kernel, strides, pads;
};
/// A square one.
Window square(int64_t kernel, int64_t stride = 1, int64_t pad = 0);

Value conv(ModelBuilder &g, const Value &x, const std::string &name,
           int64_t channels, const Window &window, bool bias = false);
/// In training form: by the batch's own statistics. The running ones are
/// parameters, and further results. `scale` is where that weight starts.
Value batchNorm(ModelBuilder &g, const Value &x, const std::string &name,
                double epsilon = 1e-5, double scale = 1);
Value convNorm(ModelBuilder &g, const Value &x, const std::string &name,
               int64_t channels, const Window &window, double epsilon = 1e-5,
               double scale = 1);
Value pool(ModelBuilder &g, const char *op, const Value &x,
           const std::string &name, const Window &window);
/// Each channel's mean: [batch, channels].
Value globalAverage(ModelBuilder &g, const Value &x, const std::string &name);

/// One operand: "Relu", "Tanh", ...
Value map(ModelBuilder &g, const char *op, const Value &x,
          const std::string &name);
/// Under --train only. `rate`: how much is dropped, in [0, 1); of 0, nothing is
/// added.
Value dropout(ModelBuilder &g, const Value &x, const std::string &name,
              double rate);
Value add(ModelBuilder &g, const Value &x, const Value &y,
          const std::string &name);
Value multiply(ModelBuilder &g, const Value &x, const Value &y,
               const std::string &name);
/// Along the channels of images, or the features of rows.
Value concat(ModelBuilder &g, const std::vector<Value> &parts,
             const std::string &name, int64_t axis);
Value reshape(ModelBuilder &g, const Value &x, const std::string &name,
              const Shape &shape);

/// Of a matrix.
Value dense(ModelBuilder &g, const Value &x, const std::string &name,
            int64_t features, bool bias = true);
/// The same, of a weight that is there.
Value denseOf(ModelBuilder &g, const Value &x, const std::string &weight,
              const std::string &name, int64_t features, bool bias = true);
/// Of a batch of sequences, [batch, sequence, features].
Value denseSequence(ModelBuilder &g, const Value &x, const std::string &name,
                    int64_t features, bool bias = true);
Value layerNorm(ModelBuilder &g, const Value &x, const std::string &name);
/// Rows of a table.
Value embed(ModelBuilder &g, const std::string &table, const Value &tokens,
            const std::string &name, int64_t features);

/// LSTM layers, unrolled: names are "layer3/step7/...". Delivers the hidden
/// states of the last layer, all timesteps in turn: [steps * batch, hidden].
/// `steps` are the inputs, each [batch, features]. `rate` is the dropout of
/// each layer's input, and of the result; states pass between timesteps
/// without.
Value lstm(ModelBuilder &g, std::vector<Value> steps, int64_t layers,
           int64_t hidden, int64_t batch, double rate = 0);
/// A tensor's slices along an axis, one per timestep.
std::vector<Value> timesteps(ModelBuilder &g, const Value &x, int64_t axis,
                             int64_t steps);

} // namespace smex::zoo

#endif
