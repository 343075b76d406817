// Marks the maps that a library may do at the place of the matrix product
// before them: what a plan's epilogues have to fulfil
// (runtime/plan/Epilogue.h).
#include "compiler/memory/Epilogues.h"
#include "compiler/memory/Passes.h"

#include "mlir/IR/Builders.h"

namespace smex::memory {
#define GEN_PASS_DEF_MARKEPILOGUES
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;
using memory::PossibleEpilogue;

namespace {

/// Where the map's result lies where the product's does, on every worker that
/// has something of it.
bool isInPlace(PossibleEpilogue epilogue, exec::Regions &regions) {
  exec::BufferOp made = exec::written(epilogue.product),
                 to = exec::written(epilogue.map);
  const std::vector<Box> &boxes = regions.of(made);
  for (size_t w = 0; w < boxes.size(); ++w)
    if (!isEmpty(boxes[w]) && (*made.getOffsets())[w] != (*to.getOffsets())[w])
      return false;
  return true;
}

struct MarkEpilogues : memory::impl::MarkEpiloguesBase<MarkEpilogues> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    for (auto buffer : program.getOps<exec::BufferOp>())
      if (!buffer.getOffsets()) {
        buffer.emitOpError("has no place yet: run exec-plan-memory first");
        return signalPassFailure();
      }
    exec::Regions regions(program);
    const tdl::LambdaTable lambdas(program->getParentOp());
    Builder builder(program.getContext());
    for (auto map : program.getOps<exec::ComputeOp>())
      map.removeEpilogueAttr();
    for (PossibleEpilogue each :
         memory::possibleEpilogues(program, regions, lambdas))
      if (isInPlace(each, regions) &&
          (!each.bias || memory::isWrittenBefore(each.bias, each.product)))
        each.map.setEpilogueAttr(builder.getI64IntegerAttr(each.operand));
  }
};

} // namespace
