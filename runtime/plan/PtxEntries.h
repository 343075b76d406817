// What the text of a GPU's code says of its kernels, as far as whoever launches
// them must know it: a driver takes as many arguments of the host's memory as
// the kernel says that it has.
#ifndef SMEX_RUNTIME_PLAN_PTXENTRIES_H
#define SMEX_RUNTIME_PLAN_PTXENTRIES_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smex::plan {

struct PtxEntry {
  int64_t parameters = 0;
  bool areWords = true; // each parameter is a number or an address of 8 bytes
  /// The threads that a block must have (.reqntid); none: any.
  std::vector<int64_t> threads = {};
};

/// The kernels of a module, by name. It looks for these alone: what else is
/// wrong with the text is for a driver to find.
Result<std::map<std::string, PtxEntry>> ptxEntries(std::string_view text);

/// 78 for `.version 7.8`; nothing: it does not say.
std::optional<int> ptxVersion(std::string_view text);

/// The driver that takes PTX of this version, as it says itself: 12070, of CUDA
/// 12.7, for 86 ("Release Notes" of the PTX ISA).
int leastDriverFor(int ptxVersion);

} // namespace smex::plan

#endif
