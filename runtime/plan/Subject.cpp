#include "runtime/plan/Subject.h"

#include "runtime/plan/Regions.h"

using namespace smex;
using namespace smex::plan;

namespace {

bool isAtResult(const tdl::Lambda &lambda, int operand) {
  bool only = lambda.reducer == tdl::Reducer::None;
  tdl::walk(lambda.body, [&](const tdl::ExprRef &e) {
    if (e->kind == tdl::ExprKind::Opaque)
      for (const tdl::Expr::Slice &slice : e->slices)
        only &= slice.operand != operand;
    if (e->kind != tdl::ExprKind::Read || e->operand != operand)
      return;
    only &= int(e->children.size()) == lambda.rank();
    for (size_t d = 0; d < e->children.size(); ++d)
      only &= e->children[d]->kind == tdl::ExprKind::Index &&
              e->children[d]->index == int(d);
  });
  return only;
}

} // namespace

Subject::Subject(const Partitioned &partitioned, std::string prefix,
                 Findings &findings)
    : partitioned(partitioned), program(partitioned.program),
      findings(findings), names{partitioned, std::move(prefix)} {
  lambdas = *lambdasOf(program);
  for (const tdl::Lambda &lambda : lambdas) {
    pointwise.emplace_back();
    for (size_t k = 0; k < lambda.operands.size(); ++k)
      pointwise.back().push_back(isAtResult(lambda, int(k)));
  }
  for (const Instruction &instruction : program.instructions) {
    accesses.push_back(nullptr);
    if (instruction.op != Opcode::Compute)
      continue;
    std::vector<std::vector<int64_t>> shapes;
    for (int operand : instruction.operands)
      shapes.push_back(tensorOf(operand).type.shape);
    accesses.back() = &table.of(lambdas[size_t(instruction.kernel)], shapes);
  }
}

Box Subject::reductionPart(int worker, int number) const {
  const Box &indices = partitioned.indices(worker, number);
  const int to = program.instructions[size_t(number)].to;
  return Box(indices.begin() + tensorOf(to).type.rank(), indices.end());
}

Box Subject::reductionRange(int number) const {
  return wholeBox(program.instructions[size_t(number)].reductions);
}

std::vector<Box> Subject::regions(int worker, int number) const {
  const Instruction &instruction = program.instructions[size_t(number)];
  const Box &indices = partitioned.indices(worker, number);
  std::vector<Box> regions;
  for (size_t k = 0; k < instruction.operands.size(); ++k)
    regions.push_back((*accesses[size_t(number)])[k].region(
        indices, tensorOf(instruction.operands[k]).type.shape));
  return regions;
}
