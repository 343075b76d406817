// A plan's code in memory: loaded from the very bytes that were hashed, not
// from a file that may have changed since.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_KERNELOBJECT_H
#define SMEX_RUNTIME_BACKENDS_CPU_KERNELOBJECT_H

#include "dialects/support/Result.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>

namespace smex::runtime {

/// See runtime/plan/README.md.
using KernelFunction = void (*)(char *const *pointers, const int64_t *numbers);

class KernelObject {
public:
  /// No bytes: an object without functions.
  static Result<KernelObject> load(const plan::Artifact &code);
  KernelObject(KernelObject &&other) noexcept;
  KernelObject(const KernelObject &) = delete;
  ~KernelObject();
  Result<KernelFunction> find(const std::string &symbol) const;

private:
  KernelObject() = default;
  std::string name = "the plan"; // of the file, for messages
  void *handle = nullptr;
};

} // namespace smex::runtime

#endif
