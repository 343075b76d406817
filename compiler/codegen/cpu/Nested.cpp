// Products with products inside (dialects/tdl/analysis/NestedProduct.h): for 32
// rows of the result and 64 of its columns, the terms are gone over 32 at a
// time. The inner products' right sides are turned, so that terms lie side by
// side: a row's 32 inner products are one vector, as are the factors that
// follow from them, and each factor then multiplies a row of the other side.
//
//     for rows: for terms: right = turned tile; other = tile
//         for row: inner = Sum(lambda c: left[row, c] * right[c]);
//                  factor = f(inner); sums[row] += factor * other
//
// The order of terms follows from the range of the reduction alone, so the bits
// are the same however the result is cut.
#include "compiler/codegen/cpu/CpuKernel.h"
#include "dialects/tdl/analysis/NestedProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using analysis::InnerProduct;
using analysis::NestedProduct;
using tdl::ExprRef;

namespace {

class Nested {
public:
  Nested(CpuKernel &kernel, NestedProduct found)
      : kernel(kernel), b(kernel.b), product(std::move(found)),
        rowsAtOnce(kernel.schedule.tiles[0]),
        columnsAtOnce(kernel.schedule.tiles[1]), lanes(kernel.schedule.lanes),
        type(VectorType::get({lanes}, b.getF32Type())),
        factor(analysis::factorOfInner(product, int(kernel.operands.size()))),
        factors(scratch(lanes)) {
    kernel.at.emplace_back(); // of the inner products' terms
    for (const InnerProduct &inner : product.inner) {
      rights.push_back(scratch(lanes * inner.terms));
      inners.push_back(scratch(lanes));
    }
    if (product.other)
      other = scratch(lanes * columnsAtOnce);
    perRow = product.other ? columnsAtOnce : lanes;
    sums = scratch(rowsAtOnce * perRow);
  }

  void build() { batches(0); }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value scratch(int64_t count) { return kernel.scratch(b.getF32Type(), count); }
  size_t row() const { return size_t(product.row); }
  size_t term() const { return size_t(product.term); }
  size_t column() const { return size_t(product.column); }
  size_t depth() const { return size_t(kernel.lambda.indexCount()); }

  /// The values of a variable from `first` on, `step` at most: how many.
  Value countFrom(size_t variable, Value first, int64_t step) {
    return kernel.min(kernel.sub(kernel.hi[variable], first), constant(step));
  }
  void each(size_t variable, int64_t step,
            llvm::function_ref<void(Value first, Value count)> body) {
    kernel.loop(
        kernel.lo[variable], kernel.hi[variable], step,
        [&](Value first) { body(first, countFrom(variable, first, step)); });
  }
  /// Gives the variable the values first, first + 1, .. while body runs.
  void eachAt(size_t variable, Value first, Value count,
              llvm::function_ref<void(Value number)> body) {
    kernel.loop(constant(0), count, 1, [&](Value i) {
      kernel.at[variable] = kernel.add(first, i);
      body(i);
      kernel.at[variable] = nullptr;
    });
  }

  void batches(size_t number) {
    if (number < product.batch.size()) {
      const auto variable = size_t(product.batch[number]);
      return eachAt(variable, kernel.lo[variable], kernel.size(int(variable)),
                    [&](Value) { batches(number + 1); });
    }
    each(row(), rowsAtOnce, [&](Value firstRow, Value rows) {
      if (!product.other)
        return tiles(firstRow, rows, nullptr, nullptr);
      each(column(), columnsAtOnce, [&](Value firstColumn, Value columns) {
        tiles(firstRow, rows, firstColumn, columns);
      });
    });
  }

  void tiles(Value firstRow, Value rows, Value firstColumn, Value columns) {
    Value nothing =
        product.other ? realConstant(b, DType::F32, 0) : kernel.identity();
    Value all = broadcast(nothing);
    kernel.loop(constant(0), constant(rowsAtOnce * perRow), lanes,
                [&](Value i) { save(all, sums, i); });
    each(term(), lanes, [&](Value firstTerm, Value terms) {
      for (auto [inner, right] : llvm::zip(product.inner, rights))
        turn(inner, right, firstTerm, terms);
      if (product.other)
        copyOther(firstTerm, terms, firstColumn, columns);
      eachAt(row(), firstRow, rows, [&](Value number) {
        for (size_t p = 0; p < product.inner.size(); ++p)
          save(innerOf(p), inners[p], constant(0));
        computeFactors(firstTerm, terms, nothing);
        Value ofRow = mul(number, constant(perRow));
        if (product.other)
          addProducts(ofRow);
        else
          save(kernel.combine(load(sums, ofRow), load(factors, constant(0))),
               sums, ofRow);
      });
    });
    eachAt(row(), firstRow, rows, [&](Value number) {
      Value ofRow = mul(number, constant(perRow));
      if (!product.other)
        return kernel.storeAccumulated(reduced(ofRow));
      eachAt(column(), firstColumn, columns, [&](Value c) {
        kernel.storeAccumulated(
            memref::LoadOp::create(b, sums, ValueRange{kernel.add(ofRow, c)}));
      });
    });
  }

