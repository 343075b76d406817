// Maps along edges: `p[e, h] = exp(a[src[e], h] + b[dst[e], h])`. The last
// variable is short, and data says where each of its rows comes from, so that
// LLVM's vectors would be for long loops that never come. Blocks of as many
// results as a vector has are loops of that length, which become one vector and
// nothing else: along the last variable, or along the one before where the last
// is shorter than that.
#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/cpu/Prefetch.h"
#include "compiler/codegen/cpu/Vectors.h"
#include "compiler/codegen/expression/Nest.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

class Gather {
public:
  Gather(CpuKernel &kernel, const ExprRef &term)
      : kernel(kernel), term(term), last(kernel.lambda.rank() - 1) {}

  void build() {
    Value isLong =
        kernel.less(kernel.constant(kernel.vector() - 1), kernel.size(last));
    kernel.when(isLong, [&] { blocksAlong(last); });
    Value isShort =
        kernel.less(kernel.size(last), kernel.constant(kernel.vector()));
    kernel.when(isShort, [&] { blocksAlong(last - 1); });
  }

private:
  void blocksAlong(int along) {
    const auto v = size_t(along);
    Value high = kernel.hi[v];
    Value end = kernel.add(kernel.lo[v], kernel.whole(along));
    around(along, [&] {
      kernel.loop(kernel.lo[v], end, kernel.vector(),
                  [&](Value first) { block(along, first); });
    });
    // On their own: what is left needs other constants in registers.
    kernel.when(kernel.less(end, high), [&] {
      const llvm::SaveAndRestore rare(kernel.isRare, true);
      around(along, [&] {
        kernel.loop(end, high, 1, [&](Value at) {
          kernel.at[v] = at;
          inside(along, [&] { store(); });
        });
      });
    });
    kernel.at[v] = nullptr;
  }

  /// For each value of the variables before `along`.
  void around(int along, llvm::function_ref<void()> body) {
    std::vector<int> outer;
    for (int i = 0; i < along; ++i)
      outer.push_back(i);
    Nest(kernel, outer).emit(term, Nest::Body([&](const ExprRef &) {
                               body();
                             }));
  }

  void block(int along, Value first) {
    if (along == last)
      fetch(first);
    inside(along, [&] {
      kernel.vectorLoop(kernel.vector(), [&](Value i) {
        kernel.at[size_t(along)] = kernel.add(first, i);
        store();
      });
    });
  }

  /// Rows of results some passes ahead.
  void fetch(Value first) {
    const int outer = last - 1;
    kernel.at[size_t(last)] = first;
    ahead(kernel, outer, kernel.at[size_t(outer)],
          kernel.constant(kernel.schedule.ahead.passes),
          kernel.hi[size_t(outer)], [&] {
            for (const ExprRef &read : gathers(term, outer))
              prefetch(kernel, read);
          });
    kernel.at[size_t(last)] = nullptr;
  }

  /// For each value of the variable after `along`, if there is one.
  void inside(int along, llvm::function_ref<void()> body) {
    if (along == last)
      return body();
    const auto v = size_t(last);
    kernel.loop(kernel.lo[v], kernel.hi[v], 1, [&](Value at) {
      kernel.at[v] = at;
      body();
      kernel.at[v] = nullptr;
    });
  }

  void store() { kernel.store(kernel.emit(term)); }

  CpuKernel &kernel;
  const ExprRef &term;
  const int last;
};

} // namespace

void codegen::buildGather(CpuKernel &kernel, const ExprRef &term) {
  Gather(kernel, term).build();
}
