// A sum over products that have products inside, or a reduction of such
// products along rows: what an attention is whose scores are not stored. A
// block computes 64 rows of the result, and 64 of its columns; it goes over the
// terms in tiles of 64. Each of its four warps has 16 of the rows: of its part
// of a tile, 16 x 16 at a time, it computes the inner products, then the
// factors from these, number by number, in registers, where the matrix units
// take them as they are to multiply them by the other side's tile.
//
// What an element is made of, and in which order, does not depend on the other
// rows and columns: the bits are the same however the result is cut.
#include "compiler/codegen/gpu/Nested.h"

#include "compiler/codegen/gpu/FastMath.h"
#include "compiler/codegen/gpu/Matrices.h"
#include "compiler/codegen/gpu/WideReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using analysis::InnerProduct;
using analysis::NestedProduct;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

constexpr int64_t tile = 64, part = 16, atOnce = 8;

int64_t roundedUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

/// Elements from row to row of a tile of so many columns.
int64_t pitchOf(int64_t columns) { return roundedUp(columns, part) + atOnce; }

int64_t sharedElements(const NestedProduct &product) {
  int64_t count = product.other ? tile * pitchOf(tile) : 0;
  for (const InnerProduct &inner : product.inner)
    count += tile * pitchOf(inner.terms);
  return count;
}

} // namespace

std::optional<NestedProduct> codegen::findNested(const tdl::Lambda &lambda) {
  constexpr int64_t mostBytes = 48 * 1024; // shared memory that needs no asking
  auto product = analysis::matchNestedProduct(lambda);
  if (!product || 2 * sharedElements(*product) > mostBytes)
    return std::nullopt;
  return product;
}

namespace {

/// Reads that are made at every row, whatever the term: outside of branches,
/// and at no place that data says.
void findRowReads(const ExprRef &e, int term, std::vector<ExprRef> &found) {
  const bool isBranch =
      e->kind == ExprKind::Select ||
      (e->kind == ExprKind::Binary && e->type == DType::Bool &&
       (e->binary == tdl::BinaryOp::And || e->binary == tdl::BinaryOp::Or));
  if (e->kind == ExprKind::Read) {
    if (!e->children.empty() && !e->otherwise && !tdl::uses(e, term) &&
        llvm::none_of(e->children, tdl::readsData) &&
        llvm::none_of(
            found, [&](const ExprRef &other) { return tdl::equal(other, e); }))
      found.push_back(e);
    return;
  }
  for (const ExprRef &child : e->children) {
    findRowReads(child, term, found);
    if (isBranch)
      return;
  }
}

class Nested {
public:
  Nested(GpuKernel &kernel, NestedProduct found)
      : kernel(kernel), b(kernel.b), product(std::move(found)),
        matrices(kernel), rows(kernel.size(product.row)),
        terms(kernel.size(product.term)),
        depth(size_t(kernel.lambda.indexCount())) {
    kernel.at.emplace_back(); // of the inner products' terms
    kernel.instead = [this](const tdl::Expr &e, ArrayRef<Value> operands) {
      return fastMath(b, e, operands);
    };
    for (const InnerProduct &inner : product.inner)
      tiles.push_back(shared(inner.left, inner.terms));
    if (product.other) {
      columns = kernel.size(product.column);
      other = shared(product.other, tile);
    }
    warpRow =
        kernel.mul(kernel.divide(kernel.thread, constant(32)), constant(part));
    // What is at hand already is read from an operand that is not there.
    factor = withInnerAtHand(product.factor);
    findRowReads(factor, product.term, rowReads);
  }

