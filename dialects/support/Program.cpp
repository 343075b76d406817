#include "dialects/support/Program.h"

#include "dialects/support/Text.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <limits>
#include <malloc.h>
#include <new>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

using namespace smex;

namespace {

const char *program = "smex";
std::atomic<bool> areThreadsLeft{false};

Error environment(std::string message) {
  return {std::move(message), Fault::Environment};
}

/// What an exception says; called while one is being handled.
Error currentError() {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return environment("not enough memory");
  } catch (const std::system_error &e) { // a thread that cannot be started
    return environment(std::string("the system refuses: ") + e.what());
  } catch (const std::exception &e) {
    return {std::string("unexpected: ") + e.what(), Fault::Defect};
  } catch (...) {
    return {"unexpected: an exception of no known type", Fault::Defect};
  }
}

/// Where an exception cannot be caught: in a thread, or in a library that
/// promises to throw none.
[[noreturn]] void terminated() {
  if (std::current_exception())
    quit(currentError());
  quit({"unexpected: terminated", Fault::Defect});
}

/// The next file that is opened has the lowest number that is free: if that
/// were a standard file's, what is printed would be written into it.
void keepStandardNumbers() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      // Used as what it is for, it fails, as it would have without a file.
      const int made =
          ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
      if (made >= 0 && made != fd)
        ::close(made);
    }
}

/// What is wrong with standard output, after all has been printed.
Status flushOutput() {
  errno = 0;
  std::cout.flush();
  const bool failed =
      std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout;
  if (!failed)
    return {};
  return environment(std::string("standard output: cannot write") +
                     (errno ? std::string(": ") + std::strerror(errno) : ""));
}

Status requireAddressSpace() {
  const int64_t left = addressSpaceLeft();
  if (left >= leastAddressSpace) {
    // The allocator keeps 64 MiB of addresses and more for each thread.
    if (isAddressSpaceLimited())
      ::mallopt(M_ARENA_MAX, 1);
    return {};
  }
  return environment("ulimit -v leaves " + std::to_string(left >> 20) +
                     " MiB of address space, and this program needs " +
                     std::to_string(leastAddressSpace >> 20) +
                     " MiB at least: raise it by as much as is missing");
}

} // namespace

int64_t smex::addressSpaceLeft() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<int64_t>::max();
  long long pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  const auto allowed = int64_t(std::min<rlim_t>(
      limit.rlim_cur, rlim_t(std::numeric_limits<int64_t>::max())));
  return std::max<int64_t>(0, allowed - pages * ::sysconf(_SC_PAGESIZE));
}

int smex::runProgram(const char *name, const std::function<int()> &work) {
  program = name;
  keepStandardNumbers();
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(terminated);
  if (Status enough = requireAddressSpace(); !enough)
    return report(enough.error());
  int status;
  try {
    status = work();
  } catch (...) {
    status = report(currentError());
  }
  if (Status flushed = flushOutput(); !flushed && status == 0)
    status = report(flushed.error());
  if (areThreadsLeft)
    std::_Exit(status);
  return status;
}

int smex::report(const Error &error) {
  const std::string message = cleaned(error.message);
  for (size_t start = 0; start <= message.size();) {
    const size_t end = std::min(message.find('\n', start), message.size());
    std::fprintf(stderr, "%s: error: %s\n", program,
                 message.substr(start, end - start).c_str());
    start = end + 1;
  }
  return int(error.fault);
}

void smex::quit(const Error &error) {
  report(error);
  std::_Exit(int(error.fault));
}

void smex::leaveThreads() { areThreadsLeft = true; }

void smex::print(std::string_view text) {
  const std::string clean = cleaned(text);
  std::fwrite(clean.data(), 1, clean.size(), stdout);
}
