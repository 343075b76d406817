// Reads a plan from disk. A plan is data from outside: every hash, name and
// number is checked before anything uses it, so that no plan, however broken,
// makes its reader read or write out of bounds. Whether the program in it is
// right is for Check.h.
#ifndef SMEX_RUNTIME_PLAN_LOAD_H
#define SMEX_RUNTIME_PLAN_LOAD_H

#include "runtime/plan/Plan.h"

#include <cstddef>

namespace smex::plan {

/// The version of the format that is written; others are refused by name.
constexpr int64_t formatVersion = 23;

/// No extent, offset or size in a plan is larger: sums and products of a few of
/// them then fit in 64 bits, and volumes are bounded by it as well.
constexpr int64_t sizeLimit = int64_t(1) << 48;

constexpr int64_t gpuLimit = 1 << 16;

struct LoadOptions {
  /// Hash the weight files too. Without it only their names and sizes are
  /// checked: for looking at a plan, and for a runtime, since weights() checks
  /// what it reads.
  bool verifyWeights = true;
};

/// The error names the file and, where there is one, the key:
/// "plan/gpu3.json: buffers[12].box[1]: ...".
Result<Plan> load(const std::string &directory,
                  const LoadOptions &options = {});

/// What load() demands of the numbers, for a plan in memory; `directory` is put
/// in front of the file names in messages.
Status validate(const Plan &plan, const std::string &directory = "plan");

/// A weight file in memory, read-only: the bytes of a mapping, or none.
class Weights {
public:
  Weights() = default;
  /// Takes over a mapping.
  Weights(const std::byte *bytes, int64_t length)
      : bytes(bytes), length(length) {}
  Weights(Weights &&other) noexcept;
  Weights &operator=(Weights &&other) noexcept;
  ~Weights();
  const std::byte *data() const { return bytes; }
  int64_t size() const { return length; }

private:
  const std::byte *bytes = nullptr;
  int64_t length = 0;
};

/// The weight files of a plan for so many workers, compared with the hashes in
/// plan.json unless load() has just done so (`verify` false). No bytes where a
/// worker stores none.
Result<std::vector<Weights>> weights(const std::string &directory,
                                     size_t workers, bool verify = true);

} // namespace smex::plan

#endif