  void build() {
    Value down = portions(rows),
          across = product.other ? portions(columns) : constant(1);
    Value perBatch = kernel.mul(across, down);
    Value all = kernel.mul(kernel.count(product.batch), perBatch);
    kernel.strided(kernel.block, all, kernel.blocks, [&](Value i) {
      Value batch = kernel.divide(i, perBatch);
      Value number = kernel.sub(i, kernel.mul(batch, perBatch));
      Value y = kernel.divide(number, across);
      Value x = kernel.sub(number, kernel.mul(y, across));
      kernel.atTuple(product.batch, batch, [&] {
        compute(kernel.mul(y, constant(tile)), kernel.mul(x, constant(tile)));
      });
    });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  Value portions(Value size) {
    return kernel.divide(kernel.add(size, constant(tile - 1)), constant(tile));
  }
  Type elementOf(const ExprRef &read) {
    return memoryType(b.getContext(), read->type);
  }
  SharedMatrix shared(const ExprRef &read, int64_t width) {
    const int64_t pitch = pitchOf(width);
    return {kernel.shared(elementOf(read), tile * pitch), pitch};
  }

  /// The factor with reads of operands number `operands.size()` and more in
  /// place of the inner products.
  ExprRef withInnerAtHand(const ExprRef &e) const {
    for (size_t p = 0; p < product.inner.size(); ++p)
      if (tdl::equal(e, product.inner[p].value))
        return tdl::read(int(kernel.operands.size() + p), DType::F32, {});
    std::vector<ExprRef> children;
    for (const ExprRef &child : e->children)
      children.push_back(withInnerAtHand(child));
    return tdl::withChildren(*e, std::move(children), e->otherwise, e->slices);
  }

  /// The tile of 64 x width elements of a read, from those places of the two
  /// variables on; zeros beyond their sizes.
  struct Side {
    size_t variable;
    Value low, first, size;
  };
  void fill(const SharedMatrix &to, const ExprRef &read, const Side &down,
            const Side &across, int64_t width) {
    const int64_t perRow = width / atOnce;
    const ExprRef &last = read->children.back();
    bool canLoad =
        last->kind == ExprKind::Index && size_t(last->index) == across.variable;
    for (size_t d = 0; d + 1 < read->children.size(); ++d)
      canLoad &= !tdl::uses(read->children[d], int(across.variable));
    kernel.strided(
        kernel.thread, constant(tile * perRow),
        constant(kernel.schedule.threads), [&](Value i) {
          Value y = kernel.divide(i, constant(perRow));
          Value x = kernel.mul(kernel.sub(i, kernel.mul(y, constant(perRow))),
                               constant(atOnce));
          Value slot = kernel.add(kernel.mul(y, constant(to.pitch)), x);
          Value row = kernel.add(down.first, y),
                column = kernel.add(across.first, x);
          Value inside = kernel.less(row, down.size);
          kernel.at[down.variable] = kernel.add(down.low, row);
          kernel.at[across.variable] = kernel.add(across.low, column);
          if (!canLoad)
            return fillEach(to, read, across, slot, inside, column);
          Value end = kernel.add(column, constant(atOnce - 1));
          Value memory = kernel.operands[size_t(read->operand)];
          Value wide = kernel.both(
              kernel.both(inside, kernel.less(end, across.size)),
              isAligned(kernel, memory, kernel.readIndices(*read), atOnce));
          auto branch = scf::IfOp::create(b, wide, /*withElseRegion=*/true);
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(&branch.getThenRegion().front());
          Value eight = vector::LoadOp::create(
              b, vectorOf(memory, atOnce), memory, kernel.readIndices(*read),
              /*nontemporal=*/false, llvm::MaybeAlign(16));
          vector::StoreOp::create(b, eight, to.memory, ValueRange{slot},
                                  /*nontemporal=*/false, llvm::MaybeAlign(16));
          b.setInsertionPointToStart(&branch.getElseRegion().front());
          fillEach(to, read, across, slot, inside, column);
        });
    kernel.at[down.variable] = kernel.at[across.variable] = nullptr;
  }

  void fillEach(const SharedMatrix &to, const ExprRef &read, const Side &across,
                Value slot, Value inside, Value column) {
    Value start = kernel.at[across.variable];
    kernel.strided(constant(0), constant(atOnce), constant(1), [&](Value k) {
      kernel.at[across.variable] = kernel.add(start, k);
      Value isThere =
          kernel.both(inside, kernel.less(kernel.add(column, k), across.size));
      const Type type = elementOf(read);
      auto branch = scf::IfOp::create(b, TypeRange{type}, isThere,
                                      /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&branch.getThenRegion().front());
        Value loaded =
            memref::LoadOp::create(b, kernel.operands[size_t(read->operand)],
                                   kernel.readIndices(*read));
        scf::YieldOp::create(b, loaded);
        b.setInsertionPointToStart(&branch.getElseRegion().front());
        Value zero = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
        scf::YieldOp::create(b, zero);
      }
      memref::StoreOp::create(b, branch.getResult(0), to.memory,
                              ValueRange{kernel.add(slot, k)});
    });
    kernel.at[across.variable] = start;
  }

  Side side(int variable, Value first) {
    return {size_t(variable), kernel.lo[size_t(variable)], first,
            kernel.size(variable)};
  }
  Side terms0(const InnerProduct &inner) {
    return {depth, constant(0), constant(0), constant(inner.terms)};
  }

