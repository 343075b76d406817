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
#include "compiler/codegen/gpu/RowReads.h"
#include "compiler/codegen/gpu/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using analysis::InnerProduct;
using analysis::NestedProduct;
using tdl::ExprRef;

namespace {

constexpr int64_t part = 16; // rows and columns of the matrix units' matrices

int64_t roundedUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

/// Elements from row to row of a tile of so many columns (SharedMatrix).
int64_t pitchOf(int64_t columns) { return roundedUp(columns, part) + 8; }

int64_t sharedElements(const NestedProduct &product, int64_t tile) {
  int64_t count = product.other ? tile * pitchOf(tile) : 0;
  for (const InnerProduct &inner : product.inner)
    count += tile * pitchOf(inner.terms);
  return count;
}

} // namespace

std::optional<NestedProduct> codegen::findNested(const tdl::Lambda &lambda,
                                                 int64_t tile) {
  constexpr int64_t mostBytes = 48 * 1024; // shared memory that needs no asking
  auto product = analysis::matchNestedProduct(lambda);
  if (!product || 2 * sharedElements(*product, tile) > mostBytes)
    return std::nullopt;
  return product;
}

namespace {

class Nested {
public:
  Nested(GpuKernel &kernel, NestedProduct found)
      : kernel(kernel), b(kernel.b), product(std::move(found)),
        tile(kernel.schedule.tile), matrices(kernel),
        rows(kernel.size(product.row)), terms(kernel.size(product.term)),
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
    // Inner products are at hand, not in memory.
    factor = analysis::factorOfInner(product, int(kernel.operands.size()));
    rowReads = findRowReads(factor, product.term);
  }

  void build() {
    kernel.eachTile(product.batch, rows, product.other ? columns : constant(1),
                    [&](Value row, Value column) { compute(row, column); });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  Type elementOf(const ExprRef &read) {
    return memoryType(b.getContext(), read->type);
  }
  SharedMatrix shared(const ExprRef &read, int64_t width) {
    const int64_t pitch = pitchOf(width);
    return {kernel.shared(elementOf(read), tile * pitch), pitch};
  }

  TileSide side(int variable, Value first) {
    return {size_t(variable), kernel.lo[size_t(variable)], first,
            kernel.size(variable)};
  }
  TileSide depthOf(const InnerProduct &inner) {
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
      fillTile(kernel, memory, tile, inner.right, side(product.term, firstTerm),
               depthOf(inner), roundedUp(inner.terms, part));
    if (product.other)
      fillTile(kernel, other, tile, product.other,
               side(product.term, firstTerm), side(product.column, firstColumn),
               tile);
    kernel.barrier();
    scf::YieldOp::create(b,
                         addTile(firstTerm, loop.getRegionIterArgs(), isWhole));
    return Values(loop.getResults());
  }

  /// This warp's rows of the left factors, which stay in registers.
  void loadLeft(Value firstRow) {
    lefts.clear();
    for (auto [inner, memory] : llvm::zip(product.inner, tiles))
      fillTile(kernel, memory, tile, inner.left, side(product.row, firstRow),
               depthOf(inner), roundedUp(inner.terms, part));
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
      for (const RowRead &each : rowReads)
        ofRows[size_t(half)].push_back(each.load(kernel));
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
            if (tdl::equal(known.read, read))
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
  const int64_t tile;
  Matrices matrices;
  Value rows, terms, columns;
  const size_t depth;
  std::vector<SharedMatrix> tiles; // of the inner products
  SharedMatrix other;
  Value warpRow, firstOfWarp;
  ExprRef factor;
  std::vector<RowRead> rowReads;
  std::array<SmallVector<Value>, 2> ofRows;
  std::vector<std::vector<Fragment>> lefts;
};

} // namespace

void codegen::buildGpuNested(GpuKernel &kernel) {
  Nested(kernel, *findNested(kernel.lambda, kernel.schedule.tile)).build();
}
