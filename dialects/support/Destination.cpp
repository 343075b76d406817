#include "dialects/support/Destination.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace smex;
namespace fs = std::filesystem;

Error smex::writeError(const std::string &path, const char *what, int code) {
  Error error = fail(path, ": ", what, ": ", std::strerror(code));
  error.fault = Fault::Environment;
  return error;
}

int smex::writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    bytes.remove_prefix(size_t(written));
  }
  return 0;
}

namespace {

constexpr int mostLinks = 40; // as many as Linux follows

/// The number that a link in /proc/self/fd stands for, however that folder was
/// reached; -1 for any other path.
int descriptorOf(const fs::path &link) {
  std::error_code code;
  const fs::path parent = link.parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? "." : parent, code);
  if (code || folder != "/proc/" + std::to_string(::getpid()) + "/fd")
    return -1;
  const std::string text = link.filename().string();
  int number = -1;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? number : -1;
}

/// Opens a device or pipe for writing. A pipe can be opened once somebody reads
/// it; waiting for that without end would look like work.
int openForWriting(const std::string &path) {
  using Clock = std::chrono::steady_clock;
  const auto limit = Clock::now() + std::chrono::seconds(5);
  for (;;) {
    const int fd =
        ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0)
      ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (fd >= 0 || errno != ENXIO || Clock::now() > limit)
      return fd;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

} // namespace

Result<Destination> Destination::find(const std::string &name) {
  Destination made;
  made.name = made.target = name;
  struct stat status;
  for (int links = 0;
       ::lstat(made.target.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
       ++links) {
    if (links == mostLinks)
      return writeError(name, "cannot write", ELOOP);
    const fs::path link = made.target;
    made.descriptor = descriptorOf(link);
    if (made.descriptor >= 0) {
      made.file = false;
      return made;
    }
    std::error_code code;
    const fs::path to = fs::read_symlink(link, code);
    if (code)
      return writeError(name, "cannot write", code.value());
    made.target = (link.parent_path() / to).string();
  }
  if (::stat(made.target.c_str(), &status) != 0 || S_ISREG(status.st_mode))
    return made;
  if (S_ISDIR(status.st_mode))
    return writeError(name, "cannot write", EISDIR);
  if (S_ISBLK(status.st_mode))
    return fail(name, ": is a disk, not a file");
  made.file = false;
  return made;
}

Status Destination::write(std::string_view bytes) const {
  if (descriptor >= 0) {
    std::fflush(stdout); // what was printed before comes first
    if (const int code = writeAll(descriptor, bytes))
      return writeError(name, "cannot write", code);
    return {};
  }
  const int fd = openForWriting(target);
  if (fd < 0 && errno == ENXIO) {
    Error error = fail(name, ": is a pipe that nobody reads");
    error.fault = Fault::Environment;
    return error;
  }
  if (fd < 0)
    return writeError(name, "cannot write", errno);
  const int code = writeAll(fd, bytes);
  ::close(fd);
  return code ? Status(writeError(name, "cannot write", code)) : Status();
}
