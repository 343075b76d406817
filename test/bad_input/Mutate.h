// Damage to models: the same for the same seed, on any machine.
#ifndef SMEX_TEST_BAD_INPUT_MUTATE_H
#define SMEX_TEST_BAD_INPUT_MUTATE_H

#include "onnx.pb.h"

#include <cstdint>
#include <string>

namespace smex::test {

/// splitmix64: the standard library's distributions differ between systems.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 .. below - 1; 0 where there is nothing to choose from.
  int below(int64_t below) {
    return below > 0 ? int(next() % uint64_t(below)) : 0;
  }

private:
  uint64_t state;
};

/// Flips, overwrites, removes or repeats a few bytes, or cuts the end off.
std::string damageBytes(std::string bytes, Random &random);

/// One to three changes that a protobuf reader does not notice: dimensions,
/// attributes, constants, names, operator types, edges. Says what it did.
std::string damageModel(onnx::ModelProto &model, Random &random);

} // namespace smex::test

#endif
