// Steps of optimizers, of any number of parameters at once.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

/// Operands: rate, step, all parameters, all gradients, then `histories` lists.
static void step(Node &n, const char *op, size_t histories,
                 const tdl::Attributes &attributes) {
  const size_t lists = 2 + histories;
  n.require(n.inputs.size() > 2 && (n.inputs.size() - 2) % lists == 0,
            "it has the wrong number of operands");
  const size_t count = (n.inputs.size() - 2) / lists;
  const ValueId rate = n.reshape(n.in(0), {}), t = n.reshape(n.in(1), {});
  for (size_t p = 0; p < count; ++p) {
    std::vector<ValueId> operands = {rate, t};
    for (size_t list = 0; list < lists; ++list)
      operands.push_back(n.in(2 + list * count + p));
    const auto results = n.applyAll(op, operands, attributes);
    for (size_t r = 0; r < results.size(); ++r)
      n.out(r * count + p, results[r]);
  }
}

static void convertAdagrad(Node &n) {
  step(n, "adagrad", 1,
       {{"norm_coefficient", n.real("norm_coefficient", 0.0)},
        {"epsilon", n.real("epsilon", 0.0)},
        {"decay_factor", n.real("decay_factor", 0.0)}});
}

static void convertAdam(Node &n) {
  step(n, "adam", 2,
       {{"alpha", n.real("alpha", 0.9)},
        {"beta", n.real("beta", 0.999)},
        {"norm_coefficient", n.real("norm_coefficient", 0.0)},
        {"norm_coefficient_post", n.real("norm_coefficient_post", 0.0)},
        {"epsilon", n.real("epsilon", 1e-6)}});
}

static void convertMomentum(Node &n) {
  step(n, "momentum", 1,
       {{"alpha", n.real("alpha")},
        {"beta", n.real("beta")},
        {"norm_coefficient", n.real("norm_coefficient")},
        {"mode", n.text("mode")}});
}

std::vector<Row> smex::frontend::optimizerRows() {
  const char *domain = "ai.onnx.preview.training";
  return {
      {"Adagrad", 1, convertAdagrad, domain},
      {"Adam", 1, convertAdam, domain},
      {"Momentum", 1, convertMomentum, domain},
  };
}
