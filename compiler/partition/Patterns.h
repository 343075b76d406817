// Numbers for things that repeat.
#ifndef SMEX_COMPILER_PARTITION_PATTERNS_H
#define SMEX_COMPILER_PARTITION_PATTERNS_H

#include <map>
#include <vector>

namespace smex::partition {

/// Numbers distinct keys in order of appearance.
template <typename Key> struct Patterns {
  std::map<Key, int> numbers;
  std::vector<Key> keys;

  int number(const Key &key) {
    const auto [it, isNew] = numbers.try_emplace(key, int(keys.size()));
    if (isNew)
      keys.push_back(key);
    return it->second;
  }
};

} // namespace smex::partition

#endif
