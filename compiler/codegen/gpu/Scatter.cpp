// Terms that say which element of the result they are added to. A block has
// the accumulators of a tile of the result in shared memory. Its threads read
// the keys together, and flag those that are in the tile, which mostly are few;
// then each looks for those of its own elements among them, and adds their
// terms, one by one in the order of the reduction's variables.
#include "compiler/codegen/gpu/ScatterVariables.h"

#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/gpu/Flags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

constexpr int64_t warp = 32;

class Scatters {
public:
  Scatters(GpuKernel &kernel, const Scatter &scatter)
      : kernel(kernel), b(kernel.b), scatter(scatter),
        rows(scatterVariables(kernel.lambda, scatter)),
        threads(kernel.schedule.threads), lanes(kernel.schedule.lanes),
        tile(kernel.schedule.tile),
        sums(kernel.shared(kernel.accumulatorMemory(), tile * lanes)),
        found(kernel.shared(b.getI32Type(), threads)), flags(kernel),
        lane(arith::RemUIOp::create(b, kernel.thread, constant(lanes))),
        team(kernel.divide(kernel.thread, constant(lanes))) {}

  void build() {
    Value across = portions(kernel.count(rows.lanes), lanes);
    Value size = kernel.count(scatter.outputs);
    Value perBatch = kernel.mul(portions(size, tile), across);
    Value all = kernel.mul(kernel.count(rows.batch), perBatch);
    kernel.strided(kernel.block, all, kernel.blocks, [&](Value i) {
      Value batch = kernel.divide(i, perBatch);
      Value number = kernel.sub(i, kernel.mul(batch, perBatch));
      Value y = kernel.divide(number, across);
      Value x = kernel.sub(number, kernel.mul(y, across));
      kernel.atTuple(rows.batch, batch, [&] {
        compute(kernel.mul(y, constant(tile)),
                kernel.add(kernel.mul(x, constant(lanes)), lane), size);
      });
    });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  Value portions(Value size, int64_t by) {
    return kernel.divide(kernel.add(size, constant(by - 1)), constant(by));
  }
  int64_t teams() const { return threads / lanes; }
  Value slot(Value row) {
    return kernel.add(kernel.mul(row, constant(lanes)), lane);
  }

  /// Rows of the tile from `first` on, of this thread's `column`.
  void compute(Value first, Value column, Value size) {
    Value inside = kernel.less(column, kernel.count(rows.lanes));
    kernel.place(rows.lanes, kernel.digits(rows.lanes, column));
    const auto own = [&](llvm::function_ref<void(Value)> body) {
      Value end = kernel.min(constant(tile), kernel.sub(size, first));
      kernel.when(inside,
                  [&] { kernel.strided(team, end, constant(teams()), body); });
    };
    own([&](Value row) {
      memref::StoreOp::create(b, kernel.identity(), sums, slot(row));
    });
    const std::vector<int> &order = kernel.schedule.order;
    Value terms = kernel.count(order);
    kernel.loop(constant(0), terms, threads, [&](Value base) {
      Value mine = kernel.add(base, kernel.thread);
      Value row = rowOf(mine, terms, first);
      memref::StoreOp::create(b, row, found, kernel.thread);
      Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
      flags.set(arith::CmpIOp::create(b, arith::CmpIPredicate::ne, row, none));
      kernel.barrier();
      kernel.when(inside, [&] {
        flags.each(constant(threads / warp), [&](Value i) {
          Value row = arith::IndexCastOp::create(
              b, b.getIndexType(), memref::LoadOp::create(b, found, i));
          kernel.when(isOwn(row),
                      [&] { add(row, first, kernel.add(base, i)); });
        });
      });
      kernel.barrier(); // what was found is free again
    });
    own([&](Value row) {
      kernel.atTuple(scatter.outputs, kernel.add(first, row), [&] {
        kernel.storeAccumulated(memref::LoadOp::create(b, sums, slot(row)));
      });
    });
    kernel.forget(rows.lanes);
  }

  /// Which row of the tile term number i is added to; -1: none, as an i32.
  Value rowOf(Value i, Value terms, Value first) {
    const Values columns = valuesOf(rows.lanes);
    kernel.forget(rows.lanes); // keys are the same for all of them
    const std::vector<int> &order = kernel.schedule.order;
    Value row = rowIf(kernel.less(i, terms), [&] {
      kernel.place(order, kernel.digits(order, i));
      Value row = rowIf(kernel.emit(rows.safe), [&] {
        return rowOfKeys(0, kernel.sub(constant(0), first));
      });
      kernel.forget(order);
      return row;
    });
    kernel.place(rows.lanes, columns);
    return row;
  }

  /// Keys from number k on, each looked at only where those before it are in
  /// range. `row` is what they add up to.
  Value rowOfKeys(size_t k, Value row) {
    if (k == scatter.keys.size()) {
      Value inTile = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row,
                                           constant(tile));
      return rowIf(inTile, [&]() -> Value {
        return arith::IndexCastOp::create(b, b.getI32Type(), row);
      });
    }
    const int variable = scatter.outputs[k];
    Value at = kernel.sub(kernel.emitIndex(scatter.keys[k]),
                          kernel.lo[size_t(variable)]);
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                                         kernel.size(variable));
    return rowIf(inside, [&] {
      Value weight = constant(1);
      for (size_t other = k + 1; other < scatter.keys.size(); ++other)
        weight = kernel.mul(weight, kernel.size(scatter.outputs[other]));
      return rowOfKeys(k + 1, kernel.add(row, kernel.mul(at, weight)));
    });
  }

  /// What `then` gives where the condition holds, or -1.
  Value rowIf(Value condition, llvm::function_ref<Value()> then) {
    auto branch = scf::IfOp::create(b, TypeRange{b.getI32Type()}, condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, then());
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
    scf::YieldOp::create(b, none);
    return branch.getResult(0);
  }

  Values valuesOf(ArrayRef<int> variables) {
    Values values;
    for (int variable : variables)
      values.push_back(kernel.at[size_t(variable)]);
    return values;
  }

  Value isOwn(Value row) {
    Value rest = arith::RemUIOp::create(b, row, constant(teams()));
    return kernel.equal(rest, team);
  }

  void add(Value row, Value first, Value term) {
    const std::vector<int> &order = kernel.schedule.order;
    kernel.place(order, kernel.digits(order, term));
    kernel.place(scatter.outputs,
                 kernel.digits(scatter.outputs, kernel.add(first, row)));
    Value value = kernel.emitTerm(scatter.term);
    Value old = memref::LoadOp::create(b, sums, slot(row));
    memref::StoreOp::create(b, kernel.combine(old, value), sums, slot(row));
    kernel.forget(scatter.outputs);
    kernel.forget(order);
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const Scatter &scatter;
  const ScatterVariables rows;
  const int64_t threads, lanes, tile;
  Value sums, found;
  Flags flags;
  Value lane, team;
};

} // namespace

ScatterVariables codegen::scatterVariables(const tdl::Lambda &lambda,
                                           const Scatter &scatter) {
  ScatterVariables variables;
  for (int i = 0; i < lambda.rank(); ++i) {
    if (llvm::is_contained(scatter.outputs, i))
      continue;
    const bool inKey = llvm::any_of(
        scatter.keys, [&](const ExprRef &key) { return uses(key, i); });
    (inKey ? variables.batch : variables.lanes).push_back(i);
  }
  variables.safe = tdl::constant(1, DType::Bool);
  for (const ExprRef &part : conjuncts(makeConditionsExplicit(lambda.guard))) {
    bool isKnown = !readsData(part);
    for (int i = 0; i < lambda.rank(); ++i)
      isKnown &= !uses(part, i) || llvm::is_contained(variables.batch, i);
    if (isKnown)
      variables.safe = tdl::binary(tdl::BinaryOp::And, variables.safe, part);
  }
  return variables;
}

void codegen::buildGpuScatter(GpuKernel &kernel) {
  const Scatter scatter = *findScatter(kernel.lambda);
  Scatters(kernel, scatter).build();
}
