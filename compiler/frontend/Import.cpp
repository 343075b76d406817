#include "compiler/frontend/onnx/Import.h"
#include "compiler/frontend/Layers.h"
#include "compiler/frontend/json/Json.h"
#include "compiler/frontend/onnx/Reader.h"

using namespace smex;
using namespace smex::frontend;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Result<Model> smex::frontend::importModel(const std::string &path,
                                          const ImportOptions &options) {
  if (!endsWith(path, ".onnx") && !endsWith(path, ".json"))
    return fail(path, ": is neither .onnx nor .json");
  auto model = endsWith(path, ".onnx")
                   ? readModelProto(path)
                   : readJson(path, options.drawMissingWeights);
  if (!model)
    return model.takeError();
  auto imported = importOnnx(std::move(*model), path, options);
  if (imported && options.sampleLayers)
    if (Status separated = separateLayers(*imported, *options.sampleLayers);
        !separated)
      return fail(path, ": ", separated.error().message);
  return imported;
}
