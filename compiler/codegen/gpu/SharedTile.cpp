#include "compiler/codegen/gpu/SharedTile.h"

#include "compiler/codegen/gpu/WideReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

constexpr int64_t atOnce = 8; // 16-bit floats

class Filling {
public:
  Filling(GpuKernel &kernel, const SharedMatrix &to, const ExprRef &read,
          const TileSide &down, const TileSide &across)
      : kernel(kernel), b(kernel.b), to(to), read(read), down(down),
        across(across), memory(kernel.operands[size_t(read->operand)]) {}

  void fill(int64_t rows, int64_t width) {
    const int64_t perRow = width / atOnce;
    kernel.strided(kernel.thread, constant(rows * perRow),
                   constant(kernel.schedule.threads), [&](Value i) {
                     Value y = kernel.divide(i, constant(perRow));
                     Value x = kernel.mul(
                         kernel.sub(i, kernel.mul(y, constant(perRow))),
                         constant(atOnce));
                     eight(y, x);
                   });
    kernel.at[down.variable] = kernel.at[across.variable] = nullptr;
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }

  /// An index that is 1 further where the variable is.
  bool stepsByOne(const ExprRef &index) const {
    if (index->kind == ExprKind::Index)
      return size_t(index->index) == across.variable;
    if (index->kind != ExprKind::Binary || index->binary != tdl::BinaryOp::Add)
      return false;
    const ExprRef &a = index->children[0], &other = index->children[1];
    const int variable = int(across.variable);
    return tdl::uses(a, variable) ? stepsByOne(a) && !tdl::uses(other, variable)
                                  : stepsByOne(other);
  }

  /// Neighbours along the tile's rows are neighbours in memory.
  bool areNeighbours() const {
    bool are = stepsByOne(read->children.back());
    for (size_t d = 0; d + 1 < read->children.size(); ++d)
      are &= !tdl::uses(read->children[d], int(across.variable));
    return are;
  }

  void eight(Value y, Value x) {
    Value slot = kernel.add(kernel.mul(y, constant(to.pitch)), x);
    Value row = kernel.add(down.first, y), column = kernel.add(across.first, x);
    Value inside = kernel.less(row, down.size);
    kernel.at[down.variable] = kernel.add(down.low, row);
    kernel.at[across.variable] = kernel.add(across.low, column);
    if (!areNeighbours())
      return each(slot, inside, column);
    Value last = kernel.add(column, constant(atOnce - 1));
    Value isWhole = kernel.both(inside, kernel.less(last, across.size));
    Value wide = kernel.both(
        isWhole, isAligned(kernel, memory, kernel.readIndices(*read), atOnce));
    auto branch = scf::IfOp::create(b, wide, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value all = vector::LoadOp::create(
        b, vectorOf(memory, atOnce), memory, kernel.readIndices(*read),
        /*nontemporal=*/false, llvm::MaybeAlign(16));
    vector::StoreOp::create(b, all, to.memory, ValueRange{slot},
                            /*nontemporal=*/false, llvm::MaybeAlign(16));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    each(slot, inside, column);
  }

  /// One element after the other.
  void each(Value slot, Value inside, Value column) {
    Value start = kernel.at[across.variable];
    kernel.strided(constant(0), constant(atOnce), constant(1), [&](Value k) {
      kernel.at[across.variable] = kernel.add(start, k);
      Value isThere =
          kernel.both(inside, kernel.less(kernel.add(column, k), across.size));
      memref::StoreOp::create(b, elementIf(isThere), to.memory,
                              ValueRange{kernel.add(slot, k)});
    });
    kernel.at[across.variable] = start;
  }

  Value elementIf(Value isThere) {
    const Type type = memoryType(b.getContext(), read->type);
    auto branch = scf::IfOp::create(b, TypeRange{type}, isThere,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value loaded = memref::LoadOp::create(b, memory, kernel.readIndices(*read));
    scf::YieldOp::create(b, loaded);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    Value zero = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
    scf::YieldOp::create(b, zero);
    return branch.getResult(0);
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const SharedMatrix &to;
  const ExprRef &read;
  const TileSide &down, &across;
  Value memory;
};

} // namespace

void codegen::fillTile(GpuKernel &kernel, const SharedMatrix &to, int64_t rows,
                       const ExprRef &read, const TileSide &down,
                       const TileSide &across, int64_t width) {
  Filling(kernel, to, read, down, across).fill(rows, width);
}