  /// The rows from there on, and columns if there are.
  void compute(Value firstRow, Value firstColumn) {
    firstOfWarp = kernel.add(firstRow, warpRow);
    loadLeft(firstRow);
    loadRowReads();
    Values sums(product.other ? size_t(tile / 2) : 2,
                product.other ? realConstant(b, DType::F32, 0)
                              : kernel.identity());
    // All but the last tile are whole: nothing need be asked of their terms.
    Value rest = arith::RemUIOp::create(b, terms, constant(tile));
    Value whole = kernel.sub(terms, rest);
    sums = addTiles(constant(0), whole, firstColumn, sums, /*isWhole=*/true);
    sums = addTiles(whole, terms, firstColumn, sums, /*isWhole=*/false);
    if (product.other)
      storeProducts(firstColumn, sums);
    else
      storeReduced(sums);
    kernel.barrier();
  }

  Values addTiles(Value first, Value end, Value firstColumn,
                  const Values &before, bool isWhole) {
    auto loop = scf::ForOp::create(b, first, end, constant(tile), before);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstTerm = loop.getInductionVar();
    kernel.barrier(); // the memory is free again
    for (auto [inner, memory] : llvm::zip(product.inner, tiles))
      fill(memory, inner.right, side(product.term, firstTerm), terms0(inner),
           roundedUp(inner.terms, part));
    if (product.other)
      fill(other, product.other, side(product.term, firstTerm),
           side(product.column, firstColumn), tile);
    kernel.barrier();
    scf::YieldOp::create(b,
                         addTile(firstTerm, loop.getRegionIterArgs(), isWhole));
    return Values(loop.getResults());
  }

  /// This warp's rows of the left factors, which stay in registers.
  void loadLeft(Value firstRow) {
    lefts.clear();
    for (auto [inner, memory] : llvm::zip(product.inner, tiles))
      fill(memory, inner.left, side(product.row, firstRow), terms0(inner),
           roundedUp(inner.terms, part));
    kernel.barrier();
    for (auto [inner, memory] : llvm::zip(product.inner, tiles)) {
      lefts.emplace_back();
      for (int64_t k = 0; k < inner.terms; k += part)
        lefts.back().push_back(matrices.left(memory, warpRow, constant(k)));
    }
  }

  /// The place of the row of what this lane has, or of the other, 8 further.
  Value rowOfHalf(int64_t half) {
    return kernel.add(kernel.add(firstOfWarp, matrices.row),
                      constant(8 * half));
  }
  /// Beyond the last there is one to read all the same.
  Value clamped(Value place, Value size) {
    return kernel.min(place, kernel.sub(size, constant(1)));
  }

  void loadRowReads() {
    for (int64_t half : {0, 1}) {
      ofRows[size_t(half)].clear();
      kernel.at[size_t(product.row)] = kernel.add(
          kernel.lo[size_t(product.row)], clamped(rowOfHalf(half), rows));
      for (const ExprRef &read : rowReads)
        ofRows[size_t(half)].push_back(kernel.emit(read));
    }
    kernel.at[size_t(product.row)] = nullptr;
  }

  SmallVector<Value> addTile(Value firstTerm, ValueRange before, bool isWhole) {
    auto loop = scf::ForOp::create(b, constant(0), constant(tile),
                                   constant(part), before);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value inTile = loop.getInductionVar();
    SmallVector<Value> sums(loop.getRegionIterArgs());
    const std::array<Sums, 2> factors = factorsOf(firstTerm, inTile, isWhole);
    if (product.other)
      addProducts(inTile, factors, sums);
    else
      for (const Sums &beside : factors)
        for (size_t e = 0; e < 4; ++e)
          sums[e / 2] = kernel.combine(sums[e / 2], beside[e]);
    scf::YieldOp::create(b, sums);
    return SmallVector<Value>(loop.getResults());
  }

  /// Of this warp's 16 rows and as many terms.
  std::array<Sums, 2> factorsOf(Value firstTerm, Value inTile, bool isWhole) {
    std::vector<std::array<Sums, 2>> inner;
    for (auto [p, each] : llvm::enumerate(product.inner)) {
      Value zero = realConstant(b, DType::F32, 0);
      std::array<Sums, 2> sums{Sums{zero, zero, zero, zero},
                               Sums{zero, zero, zero, zero}};
      for (auto [k, left] : llvm::enumerate(lefts[p])) {
        const Fragment right =
            matrices.right(tiles[p], inTile, constant(int64_t(k) * part));
        for (size_t beside : {0, 1})
          sums[beside] = matrices.multiplied(each.left->type, left, right,
                                             beside == 1, sums[beside]);
      }
      inner.push_back(sums);
    }
    std::array<Sums, 2> factors;
    for (size_t beside : {0, 1})
      for (size_t e = 0; e < 4; ++e) {
        Value term = kernel.add(
            kernel.add(firstTerm, inTile),
            kernel.add(matrices.column, constant(int64_t(8 * beside + e % 2))));
        factors[beside][e] = factorAt(term, e / 2, isWhole, [&](size_t p) {
          return inner[p][beside][e];
        });
      }
    return factors;
  }

