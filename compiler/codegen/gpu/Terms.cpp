#include "compiler/codegen/gpu/Terms.h"

#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/gpu/WideReads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

/// Takes many instructions, and registers, so that the thread does not wait for
/// memory alone: and fewer threads at a time would.
bool isCostly(const tdl::Expr &e) {
  using tdl::BinaryOp;
  if (e.type == DType::I64)
    return false;
  if (e.kind == tdl::ExprKind::Unary)
    return e.unary >= tdl::UnaryOp::Exp;
  return e.kind == tdl::ExprKind::Binary &&
         (e.binary == BinaryOp::Div || e.binary == BinaryOp::Mod ||
          e.binary == BinaryOp::Rem || e.binary == BinaryOp::Pow ||
          e.binary == BinaryOp::Atan2);
}

/// Terms that are read together: a large one would be much code.
int64_t together(const ExprRef &term) {
  constexpr int64_t many = 4, mostNodes = 64;
  int64_t nodes = 0;
  bool costs = false;
  walk(term, [&](const ExprRef &e) { ++nodes, costs |= isCostly(*e); });
  return nodes <= mostNodes && !costs ? many : 1;
}

/// A term at each of some places, which `at` goes to.
void addAt(
    GpuKernel &kernel, const ExprRef &term, Value cell, ArrayRef<Values> places,
    llvm::function_ref<void(const Values &, llvm::function_ref<void()>)> at) {
  SmallVector<Value> terms;
  for (const Values &place : places)
    at(place, [&] { terms.push_back(kernel.emitTerm(term)); });
  Value sum = kernel.get(cell);
  for (Value each : terms)
    sum = kernel.combine(sum, each);
  kernel.set(cell, sum);
}

} // namespace

static void addSingle(GpuKernel &kernel, const ExprRef &term, Value cell,
                      Value first, Value step) {
  const std::vector<int> &order = kernel.schedule.order;
  kernel.counted(
      kernel.sizes(order), first, kernel.count(order), step, together(term),
      [&](ArrayRef<Values> tuples) {
        addAt(kernel, term, cell, tuples,
              [&](const Values &tuple, llvm::function_ref<void()> emit) {
                kernel.atPlaces(order, tuple, emit);
              });
      });
}

/// `groups` of neighbours along the last variable.
static void addGroups(GpuKernel &kernel, const ExprRef &term, Value cell,
                      Value first, Value step, Value groups) {
  const int64_t width = kernel.schedule.vector;
  SmallVector<int> outer{ArrayRef(kernel.schedule.order)};
  const int last = outer.pop_back_val();
  WideReads reads(kernel, term, last, width);
  Values radices = kernel.sizes(outer);
  radices.push_back(groups);
  const auto at = [&](const Values &tuple,
                      llvm::function_ref<void(Value start)> body) {
    kernel.atPlaces(outer, ArrayRef(tuple).drop_back(), [&] {
      Value start =
          kernel.add(kernel.lo[size_t(last)],
                     kernel.mul(tuple.back(), kernel.constant(width)));
      kernel.at[size_t(last)] = start;
      body(start);
      kernel.at[size_t(last)] = nullptr;
    });
  };
  kernel.counted(
      radices, first, kernel.mul(kernel.count(outer), groups), step,
      together(term), [&](ArrayRef<Values> tuples) {
        SmallVector<SmallVector<Value>> loaded;
        for (const Values &tuple : tuples)
          at(tuple, [&](Value) { loaded.push_back(reads.load(true)); });
        for (const auto &[tuple, vectors] : llvm::zip(tuples, loaded))
          at(tuple, [&](Value start) {
            for (int64_t k = 0; k < width; ++k)
              reads.at(start, vectors, k, [&] { kernel.addTerm(cell, term); });
          });
      });
}

void codegen::addTuples(GpuKernel &kernel, const ExprRef &term, Value cell,
                        Value first, Value step) {
  if (kernel.schedule.vector == 1)
    return addSingle(kernel, term, cell, first, step);
  Value size = kernel.size(kernel.schedule.order.back());
  Value width = kernel.constant(kernel.schedule.vector);
  Value groups = kernel.divide(size, width);
  Value whole = kernel.equal(kernel.mul(groups, width), size);
  auto branch = scf::IfOp::create(kernel.b, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(kernel.b);
  kernel.b.setInsertionPointToStart(&branch.getThenRegion().front());
  addGroups(kernel, term, cell, first, step, groups);
  kernel.b.setInsertionPointToStart(&branch.getElseRegion().front());
  addSingle(kernel, term, cell, first, step);
}

void codegen::addRange(GpuKernel &kernel, const ExprRef &term, Value cell,
                       int variable, Value lo, Value hi, Value step) {
  kernel.counted(
      {kernel.constant(1)}, lo, hi, step, together(term),
      [&](ArrayRef<Values> numbers) {
        addAt(kernel, term, cell, numbers,
              [&](const Values &number, llvm::function_ref<void()> emit) {
                kernel.at[size_t(variable)] = number.front();
                emit();
                kernel.at[size_t(variable)] = nullptr;
              });
      });
}

void codegen::addNest(GpuKernel &kernel, Nest &nest, const ExprRef &term,
                      Value cell) {
  const int innermost = kernel.schedule.order.back();
  const std::vector<bool> bound(size_t(kernel.lambda.indexCount()), true);
  // Only a loop of the nest's own goes from one to the next that has terms.
  if (findCongruence(term, innermost, bound))
    return nest.emit(term, Nest::Body([&](const ExprRef &term) {
                       kernel.addTerm(cell, term);
                     }));
  nest.emit(term, Nest::InnerLoop([&](const ExprRef &term, Value lo, Value hi) {
              addRange(kernel, term, cell, innermost, lo, hi,
                       kernel.constant(1));
            }));
}