  /// right[c, t] of the terms from there on; zeros beyond the last.
  void turn(const InnerProduct &inner, Value to, Value firstTerm, Value terms) {
    Value zeros = broadcast(realConstant(b, DType::F32, 0));
    Value isWhole = kernel.equal(terms, constant(lanes));
    Value partial =
        arith::XOrIOp::create(b, isWhole, integerConstant(b, DType::Bool, 1));
    kernel.when(partial, [&] {
      kernel.loop(constant(0), constant(inner.terms), 1,
                  [&](Value c) { save(zeros, to, mul(c, constant(lanes))); });
    });
    eachAt(term(), firstTerm, terms, [&](Value t) {
      eachAt(depth(), constant(0), constant(inner.terms), [&](Value c) {
        Value slot = kernel.add(mul(c, constant(lanes)), t);
        memref::StoreOp::create(b, kernel.emit(inner.right), to, slot);
      });
    });
  }

  /// other[t, d] of the terms and columns from there on; zeros beyond.
  void copyOther(Value firstTerm, Value terms, Value firstColumn,
                 Value columns) {
    Value zeros = broadcast(realConstant(b, DType::F32, 0));
    kernel.loop(constant(0), constant(lanes * columnsAtOnce), lanes,
                [&](Value i) { save(zeros, other, i); });
    eachAt(term(), firstTerm, terms, [&](Value t) {
      eachAt(column(), firstColumn, columns, [&](Value c) {
        Value slot = kernel.add(mul(t, constant(columnsAtOnce)), c);
        memref::StoreOp::create(b, kernel.emit(product.other), other, slot);
      });
    });
  }

  /// The inner product number p of the current row and all terms of the tile.
  Value innerOf(size_t p) {
    const InnerProduct &inner = product.inner[p];
    Value zeros = broadcast(realConstant(b, DType::F32, 0));
    auto loop = scf::ForOp::create(b, constant(0), constant(inner.terms),
                                   constant(1), zeros);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value c = loop.getInductionVar();
    kernel.at[depth()] = c;
    Value left = broadcast(kernel.emit(inner.left));
    kernel.at[depth()] = nullptr;
    Value right = load(rights[p], mul(c, constant(lanes)));
    Value sum = arith::AddFOp::create(b, loop.getRegionIterArg(0),
                                      arith::MulFOp::create(b, left, right));
    scf::YieldOp::create(b, sum);
    return loop.getResult(0);
  }

  /// Of the current row and the terms from there on; nothing beyond the last.
  void computeFactors(Value firstTerm, Value terms, Value nothing) {
    save(broadcast(nothing), factors, constant(0));
    const int count = int(kernel.operands.size());
    eachAt(term(), firstTerm, terms, [&](Value t) {
      const llvm::SaveAndRestore<std::function<Value(const ExprRef &)>> atHand(
          kernel.elementAtHand, [&](const ExprRef &read) -> Value {
            if (read->operand < count)
              return nullptr;
            return memref::LoadOp::create(
                b, inners[size_t(read->operand - count)], ValueRange{t});
          });
      memref::StoreOp::create(b, kernel.emit(factor), factors, ValueRange{t});
    });
  }

  /// sums[row] += factors[t] * other[t], for all columns.
  void addProducts(Value ofRow) {
    const int64_t vectors = columnsAtOnce / lanes;
    SmallVector<Value> before;
    for (int64_t v = 0; v < vectors; ++v)
      before.push_back(load(sums, kernel.add(ofRow, constant(v * lanes))));
    auto loop = scf::ForOp::create(b, constant(0), constant(lanes), constant(1),
                                   before);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value t = loop.getInductionVar();
      Value left = broadcast(memref::LoadOp::create(b, factors, ValueRange{t}));
      SmallVector<Value> next;
      for (int64_t v = 0; v < vectors; ++v) {
        Value right = load(other, kernel.add(mul(t, constant(columnsAtOnce)),
                                             constant(v * lanes)));
        next.push_back(
            arith::AddFOp::create(b, loop.getRegionIterArg(unsigned(v)),
                                  arith::MulFOp::create(b, left, right)));
      }
      scf::YieldOp::create(b, next);
    }
    for (int64_t v = 0; v < vectors; ++v)
      save(loop.getResult(unsigned(v)), sums,
           kernel.add(ofRow, constant(v * lanes)));
  }

  /// The lanes of a row, one after the other.
  Value reduced(Value ofRow) {
    auto loop = scf::ForOp::create(b, constant(0), constant(lanes), constant(1),
                                   kernel.identity());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value each = memref::LoadOp::create(
        b, sums, ValueRange{kernel.add(ofRow, loop.getInductionVar())});
    Value combined = kernel.combine(loop.getRegionIterArg(0), each);
    scf::YieldOp::create(b, combined);
    return loop.getResult(0);
  }

  Value broadcast(Value value) {
    return vector::BroadcastOp::create(b, type, value);
  }
  Value load(Value memory, Value at) {
    return vector::LoadOp::create(b, type, memory, ValueRange{at});
  }
  void save(Value vector, Value memory, Value at) {
    vector::StoreOp::create(b, vector, memory, ValueRange{at});
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const NestedProduct product;
  const int64_t rowsAtOnce, columnsAtOnce, lanes;
  const VectorType type;
  const ExprRef factor;
  Value factors, other, sums;
  std::vector<Value> rights, inners;
  int64_t perRow = 0; // sums
};

} // namespace

void codegen::buildNested(CpuKernel &kernel) {
  Nested(kernel, *analysis::matchNestedProduct(kernel.lambda)).build();
}
