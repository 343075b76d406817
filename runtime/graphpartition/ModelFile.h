// A fitted cost model on disk, beside the plan whose runs it was fitted to: it
// serves other graphs, and further runs fit it further.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_MODELFILE_H
#define SMEX_RUNTIME_GRAPHPARTITION_MODELFILE_H

#include "runtime/graphpartition/Fit.h"

namespace smex::graphpartition {

/// Of each layer that passes messages, in order.
struct FittedLayer {
  int64_t width = 0; // numbers that each neighbour brings
  Weights weights{};
  /// What further timings are added to; none in a file made by hand.
  LayerFit fit;
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

/// The model is one of a network whose layers have these widths. The message
/// names `file`, and says what it is of.
Status matches(const ModelFile &model, const std::vector<int64_t> &widths,
               const std::string &file);

} // namespace smex::graphpartition

#endif
