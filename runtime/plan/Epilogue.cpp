#include "runtime/plan/Epilogue.h"

#include "dialects/support/Tensor.h"
#include "runtime/plan/Target.h"

#include <algorithm>

using namespace smex;
using namespace smex::plan;

std::string plan::notEpilogue(const Program &program,
                              const std::vector<tdl::Lambda> &lambdas,
                              int instruction) {
  const Instruction &map = program.instructions[size_t(instruction)];
  const int product = map.epilogueOf;
  const std::string name = "instruction " + std::to_string(product);
  if (product < 0 || product >= instruction)
    return name + " does not come before";
  const Instruction &what = program.instructions[size_t(product)];
  if (what.op != Opcode::Compute ||
      program.kernels[size_t(what.kernel)].kind != KernelKind::Contraction)
    return name + " is no product of matrices";
  if (program.buffers[size_t(what.to)].partial)
    return name + " makes terms of a reduction";
  if (std::count(map.operands.begin(), map.operands.end(), what.to) != 1)
    return "is no map of what " + name + " makes";
  const auto found = analysis::matchEpilogue(
      lambdas[size_t(map.kernel)], productOperand(program, instruction));
  if (!found)
    return "is neither a bias nor an activation that a library adds to a "
           "product";
  const auto shapeOf = [&](int buffer) -> const std::vector<int64_t> & {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)]
        .type.shape;
  };
  const std::vector<int64_t> &result = shapeOf(what.to);
  if (shapeOf(map.to) != result)
    return "has another shape than what " + name + " makes";
  if (found->bias < 0)
    return "";
  const std::vector<int64_t> &bias = shapeOf(map.operands[size_t(found->bias)]);
  const size_t leading = size_t(found->leading);
  for (size_t d = leading; d < bias.size(); ++d) {
    const int64_t wanted = result[result.size() - bias.size() + d];
    if (bias[d] < wanted) // of a longer one, the first elements are read
      return "has a bias of " + std::to_string(bias[d]) + " elements for " +
             std::to_string(wanted);
  }
  return "";
}

int plan::productOperand(const Program &program, int instruction) {
  const Instruction &map = program.instructions[size_t(instruction)];
  const int made = program.instructions[size_t(map.epilogueOf)].to;
  return int(std::find(map.operands.begin(), map.operands.end(), made) -
             map.operands.begin());
}

std::vector<int> plan::epilogues(const Program &program) {
  std::vector<int> of(program.instructions.size(), -1);
  for (size_t i = 0; i < program.instructions.size(); ++i)
    if (const int product = program.instructions[i].epilogueOf; product >= 0)
      of[size_t(product)] = int(i);
  return of;
}

Box plan::biasRegion(const analysis::Epilogue &epilogue, const Box &indices,
                     int biasRank) {
  Box region;
  for (int d = 0; d < biasRank; ++d)
    region.push_back(d < epilogue.leading
                         ? Interval{0, 1}
                         : indices[indices.size() - size_t(biasRank - d)]);
  return region;
}

bool plan::isInOneCall(const MatrixProduct &product,
                       std::optional<int64_t> biasElements) {
  return product.calls() == 1 && (!biasElements || *biasElements == product.m);
}

bool plan::isInOneCall(const Partitioned &partitioned,
                       const std::vector<tdl::Lambda> &lambdas, int worker,
                       int instruction) {
  const Program &program = partitioned.program;
  const Instruction &map = program.instructions[size_t(instruction)];
  const Instruction &what = program.instructions[size_t(map.epilogueOf)];
  const Kernel &kernel = program.kernels[size_t(what.kernel)];
  const tdl::Lambda &lambda = lambdas[size_t(what.kernel)];
  for (const std::string &target : kernel.generatedFor)
    if (kindOf(target) == TargetKind::Cuda)
      return false;
  const auto sizesOf = [&](int buffer) {
    return extents(partitioned.box(worker, buffer));
  };
  const auto indices = productIndices(
      kernel, lambda, extents(partitioned.indices(worker, map.epilogueOf)),
      sizesOf(what.to), {sizesOf(what.operands[0]), sizesOf(what.operands[1])});
  const auto product =
      indices ? matrixProduct(*indices, addsUp(lambda)) : std::nullopt;
  const auto epilogue = analysis::matchEpilogue(
      lambdas[size_t(map.kernel)], productOperand(program, instruction));
  if (!product || !epilogue)
    return false;
  if (epilogue->bias < 0)
    return isInOneCall(*product, std::nullopt);
  const int bias = map.operands[size_t(epilogue->bias)];
  return isInOneCall(
      *product,
      volume(biasRegion(*epilogue, partitioned.indices(worker, instruction),
                        int(partitioned.box(worker, bias).size()))));
}
