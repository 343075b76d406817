#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

std::vector<Model> zoo::models() {
  std::vector<Model> all;
  for (const auto &some :
       {denseModels(), residualModels(), inceptionModels(), unetModels(),
        recurrentModels(), transformerModels(), e3dModels(), graphModels(),
        graphEdgeModels(), graphCellModels(), graphHeteroModels(),
        graphChangeModels(), graphMailboxModels()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

Status zoo::checkUnrolled(const Sizes &s, int64_t nodesPerCell) {
  const int64_t most = 1000000 / nodesPerCell;
  if (s["layers"] * s["steps"] <= most)
    return {};
  return Error{"--layers " + std::to_string(s["layers"]) + " times --steps " +
                   std::to_string(s["steps"]) +
                   ": more than a million nodes, which is what smexc reads; "
                   "the product must be at most " +
                   std::to_string(most),
               Fault::Usage};
}

Size zoo::batchSize(int64_t value) {
  return {"batch", value, 1, 1 << 20, "samples in a batch"};
}
Size zoo::imageSize(int64_t value, int64_t least) {
  return {"image", value, least, 1 << 14, "rows and columns of an image"};
}
Size zoo::classesSize(int64_t value) {
  return {"classes", value, 2, 1 << 24, "classes"};
}
Size zoo::layersSize(int64_t value) {
  return {"layers", value, 1, 4096, "layers"};
}
Size zoo::hiddenSize(int64_t value, const std::string &help) {
  return {"hidden", value, 1, 1 << 20, help};
}
Fraction zoo::dropoutOf(const std::string &what) {
  return {"dropout", "how much of " + what + " is dropped under --train"};
}
Size zoo::vocabularySize(int64_t value) {
  return {"vocabulary", value, 2, 1 << 28, "distinct tokens"};
}
