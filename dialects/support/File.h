// Files: whole reads with errors as values, and outputs that appear only as a
// whole.
#ifndef SMEX_DIALECTS_SUPPORT_FILE_H
#define SMEX_DIALECTS_SUPPORT_FILE_H

#include "dialects/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace smex {

/// Why a file cannot be opened or read, by the system's code. The input's fault
/// where it is not there, or not for this user; else the environment's: too
/// many open files, no memory, a disk that fails.
Error openError(const std::string &path, int code);

/// The whole file, or what comes out of a pipe; an error names the path and the
/// system's reason. A pipe that nobody opens for writing within some seconds is
/// an error.
Result<std::string> readFile(const std::string &path);

/// Writes beside the target, syncs, and renames: the target is the old file or
/// the new one, never half of one. A link stays, and what it leads to is
/// replaced; a device or a pipe is written to. A full disk is
/// Fault::Environment.
Status writeFile(const std::string &path, std::string_view bytes);

/// A regular file, open for reading: what is read twice, or from the middle,
/// cannot be a pipe.
class InputFile {
public:
  static Result<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) = delete;
  ~InputFile();
  int64_t size() const { return length; }
  int descriptor() const { return fd; }
  /// Fewer bytes than `count` only at the end of the file.
  Result<size_t> readAt(int64_t offset, void *bytes, size_t count) const;

private:
  InputFile() = default;
  std::string path;
  int fd = -1;
  int64_t length = 0;
};

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
/// disk without room for them is an error when it is created. For a device or a
/// pipe they are a temporary file, which `commit()` copies there.
class StagedFile {
public:
  static Result<StagedFile> create(const std::string &target, int64_t size);
  /// Whether one could be created there; nothing is left.
  static Status probe(const std::string &target);
  StagedFile() = default;
  StagedFile(StagedFile &&other) noexcept { *this = std::move(other); }
  StagedFile &operator=(StagedFile &&other) noexcept;
  ~StagedFile();
  std::byte *data() { return bytes; }
  Status commit();

private:
  void unmap();
  std::string target;
  std::string file;    // the target with links followed; "": it is no file
  std::string staging; // none: there is nothing to remove
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
