#include "compiler/training/Tape.h"

using namespace smex;
using namespace smex::training;

Result<std::vector<int>> Tape::apply(const std::string &op,
                                     const std::vector<int> &operands,
                                     const tdl::Attributes &attributes,
                                     const std::string &name,
                                     const std::string &node, int gradientOf) {
  std::vector<TensorType> types;
  for (int operand : operands)
    types.push_back(type(operand));
  auto instance = tdl::standardLibrary().instantiate(op, types, attributes);
  if (!instance)
    return instance.takeError();
  return append(*instance, operands, name, node, gradientOf);
}
