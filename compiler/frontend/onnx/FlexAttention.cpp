// Attention whose scores and probabilities graphs of the model change.
#include "compiler/frontend/onnx/Importer.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

void Importer::importFlexAttention(Node &node, Scope &scope,
                                   const Surroundings &in) {
  for (size_t i = 0; i < 3; ++i)
    node.require(node.rank(i) == 4, "its operands must have rank 4");
  const ValueId q = node.in(0), k = node.in(1), v = node.in(2);
  node.require(node.shape(1)[1] > 0 &&
                   node.shape(0)[1] % node.shape(1)[1] == 0 &&
                   node.shape(2)[1] == node.shape(1)[1],
               "heads of keys must divide heads of queries");
  const DType type = node.type(q).dtype;
  const DType wide = node.dtype("softmax_precision",
                                type == DType::F64 ? DType::F64 : DType::F32);
  const double scale =
      node.real("scale", 1 / std::sqrt(double(node.shape(0)[3])));
  // The graph named, if there is one, of scores or of probabilities.
  const auto modified = [&](const char *name, ValueId x) {
    if (!node.hasAttribute(name))
      return x;
    const auto results = importBody(node, *node.graph(name), {x},
                                    "/" + std::string(name) + "/", scope, in);
    if (results.size() != 1 || results[0] >= firstStored ||
        node.type(results[0]) != node.type(x))
      node.refuse("attribute \"", name, "\" must give one tensor of type ",
                  toString(node.type(x)));
    return results[0];
  };
  ValueId s = node.apply(
      "scale", {node.cast(node.apply("attention_scores", {q, k}), wide)},
      {{"by", scale}});
  s = modified("score_mod", s);
  const ValueId p =
      modified("prob_mod", node.apply("softmax", {s}, {{"axis", int64_t(3)}}));
  node.out(0, node.cast(node.apply("attention_values", {p, node.cast(v, wide)}),
                        type));
}
