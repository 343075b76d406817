// Lifetimes of buffers from the instruction list, packed per worker.
#include "compiler/analysis/ConvolutionGradient.h"
#include "compiler/analysis/Properties.h"
#include "compiler/memory/InPlace.h"
#include "compiler/memory/Passes.h"
#include "compiler/memory/Planner.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace smex::memory {
#define GEN_PASS_DEF_PLANMEMORY
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

/// First instruction that needs the bytes and the one after the last, over all
/// workers: a buffer that another worker reads lives until that is done.
struct Lived {
  int64_t lower, upper;
};

llvm::DenseMap<Operation *, Lived> lifetimes(exec::ProgramOp program) {
  const auto list = exec::instructions(program);
  const int64_t end = int64_t(list.size()) + 1;
  llvm::DenseMap<Operation *, Lived> lived;
  for (auto buffer : program.getOps<exec::BufferOp>()) {
    // Inputs are there before the first instruction; parameters stay.
    if (buffer.getRole() == "input")
      lived[buffer] = {-1, 0};
    else if (exec::isParameter(buffer))
      lived[buffer] = {-1, end};
    else
      lived[buffer] = {end, -1};
  }
  const auto touch = [&](exec::BufferOp buffer, int64_t time) {
    Lived &span = lived[buffer];
    span.lower = std::min(span.lower, time);
    span.upper = std::max(span.upper, time + 1);
  };
  for (size_t i = 0; i < list.size(); ++i) {
    touch(exec::written(list[i]), int64_t(i));
    for (exec::BufferOp buffer : exec::read(list[i]))
      touch(buffer, int64_t(i));
  }
  for (auto output : program.getOps<exec::OutputOp>())
    touch(exec::bufferOf(output.getBuffer()), end - 1);
  for (auto update : program.getOps<exec::UpdateOp>())
    touch(exec::bufferOf(update.getValue()), end - 1);
  return lived;
}

/// Next values that can be put where their parameters are: nobody reads the
/// parameter any more when the value is written, but the very computation that
/// writes it, element by element. By buffer of the value, that of the
/// parameter.
llvm::DenseMap<Operation *, exec::BufferOp>
replacements(exec::ProgramOp program, const tdl::LambdaTable &lambdas) {
  llvm::DenseMap<Operation *, exec::BufferOp> found;
  llvm::DenseMap<Operation *, Operation *> valueOf; // by parameter
  for (auto update : program.getOps<exec::UpdateOp>()) {
    exec::BufferOp value = exec::bufferOf(update.getValue());
    valueOf[exec::bufferOf(update.getParameter())] = value;
    found[value] = exec::bufferOf(update.getParameter());
  }
  llvm::DenseSet<Operation *> written; // values, so far
  for (Operation *instruction : exec::instructions(program)) {
    const auto reads = exec::read(instruction);
    exec::BufferOp to = exec::written(instruction);
    for (size_t i = 0; i < reads.size(); ++i) {
      Operation *value = valueOf.lookup(reads[i]);
      if (!value)
        continue;
      auto compute = dyn_cast<exec::ComputeOp>(instruction);
      const bool inPlace =
          to == value && compute &&
          llvm::is_contained(analysis::inPlaceOperands(
                                 lambdas[compute.getLambdaAttr().getAttr()]),
                             int(i));
      if (written.contains(value) || (to == value && !inPlace))
        found.erase(value);
    }
    // Filled by several instructions, it is not finished with the first.
    if (found.contains(to) && !written.insert(to).second)
      found.erase(to);
  }
  return found;
}

/// The place of each buffer, by number: its own, or that of an earlier buffer
/// that it is written over.
std::vector<size_t> places(exec::ProgramOp program,
                           const tdl::LambdaTable &lambdas,
                           const std::vector<exec::BufferOp> &buffers) {
  const auto replaced = replacements(program, lambdas);
  const auto inPlace = memory::inPlaceResults(program, lambdas, replaced);
  llvm::DenseMap<Operation *, size_t> placeOf;
  std::vector<size_t> list;
  for (size_t b = 0; b < buffers.size(); ++b) {
    size_t place = b;
    for (const auto *over : {&replaced, &inPlace})
      if (const auto under = over->find(buffers[b]); under != over->end())
        place = placeOf.at(exec::BufferOp(under->second));
    placeOf[buffers[b]] = place;
    list.push_back(place);
  }
  return list;
}

