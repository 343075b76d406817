// The files of a plan on disk. Below the plan's folder no symbolic link is
// followed, and nothing but regular files is read: a plan comes from outside.
#ifndef SMEX_RUNTIME_PLAN_FILES_H
#define SMEX_RUNTIME_PLAN_FILES_H

#include "dialects/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace smex::plan {

/// "gpu3.json"
std::string gpuFile(size_t worker, const char *extension);

/// "edges0.rows": the order of the program's edge rows of this number.
std::string edgesFile(size_t number);

/// "kernels.x86-64-v3.so", "kernels.sm_80.ptx": the code for a target.
std::string codeFile(const std::string &target);
/// "kernels.sm_80.json": how the kernels there are launched.
std::string launchFile(const std::string &target);
/// Whether a target's name is one that files can have: letters, digits, '.',
/// '_' and '-', 64 at the most.
bool isTarget(const std::string &name);

/// Whether it is the text of a SHA-256, in lower case.
bool isSha256(const std::string &text);

/// One file, open for reading.
class PlanFile {
public:
  /// `name` is relative to the folder, as in plan.json.
  static Result<PlanFile> open(const std::string &directory,
                               const std::string &name);
  PlanFile(PlanFile &&other) noexcept;
  PlanFile &operator=(PlanFile &&other) noexcept;
  ~PlanFile();

  int64_t size() const { return length; }
  int descriptor() const { return handle; }
  Result<std::string> read() const;
  /// Reads the file in pieces.
  Result<std::string> sha256() const;
  /// All of it into memory of its size; the hash of what was read.
  Result<std::string> readInto(void *bytes) const;

private:
  PlanFile(std::string path, int handle, int64_t length)
      : path(std::move(path)), handle(handle), length(length) {}
  /// Up to `count` bytes from `offset`; fewer only where the file ends.
  Result<size_t> readAt(int64_t offset, char *bytes, size_t count) const;

  std::string path; // for messages
  int handle = -1;
  int64_t length = 0;
};

} // namespace smex::plan

#endif
