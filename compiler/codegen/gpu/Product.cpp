// A product in tiles. A block computes tile x tile elements of the result,
// each thread part x part of them, in registers. In each round, its threads
// evaluate `depth` columns of one factor and as many rows of the other once,
// into shared memory, from where each value is used `tile` times.
//
// The terms of an element are added one by one, in the order of the reduction's
// variables: beyond the last of them, 0 is added, which changes no sum.
#include "compiler/codegen/gpu/Product.h"

#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/LoopOrder.h"
#include "compiler/codegen/gpu/GpuKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

std::optional<Product> codegen::findProduct(const tdl::Lambda &lambda) {
  if (lambda.reducer != tdl::Reducer::Sum || lambda.guard ||
      (lambda.result != DType::F32 && lambda.result != DType::F64))
    return std::nullopt;
  const ExprRef term = termOf(lambda);
  if (term->kind != tdl::ExprKind::Binary || term->binary != tdl::BinaryOp::Mul)
    return std::nullopt;
  Product product;
  product.rows.value = term->children[0];
  product.columns.value = term->children[1];
  for (int i = 0; i < lambda.rank(); ++i) {
    const bool inRows = uses(product.rows.value, i);
    if (inRows == uses(product.columns.value, i))
      product.batch.push_back(i);
    else
      (inRows ? product.rows : product.columns).variables.push_back(i);
  }
  const auto &rows = product.rows.variables;
  if (rows.empty() || product.columns.variables.empty())
    return std::nullopt;
  if (rows.back() == lambda.rank() - 1)
    std::swap(product.rows, product.columns);
  return product;
}

namespace {

constexpr int64_t padding = 4; // elements, against conflicts of banks

/// What a block has of one factor in shared memory: depth x tile.
class Stage {
public:
  Stage(GpuKernel &kernel, const Product::Factor &factor)
      : kernel(kernel), factor(factor), tile(kernel.schedule.tile),
        depth(kernel.schedule.depth), threads(kernel.schedule.threads),
        memory(kernel.shared(kernel.accumulatorMemory(),
                             depth * (tile + padding))),
        size(kernel.count(factor.variables)) {
    const int term = kernel.schedule.order.back();
    termsFirst = readCost(factor.value, term) <
                 readCost(factor.value, factor.variables.back());
  }

  GpuKernel &kernel;
  const Product::Factor &factor;
  const int64_t tile, depth, threads;
  Value memory, size;

  /// Threads side by side evaluate terms side by side, or rows, as memory has
  /// them. The rows of this thread stay the same for all rounds.
  void start(Value first) {
    begin = first;
    rows.clear();
    const int64_t count = termsFirst ? tile * depth / threads : 1;
    Value row =
        termsFirst ? kernel.divide(kernel.thread, constant(depth)) : rest(tile);
    for (int64_t r = 0; r < count; ++r) {
      Value inTile = kernel.add(row, constant(r * threads / depth));
      Value i = kernel.add(begin, inTile);
      rows.push_back(
          {inTile, kernel.less(i, size), kernel.digits(factor.variables, i)});
    }
  }

  void fill(Value firstTerm, Value terms) {
    const std::vector<int> &order = kernel.schedule.order;
    const int64_t count = termsFirst ? 1 : tile * depth / threads;
    Value term =
        termsFirst ? rest(depth) : kernel.divide(kernel.thread, constant(tile));
    for (int64_t s = 0; s < count; ++s) {
      Value inRound = kernel.add(term, constant(s * threads / tile));
      Value k = kernel.add(firstTerm, inRound);
      Value isTerm = kernel.less(k, terms);
      kernel.place(order, kernel.digits(order, k));
      for (const Row &row : rows) {
        kernel.place(factor.variables, row.digits);
        Value value = evaluate(kernel.both(isTerm, row.inside));
        memref::StoreOp::create(kernel.b, value, memory,
                                ValueRange{slot(inRound, row.inTile)});
      }
      kernel.forget(factor.variables);
      kernel.forget(order);
    }
  }

  /// `part` neighbours of row or column `inTile` on, of one term.
  Value load(Value inRound, Value inTile, VectorType type) {
    return vector::LoadOp::create(kernel.b, type, memory,
                                  ValueRange{slot(inRound, inTile)},
                                  /*nontemporal=*/false, llvm::MaybeAlign(16));
  }

private:
  struct Row {
    Value inTile, inside;
    Values digits;
  };

