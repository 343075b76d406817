// How much memory a plan may take on each GPU, and who says so.
#ifndef SMEX_COMPILER_PIPELINE_MEMORYLIMIT_H
#define SMEX_COMPILER_PIPELINE_MEMORYLIMIT_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace smex::pipeline {

/// "12GiB", "500MB", "4096": bytes. An error for what is no size.
Result<int64_t> parseSize(const std::string &text);

struct MemoryLimit {
  std::vector<int64_t> bytes; // per worker; none: no limit
  std::string of;             // in messages: "--memory-per-gpu"

  static MemoryLimit none() { return {}; }
  /// One size for all GPUs, or one for each; any other number is an error.
  static Result<MemoryLimit> perGpu(const std::vector<int64_t> &sizes,
                                    int64_t gpus);

  /// By how much the worker whose peak is worst exceeds its limit, and which
  /// one that is; negative where all keep it.
  struct Worst {
    int worker = 0;
    int64_t excess = 0;
  };
  Worst worstOf(const std::vector<int64_t> &peaks) const;
  bool isKeptBy(const std::vector<int64_t> &peaks) const {
    return bytes.empty() || worstOf(peaks).excess <= 0;
  }

  /// What these peaks would keep, as a limit of the same form: "a limit of 12
  /// bytes", "limits of 12,8 bytes".
  std::string keptBy(const std::vector<int64_t> &peaks) const;
};

} // namespace smex::pipeline

#endif
