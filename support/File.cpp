#include "support/File.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace smex;
namespace fs = std::filesystem;

namespace {
Error systemError(const std::string &path, const char *what, int code,
                  Fault fault) {
  Error error = fail(path, ": ", what, ": ", std::strerror(code));
  error.fault = fault;
  return error;
}

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
  return systemError(path, what, code, Fault::Environment);
}

/// Renames survive a crash only once the folder itself is on disk.
void syncFolder(const std::string &file) {
  const std::string folder = fs::path(file).parent_path().string();
  const Descriptor opened{
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY)};
  if (opened.fd >= 0)
    ::fsync(opened.fd);
}
} // namespace

Result<std::string> smex::readFile(const std::string &path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return systemError(path, "cannot open", errno, Fault::Input);
  struct stat status;
  if (::fstat(file.fd, &status) != 0)
    return systemError(path, "cannot read", errno, Fault::Environment);
  if (S_ISDIR(status.st_mode))
    return fail(path, ": is a folder, not a file");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    return fail(path, ": is a device, not a file"); // and may have no end
  std::string bytes;
  // The size is only a hint: pipes have none, and files may grow.
  if (S_ISREG(status.st_mode))
    bytes.reserve(size_t(status.st_size) + 1);
  for (;;) {
    const size_t had = bytes.size();
    const size_t room =
        bytes.capacity() > had ? bytes.capacity() - had : 1 << 16;
    bytes.resize(had + room);
    const ssize_t got = ::read(file.fd, bytes.data() + had, room);
    bytes.resize(had + size_t(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "cannot read", errno, Fault::Environment);
    if (got == 0)
      return bytes;
  }
}

/// `shown` is what messages call the file.
static Status replaceFile(const std::string &path, const std::string &shown,
                          std::string_view bytes) {
  const std::string temporary = besideName(path);
  {
    const Descriptor file{::open(
        temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (file.fd < 0)
      return environment(shown, "cannot write", errno);
    const auto giveUp = [&](int code) {
      ::unlink(temporary.c_str());
      return environment(shown, "cannot write", code);
    };
    while (!bytes.empty()) {
      const ssize_t written = ::write(file.fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return giveUp(errno);
      bytes.remove_prefix(size_t(written));
    }
    if (::fsync(file.fd) != 0 && errno != EINVAL)
      return giveUp(errno);
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
  return replaceFile(path, path, bytes);
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const Descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0)
    return systemError(path, "cannot open", errno, Fault::Input);
  struct stat status;
  if (::fstat(file.fd, &status) != 0)
    return systemError(path, "cannot read", errno, Fault::Environment);
  if (S_ISDIR(status.st_mode))
    return fail(path, ": is a folder, not a file");
  if (!S_ISREG(status.st_mode))
    return fail(path, ": is a device or pipe, not a file");
  MappedFile mapped;
  if (status.st_size == 0)
    return mapped;
  void *at = ::mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE,
                    file.fd, 0);
  if (at == MAP_FAILED)
    return environment(path, "cannot be mapped into memory", errno);
  mapped.bytes = static_cast<std::byte *>(at);
  mapped.length = status.st_size;
  return mapped;
}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(bytes, other.bytes);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes)
    ::munmap(bytes, size_t(length));
}

Result<StagedFile> StagedFile::create(const std::string &target, int64_t size) {
  StagedFile file;
  file.target = target;
  const std::string name = besideName(target);
  file.fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file.fd < 0)
    return environment(target, "cannot write", errno);
  file.staging = name;
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

StagedFile &StagedFile::operator=(StagedFile &&other) noexcept {
  std::swap(target, other.target);
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
  if (bytes && ::msync(bytes, size_t(length), MS_SYNC) != 0)
    return environment(target, "cannot write", errno);
  unmap();
  if (::fsync(fd) != 0 && errno != EINVAL)
    return environment(target, "cannot write", errno);
  if (::rename(staging.c_str(), target.c_str()) != 0)
    return environment(target, "cannot write", errno);
  staging.clear();
  syncFolder(target);
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
