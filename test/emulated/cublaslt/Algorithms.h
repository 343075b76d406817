// The emulated library's algorithms: what each needs, and which it proposes.
#ifndef SMEX_TEST_EMULATED_CUBLASLT_ALGORITHMS_H
#define SMEX_TEST_EMULATED_CUBLASLT_ALGORITHMS_H

#include "test/emulated/cublaslt/Problem.h"

namespace smex::emulated::cublaslt {

/// cublasLtMatmulAlgo_t. NVIDIA's is opaque: "trivially serialized and later
/// restored for use with the same version of cuBLAS library".
struct Algorithm {
  uint64_t magic, version, id, parts, scheme, types, unused, checksum;
};

/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};

/// Settings of the environment; README.md lists them.
struct Settings {
  uint64_t version = 130100;
  bool hasHeuristics = true, hasEpilogues = true, partsVary = false;

  static const Settings &get();
};

/// Multiples of so many bytes are the addresses, leading dimensions and batch
/// strides that an algorithm takes.
size_t alignmentOf(const Algorithm &algorithm, const Problem &problem);
size_t workspaceOf(const Algorithm &algorithm, const Problem &problem);

/// Throws a Refusal where the algorithm is none of this version's, or not one
/// for this problem.
void check(const Algorithm &algorithm, const Problem &problem);

/// Those that fit the preference, the best one first.
std::vector<Algorithm> proposals(const Problem &problem,
                                 const Descriptor &preference);

} // namespace smex::emulated::cublaslt

#endif
