#include "compiler/codegen/gpu/Terms.h"

#include "compiler/codegen/expression/Conditions.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

/// Nodes of the expression, reads' indices included.
int64_t nodesOf(const ExprRef &e) {
  int64_t nodes = 1;
  for (const ExprRef &child : e->children)
    nodes += nodesOf(child);
  return nodes;
}

/// Terms that are read together: a large one would be much code.
int64_t together(const ExprRef &term) {
  constexpr int64_t many = 4, mostNodes = 64;
  return nodesOf(term) <= mostNodes ? many : 1;
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

void codegen::addTuples(GpuKernel &kernel, const ExprRef &term, Value cell,
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
