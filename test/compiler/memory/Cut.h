// Instances that can be packed exactly: a full rectangle of memory and time,
// cut into buffers at random. And a check of packings that shares no code with
// the planner.
#ifndef SMEX_TEST_COMPILER_MEMORY_CUT_H
#define SMEX_TEST_COMPILER_MEMORY_CUT_H

#include "compiler/memory/Planner.h"

#include <cstddef>

namespace smex::memory::test {

struct Cutting {
  std::size_t pieces;
  int64_t times, units; // of the rectangle
  int64_t unit = 64;    // bytes: divides all sizes
  /// Of a hundred pieces: those that are left out.
  int gaps = 0;
  /// Of a hundred cuts: those in time. Few give long lives beside each other,
  /// many short ones.
  int inTime = 50;
  /// Of a hundred cuts: those into five, no two of them in one line.
  int pinwheels = 0;

  int64_t capacity() const { return units * unit; }
};

/// A mebibyte, as long as there are pieces.
inline Cutting ofMebibyte(std::size_t pieces, int64_t unit, int gaps,
                          int inTime, int pinwheels) {
  const int64_t units = (int64_t(1) << 20) / unit;
  return {pieces, int64_t(pieces), units, unit, gaps, inTime, pinwheels};
}

/// Five around each other: only all together are one box.
inline std::vector<Allocation> pinwheel() {
  return {{0, 6, 192}, {6, 9, 320}, {4, 9, 256}, {0, 4, 384}, {4, 6, 128}};
}

/// The same for the same seed.
std::vector<Allocation> cut(const Cutting &kind, unsigned seed);

/// Whether no two that live together share bytes, and all lie below the
/// capacity.
bool isPacking(const std::vector<Allocation> &buffers,
               const std::vector<int64_t> &offsets, int64_t capacity);

} // namespace smex::memory::test

#endif