/// Convolutions and their gradients want scratch for data in the library's
/// layout: a sixteenth of what the arena holds, so that it never counts for
/// much, within bounds that make tiles worth their while and no larger than a
/// cache holds. Nothing if no convolution is there.
int64_t workspaceFor(exec::ProgramOp program, const tdl::LambdaTable &lambdas,
                     int64_t mostAlive) {
  constexpr int64_t least = int64_t(64) << 10, most = int64_t(16) << 20;
  const bool wanted = llvm::any_of(
      program.getOps<exec::ComputeOp>(), [&](exec::ComputeOp compute) {
        const tdl::Lambda &lambda = lambdas[compute.getLambdaAttr().getAttr()];
        const std::vector<int64_t> extents = compute.getExtents().vec();
        return analysis::matchConvolution(lambda, extents) ||
               analysis::matchConvolutionGradient(lambda, extents,
                                                  exec::operandShapes(compute));
      });
  return wanted ? std::clamp(mostAlive / 16 / 64 * 64, least, most) : 0;
}

struct PlanMemory : memory::impl::PlanMemoryBase<PlanMemory> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    const int64_t workers = program.getWorkers();
    const tdl::LambdaTable lambdas(program->getParentOp());
    const auto lived = lifetimes(program);
    std::vector<exec::BufferOp> buffers(
        program.getOps<exec::BufferOp>().begin(),
        program.getOps<exec::BufferOp>().end());
    const int64_t end = int64_t(exec::instructions(program).size()) + 1;
    const std::vector<size_t> placeOf = places(program, lambdas, buffers);
    std::vector<Lived> needed; // places, for as long as any buffer is there
    for (size_t b = 0; b < buffers.size(); ++b) {
      needed.push_back(lived.at(buffers[b]));
      Lived &place = needed[placeOf[b]];
      place.lower = std::min(place.lower, needed[b].lower);
      place.upper = std::max(place.upper, needed[b].upper);
    }

    std::vector<std::vector<memory::Lifetime>> spans(workers);
    for (size_t b = 0; b < buffers.size(); ++b) {
      exec::BufferOp buffer = buffers[b];
      const auto tensor = cast<RankedTensorType>(buffer.getTensorType());
      const int64_t element = byteSize(*tdl::toDType(tensor.getElementType()));
      const auto [lower, upper] = needed[b];
      const std::vector<Box> boxes = exec::boxesOf(buffer);
      for (int64_t w = 0; w < workers; ++w)
        spans[w].push_back(
            {lower, upper, placeOf[b] == b ? volume(boxes[w]) * element : 0});
    }
    // Every worker has the same scratch: the first one's arena decides.
    const int64_t scratch =
        workspaceBytes >= 0
            ? int64_t(workspaceBytes)
            : workspaceFor(program, lambdas, memory::mostAlive(spans[0]));

    std::vector<SmallVector<int64_t>> offsets(buffers.size());
    SmallVector<int64_t> arena, workspace;
    // Most workers have shares of the same sizes: they are packed once.
    std::map<std::vector<int64_t>, memory::Placement> packed; // by sizes
    for (auto &ofWorker : spans) {
      ofWorker.push_back({-1, end, scratch});
      std::vector<int64_t> sizes;
      for (const memory::Lifetime &span : ofWorker)
        sizes.push_back(span.size);
      const auto [entry, isNew] = packed.try_emplace(std::move(sizes));
      if (isNew)
        entry->second = memory::pack(ofWorker);
      const memory::Placement &placement = entry->second;
      for (size_t b = 0; b < buffers.size(); ++b)
        offsets[b].push_back(placement.offsets[placeOf[b]]);
      arena.push_back(placement.peak);
      workspace.push_back(placement.offsets.back());
    }
    workspace.push_back(scratch);

    Builder builder(program.getContext());
    for (size_t b = 0; b < buffers.size(); ++b)
      buffers[b].setOffsets(offsets[b]);
    program.setArena(arena);
    program.setWorkspace(workspace);
  }
};

} // namespace
