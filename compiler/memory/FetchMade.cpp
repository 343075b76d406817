// Fetches of what is computed, put behind what computes it.
#include "compiler/memory/Passes.h"
#include "dialects/smex/ir/Smex.h"

namespace smex::memory {
#define GEN_PASS_DEF_FETCHMADE
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

struct FetchMade : memory::impl::FetchMadeBase<FetchMade> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    // By buffer: the only instruction that writes it, or null.
    llvm::DenseMap<Operation *, Operation *> makers;
    llvm::DenseMap<Operation *, size_t> places; // of computations
    std::vector<exec::ComputeOp> computations;
    std::vector<exec::FetchOp> fetches;
    for (Operation *instruction : exec::instructions(program)) {
      const auto [maker, isNew] =
          makers.try_emplace(exec::written(instruction), instruction);
      if (!isNew)
        maker->second = nullptr;
      if (auto fetch = dyn_cast<exec::FetchOp>(instruction))
        fetches.push_back(fetch);
      if (auto compute = dyn_cast<exec::ComputeOp>(instruction)) {
        places[compute] = computations.size();
        computations.push_back(compute);
      }
    }
    llvm::DenseMap<Operation *, Operation *> last; // that was put behind each
    for (exec::FetchOp fetch : inOrder(fetches, makers, places)) {
      exec::BufferOp from = exec::bufferOf(fetch.getFrom());
      exec::BufferOp to = exec::bufferOf(fetch.getTo());
      if (exec::isParameter(from) || !makers.lookup(to))
        continue;
      // What nothing writes is an input.
      Operation *maker = makers.contains(from) ? makers.at(from) : from;
      if (!maker)
        continue;
      if (auto compute = dyn_cast<exec::ComputeOp>(maker))
        maker = computations[std::min(computations.size() - 1,
                                      places.at(compute) + copiedOf(compute))];
      Operation *&behind = last.try_emplace(maker, maker).first->second;
      to->moveAfter(behind);
      fetch->moveAfter(to);
      behind = fetch;
    }
    for (exec::ComputeOp compute : computations)
      compute->removeDiscardableAttr(semantic::copiedAttr);
  }

private:
  static size_t copiedOf(exec::ComputeOp compute) {
    auto copied = dyn_cast_or_null<IntegerAttr>(
        compute->getDiscardableAttr(semantic::copiedAttr));
    return copied ? size_t(std::max<int64_t>(copied.getInt(), 0)) : 0;
  }

  /// Behind one computation, what was computed first is fetched first.
  static std::vector<exec::FetchOp>
  inOrder(std::vector<exec::FetchOp> fetches,
          const llvm::DenseMap<Operation *, Operation *> &makers,
          const llvm::DenseMap<Operation *, size_t> &places) {
    const auto placeOf = [&](exec::FetchOp fetch) {
      Operation *maker = makers.lookup(exec::bufferOf(fetch.getFrom()));
      const auto place = places.find(maker);
      return place == places.end() ? 0 : place->second;
    };
    llvm::stable_sort(fetches, [&](exec::FetchOp a, exec::FetchOp b) {
      return placeOf(a) < placeOf(b);
    });
    return fetches;
  }
};

} // namespace
