#include "compiler/partition/Graph.h"

#include "dialects/support/Tensor.h"

using namespace smex;
using namespace smex::partition;

namespace {

using Wide = __int128;

constexpr int64_t kMostWorkers = int64_t(1) << 16;

/// A program leaves exactly one interval, and its indices exist.
bool isWellFormed(const analysis::IntervalProgram &program, size_t indexCount) {
  using Instruction = analysis::IntervalProgram::Instruction;
  if (program.code.empty())
    return true;
  int64_t depth = 0;
  for (const Instruction &instruction : program.code) {
    switch (instruction.code) {
    case Instruction::Index:
      if (instruction.value < 0 || size_t(instruction.value) >= indexCount)
        return false;
      [[fallthrough]];
    case Instruction::Const:
    case Instruction::Whole:
      ++depth;
      break;
    case Instruction::AtMost:
    case Instruction::AtLeast:
      if (depth < 1)
        return false;
      break;
    default:
      if (--depth < 1)
        return false;
    }
  }
  return depth == 1;
}

Status validateTensor(const partition::Tensor &tensor, Wide &bytes) {
  if (tensor.elementBytes < 1)
    return fail("tensor ", tensor.name, ": element of ", tensor.elementBytes,
                " bytes");
  const auto elements = elementCount(tensor.shape);
  bytes = Wide(elements.value_or(0)) * tensor.elementBytes;
  if (!elements || bytes > kMostBytes)
    return fail("tensor ", tensor.name, ": too large");
  return {};
}

Status validateOperator(const OperatorGraph &graph, const Operator &op) {
  const auto error = [&](const char *what) {
    return fail("operator ", op.name, ": ", what);
  };
  const auto isTensor = [&](int id) {
    return id >= 0 && size_t(id) < graph.tensors.size();
  };
  if (!isTensor(op.result))
    return error("no such result tensor");
  const auto &shape = graph.tensors[op.result].shape;
  if (op.extents.size() < shape.size() ||
      !std::equal(shape.begin(), shape.end(), op.extents.begin()))
    return error("extents differ from the result's shape");
  for (int64_t extent : op.extents)
    if (extent < 0 || extent > kMostBytes)
      return error("extent out of range");

  for (const Operand &operand : op.operands) {
    if (!isTensor(operand.tensor))
      return error("no such operand tensor");
    if (operand.access.dims.size() !=
        graph.tensors[operand.tensor].shape.size())
      return error("operand's rank differs from its access");
    for (const auto &program : operand.access.dims)
      if (!isWellFormed(program, op.extents.size()))
        return error("malformed interval program");
  }
  std::vector<bool> seen(op.extents.size());
  for (int split : op.splits) {
    if (split < 0 || size_t(split) >= op.extents.size() || seen[split])
      return error("split is no index variable, or there twice");
    seen[split] = true;
  }
  return {};
}

/// All steps' divisions of one tensor or operator.
} // namespace

std::string_view partition::name(Together together) {
  switch (together) {
  case Together::No:
    return "";
  case Together::Coarsened:
    return "coarsened";
  case Together::Graph:
    return "graph";
  }
  return "";
}

Status partition::validate(const OperatorGraph &graph, int64_t workers) {
  if (workers < 1 || workers > kMostWorkers)
    return fail(workers, " workers: 1 to ", kMostWorkers, " are possible");
  std::vector<Wide> bytes(graph.tensors.size());
  Wide most = 0;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (Status status = validateTensor(graph.tensors[t], bytes[t]); !status)
      return status;
    most += bytes[t];
  }
  std::vector<bool> produced(graph.tensors.size());
  for (const Operator &op : graph.operators) {
    if (Status status = validateOperator(graph, op); !status)
      return status;
    if (produced[op.result])
      return fail("operator ", op.name, ": its result has another producer");
    produced[op.result] = true;
    for (const Operand &operand : op.operands)
      most += bytes[operand.tensor] * workers;
    most += bytes[op.result] * workers;
    if (most > kMostBytes)
      return fail("the model is too large for ", workers, " workers");
  }
  return {};
}

bool partition::isReductionOfNothing(const OperatorGraph &graph,
                                     const Operator &op) {
  const size_t rank = graph.tensors[size_t(op.result)].shape.size();
  return std::find(op.extents.begin() + int64_t(rank), op.extents.end(), 0) !=
         op.extents.end();
}

bool partition::cutsFrom(const Divisions &divisions, size_t dimension) {
  return std::any_of(
      divisions.begin(), divisions.end(), [&](const Division &division) {
        return division.isPart() && size_t(division.dimension()) >= dimension;
      });
}

int64_t partition::resultBytes(const OperatorGraph &graph, const Operator &op,
                               int64_t partials) {
  const int64_t bytes = graph.tensors[op.result].elementBytes;
  return partials > 1 && op.partialBytes > 0 ? op.partialBytes : bytes;
}

Status partition::validate(const OperatorGraph &graph,
                           const PartitionPlan &plan) {
  int64_t workers = 1;
  for (const Step &step : plan.steps) {
    if (step.ways < 1 || step.ways > kMostWorkers / workers)
      return fail("a step of ", step.ways, " ways");
    workers *= step.ways;
    if (step.tensors.size() != graph.tensors.size() ||
        step.operators.size() != graph.operators.size())
      return fail("a step that does not decide on every tensor and operator");
  }
  const Ways ways = plan.ways();
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const partition::Tensor &tensor = graph.tensors[t];
    const Divisions divisions = divisionsOf(plan, &Step::tensors, t);
    if (Status status = smex::validate(divisions, tensor.shape.size(), ways);
        !status)
      return fail("tensor ", tensor.name, ": ", status.error().message);
    for (const Division &division : divisions)
      if (division.isTerm())
        return fail("tensor ", tensor.name, ": nobody owns terms");
  }
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator &op = graph.operators[o];
    const Divisions divisions = divisionsOf(plan, &Step::operators, o);
    if (Status status = smex::validate(divisions, op.extents.size(), ways);
        !status)
      return fail("operator ", op.name, ": ", status.error().message);
    for (const Division &division : divisions)
      if (division.isTerm() ||
          (division.isPart() &&
           std::find(op.splits.begin(), op.splits.end(),
                     division.dimension()) == op.splits.end()))
        return fail("operator ", op.name, ": ", toString(division),
                    " is no cut that it allows");
  }
  return {};
}

Divisions partition::divisionsOf(const PartitionPlan &plan,
                                 const std::vector<Division> Step::*divisions,
                                 size_t id) {
  Divisions all;
  for (const Step &step : plan.steps)
    all.push_back((step.*divisions)[id]);
  return all;
}

Box partition::ownedBox(const OperatorGraph &graph, const PartitionPlan &plan,
                        int tensor, int64_t worker) {
  return shareOf(graph.tensors[size_t(tensor)].shape,
                 divisionsOf(plan, &Step::tensors, size_t(tensor)), plan.ways(),
                 worker);
}

Box partition::indexBox(const OperatorGraph &graph, const PartitionPlan &plan,
                        int op, int64_t worker) {
  return shareOf(graph.operators[size_t(op)].extents,
                 divisionsOf(plan, &Step::operators, size_t(op)), plan.ways(),
                 worker);
}
