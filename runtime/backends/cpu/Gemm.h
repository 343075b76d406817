// Contractions on the threads of a worker, by matrix products of the library
// where GemmPlan finds them. The product is cut into tiles, each computed by
// one thread; the cut depends on sizes only, so that the result does not depend
// on how many threads there are.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_GEMM_H
#define SMEX_RUNTIME_BACKENDS_CPU_GEMM_H

#include "runtime/backends/cpu/BoundKernel.h"
#include "runtime/backends/cpu/GemmPlan.h"

namespace smex::runtime {

class Gemm {
public:
  /// f32, and bf16 where the workspace suffices, go to the library; all else
  /// are plain loops.
  Gemm(DType type, std::vector<cpu::ContractionIndex> indices,
       Workspace workspace, const ThreadGroup &threads);
  ~Gemm();

  /// The pointers are those of the first element of the index ranges.
  void run(std::byte *result, const std::byte *left,
           const std::byte *right) const;

  bool usesLibrary() const { return plan.has_value(); }

private:
  struct Tile {
    int64_t m, n;                            // size
    int64_t result = 0, left = 0, right = 0; // offsets, in elements
  };
  struct Bfloat; // oneDNN primitives, one per size of tile

  void cutTiles();
  void multiply(const Tile &tile, const cpu::Offsets<3> &at, int thread,
                std::byte *result, const std::byte *left,
                const std::byte *right) const;
  void loops(std::byte *result, const std::byte *left,
             const std::byte *right) const;

  DType type;
  std::vector<cpu::ContractionIndex> indices;
  const ThreadGroup &threads;
  std::optional<GemmPlan> plan; // none: plain loops
  std::vector<Tile> tiles;      // of one product
  int64_t products = 1;         // iterations of plan->outer
  std::unique_ptr<Bfloat> bfloat;
};

} // namespace smex::runtime

#endif
