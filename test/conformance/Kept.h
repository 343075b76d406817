// Cases that a row has run, written to a folder each: where nothing can be
// compiled, tools/gpu_check/run-cases.cpp runs them again.
#ifndef SMEX_TEST_CONFORMANCE_KEPT_H
#define SMEX_TEST_CONFORMANCE_KEPT_H

#include "runtime/executor/Executor.h"

namespace smex::conformance {

class Kept {
public:
  /// Folders are made below this one, which is there.
  explicit Kept(std::string folder) : folder(std::move(folder)) {}

  /// Writes plan/, inputs/, expected/ (what the run gave, as smex-run writes
  /// it) and case.json. What has parameters of its own, or no kernel for GPUs,
  /// is left out.
  Status keep(const std::string &name, const plan::Plan &plan,
              const std::vector<runtime::Feed> &feeds,
              const runtime::RunOptions &options,
              const runtime::RunResult &result);

  int count() const { return kept; }
  int leftOut() const { return left; }

private:
  std::string folder;
  int kept = 0, left = 0;
};

} // namespace smex::conformance

#endif
