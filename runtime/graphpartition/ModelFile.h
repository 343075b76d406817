// A fitted cost model on disk, beside the plan whose runs it was fitted to: it
// serves other graphs, and further runs fit it further.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_MODELFILE_H
#define SMEX_RUNTIME_GRAPHPARTITION_MODELFILE_H

#include "runtime/graphpartition/Fit.h"
#include "runtime/graphpartition/LayersCost.h"

namespace smex::graphpartition {

/// Of each layer that passes messages, in order.
struct FittedLayer {
  int64_t width = 0; // numbers that each neighbour brings
  Weights weights{};
  /// Training has it and inference does not: what its loss is made of does not
  /// depend on it.
  bool gradient = false;
  /// A vertex's neighbours are those that its edges lead to, where the first
  /// layer's are those that they come from.
  bool reversed = false;
  /// What further timings are added to; none in a file made by hand.
  LayerFit fit;

  LayerShape shape() const { return {width, reversed}; }
};

struct ModelFile {
  std::string model; // the name of the network
  std::vector<FittedLayer> layers;

  CostModel weights() const;
};

/// schema/graph-cost-model.schema.json, canonical.
std::string formatModelFile(const ModelFile &file);

/// Any byte string is a safe input; the error names `file` and the key.
Result<ModelFile> readModelFile(std::string_view text, const std::string &file);
Result<ModelFile> readModelFileAt(const std::string &path);

/// The layers of a network whose messages have these widths, in any order: all
/// of the model's, or for inference those that are no gradients. A graph of few
/// edges may have some more of a width, and fewer of another, since numbers of
/// its edges are stored that are not on larger graphs: then, for each width,
/// the model's layers of that width in turn. Errors: a model of another
/// network, or one that nothing was fitted to, whose weights are all 0. The
/// message names `file`, and says what it is of.
Result<std::vector<FittedLayer>> layersFor(const ModelFile &model,
                                           const std::vector<int64_t> &widths,
                                           const std::string &file);

} // namespace smex::graphpartition

#endif
