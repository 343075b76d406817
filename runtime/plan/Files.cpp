#include "runtime/plan/Files.h"

#include "dialects/support/Sha256.h"
#include "runtime/plan/Target.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace smex;
using namespace smex::plan;

namespace {

/// An open folder or file, closed at the end of the scope.
struct Handle {
  int number;
  ~Handle() {
    if (number >= 0)
      ::close(number);
  }
  int release() { return std::exchange(number, -1); }
};

Error systemError(const std::string &path) {
  if (errno == ELOOP)
    return fail(path, ": is a symbolic link");
  Error error = fail(path, ": ", std::strerror(errno));
  if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
    error.fault = Fault::Environment;
  return error;
}

} // namespace

std::string plan::gpuFile(size_t worker, const char *extension) {
  return "gpu" + std::to_string(worker) + extension;
}

Result<PlanFile> PlanFile::open(const std::string &directory,
                                const std::string &name) {
  const std::string path = directory + "/" + name;
  Handle folder{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.number < 0)
    return systemError(directory);
  const size_t slash = name.find('/');
  if (slash != std::string::npos) {
    const int inner = ::openat(folder.number, name.substr(0, slash).c_str(),
                               O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (inner < 0)
      return systemError(path);
    ::close(std::exchange(folder.number, inner));
  }
  const std::string last =
      slash == std::string::npos ? name : name.substr(slash + 1);
  // O_NONBLOCK: a pipe of that name must not stop the program.
  Handle file{::openat(folder.number, last.c_str(),
                       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (file.number < 0)
    return systemError(path);
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    return systemError(path);
  if (!S_ISREG(status.st_mode))
    return fail(path, ": is not a regular file");
  return PlanFile(path, file.release(), status.st_size);
}

std::string plan::edgesFile(size_t number) {
  return "edges" + std::to_string(number) + ".rows";
}

std::string plan::codeFile(const std::string &target) {
  return "kernels." + target +
         (kindOf(target) == TargetKind::Cuda ? ".ptx" : ".so");
}

std::string plan::launchFile(const std::string &target) {
  return "kernels." + target + ".json";
}

bool plan::isTarget(const std::string &name) {
  const auto isAllowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), isAllowed);
}

bool plan::isSha256(const std::string &text) {
  return text.size() == 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

PlanFile::PlanFile(PlanFile &&other) noexcept
    : path(std::move(other.path)), handle(std::exchange(other.handle, -1)),
      length(other.length) {}

PlanFile &PlanFile::operator=(PlanFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(handle, other.handle);
  std::swap(length, other.length);
  return *this;
}

PlanFile::~PlanFile() {
  if (handle >= 0)
    ::close(handle);
}

Result<size_t> PlanFile::readAt(int64_t offset, char *bytes,
                                size_t count) const {
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(handle, bytes + done, count - done, offset + int64_t(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path);
    if (got == 0)
      break;
    done += size_t(got);
  }
  return done;
}

Result<std::string> PlanFile::read() const {
  constexpr int64_t limit = int64_t(1) << 31;
  if (length > limit)
    return fail(path, ": has ", length, " bytes, more than ", limit);
  std::string bytes(size_t(length), '\0');
  const auto got = readAt(0, bytes.data(), bytes.size());
  if (!got)
    return got.error();
  if (*got != bytes.size())
    return fail(path, ": became shorter while it was read");
  return bytes;
}

Result<std::string> PlanFile::sha256() const {
  Sha256 hash;
  std::string piece(size_t(1) << 20, '\0');
  for (int64_t offset = 0; offset < length;) {
    const auto got = readAt(offset, piece.data(), piece.size());
    if (!got)
      return got.error();
    if (*got == 0)
      return fail(path, ": became shorter while it was read");
    hash.update({piece.data(), *got});
    offset += int64_t(*got);
  }
  return hash.finish();
}

Result<std::string> PlanFile::readInto(void *bytes) const {
  char *const first = static_cast<char *>(bytes);
  const auto got = readAt(0, first, size_t(length));
  if (!got)
    return got.error();
  if (*got != size_t(length))
    return fail(path, ": became shorter while it was read");
  return smex::sha256({first, size_t(length)});
}
