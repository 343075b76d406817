// Files: whole reads with errors as values, and outputs that appear only as a
// whole.
#ifndef SMEX_SUPPORT_FILE_H
#define SMEX_SUPPORT_FILE_H

#include "support/Result.h"

#include <string>
#include <string_view>

namespace smex {

/// The whole file; an error names the path and the system's reason.
Result<std::string> readFile(const std::string &path);

/// Writes beside the target, syncs, and renames: the target is the old file or
/// the new one, never half of one. A full disk is Fault::Environment.
Status writeFile(const std::string &path, std::string_view bytes);

/// A folder that appears as a whole: fill it, then `commit()` moves it to the
/// target (replacing an older one); without commit it is removed. Until then
/// its files are in `path()`, but messages call them by the name that they will
/// have: `shown()`.
class StagedDirectory {
public:
  static Result<StagedDirectory> create(const std::string &target);
  StagedDirectory(StagedDirectory &&) noexcept;
  StagedDirectory &operator=(StagedDirectory &&) noexcept;
  ~StagedDirectory();
  const std::string &path() const { return staging; }
  std::string shown(const std::string &name) const {
    return target + "/" + name;
  }
  /// Writes a file of the folder, or makes a folder in it.
  Status write(const std::string &name, std::string_view bytes);
  Status makeFolder(const std::string &name);
  Status commit();

private:
  StagedDirectory() = default;
  std::string target, staging;
};

} // namespace smex

#endif
