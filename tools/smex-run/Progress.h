// How far training is, on a terminal.
#ifndef SMEX_TOOLS_SMEX_RUN_PROGRESS_H
#define SMEX_TOOLS_SMEX_RUN_PROGRESS_H

#include "runtime/executor/Executor.h"

namespace smex::tools {

/// One line on standard error that replaces itself, a few times a second;
/// nothing where that is no terminal, and nothing of it stays.
class ProgressLine {
public:
  /// `samples`: how many a step has.
  ProgressLine(int steps, int64_t samples);
  ~ProgressLine();
  void show(const runtime::Progress &progress);

private:
  int steps;
  int64_t samples;
  bool terminal, shown = false;
  double last = 0;    // when the line was written
  double seconds = 0; // of the steps since then
  int counted = 0;    // those steps
};

} // namespace smex::tools

#endif
