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

llvm::DenseSet<mlir::Value> readByGuards(mlir::ModuleOp module) {
  const tdl::LambdaTable lambdas(module);
  llvm::DenseSet<mlir::Value> areRead;
  module.walk([&](semantic::ApplyOp apply) {
    const std::vector<bool> byGuard =
        analysis::readByGuard(lambdas[apply.getLambdaAttr().getAttr()]);
    for (size_t k = 0; k < byGuard.size(); ++k)
      if (byGuard[k])
        areRead.insert(apply.getInputs()[k]);
  });
  return areRead;
}

} // namespace

Result<analysis::NamedLists> pipeline::knownLists(mlir::ModuleOp module,
                                                  const emit::Weights &weights,
                                                  bool inGuards) {
  llvm::DenseSet<mlir::Value> wanted;
  if (inGuards)
    wanted = readByGuards(module);
  analysis::NamedLists lists;
  Status status;
  module.walk([&](semantic::ParameterOp parameter) {
    const TensorType type = semantic::tensorType(parameter.getType());
    if (!status || (inGuards && !wanted.contains(parameter.getResult())) ||
        !parameter.getConstant() ||
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
