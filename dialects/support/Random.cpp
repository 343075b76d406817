#include "dialects/support/Random.h"

using namespace smex;

Random::Random(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  start = mix(seed + increment) ^ hash;
}
