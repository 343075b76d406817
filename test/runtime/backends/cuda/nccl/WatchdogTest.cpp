#include "runtime/backends/cuda/nccl/Watchdog.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace smex;

namespace {

/// What a child that runs `body` says on standard error, and its exit status.
template <typename Body>
std::pair<int, std::string> inChild(Body body, const char *timeout = "0.3") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    setenv("SMEX_NCCL_TIMEOUT", timeout, 1);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[256];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

void sleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

} // namespace

TEST_CASE("a call that does not return ends the process") {
  const auto [status, text] = inChild([] {
    nccl::Watchdog watchdog(
        [](int what) { return "stuck in " + std::to_string(what); });
    nccl::Watchdog::Guard guard(watchdog, 17);
    sleepSeconds(20);
  });
  CHECK(status == 4);
  CHECK(text == "smex-run: error: stuck in 17\n");
}

TEST_CASE("before it gives up it doubts, and somebody else may end it") {
  const auto [status, text] = inChild(
      [] {
        std::atomic<int> doubts{0};
        nccl::Watchdog watchdog([](int) { return std::string("stuck"); },
                                [&] { ++doubts; },
                                [&](const std::string &why) {
                                  _exit(why == "stuck" && doubts > 0 ? 17 : 18);
                                });
        nccl::Watchdog::Guard guard(watchdog, 1);
        sleepSeconds(20);
      },
      "1");
  CHECK(status == 17);
  CHECK(text.empty());
}

TEST_CASE("what goes on is left alone") {
  const auto [status, text] = inChild([] {
    nccl::Watchdog watchdog([](int) { return std::string("stuck"); });
    for (int i = 0; i < 8; ++i) {
      nccl::Watchdog::Guard guard(watchdog, i);
      sleepSeconds(0.1);
    }
    sleepSeconds(0.8);
  });
  CHECK(status == 0);
  CHECK(text.empty());
}

TEST_CASE("of several that hang together, one says it") {
  for (int round = 0; round < 20; ++round) {
    const auto [status, text] = inChild([] {
      std::atomic<int> waiting{16};
      std::vector<std::thread> threads;
      for (int i = waiting; i > 0; --i)
        threads.emplace_back([&waiting] {
          for (--waiting; waiting > 0;) // all at once
            std::this_thread::yield();
          nccl::endProcess("stuck");
        });
      for (std::thread &thread : threads)
        thread.join();
    });
    CHECK(status == 4);
    CHECK(text == "smex-run: error: stuck\n");
  }
}
