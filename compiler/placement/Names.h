// Names of tasks as messages quote them.
#ifndef SMEX_COMPILER_PLACEMENT_NAMES_H
#define SMEX_COMPILER_PLACEMENT_NAMES_H

#include "dialects/support/Text.h"

#include <cstdint>

namespace smex::placement {

/// On one line, and of a long name how it begins: a file may have names of
/// megabytes.
inline std::string shortName(std::string_view name) {
  constexpr size_t kMost = 160;
  if (name.size() <= kMost)
    return cleanedLine(name);
  size_t end = kMost; // not within a character
  while (end > 0 && (uint8_t(name[end]) & 0xc0) == 0x80)
    --end;
  return cleanedLine(name.substr(0, end)) + "...";
}

} // namespace smex::placement

#endif
