#include "tools/smex-run/Rebalance.h"

#include "runtime/backends/Backend.h"

#include <cerrno>
#include <cstdio>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

using namespace smex;
using namespace smex::runtime;
using tools::Rebalance;

namespace {

/// The exit status of `command` with `more` after it, as a shell runs it; -1:
/// it did not exit by itself.
int runCommand(const std::string &command,
               const std::vector<std::string> &more) {
  const std::string line = command + " \"$@\"";
  std::vector<const char *> words = {"sh", "-c", line.c_str(), "sh"};
  for (const std::string &word : more)
    words.push_back(word.c_str());
  words.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr,
                  const_cast<char **>(words.data()), environ) != 0)
    return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

bool Rebalance::wantsMove(int completed, const balance::LayerTimes &times) {
  if (isGivenUp || completed % arguments.rebalanceEvery != 0 ||
      completed >= arguments.run.steps)
    return false;
  const auto gain = times.gain();
  if (!gain)
    return false;
  const int left = arguments.run.steps - completed;
  const double total = gain->seconds() * left;
  moving = total > moveSeconds && gain->seconds() > gain->error;
  std::printf("step %d: slowest worker %.4g ms, %.4g if %lld vertices move; "
              "%.3g s in %d steps, of %.3g s that a move takes: %s\n",
              completed, 1e3 * gain->now, 1e3 * gain->then,
              (long long)gain->movedVertices, total, left, moveSeconds,
              moving ? "they move"
              : total > moveSeconds
                  ? "they stay, as predictions are further off"
                  : "they stay");
  std::fflush(stdout);
  stopped = clockSeconds();
  return moving;
}

void Rebalance::recompile() {
  moving = false;
  const int status =
      runCommand(arguments.recompile, {"--graph-partition", arguments.costModel,
                                       "-o", arguments.directory});
  if (status == 0) {
    ++count;
    return;
  }
  isGivenUp = true;
  if (arguments.run.device.note)
    arguments.run.device.note("--recompile: exit status " +
                              std::to_string(status) +
                              ": goes on with the plan that there is");
}

void Rebalance::arrive() {
  if (stopped > 0 && !isGivenUp)
    moveSeconds = clockSeconds() - stopped;
}

void Rebalance::keep(const RunResult &result) {
  seconds.insert(seconds.end(), result.seconds.begin(), result.seconds.end());
  losses.insert(losses.end(), result.losses.begin(), result.losses.end());
}

void Rebalance::join(RunResult &result) const {
  result.seconds.insert(result.seconds.begin(), seconds.begin(), seconds.end());
  result.losses.insert(result.losses.begin(), losses.begin(), losses.end());
}

void Rebalance::part(RunResult &result) const {
  result.seconds.erase(result.seconds.begin(),
                       result.seconds.begin() + int64_t(seconds.size()));
  result.losses.erase(result.losses.begin(),
                      result.losses.begin() + int64_t(losses.size()));
}
