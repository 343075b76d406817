#include "compiler/memory/Arena.h"

#include "compiler/memory/InPlace.h"
#include "compiler/memory/Lifetimes.h"
#include "compiler/memory/Planner.h"
#include "compiler/memory/Scratch.h"
#include "runtime/plan/RowSlices.h"

#include "llvm/Support/Parallel.h"

#include <map>
#include <optional>

using namespace mlir;
using namespace smex;

namespace {

/// The place of each buffer, by number: its own, or that of the buffer that it
/// is written over.
std::vector<size_t> places(exec::ProgramOp program, exec::Regions &regions,
                           const tdl::LambdaTable &lambdas,
                           const memory::View &view,
                           const std::vector<exec::BufferOp> &buffers) {
  auto under = memory::replacements(program, lambdas, view);
  const auto inPlace =
      memory::inPlaceResults(program, regions, lambdas, under, view);
  under.insert(inPlace.begin(), inPlace.end());
  llvm::DenseMap<Operation *, size_t> numbers;
  for (size_t b = 0; b < buffers.size(); ++b)
    numbers[buffers[b]] = b;
  std::vector<size_t> list;
  for (exec::BufferOp buffer : buffers) {
    buffer = view.storage(buffer);
    // What is written over was written before: no chain comes back to its
    // start.
    for (auto over = under.find(buffer); over != under.end();
         over = under.find(buffer))
      buffer = over->second;
    list.push_back(numbers.at(buffer));
  }
  return list;
}

/// Of the buffers that an instruction reads and writes, on the worker that has
/// most, with as much as alignment takes.
int64_t bytesAt(exec::ComputeOp compute, exec::Regions &regions) {
  std::vector<exec::BufferOp> buffers = exec::read(compute);
  buffers.push_back(exec::written(compute));
  std::vector<int64_t> bytes;
  for (exec::BufferOp buffer : buffers) {
    const auto tensor = cast<RankedTensorType>(buffer.getTensorType());
    const int64_t element = byteSize(*tdl::toDType(tensor.getElementType()));
    const std::vector<Box> &boxes = regions.of(buffer);
    bytes.resize(boxes.size());
    for (size_t w = 0; w < boxes.size(); ++w)
      bytes[w] += volume(boxes[w]) * element + 4096;
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

/// Of a sum of wide rows, on the worker that wants most.
memory::Scratch rowScratch(exec::ComputeOp compute, exec::Regions &regions,
                           const tdl::Lambda &lambda) {
  memory::Scratch wanted;
  if (!plan::rowSlices(lambda))
    return wanted;
  const std::vector<Box> indices = regions.indices(compute);
  for (size_t w = 0; w < indices.size(); ++w) {
    if (indices[w].isAbsent() || isEmpty(indices[w]))
      continue;
    std::vector<std::vector<int64_t>> shapes;
    for (exec::BufferOp buffer : exec::read(compute))
      shapes.push_back(extents(regions.of(buffer)[w]));
    wanted.include(memory::rowScratch(lambda, extents(indices[w]), shapes));
  }
  return wanted;
}

int64_t workspaceOf(exec::ProgramOp program, exec::Regions &regions,
                    const tdl::LambdaTable &lambdas, int64_t mostAlive,
                    bool onGpus) {
  memory::Scratch wanted;
  for (exec::ComputeOp compute : program.getOps<exec::ComputeOp>()) {
    const tdl::Lambda &lambda = lambdas[compute.getLambdaAttr().getAttr()];
    wanted.include(memory::libraryScratch(
        lambda, compute.getExtents().vec(), exec::operandShapes(compute),
        [&] { return bytesAt(compute, regions); }, onGpus));
    wanted.include(rowScratch(compute, regions, lambda));
  }
  return memory::workspaceFor(wanted, mostAlive);
}

/// What generated kernels of GPUs need: the most that one of them does on any
/// worker, as each worker computes one instruction after the other.
int64_t scratchOfKernels(exec::ProgramOp program, exec::Regions &regions,
                         const tdl::LambdaTable &lambdas) {
  int64_t most = 0;
  for (exec::ComputeOp compute : program.getOps<exec::ComputeOp>()) {
    const tdl::Lambda &lambda = lambdas[compute.getLambdaAttr().getAttr()];
    if (!memory::mayTakeScratch(lambda))
      continue;
    for (const Box &indices : regions.indices(compute))
      most = std::max(most, memory::kernelScratch(
                                lambda, indices, exec::operandShapes(compute)));
  }
  return most;
}

/// Until when each buffer's bytes are better left alone: who takes what a
/// transfer has read last must wait for it, so not while computing goes on
/// beside it. And the same for the scratch, which follows the buffers.
std::vector<int64_t>
wantedUntil(const memory::View &view, int64_t end,
            const std::vector<exec::BufferOp> &buffers,
            const llvm::DenseMap<Operation *, memory::Lived> &lived) {
  llvm::DenseMap<Operation *, int64_t> until;
  for (const auto [op, at] : view.steps())
    if (auto beside = op->getAttrOfType<IntegerAttr>("beside"))
      for (exec::BufferOp from : view.read(op)) {
        int64_t &time = until[from];
        time = std::max(time, at + 1 + beside.getInt());
      }
  std::vector<int64_t> wanted;
  for (exec::BufferOp buffer : buffers)
    wanted.push_back(std::max(lived.at(buffer).upper, until.lookup(buffer)));
  wanted.push_back(end);
  return wanted;
}

/// What a view says of buffers, by number.
struct Lying {
  Lying(exec::ProgramOp program, exec::Regions &regions,
        const tdl::LambdaTable &lambdas, const memory::View &view,
        const std::vector<exec::BufferOp> &buffers)
      : placeOf(places(program, regions, lambdas, view, buffers)) {
    const auto lived = memory::lifetimes(program, view);
    const int64_t end = int64_t(exec::instructions(program).size()) + 1;
    wanted = wantedUntil(view, end, buffers, lived);
    for (exec::BufferOp buffer : buffers)
      needed.push_back(lived.at(view.storage(buffer)));
    for (size_t b = 0; b < buffers.size(); ++b) {
      memory::Lived &place = needed[placeOf[b]];
      place.lower = std::min(place.lower, needed[b].lower);
      place.upper = std::max(place.upper, needed[b].upper);
      wanted[placeOf[b]] = std::max(wanted[placeOf[b]], wanted[b]);
    }
  }

  std::vector<size_t> placeOf;
  /// Places are needed for as long as any of their buffers is there.
  std::vector<memory::Lived> needed;
  std::vector<int64_t> wanted;
};

/// What is wanted counts less than memory that counts.
memory::Placement packKeeping(const std::vector<memory::Allocation> &spans,
                              const std::vector<int64_t> &wanted,
                              int64_t steps) {
  const auto longer = memory::lengthened(spans, wanted);
  if (longer == spans)
    return memory::pack(spans, memory::kAlignment, steps);
  memory::Placement best = memory::packGreedily(longer);
  if (memory::isNearEnough(best.peak, best.lowerBound))
    return best;
  memory::Placement tight = memory::packGreedily(spans);
  const bool isTight = tight.peak < best.peak;
  if (steps == 0)
    return isTight ? tight : best;
  return memory::pack(isTight ? spans : longer, memory::kAlignment, steps);
}

/// Per worker, all that lies in one of its arenas.
using Spans = std::vector<std::vector<memory::Allocation>>;

/// Where it is placed. Most workers have the same view, and shares of the same
/// sizes: they are packed once.
class Packed {
public:
  Packed(const Spans &spans, const std::vector<size_t> &views,
         const std::vector<Lying> &lying, int64_t packingSteps) {
    // By views and sizes.
    std::map<std::pair<size_t, std::vector<int64_t>>, size_t> kinds;
    std::vector<size_t> distinct; // workers
    for (size_t w = 0; w < spans.size(); ++w) {
      std::vector<int64_t> sizes;
      for (const memory::Allocation &span : spans[w])
        sizes.push_back(span.size);
      const auto [kind, isNew] =
          kinds.try_emplace({views[w], std::move(sizes)}, distinct.size());
      if (isNew)
        distinct.push_back(w);
      kindOf.push_back(kind->second);
    }
    placements.resize(distinct.size());
    llvm::parallelFor(0, distinct.size(), [&](size_t kind) {
      const size_t w = distinct[kind];
      placements[kind] =
          packKeeping(spans[w], lying[views[w]].wanted, packingSteps);
    });
  }

  const memory::Placement &of(int64_t worker) const {
    return placements[kindOf[size_t(worker)]];
  }

private:
  std::vector<size_t> kindOf; // per worker
  std::vector<memory::Placement> placements;
};

} // namespace

memory::Arena memory::planArena(exec::ProgramOp program, exec::Regions &regions,
                                int64_t workspaceBytes, bool onGpus,
                                int64_t packingSteps, bool kernelsOnGpus) {
  const int64_t workers = program.getWorkers();
  const tdl::LambdaTable lambdas(program->getParentOp());
  std::vector<exec::BufferOp> buffers(program.getOps<exec::BufferOp>().begin(),
                                      program.getOps<exec::BufferOp>().end());
  const int64_t end = int64_t(exec::instructions(program).size()) + 1;
  const memory::Views views = memory::viewsOf(program);
  std::vector<Lying> lying;
  for (const memory::View &view : views.all)
    lying.emplace_back(program, regions, lambdas, view, buffers);

  const auto spansIn = [&](exec::Space space) {
    Spans spans(workers);
    for (size_t b = 0; b < buffers.size(); ++b) {
      exec::BufferOp buffer = buffers[b];
      const auto tensor = cast<RankedTensorType>(buffer.getTensorType());
      const int64_t element = byteSize(*tdl::toDType(tensor.getElementType()));
      const std::vector<Box> &boxes = regions.of(buffer);
      for (int64_t w = 0; w < workers; ++w) {
        const Lying &own = lying[views.of[size_t(w)]];
        const auto [lower, upper] = own.needed[b];
        const bool isThere =
            own.placeOf[b] == b &&
            exec::isOnHostOf(buffer, w) == (space == exec::Space::Host);
        spans[w].push_back(
            {lower, upper, isThere ? volume(boxes[w]) * element : 0});
      }
    }
    return spans;
  };
  Spans onDevice = spansIn(exec::Space::Device);
  // Every worker has the same scratch: the first one's arena decides.
  int64_t scratch = workspaceBytes >= 0
                        ? workspaceBytes
                        : workspaceOf(program, regions, lambdas,
                                      memory::mostAlive(onDevice[0]), onGpus);
  if (kernelsOnGpus)
    scratch = std::max(scratch, scratchOfKernels(program, regions, lambdas));
  for (auto &ofWorker : onDevice)
    ofWorker.push_back({-1, end, scratch});

  memory::Arena arena;
  arena.offsets.resize(buffers.size());
  const Packed device(onDevice, views.of, lying, packingSteps);
  for (int64_t w = 0; w < workers; ++w) {
    arena.bytes.push_back(device.of(w).peak);
    arena.workspace.push_back(device.of(w).offsets.back());
  }
  arena.workspace.push_back(scratch);
  std::optional<Packed> host;
  if (llvm::any_of(buffers, exec::isOnHost)) // of some worker
    host.emplace(spansIn(exec::Space::Host), views.of, lying, packingSteps);
  for (int64_t w = 0; host && w < workers; ++w)
    arena.hostBytes.push_back(host->of(w).peak);
  for (size_t b = 0; b < buffers.size(); ++b)
    for (int64_t w = 0; w < workers; ++w) {
      const Packed &space = exec::isOnHostOf(buffers[b], w) ? *host : device;
      const size_t place = lying[views.of[size_t(w)]].placeOf[b];
      arena.offsets[b].push_back(space.of(w).offsets[place]);
    }
  arena.buffers = std::move(buffers);
  return arena;
}
