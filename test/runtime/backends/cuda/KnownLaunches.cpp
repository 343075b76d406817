#include "test/runtime/backends/cuda/KnownLaunches.h"

#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"

#include <sstream>

using namespace smex;

std::string test::knownLaunches(const plan::Partitioned &partitioned,
                                const plan::Artifact &artifact, int gpus) {
  const plan::Program &program = partitioned.program;
  const size_t workers = partitioned.workers.size();
  const size_t used = std::min(workers, size_t(gpus));
  // Worker w of W is on GPU w * G / W; the arenas of a GPU's workers follow
  // each other, each aligned to 256 bytes.
  std::vector<int64_t> taken(used), begins;
  const auto gpuOf = [&](size_t worker) { return worker * used / workers; };
  for (size_t w = 0; w < workers; ++w) {
    begins.push_back(taken[gpuOf(w)]);
    taken[gpuOf(w)] += (partitioned.workers[w].arenaBytes + 255) / 256 * 256;
  }
  std::ostringstream text;
  for (size_t w = 0; w < workers; ++w) {
    const plan::Worker &own = partitioned.workers[w];
    const int64_t staging = begins[w] + own.bufferBytes();
    for (const auto &[begin, end] :
         {std::pair(begins[w], staging), {staging, staging + own.stagingBytes}})
      if (begin < end)
        text << "buffers " << gpuOf(w) << ":" << begin << ":" << end - begin
             << "\n";
  }
  for (size_t w = 0; w < workers; ++w)
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const plan::Instruction &what = program.instructions[i];
      if (what.op != plan::Opcode::Compute ||
          !plan::written(partitioned, int(w), int(i)))
        continue;
      const plan::Kernel &kernel = program.kernels[size_t(what.kernel)];
      if (!plan::isGenerated(kernel, artifact.target) ||
          artifact.launches.at(kernel.symbol).inMemory)
        continue;
      text << kernel.symbol;
      const auto add = [&](int buffer) {
        text << " " << gpuOf(w) << ":"
             << begins[w] + partitioned.offset(int(w), buffer) << ":"
             << volume(partitioned.box(int(w), buffer)) *
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
      if (launch.scratch.bytes > 0)
        text << " " << gpuOf(w) << ":"
             << begins[w] + partitioned.workers[w].workspaceOffset << ":"
             << plan::scratchBytes(launch, partitioned.indices(int(w), int(i)),
                                   shapes);
      text << "\n";
    }
  return text.str();
}
