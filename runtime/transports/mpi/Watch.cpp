#include "runtime/transports/mpi/Watch.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace smex;
using namespace smex::mpi;

namespace {
/// What the link says, or nothing.
std::string link(const char *path) {
  char text[256];
  const ssize_t length = ::readlink(path, text, sizeof text);
  return std::string(text, size_t(std::max<ssize_t>(length, 0)));
}

std::string bootNumber() {
  std::string text;
  if (std::FILE *file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
    char line[64] = {};
    if (std::fgets(line, sizeof line, file))
      text = line;
    std::fclose(file);
  }
  return text;
}

/// The process that started this one's rank: of its ancestors the first that
/// does not belong to the same job. There may be wrappers between. 0: the
/// system does not show it.
int32_t launcher() {
  const char *job = std::getenv("PMIX_NAMESPACE");
  int32_t process = job ? ::getppid() : 0;
  while (process > 1) {
    const std::string folder = "/proc/" + std::to_string(process) + "/";
    std::ifstream environment(folder + "environ", std::ios::binary);
    bool isOfJob = false;
    for (std::string line; std::getline(environment, line, '\0');)
      isOfJob |= line == std::string("PMIX_NAMESPACE=") + job;
    if (!isOfJob)
      return environment.eof() ? process : 0;
    process = 0;
    std::ifstream status(folder + "status");
    for (std::string line; process == 0 && std::getline(status, line);)
      if (line.compare(0, 5, "PPid:") == 0)
        process = int32_t(std::strtol(line.c_str() + 5, nullptr, 10));
  }
  return 0;
}

/// Comes with the signal of tellSaid().
constexpr int said = 0x736d6578;

/// Asked for before it can have ended.
int32_t knownLauncher = 0;

sigset_t term() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  return set;
}
} // namespace

Place Place::here() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return {name, bootNumber() + link("/proc/self/ns/pid"), int32_t(::getpid())};
}

std::vector<std::byte> Place::encode() const {
  const std::string text = std::to_string(process) + '\n' + host + '\n' + space;
  const auto *bytes = reinterpret_cast<const std::byte *>(text.data());
  return {bytes, bytes + text.size()};
}

Place Place::decode(const std::vector<std::byte> &bytes) {
  const std::string text(reinterpret_cast<const char *>(bytes.data()),
                         bytes.size());
  const size_t first = text.find('\n'), second = text.find('\n', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return {};
  return {text.substr(first + 1, second - first - 1), text.substr(second + 1),
          int32_t(std::strtol(text.c_str(), nullptr, 10))};
}

Witnessed::Witnessed(const Place &place) {
  if (place.process > 0 && place.space == Place::here().space)
    descriptor = int(::syscall(SYS_pidfd_open, place.process, 0));
}

Witnessed::Witnessed(Witnessed &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)) {}

Witnessed &Witnessed::operator=(Witnessed &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  return *this;
}

Witnessed::~Witnessed() {
  if (descriptor >= 0)
    ::close(descriptor);
}

bool Witnessed::hasEnded() const {
  pollfd ended{descriptor, POLLIN, 0};
  return descriptor >= 0 && ::poll(&ended, 1, 0) == 1;
}

void mpi::blockTerm() {
  knownLauncher = launcher();
  const sigset_t set = term();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Term mpi::takeTerm(int milliseconds) {
  const sigset_t set = term();
  const timespec time{milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  siginfo_t sent{};
  if (::sigtimedwait(&set, &sent, &time) != SIGTERM)
    return Term::None;
  if (sent.si_code == SI_QUEUE && sent.si_value.sival_int == said)
    return Term::Said;
  // A sender that cannot be told from mpirun is taken for it: of another
  // namespace, or the system itself.
  const bool isKnown = knownLauncher != 0 && sent.si_pid != 0;
  return isKnown && sent.si_pid != knownLauncher ? Term::Other : Term::Mpirun;
}

void mpi::tellSaid(int32_t process) {
  sigval value{};
  value.sival_int = said;
  ::sigqueue(process, SIGTERM, value);
}
