// Activation functions: ONNX's attributes are the templates', defaults
// included.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

std::vector<Row> smex::frontend::activationRows() {
  return {
      {"Relu", 6, plain("relu")},
      {"LeakyRelu", 6, direct("leaky_relu")},
      {"PRelu", 7, plain("prelu")},
      {"ThresholdedRelu", 10, direct("thresholded_relu")},
      {"Elu", 6, direct("elu")},
      {"Celu", 12, direct("celu")},
      {"Selu", 6, direct("selu")},
      {"Sigmoid", 6, plain("sigmoid")},
      {"HardSigmoid", 6, direct("hard_sigmoid")},
      {"HardSwish", 14, plain("hard_swish")},
      {"Swish", 24, direct("swish")},
      {"SwiGLU", 28, direct("swiglu")},
      {"Softplus", 1, plain("softplus")},
      {"Softsign", 1, plain("softsign")},
      {"Mish", 18, plain("mish")},
      {"Gelu", 20, direct("gelu")},
      {"Gelu", 1, plain("gelu"), "com.microsoft"},
      {"Shrink", 9, direct("shrink")},
  };
}
