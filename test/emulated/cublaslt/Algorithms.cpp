#include "test/emulated/cublaslt/Algorithms.h"

#include <algorithm>
#include <cstdlib>

namespace smex::emulated::cublaslt {
namespace {

constexpr uint64_t magic = 0x656d756c61746564; // "emulated"

/// Takes any address that its elements may have; of 16 bytes; the second one
/// with its sum in parts.
enum Id : uint64_t { Any = 1, Vectors = 2, Split = 3 };
constexpr uint64_t splitParts = 4;
constexpr size_t vectorBytes = 16;
/// Shorter sums are not worth splitting, nor those of large results.
constexpr int64_t leastSplit = 64, mostResults = 4096;

/// The epilogue's kind in the lowest byte.
uint64_t typesOf(const Problem &problem) {
  uint64_t all = 0;
  for (int each :
       {problem.computeType, problem.scaleType, problem.a.type, problem.b.type,
        problem.c.type, problem.d.type, int(problem.epilogue.kind)})
    all = 256 * all + uint64_t(each);
  return all;
}

uint64_t checksumOf(const Algorithm &of) {
  uint64_t sum = 1469598103934665603u;
  for (uint64_t each :
       {of.magic, of.version, of.id, of.parts, of.scheme, of.types, of.unused})
    sum = (sum ^ each) * 1099511628211u;
  return sum;
}

Algorithm make(Id id, const Problem &problem) {
  const bool isSplit = id == Split;
  Algorithm made{magic,
                 Settings::get().version,
                 id,
                 isSplit ? splitParts : 1,
                 isSplit ? uint64_t(REDUCTION_SCHEME_COMPUTE_TYPE)
                         : uint64_t(REDUCTION_SCHEME_NONE),
                 typesOf(problem),
                 0,
                 0};
  made.checksum = checksumOf(made);
  return made;
}

/// Whether all of a matrix's strides are multiples of so many bytes.
bool isAligned(const Matrix &matrix, size_t bytes) {
  const int64_t size = int64_t(sizeOf(matrix.type));
  const auto fits = [&](int64_t stride) {
    return stride * size % int64_t(bytes) == 0;
  };
  return fits(matrix.leading) &&
         (matrix.batch == 1 || fits(matrix.batchStride));
}

bool fits(Id id, const Problem &problem) {
  if (id == Any)
    return true;
  for (const Matrix *each : {&problem.a, &problem.b, &problem.c, &problem.d})
    if (!isAligned(*each, vectorBytes))
      return false;
  return id == Vectors ||
         (problem.k >= leastSplit && problem.m * problem.n <= mostResults);
}

} // namespace

const Settings &Settings::get() {
  static const Settings settings = [] {
    Settings made;
    const auto text = [](const char *name) {
      const char *value = std::getenv(name);
      return std::string(value ? value : "");
    };
    if (const std::string version = text("SMEX_EMULATED_CUBLASLT_VERSION");
        !version.empty())
      made.version = std::strtoull(version.c_str(), nullptr, 10);
    made.hasHeuristics = text("SMEX_EMULATED_CUBLASLT_HEURISTICS") != "0";
    made.hasEpilogues = text("SMEX_EMULATED_CUBLASLT_EPILOGUES") != "0";
    made.partsVary = text("SMEX_EMULATED_CUBLASLT_SPLIT") == "varies";
    return made;
  }();
  return settings;
}

size_t alignmentOf(const Algorithm &algorithm, const Problem &problem) {
  return algorithm.id == Any ? sizeOf(problem.a.type) : vectorBytes;
}

size_t workspaceOf(const Algorithm &algorithm, const Problem &problem) {
  return algorithm.parts > 1
             ? size_t(algorithm.parts * uint64_t(problem.m) *
                      uint64_t(problem.n) * uint64_t(problem.d.batch)) *
                   (problem.isDouble() ? 8 : 4)
             : 0;
}

void check(const Algorithm &algorithm, const Problem &problem) {
  need(algorithm.magic == magic && algorithm.checksum == checksumOf(algorithm),
       STATUS_INVALID_VALUE, "the algorithm is none of this library's",
       cites::otherAlgorithm);
  need(algorithm.version == Settings::get().version, STATUS_NOT_SUPPORTED,
       "the algorithm is of another version", cites::otherVersion);
  need(algorithm.types / 256 == typesOf(problem) / 256, STATUS_INVALID_VALUE,
       "the algorithm is for other types", cites::otherAlgorithm);
  need(algorithm.types == typesOf(problem), STATUS_INVALID_VALUE,
       "the algorithm is for another epilogue", cites::otherEpilogue);
  need(fits(Id(algorithm.id), problem), STATUS_NOT_SUPPORTED,
       "the algorithm does not do these matrices", cites::unfit);
}

std::vector<Algorithm> proposals(const Problem &problem,
                                 const Descriptor &preference) {
  std::vector<Algorithm> found;
  if (!Settings::get().hasHeuristics ||
      (!Settings::get().hasEpilogues &&
       problem.epilogue.kind != EPILOGUE_DEFAULT))
    return found;
  // cublasLtMatmulPreferenceAttributes_t: what each of these leaves.
  const auto most = preference.value<uint64_t>(MATMUL_PREF_MAX_WORKSPACE_BYTES);
  const auto mask =
      preference.value<uint32_t>(MATMUL_PREF_REDUCTION_SCHEME_MASK);
  const std::pair<int, const Matrix *> alignments[] = {
      {MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &problem.a},
      {MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &problem.b},
      {MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &problem.c},
      {MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &problem.d}};
  for (Id id : {Split, Vectors, Any}) {
    const Algorithm each = make(id, problem);
    bool isRight = fits(id, problem) && workspaceOf(each, problem) <= most &&
                   (each.scheme & ~uint64_t(mask)) == 0;
    for (const auto &[attribute, matrix] : alignments) {
      const size_t needed =
          std::max(id == Any ? size_t(1) : vectorBytes, sizeOf(matrix->type));
      isRight = isRight && preference.value<uint32_t>(attribute) >= needed;
    }
    if (isRight)
      found.push_back(each);
  }
  return found;
}

} // namespace smex::emulated::cublaslt
