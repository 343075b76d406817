#include "compiler/pipeline/KnownLists.h"

#include <cstring>

using namespace smex;

namespace {

template <typename Element>
std::vector<int64_t> valuesOf(const std::vector<std::byte> &bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  if (!elements.empty())
    std::memcpy(elements.data(), bytes.data(), bytes.size());
  return {elements.begin(), elements.end()};
}

} // namespace

Result<analysis::NamedLists>
pipeline::knownLists(mlir::ModuleOp module, const emit::Weights &weights) {
  analysis::NamedLists lists;
  Status status;
  module.walk([&](semantic::ParameterOp parameter) {
    const TensorType type = semantic::tensorType(parameter.getType());
    if (!status || !parameter.getConstant() ||
        (type.dtype != DType::I32 && type.dtype != DType::I64) ||
        type.rank() < 1 || type.rank() > 2)
      return;
    const std::string name = parameter.getName().str();
    auto bytes = weights.read(name, wholeBox(type.shape));
    if (!bytes) {
      status = bytes.takeError();
      return;
    }
    lists[name] =
        std::make_shared<const analysis::KnownList>(analysis::KnownList{
            type.shape, type.dtype == DType::I32 ? valuesOf<int32_t>(*bytes)
                                                 : valuesOf<int64_t>(*bytes)});
  });
  if (!status)
    return status.takeError();
  return lists;
}
