#include "tools/smex-run/Progress.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace smex;
using namespace smex::tools;

namespace {
constexpr double interval = 0.1; // seconds
constexpr int width = 78;

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
} // namespace

ProgressLine::ProgressLine(int steps, int64_t samples)
    : steps(steps), samples(samples), terminal(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown)
    std::fprintf(stderr, "\r%*s\r", width, "");
}

void ProgressLine::show(const runtime::Progress &progress) {
  if (!terminal)
    return;
  ++counted;
  seconds += progress.seconds;
  if (now() - last < interval && progress.completed != steps)
    return;
  char loss[32] = "";
  if (progress.loss)
    std::snprintf(loss, sizeof loss, ", loss %.5g", *progress.loss);
  char line[128];
  std::snprintf(line, sizeof line, "step %d of %d%s, %.4g samples/s",
                progress.completed, steps, loss,
                double(samples) * counted / std::max(seconds, 1e-9));
  std::fprintf(stderr, "\r%-*.*s", width, width, line);
  std::fflush(stderr);
  shown = true;
  last = now();
  seconds = 0;
  counted = 0;
}
