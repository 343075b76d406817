// A prefix sum: a thread goes along a row of the result, and adds at each
// element the terms that are new.
#include "compiler/codegen/expression/Scan.h"
#include "compiler/codegen/expression/Nest.h"
#include "compiler/codegen/gpu/GpuKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

/// One row, from its first element, or from its last where terms become more
/// that way.
void scanRow(GpuKernel &kernel, const Scan &scan, Value cell) {
  LocBuilder &b = kernel.b;
  const auto i = size_t(scan.output), k = size_t(scan.reduction);
  const bool upwards = scan.cut.below;
  Value one = kernel.constant(1);
  std::vector<int> inside;
  for (int r : kernel.schedule.order)
    if (r != scan.reduction)
      inside.push_back(r);

  kernel.set(cell, kernel.identity());
  Value begin = upwards ? kernel.lo[k] : kernel.hi[k];
  auto loop = scf::ForOp::create(b, kernel.constant(0),
                                 kernel.size(scan.output), one, begin);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar(), done = loop.getRegionIterArg(0);
  kernel.at[i] = scan.grows ? kernel.add(kernel.lo[i], step)
                            : kernel.sub(kernel.hi[i], kernel.add(step, one));
  // The terms from `done` up to, or down to, the point at this i.
  Value point = cutPoint(kernel, scan.cut);
  point = upwards ? kernel.max(kernel.min(point, kernel.hi[k]), done)
                  : kernel.min(kernel.max(point, kernel.lo[k]), done);
  Value fresh = upwards ? kernel.sub(point, done) : kernel.sub(done, point);
  kernel.loop(kernel.constant(0), fresh, 1, [&](Value t) {
    kernel.at[k] =
        upwards ? kernel.add(done, t) : kernel.sub(done, kernel.add(t, one));
    Nest nest(kernel, inside);
    nest.skip(kernel.nothing());
    nest.setCopies(1);
    nest.emit(scan.term, Nest::Body([&](const ExprRef &term) {
                kernel.addTerm(cell, term);
              }));
    kernel.at[k] = nullptr;
  });
  kernel.storeAccumulated(kernel.get(cell));
  scf::YieldOp::create(b, point);
  kernel.at[i] = nullptr;
}

} // namespace

void codegen::buildGpuScan(GpuKernel &kernel) {
  const Scan scan = *findScan(kernel.lambda);
  SmallVector<int> rows;
  for (int i : kernel.outputs())
    if (i != scan.output)
      rows.push_back(i);
  Value cell = kernel.cell();
  kernel.eachTuple(rows, 1, [&] { scanRow(kernel, scan, cell); });
}
