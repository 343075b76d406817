// Numbers for keys of a few words: what everything that is remembered by
// content is looked up by. Keys lie in one array and nothing is allocated to
// ask for one, so that asking costs little more than reading the key.
#ifndef SMEX_COMPILER_PARTITION_NUMBERING_H
#define SMEX_COMPILER_PARTITION_NUMBERING_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace smex::partition {

class Numbering {
public:
  using Key = std::vector<int64_t>;

  /// Equal keys have equal numbers, different ones are numbered from 0 in order
  /// of appearance: a new key's number is what `size` was.
  int number(const Key &key) { return number(key.data(), key.size()); }
  int number(std::initializer_list<int64_t> key) {
    return number(key.begin(), key.size());
  }

  int size() const { return int(ends.size()); }

private:
  /// Of a hash table with open addressing.
  struct Slot {
    uint32_t hash = 0;
    int number = -1; // nothing here
  };

  static uint32_t hashOf(const int64_t *key, size_t length) {
    uint64_t hash = length;
    for (size_t i = 0; i < length; ++i) {
      hash = (hash ^ uint64_t(key[i])) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return uint32_t(hash ^ hash >> 32);
  }

  int number(const int64_t *key, size_t length) {
    if (2 * ends.size() >= slots.size())
      grow();
    const uint32_t hash = hashOf(key, length);
    Slot *slot = &slots[hash & (slots.size() - 1)];
    while (slot->number >= 0) {
      if (slot->hash == hash && isKey(slot->number, key, length))
        return slot->number;
      if (++slot == slots.data() + slots.size())
        slot = slots.data();
    }
    *slot = {hash, size()};
    words.insert(words.end(), key, key + length);
    ends.push_back(words.size());
    return slot->number;
  }

  bool isKey(int number, const int64_t *key, size_t length) const {
    const size_t begin = number == 0 ? 0 : ends[number - 1];
    return ends[number] - begin == length &&
           std::equal(key, key + length, words.begin() + begin);
  }

  void grow() {
    std::vector<Slot> old(std::max<size_t>(16, 2 * slots.size()));
    std::swap(old, slots);
    for (const Slot &slot : old)
      if (slot.number >= 0) {
        size_t place = slot.hash & (slots.size() - 1);
        while (slots[place].number >= 0)
          place = (place + 1) & (slots.size() - 1);
        slots[place] = slot;
      }
  }

  std::vector<Slot> slots;    // a power of two of them, at most half full
  std::vector<int64_t> words; // of all keys
  std::vector<size_t> ends;   // of each key among the words
};

} // namespace smex::partition

#endif
