#include "compiler/memory/InPlace.h"

#include "dialects/tdl/analysis/Properties.h"

using namespace mlir;
using namespace smex;

namespace {

using Counts = llvm::DenseMap<Operation *, int>;

/// How often each buffer is read and written from outside, or by instructions.
struct Uses {
  llvm::DenseMap<Operation *, Operation *> lastRead; // by buffer
  Counts writes;
  llvm::DenseSet<Operation *> kept; // beyond the last instruction
};

Uses usesOf(exec::ProgramOp program, const memory::View &view) {
  Uses uses;
  for (const auto [instruction, at] : view.steps()) {
    ++uses.writes[view.written(instruction)];
    for (exec::BufferOp buffer : view.read(instruction))
      uses.lastRead[buffer] = instruction;
  }
  for (auto output : program.getOps<exec::OutputOp>())
    uses.kept.insert(view.storage(exec::bufferOf(output.getBuffer())));
  for (auto update : program.getOps<exec::UpdateOp>())
    uses.kept.insert(view.storage(exec::bufferOf(update.getValue())));
  return uses;
}

} // namespace

llvm::DenseMap<Operation *, exec::BufferOp> smex::memory::inPlaceResults(
    exec::ProgramOp program, exec::Regions &regions,
    const tdl::LambdaTable &lambdas,
    const llvm::DenseMap<Operation *, exec::BufferOp> &taken,
    const View &view) {
  const Uses uses = usesOf(program, view);
  llvm::DenseMap<Operation *, exec::BufferOp> found;
  for (const auto [op, at] : view.steps()) {
    auto compute = dyn_cast<exec::ComputeOp>(op);
    if (!compute)
      continue;
    exec::BufferOp to = view.written(compute);
    if (taken.contains(to) || uses.writes.at(to) > 1)
      continue;
    const auto operands = view.read(compute);
    const auto candidates =
        analysis::inPlaceOperands(lambdas[compute.getLambdaAttr().getAttr()]);
    const auto mayTake = [&](exec::BufferOp from) {
      if (from.getRole() != exec::Role::Temporary || uses.kept.contains(from) ||
          uses.lastRead.at(from) != compute || uses.writes.at(from) > 1 ||
          regions.of(from) != regions.of(to))
        return false;
      for (size_t k = 0; k < operands.size(); ++k)
        if (operands[k] == from && !llvm::is_contained(candidates, int(k)))
          return false;
      return true;
    };
    for (int k : candidates)
      if (mayTake(operands[k])) {
        found[to] = operands[k];
        break;
      }
  }
  return found;
}