  Value factorAt(Value term, size_t half, bool isWhole,
                 llvm::function_ref<Value(size_t)> inner) {
    const llvm::SaveAndRestore<std::function<Value(const ExprRef &)>> atHand(
        kernel.elementAtHand, [&](const ExprRef &read) -> Value {
          const int count = int(kernel.operands.size());
          if (read->operand >= count)
            return inner(size_t(read->operand - count));
          for (const auto &[known, value] : llvm::zip(rowReads, ofRows[half]))
            if (tdl::equal(known, read))
              return value;
          return nullptr;
        });
    kernel.at[size_t(product.row)] =
        kernel.add(kernel.lo[size_t(product.row)],
                   clamped(rowOfHalf(int64_t(half)), rows));
    kernel.at[size_t(product.term)] = kernel.add(
        kernel.lo[size_t(product.term)], isWhole ? term : clamped(term, terms));
    Value value = kernel.emit(factor);
    kernel.at[size_t(product.row)] = kernel.at[size_t(product.term)] = nullptr;
    if (isWhole)
      return value;
    Value nothing =
        product.other ? realConstant(b, DType::F32, 0) : kernel.identity();
    return arith::SelectOp::create(b, kernel.less(term, terms), value, nothing);
  }

  void addProducts(Value inTile, const std::array<Sums, 2> &factors,
                   SmallVector<Value> &sums) {
    const DType type = product.other->type;
    const Fragment left = matrices.packed(type, factors[0], factors[1]);
    for (int64_t first = 0; first < tile; first += part) {
      const Fragment right =
          matrices.rightTurned(other, inTile, constant(first));
      for (size_t beside : {0, 1}) {
        const size_t at = (size_t(first) / 8 + beside) * 4;
        Sums four;
        std::copy_n(sums.begin() + at, 4, four.begin());
        four = matrices.multiplied(type, left, right, beside == 1, four);
        std::copy_n(four.begin(), 4, sums.begin() + at);
      }
    }
  }

  void storeProducts(Value firstColumn, ValueRange sums) {
    for (auto [k, sum] : llvm::enumerate(sums)) {
      const int64_t inTile = int64_t(k) / 4 * 8 + int64_t(k) % 2;
      Value row = rowOfHalf(int64_t(k) % 4 / 2);
      Value column = kernel.add(firstColumn,
                                kernel.add(matrices.column, constant(inTile)));
      storeAt(
          row, column, sum,
          kernel.both(kernel.less(row, rows), kernel.less(column, columns)));
    }
  }

  /// The four lanes of a row have a part of its terms each.
  void storeReduced(ValueRange parts) {
    for (int64_t half : {0, 1}) {
      Value sum = parts[unsigned(half)];
      for (int64_t distance : {2, 1})
        sum = kernel.combine(sum, kernel.fromLane(sum, distance));
      Value row = rowOfHalf(half);
      Value isFirst = kernel.equal(matrices.column, constant(0));
      storeAt(row, nullptr, sum, kernel.both(isFirst, kernel.less(row, rows)));
    }
  }

  void storeAt(Value row, Value column, Value sum, Value inside) {
    const auto place = [&](int variable, Value at) {
      kernel.at[size_t(variable)] =
          at ? kernel.add(kernel.lo[size_t(variable)], at) : Value();
    };
    kernel.when(inside, [&] {
      place(product.row, row);
      if (column)
        place(product.column, column);
      kernel.storeAccumulated(sum);
      place(product.row, nullptr);
      if (column)
        place(product.column, nullptr);
    });
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const NestedProduct product;
  Matrices matrices;
  Value rows, terms, columns;
  const size_t depth;
  std::vector<SharedMatrix> tiles; // of the inner products
  SharedMatrix other;
  Value warpRow, firstOfWarp;
  ExprRef factor;
  std::vector<ExprRef> rowReads;
  std::array<SmallVector<Value>, 2> ofRows;
  std::vector<std::vector<Fragment>> lefts;
};

} // namespace

void codegen::buildGpuNested(GpuKernel &kernel) {
  Nested(kernel, *findNested(kernel.lambda)).build();
}
