// Random numbers from counters: number `element` of a stream is the same
// whoever asks for it, in whatever order, on any machine, in any thread.
#ifndef SMEX_DIALECTS_SUPPORT_RANDOM_H
#define SMEX_DIALECTS_SUPPORT_RANDOM_H

#include <cstdint>
#include <string_view>

namespace smex {

class Random {
public:
  /// The generator SplitMix64, started from mix(seed) ^ FNV-1a(name): streams
  /// of two names, or of two seeds, have nothing to do with each other.
  Random(uint64_t seed, std::string_view name);

  /// The stream of one thing among many of a kind: of a node, of a walk.
  Random of(uint64_t thing) const { return Random(bits(thing)); }

  /// 64 random bits.
  uint64_t bits(uint64_t element) const {
    return mix(start + (element + 1) * increment);
  }

  /// Uniform in [0, count), for 0 < count < 2^63. That 2^64 is no multiple of
  /// `count` favours some numbers by less than count / 2^64 of their share.
  int64_t below(int64_t count, uint64_t element) const {
    using Wide = unsigned __int128;
    return int64_t(Wide(bits(element)) * uint64_t(count) >> 64);
  }

private:
  static constexpr uint64_t increment = 0x9e3779b97f4a7c15;
  explicit Random(uint64_t start) : start(start) {}
  static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t start;
};

} // namespace smex

#endif
