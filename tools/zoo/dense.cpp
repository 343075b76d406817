// Multi-layer perceptron.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

static Status mlp(ModelBuilder &g, const Sizes &s) {
  Value x = g.image("input", {s["batch"], s["input"]});
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = "layer" + std::to_string(i);
    x = map(g, "Relu", dense(g, x, name, s["hidden"]), name + "/relu");
  }
  g.output("logits", dense(g, x, "classifier", s["classes"]));
  return {};
}

std::vector<Model> zoo::denseModels() {
  return {{"mlp",
           "fully connected layers, each followed by relu",
           {layersSize(12),
            hiddenSize(4096, "features of each layer"),
            {"input", 4096, 1, 1 << 24, "features of the input"},
            classesSize(1000),
            batchSize(128)},
           mlp}};
}
