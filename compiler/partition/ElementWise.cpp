#include "compiler/partition/ElementWise.h"

using namespace smex;
using namespace smex::partition;
using Instruction = smex::analysis::IntervalProgram::Instruction;

bool partition::isElementWise(const OperatorGraph &graph, const Operator &op,
                              const Operand &operand) {
  const auto &shape = graph.tensors[operand.tensor].shape;
  if (shape != graph.tensors[op.result].shape)
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (operand.access.dims[d].code !=
        std::vector<Instruction>{{Instruction::Index, int64_t(d)}})
      return false;
  return true;
}

bool partition::isElementWise(const OperatorGraph &graph, const Operator &op) {
  const auto &shape = graph.tensors[op.result].shape;
  if (op.extents != shape)
    return false;
  bool some = false;
  for (const Operand &operand : op.operands) {
    const bool same = isElementWise(graph, op, operand);
    if (!same && graph.tensors[operand.tensor].shape.size() >= shape.size())
      return false;
    some = some || same;
  }
  return some;
}
