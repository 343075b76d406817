// Searches to choose from where one plan is not enough: where its memory is too
// much, another may have less.
#ifndef SMEX_COMPILER_PARTITION_ALTERNATIVES_H
#define SMEX_COMPILER_PARTITION_ALTERNATIVES_H

#include <cstdint>
#include <string>
#include <vector>

namespace smex::partition {

/// What a user or a pass asks for.
struct Search {
  std::string algorithm = "recursive";
  /// Params::ways and Params::alwaysCut; algorithms of their own rules have no
  /// use for them.
  std::vector<int64_t> ways;
  bool alwaysCut = false;
};

/// "tofu"; "recursive, steps of 2 x 4, all cut"
std::string toString(const Search &search);

/// Other searches than the default one: other sequences of steps, everything
/// cut, and the algorithms that take no longer.
std::vector<Search> alternatives(int64_t workers);

} // namespace smex::partition

#endif
