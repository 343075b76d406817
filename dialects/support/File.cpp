#include "dialects/support/File.h"

#include "dialects/support/Destination.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace smex;

namespace {
/// Closes at the end of the scope.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
};

} // namespace

Error smex::openError(const std::string &path, int code) {
  Error error = fail(path, ": cannot open: ", std::strerror(code));
  switch (code) {
  case ENOENT:
  case ENOTDIR:
  case EACCES:
  case EPERM:
  case ELOOP:
  case ENAMETOOLONG:
  case EISDIR:
  case ENXIO: // a socket, or a device that is not there
  case EINVAL:
    break;
  default:
    error.fault = Fault::Environment;
  }
  return error;
}

namespace {

/// How long a pipe may have no writer.
constexpr int pipeSeconds = 5;

/// All that comes out of a pipe, which is not to be waited for.
Result<std::string> readPipe(const std::string &path, int fd) {
  using Clock = std::chrono::steady_clock;
  const auto limit = Clock::now() + std::chrono::seconds(pipeSeconds);
  std::string bytes;
  bool hadWriter = false;
  char piece[1 << 16];
  for (;;) {
    const bool late = Clock::now() > limit;
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got > 0) {
      bytes.append(piece, size_t(got));
      hadWriter = true;
      continue;
    }
    if (got < 0 && errno == EINTR)
      continue;
    pollfd wait{fd, POLLIN, 0};
    if (got < 0 && errno == EAGAIN) { // somebody writes, and is slow
      hadWriter = true;
      ::poll(&wait, 1, -1);
      continue;
    }
    if (got < 0)
      return writeError(path, "cannot read", errno);
    if (hadWriter)
      return bytes;
    if (late)
      return fail(path, ": is a pipe that nobody writes to");
    // POLLHUP: somebody has come and gone. Else nobody has come yet.
    ::poll(&wait, 1, 50);
    hadWriter = wait.revents & POLLHUP;
  }
}

} // namespace

Result<std::string> smex::readFile(const std::string &path) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const Descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0)
    return openError(path, errno);
  struct stat status;
  if (::fstat(file.fd, &status) != 0)
    return writeError(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode))
    return fail(path, ": is a folder, not a file");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    return fail(path, ": is a device, not a file"); // and may have no end
  if (!S_ISREG(status.st_mode))
    return readPipe(path, file.fd);
  std::string bytes;
  bytes.reserve(size_t(status.st_size) + 1); // only a hint: files may grow
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
      return writeError(path, "cannot read", errno);
    if (got == 0)
      return bytes;
  }
}

Result<InputFile> InputFile::open(const std::string &path) {
  InputFile file;
  file.path = path;
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  file.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fd < 0)
    return openError(path, errno);
  struct stat status;
  if (::fstat(file.fd, &status) != 0)
    return writeError(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode))
    return fail(path, ": is a folder, not a file");
  if (!S_ISREG(status.st_mode))
    return fail(path, ": is a device or pipe, not a file");
  file.length = status.st_size;
  return file;
}

InputFile::InputFile(InputFile &&other) noexcept
    : path(std::move(other.path)), fd(std::exchange(other.fd, -1)),
      length(other.length) {}

InputFile::~InputFile() {
  if (fd >= 0)
    ::close(fd);
}

Result<size_t> InputFile::readAt(int64_t offset, void *bytes,
                                 size_t count) const {
  size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(fd, static_cast<char *>(bytes) + done,
                                count - done, offset + int64_t(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return writeError(path, "cannot read", errno);
    if (got == 0)
      break;
    done += size_t(got);
  }
  return done;
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  const auto file = InputFile::open(path);
  if (!file)
    return file.error();
  MappedFile mapped;
  if (file->size() == 0)
    return mapped;
  void *at = ::mmap(nullptr, size_t(file->size()), PROT_READ, MAP_PRIVATE,
                    file->descriptor(), 0);
  if (at == MAP_FAILED)
    return writeError(path, "cannot be mapped into memory", errno);
  mapped.bytes = static_cast<std::byte *>(at);
  mapped.length = file->size();
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
