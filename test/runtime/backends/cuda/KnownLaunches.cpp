#include "test/runtime/backends/cuda/KnownLaunches.h"

#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"

#include <numeric>
#include <sstream>

using namespace smex;

std::string test::knownLaunches(const plan::Partitioned &partitioned,
                                const plan::Artifact &artifact, int gpus) {
  std::vector<int> all(partitioned.workers.size());
  std::iota(all.begin(), all.end(), 0);
  return knownLaunches(partitioned, artifact, gpus, all);
}

std::string test::knownLaunches(const plan::Partitioned &partitioned,
                                const plan::Artifact &artifact, int gpus,
                                const std::vector<int> &workers) {
  const plan::Program &program = partitioned.program;
  const size_t count = workers.size();
  const size_t used = std::min(count, size_t(gpus));
  // The p-th of the process' P workers is on GPU p * G / P; the arenas of a
  // GPU's workers follow each other, each aligned to 256 bytes.
  std::vector<int64_t> taken(used), begins;
  const auto gpuOf = [&](size_t place) { return place * used / count; };
  for (size_t p = 0; p < count; ++p) {
    begins.push_back(taken[gpuOf(p)]);
    taken[gpuOf(p)] +=
        (partitioned.workers[size_t(workers[p])].arenaBytes + 255) / 256 * 256;
  }
  std::ostringstream text;
  for (size_t p = 0; p < count; ++p) {
    const plan::Worker &own = partitioned.workers[size_t(workers[p])];
    const int64_t staging = begins[p] + own.bufferBytes();
    for (const auto &[begin, end] :
         {std::pair(begins[p], staging), {staging, staging + own.stagingBytes}})
      if (begin < end)
        text << "buffers " << gpuOf(p) << ":" << begin << ":" << end - begin
             << "\n";
  }
  for (size_t p = 0; p < count; ++p) {
    const int w = workers[p];
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const plan::Instruction &what = program.instructions[i];
      if (what.op != plan::Opcode::Compute ||
          !plan::written(partitioned, w, int(i)))
        continue;
      const plan::Kernel &kernel = program.kernels[size_t(what.kernel)];
      if (!plan::isGenerated(kernel, artifact.target) ||
          artifact.launches.at(kernel.symbol).inMemory)
        continue;
      std::ostringstream buffers;
      const auto add = [&](int buffer) {
        buffers << " " << gpuOf(p) << ":"
                << begins[p] + partitioned.offset(w, buffer) << ":"
                << volume(partitioned.box(w, buffer)) *
                       byteSize(plan::elementType(program, buffer));
      };
      add(what.to);
      std::vector<std::vector<int64_t>> shapes;
      for (int operand : what.operands) {
        add(operand);
        const int tensor = program.buffers[size_t(operand)].tensor;
        shapes.push_back(program.tensors[size_t(tensor)].type.shape);
      }
      const plan::Launch &launch = artifact.launches.at(kernel.symbol);
      if (plan::hasScratch(launch))
        buffers << " " << gpuOf(p) << ":"
                << begins[p] + partitioned.workers[size_t(w)].workspaceOffset
                << ":"
                << plan::scratchBytes(launch, partitioned.indices(w, int(i)),
                                      shapes);
      text << kernel.symbol << buffers.str() << "\n";
      if (launch.parts.along >= 0)
        text << plan::partsSymbol(kernel.symbol) << buffers.str() << "\n";
    }
  }
  return text.str();
}
