// Files: whole reads with errors as values, and outputs that appear only as a
// whole.
#ifndef SMEX_SUPPORT_FILE_H
#define SMEX_SUPPORT_FILE_H

#include "support/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace smex {

/// The whole file; an error names the path and the system's reason.
Result<std::string> readFile(const std::string &path);

/// Writes beside the target, syncs, and renames: the target is the old file or
/// the new one, never half of one. A full disk is Fault::Environment.
Status writeFile(const std::string &path, std::string_view bytes);

/// A regular file's bytes, mapped and not read: what is larger than memory, or
/// is there in another form already, need not be held twice. They are valid as
/// long as nobody cuts the file off.
class MappedFile {
public:
  static Result<MappedFile> open(const std::string &path);
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { *this = std::move(other); }
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();
  const std::byte *data() const { return bytes; }
  int64_t size() const { return length; }

private:
  std::byte *bytes = nullptr;
  int64_t length = 0;
};

/// A file of known size that many may fill at the same time, and that appears
/// as a whole: `commit()` syncs it and moves it to the target; without, it is
/// removed. Its bytes are zeros at first, and on disk rather than in memory; a
/// disk without room for them is an error when it is created.
class StagedFile {
public:
  static Result<StagedFile> create(const std::string &target, int64_t size);
  StagedFile() = default;
  StagedFile(StagedFile &&other) noexcept { *this = std::move(other); }
  StagedFile &operator=(StagedFile &&other) noexcept;
  ~StagedFile();
  std::byte *data() { return bytes; }
  Status commit();

private:
  void unmap();
  std::string target, staging; // none: there is nothing to remove
  std::byte *bytes = nullptr;
  int64_t length = 0;
  int fd = -1;
};

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
