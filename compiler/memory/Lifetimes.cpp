#include "compiler/memory/Lifetimes.h"

#include "dialects/tdl/analysis/Properties.h"

using namespace mlir;
using namespace smex;
using memory::Lived;

llvm::DenseMap<Operation *, Lived> memory::lifetimes(exec::ProgramOp program,
                                                     const View &view) {
  const int64_t end = int64_t(exec::instructions(program).size()) + 1;
  llvm::DenseMap<Operation *, Lived> lived;
  for (auto buffer : program.getOps<exec::BufferOp>()) {
    // Inputs are there before the first instruction; parameters stay.
    if (buffer.getRole() == exec::Role::Input)
      lived[buffer] = {-1, 0};
    else if (exec::isParameter(buffer))
      lived[buffer] = {-1, end};
    else
      lived[buffer] = {end, -1};
  }
  const auto touch = [&](exec::BufferOp buffer, int64_t time) {
    Lived &span = lived[view.storage(buffer)];
    span.lower = std::min(span.lower, time);
    span.upper = std::max(span.upper, time + 1);
  };
  for (const auto [op, at] : view.steps()) {
    touch(exec::written(op), at);
    for (exec::BufferOp buffer : exec::read(op))
      touch(buffer, at);
  }
  for (auto output : program.getOps<exec::OutputOp>())
    touch(exec::bufferOf(output.getBuffer()), end - 1);
  for (auto update : program.getOps<exec::UpdateOp>())
    touch(exec::bufferOf(update.getValue()), end - 1);
  return lived;
}

llvm::DenseMap<Operation *, exec::BufferOp>
memory::replacements(exec::ProgramOp program, const tdl::LambdaTable &lambdas,
                     const View &view) {
  llvm::DenseMap<Operation *, exec::BufferOp> found;
  llvm::DenseMap<Operation *, Operation *> valueOf; // by parameter
  for (auto update : program.getOps<exec::UpdateOp>()) {
    exec::BufferOp value = view.storage(exec::bufferOf(update.getValue()));
    valueOf[exec::bufferOf(update.getParameter())] = value;
    found[value] = exec::bufferOf(update.getParameter());
  }
  llvm::DenseSet<Operation *> written; // values, so far
  for (const auto [instruction, at] : view.steps()) {
    const auto reads = view.read(instruction);
    exec::BufferOp to = view.written(instruction);
    for (size_t i = 0; i < reads.size(); ++i) {
      Operation *value = valueOf.lookup(reads[i]);
      if (!value)
        continue;
      auto compute = dyn_cast<exec::ComputeOp>(instruction);
      const bool inPlace =
          to == value && compute &&
          llvm::is_contained(analysis::inPlaceOperands(
                                 lambdas[compute.getLambdaAttr().getAttr()]),
                             int(i));
      if (written.contains(value) || (to == value && !inPlace))
        found.erase(value);
    }
    // Filled by several instructions, it is not finished with the first.
    if (found.contains(to) && !written.insert(to).second)
      found.erase(to);
  }
  return found;
}
