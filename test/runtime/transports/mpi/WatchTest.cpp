// Whose SIGTERM it was, and who is seen to end.
#include "runtime/transports/mpi/Watch.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smex::mpi;

namespace {
constexpr int patience = 5000; // milliseconds

/// A process that does this and ends with what it returns.
pid_t start(const std::function<int()> &work) {
  const pid_t process = ::fork();
  if (process == 0)
    ::_exit(work());
  return process;
}
int endOf(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A process of a job that this one has started, which says by its end whose
/// signal it got.
pid_t startOfJob() {
  ::sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr); // or it may come too early
  const pid_t process = start([] {
    ::setenv("PMIX_NAMESPACE", "job", 1);
    blockTerm();
    return int(takeTerm(patience));
  });
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  return process;
}
} // namespace

TEST_CASE("a SIGTERM is mpirun's, or meant for one process") {
  const pid_t ended = startOfJob();
  ::kill(ended, SIGTERM); // as mpirun, which has started it
  CHECK(endOf(ended) == int(Term::Mpirun));

  const pid_t alone = startOfJob();
  CHECK(endOf(start([&] { return ::kill(alone, SIGTERM); })) == 0);
  CHECK(endOf(alone) == int(Term::Other));

  const pid_t told = startOfJob();
  CHECK(endOf(start([&] {
          tellSaid(told);
          return 0;
        })) == 0);
  CHECK(endOf(told) == int(Term::Said));
}

TEST_CASE(
    "where it is not known who has started it, it is taken for mpirun's") {
  const pid_t process = start([] {
    ::unsetenv("PMIX_NAMESPACE");
    blockTerm();
    ::kill(::getpid(), SIGTERM);
    return int(takeTerm(patience));
  });
  CHECK(endOf(process) == int(Term::Mpirun));
  CHECK(endOf(start([] {
          blockTerm();
          return int(takeTerm(1));
        })) == int(Term::None));
}

TEST_CASE("a process is seen to end before anybody has asked how") {
  const pid_t process = start([] { return int(::pause()); });
  Place place = Place::decode(Place::here().encode());
  CHECK(place.process == ::getpid());
  place.process = process;
  const Witnessed witnessed(place);
  REQUIRE(witnessed.isSeen());
  CHECK(!witnessed.hasEnded());
  ::kill(process, SIGKILL);
  for (int i = 0; i < patience && !witnessed.hasEnded(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(witnessed.hasEnded());
  CHECK(endOf(process) == -SIGKILL);
  place.space += "of another machine";
  CHECK(!Witnessed(place).isSeen());
}
