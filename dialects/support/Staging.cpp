// Outputs that appear as a whole: written beside their place, then moved there.
#include "dialects/support/Destination.h"
#include "dialects/support/File.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace smex;
namespace fs = std::filesystem;

namespace {
/// Closes at the end of the scope.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
};

/// A name beside `target` that no other process uses.
std::string besideName(const std::string &target) {
  static std::atomic<unsigned> counter{0};
  std::string base = target;
  while (base.size() > 1 && base.back() == '/')
    base.pop_back();
  return base + ".tmp-" + std::to_string(::getpid()) + "-" +
         std::to_string(counter++);
}

Error environment(const std::string &path, const char *what, int code) {
  return writeError(path, what, code);
}

/// Renames survive a crash only once the folder itself is on disk.
void syncFolder(const std::string &file) {
  const std::string folder = fs::path(file).parent_path().string();
  const Descriptor opened{
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY)};
  if (opened.fd >= 0)
    ::fsync(opened.fd);
}

/// A new file is as private as the one that it replaces.
void keepMode(int fd, const std::string &replaced) {
  struct stat status;
  if (::stat(replaced.c_str(), &status) == 0)
    ::fchmod(fd, status.st_mode & 0777);
}
} // namespace

/// Replaces a file, or makes one. `shown` is what messages call it.
static Status replaceFile(const std::string &path, const std::string &shown,
                          std::string_view bytes) {
  const std::string temporary = besideName(path);
  {
    const Descriptor file{::open(
        temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (file.fd < 0)
      return environment(shown, "cannot write", errno);
    keepMode(file.fd, path);
    int code = writeAll(file.fd, bytes);
    if (code == 0 && ::fsync(file.fd) != 0 && errno != EINVAL)
      code = errno;
    if (code) {
      ::unlink(temporary.c_str());
      return environment(shown, "cannot write", code);
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary.c_str());
    return environment(shown, "cannot write", code);
  }
  syncFolder(path);
  return {};
}

Status smex::writeFile(const std::string &path, std::string_view bytes) {
  const auto to = Destination::find(path);
  if (!to)
    return to.error();
  return to->isFile() ? replaceFile(to->path(), path, bytes) : to->write(bytes);
}

/// A temporary file without a name; -1 and the system's code where there can be
/// none.
static int unnamedFile() {
  const char *given = std::getenv("TMPDIR");
  std::string name =
      std::string(given && *given ? given : "/tmp") + "/smex-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0)
    ::unlink(name.c_str());
  return fd;
}

Result<StagedFile> StagedFile::create(const std::string &target, int64_t size) {
  auto to = Destination::find(target);
  if (!to)
    return to.takeError();
  StagedFile file;
  file.target = target;
  if (to->isFile()) {
    file.file = to->path();
    const std::string name = besideName(file.file);
    file.fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.fd >= 0) {
      file.staging = name;
      keepMode(file.fd, file.file);
    }
  } else {
    file.fd = unnamedFile();
  }
  if (file.fd < 0)
    return environment(target, "cannot write", errno);
  if (size == 0)
    return file;
  // A page of the mapping that finds no room on disk would be a signal.
  if (const int code = ::posix_fallocate(file.fd, 0, size))
    return environment(target, "cannot write", code);
  void *at = ::mmap(nullptr, size_t(size), PROT_READ | PROT_WRITE, MAP_SHARED,
                    file.fd, 0);
  if (at == MAP_FAILED)
    return environment(target, "cannot be mapped into memory", errno);
  file.bytes = static_cast<std::byte *>(at);
  file.length = size;
  return file;
}

Status StagedFile::probe(const std::string &target) {
  const auto to = Destination::find(target);
  if (!to)
    return to.error();
  if (!to->isFile())
    return {};
  const auto made = create(target, 0);
  return made ? Status() : Status(made.error());
}

StagedFile &StagedFile::operator=(StagedFile &&other) noexcept {
  std::swap(target, other.target);
  std::swap(file, other.file);
  std::swap(staging, other.staging);
  std::swap(bytes, other.bytes);
  std::swap(length, other.length);
  std::swap(fd, other.fd);
  return *this;
}

void StagedFile::unmap() {
  if (bytes)
    ::munmap(bytes, size_t(length));
  bytes = nullptr;
}

StagedFile::~StagedFile() {
  unmap();
  if (fd >= 0)
    ::close(fd);
  if (!staging.empty())
    ::unlink(staging.c_str());
}

Status StagedFile::commit() {
  if (file.empty()) {
    const auto to = Destination::find(target);
    if (!to)
      return to.error();
    return to->write({reinterpret_cast<const char *>(bytes), size_t(length)});
  }
  if (bytes && ::msync(bytes, size_t(length), MS_SYNC) != 0)
    return environment(target, "cannot write", errno);
  unmap();
  if (::fsync(fd) != 0 && errno != EINVAL)
    return environment(target, "cannot write", errno);
  if (::rename(staging.c_str(), file.c_str()) != 0)
    return environment(target, "cannot write", errno);
  staging.clear();
  syncFolder(file);
  return {};
}

Result<StagedDirectory> StagedDirectory::create(const std::string &target) {
  std::string clean = target;
  while (clean.size() > 1 && clean.back() == '/')
    clean.pop_back();
  const fs::path name = fs::path(clean).filename();
  if (clean.empty() || name == "." || name == ".." || clean == "/")
    return fail(target, ": cannot be replaced as a whole; name a folder in it");
  std::error_code code;
  if (fs::exists(clean, code) && !fs::is_directory(clean, code))
    return fail(target, ": exists and is not a folder");
  // A link stays, and the folder that it leads to is replaced.
  if (fs::is_symlink(clean, code) && fs::is_directory(clean, code))
    clean = fs::canonical(clean, code).string();
  StagedDirectory staged;
  staged.target = clean;
  staged.staging = besideName(clean);
  const fs::path parent = fs::path(clean).parent_path();
  if (!parent.empty())
    fs::create_directories(parent, code);
  if (::mkdir(staged.staging.c_str(), 0777) != 0) {
    const int reason = errno;
    staged.staging.clear(); // nothing to remove
    return environment(target, "cannot create", reason);
  }
  return staged;
}

StagedDirectory::StagedDirectory(StagedDirectory &&other) noexcept
    : target(std::move(other.target)), staging(std::move(other.staging)) {
  other.staging.clear();
}

StagedDirectory &StagedDirectory::operator=(StagedDirectory &&other) noexcept {
  std::swap(target, other.target);
  std::swap(staging, other.staging);
  return *this;
}

StagedDirectory::~StagedDirectory() {
  std::error_code code;
  if (!staging.empty())
    fs::remove_all(staging, code);
}

Status StagedDirectory::write(const std::string &name, std::string_view bytes) {
  return replaceFile(staging + "/" + name, shown(name), bytes);
}

Status StagedDirectory::makeFolder(const std::string &name) {
  if (::mkdir((staging + "/" + name).c_str(), 0777) != 0)
    return environment(shown(name), "cannot create", errno);
  return {};
}

Status StagedDirectory::commit() {
  // At once, where the file system can: then no moment is without a folder of
  // this name, even if the process is killed. What was there is left in
  // `staging`, which is removed.
  if (::renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, target.c_str(),
                  RENAME_EXCHANGE) == 0) {
    syncFolder(target);
    std::error_code code;
    fs::remove_all(staging, code);
    staging.clear();
    return {};
  }
  // rename(2) replaces an empty folder only, so an older one steps aside first
  // and is put back where the second rename fails.
  const std::string old = besideName(target);
  const bool replaces = ::rename(target.c_str(), old.c_str()) == 0;
  if (!replaces && errno != ENOENT)
    return environment(target, "cannot replace", errno);
  if (::rename(staging.c_str(), target.c_str()) != 0) {
    const int code = errno;
    if (replaces)
      ::rename(old.c_str(), target.c_str());
    return environment(target, "cannot replace", code);
  }
  staging.clear();
  syncFolder(target);
  std::error_code code;
  if (replaces)
    fs::remove_all(old, code);
  return {};
}
