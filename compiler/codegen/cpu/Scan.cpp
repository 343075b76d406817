// A prefix sum: one after the other, the outputs along it add the terms that
// are new, in a tile of accumulators for the outputs beside.
#include "compiler/codegen/expression/Scan.h"
#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

/// The accumulators of the outputs that are computed together.
struct Tile {
  Value memory, start,
      size; // of the last output variable; of one element: null
};

class ScanBuilder {
public:
  ScanBuilder(CpuKernel &kernel, const Scan &scan)
      : kernel(kernel), b(kernel.b), scan(scan),
        last(kernel.lambda.rank() - 1) {
    for (int r = kernel.lambda.rank(); r < kernel.lambda.indexCount(); ++r)
      if (r != scan.reduction)
        inside.push_back(r);
    if (tiled())
      inside.push_back(last);
  }

  void build() {
    std::vector<int> outer;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      if (i != scan.output && !(tiled() && i == last))
        outer.push_back(i);
    Value memory =
        kernel.scratch(kernel.accumulatorMemory(), tiled() ? tileSize() : 1);
    Nest(kernel, outer)
        .emit(scan.term, Nest::Body([&](const ExprRef &term) {
                if (!tiled())
                  return scanTile({memory, nullptr, kernel.constant(1)}, term);
                Value lo = kernel.lo[size_t(last)],
                      hi = kernel.hi[size_t(last)];
                kernel.loop(lo, hi, tileSize(), [&](Value start) {
                  Value size = kernel.min(kernel.sub(hi, start),
                                          kernel.constant(tileSize()));
                  scanTile({memory, start, size}, term);
                });
              }));
  }

private:
  int64_t tileSize() const { return kernel.schedule.tiles.front(); }

  /// Neighbours in memory are scanned side by side.
  bool tiled() const { return scan.output != last; }

  void each(const Tile &tile, llvm::function_ref<void(Value)> body) {
    kernel.loop(kernel.constant(0), tile.size, 1, [&](Value i) {
      if (tiled())
        kernel.at[size_t(last)] = kernel.add(tile.start, i);
      body(i);
      if (tiled())
        kernel.at[size_t(last)] = nullptr;
    });
  }

  void scanTile(const Tile &tile, const ExprRef &term) {
    const auto i = size_t(scan.output), k = size_t(scan.reduction);
    each(tile, [&](Value at) {
      memref::StoreOp::create(b, kernel.identity(), tile.memory, at);
    });
    const bool upwards = scan.cut.below;
    Value count = kernel.sub(kernel.hi[i], kernel.lo[i]);
    Value begin = upwards ? kernel.lo[k] : kernel.hi[k];
    auto loop = scf::ForOp::create(b, kernel.constant(0), count,
                                   kernel.constant(1), begin);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar(), done = loop.getRegionIterArg(0);
    kernel.at[i] =
        scan.grows
            ? kernel.add(kernel.lo[i], step)
            : kernel.sub(kernel.hi[i], kernel.add(step, kernel.constant(1)));
    // The terms from `done` up to, or down to, the point at this i.
    Value point = cutPoint(kernel, scan.cut);
    point = upwards ? kernel.max(kernel.min(point, kernel.hi[k]), done)
                    : kernel.min(kernel.max(point, kernel.lo[k]), done);
    Value fresh = upwards ? kernel.sub(point, done) : kernel.sub(done, point);
    kernel.loop(kernel.constant(0), fresh, 1, [&](Value t) {
      kernel.at[k] = upwards
                         ? kernel.add(done, t)
                         : kernel.sub(done, kernel.add(t, kernel.constant(1)));
      addTerms(tile, term);
      kernel.at[k] = nullptr;
    });
    each(tile, [&](Value at) {
      kernel.storeAccumulated(memref::LoadOp::create(b, tile.memory, at));
    });
    scf::YieldOp::create(b, point);
    kernel.at[i] = nullptr;
  }

  void addTerms(const Tile &tile, const ExprRef &term) {
    Nest nest(kernel, inside);
    if (tiled())
      nest.setRange(last, tile.start, kernel.add(tile.start, tile.size));
    nest.skip(tdl::identity(kernel.lambda.reducer, kernel.lambda.result));
    nest.emit(term, Nest::Body([&](const ExprRef &term) {
                Value at = tiled()
                               ? kernel.sub(kernel.at[size_t(last)], tile.start)
                               : kernel.constant(0);
                Value value = kernel.emitTerm(term);
                Value old = memref::LoadOp::create(b, tile.memory, at);
                memref::StoreOp::create(b, kernel.combine(old, value),
                                        tile.memory, at);
              }));
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const Scan &scan;
  int last;
  std::vector<int> inside;
};

} // namespace

void codegen::buildScan(CpuKernel &kernel) {
  const Scan scan = *findScan(kernel.lambda);
  ScanBuilder(kernel, scan).build();
}