  Value constant(int64_t value) { return kernel.constant(value); }
  Value rest(int64_t divisor) {
    return arith::RemUIOp::create(kernel.b, kernel.thread, constant(divisor));
  }
  Value slot(Value inRound, Value inTile) {
    return kernel.add(kernel.mul(inRound, constant(tile + padding)), inTile);
  }

  Value evaluate(Value inside) {
    LocBuilder &b = kernel.b;
    auto branch = scf::IfOp::create(b, TypeRange{kernel.accumulatorMemory()},
                                    inside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, kernel.emitTerm(factor.value));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, kernel.identity());
    return branch.getResult(0);
  }

  bool termsFirst = false;
  Value begin;
  SmallVector<Row> rows;
};

class Tiles {
public:
  Tiles(GpuKernel &kernel, const Product &product)
      : kernel(kernel), b(kernel.b), product(product),
        rows(kernel, product.rows), columns(kernel, product.columns),
        tile(kernel.schedule.tile), part(kernel.schedule.part),
        type(VectorType::get({part}, kernel.accumulatorMemory())) {
    Value side = constant(tile / part);
    row = kernel.mul(kernel.divide(kernel.thread, side), constant(part));
    Value rest = arith::RemUIOp::create(b, kernel.thread, side);
    column = kernel.mul(rest, constant(part));
  }

  void build() {
    kernel.eachTile(product.batch, rows.size, columns.size,
                    [&](Value row, Value column) { compute(row, column); });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  /// The tile from that row and that column of the result on.
  void compute(Value firstRow, Value firstColumn) {
    rows.start(firstRow);
    columns.start(firstColumn);
    Value zeros = vector::BroadcastOp::create(b, type, kernel.identity());
    const SmallVector<Value> none(size_t(part), zeros);
    Value terms = kernel.count(kernel.schedule.order);
    auto rounds = scf::ForOp::create(b, constant(0), terms,
                                     constant(kernel.schedule.depth), none);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(rounds.getBody());
      rows.fill(rounds.getInductionVar(), terms);
      columns.fill(rounds.getInductionVar(), terms);
      kernel.barrier();
      const SmallVector<Value> sums = addRound(rounds.getRegionIterArgs());
      kernel.barrier(); // the memory is free again
      scf::YieldOp::create(b, sums);
    }
    for (int64_t r = 0; r < part; ++r)
      for (int64_t c = 0; c < part; ++c)
        store(kernel.add(firstRow, kernel.add(row, constant(r))),
              kernel.add(firstColumn, kernel.add(column, constant(c))),
              vector::ExtractOp::create(b, rounds.getResult(unsigned(r)), c));
  }

  SmallVector<Value> addRound(ValueRange sums) {
    auto loop = scf::ForOp::create(
        b, constant(0), constant(kernel.schedule.depth), constant(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value left = rows.load(loop.getInductionVar(), row, type);
    Value right = columns.load(loop.getInductionVar(), column, type);
    SmallVector<Value> next;
    for (int64_t r = 0; r < part; ++r) {
      Value one = vector::ExtractOp::create(b, left, r);
      Value factor = vector::BroadcastOp::create(b, type, one);
      Value term = arith::MulFOp::create(b, factor, right);
      next.push_back(kernel.combine(loop.getRegionIterArg(unsigned(r)), term));
    }
    scf::YieldOp::create(b, next);
    return SmallVector<Value>(loop.getResults());
  }

  void store(Value i, Value j, Value sum) {
    Value inside =
        kernel.both(kernel.less(i, rows.size), kernel.less(j, columns.size));
    kernel.when(inside, [&] {
      kernel.place(product.rows.variables,
                   kernel.digits(product.rows.variables, i));
      kernel.place(product.columns.variables,
                   kernel.digits(product.columns.variables, j));
      kernel.storeAccumulated(sum);
      kernel.forget(product.rows.variables);
      kernel.forget(product.columns.variables);
    });
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const Product &product;
  Stage rows, columns;
  const int64_t tile, part;
  VectorType type;
  Value row, column; // of the tile, where this thread's part begins
};

} // namespace

void codegen::buildGpuProduct(GpuKernel &kernel) {
  const Product product = *findProduct(kernel.lambda);
  Tiles(kernel, product).build();
}
