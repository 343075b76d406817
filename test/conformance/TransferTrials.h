// Launches of the kernels that are written by hand (kernels/cuda), with what
// each must make.
#ifndef SMEX_TEST_CONFORMANCE_TRANSFERTRIALS_H
#define SMEX_TEST_CONFORMANCE_TRANSFERTRIALS_H

#include "kernels/cuda/Pieces.h"
#include "test/emulated/ptx/Launch.h"

#include <cstring>
#include <functional>
#include <limits>

namespace smex::conformance {

using namespace smex::cuda;

/// Memory with what a launch is given, and what it must have made of it.
struct Trial {
  template <typename T>
  uint64_t put(const std::vector<T> &values, const char *name,
               bool isReadOnly = true) {
    ptx::Allocation &place = memory.allocate(values.size() * sizeof(T), name);
    memory.write(place.base, values.data(), values.size() * sizeof(T));
    place.readOnly = isReadOnly;
    return place.base;
  }
  /// Memory that nothing has been written to, for `wanted`.
  template <typename T> uint64_t result(const std::vector<T> &values) {
    wanted.resize(values.size() * sizeof(T));
    std::memcpy(wanted.data(), values.data(), wanted.size());
    return to = memory.allocate(wanted.size(), "result").base;
  }
  template <typename T> void pass(const T &argument) {
    const size_t at = (parameters.size() + alignof(T) - 1) / alignof(T);
    parameters.resize(at * alignof(T) + sizeof(T));
    std::memcpy(&parameters[at * alignof(T)], &argument, sizeof(T));
  }

  ptx::Memory memory;
  std::vector<uint8_t> parameters, wanted;
  uint64_t to = 0;
  ptx::Dim3 grid{2, 1, 1};
};

template <typename Pointer> inline Pointer pointer(uint64_t address) {
  return reinterpret_cast<Pointer>(address);
}

inline std::vector<float> counted(size_t count, float from) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = from + float(i);
  return values;
}

/// Columns 0 to 300, and 300 to 600, of a region of 2 x 3 x 600, from the last
/// columns of two buffers of 2 x 3 x 310. `unit`: floats of one.
inline void fetch(Trial &trial, int unit) {
  std::vector<float> wanted(size_t(2 * 3 * 600 * unit));
  const uint64_t to = trial.result(wanted);
  std::vector<FetchPiece> pieces;
  for (int p = 0; p < 2; ++p) {
    const auto values =
        counted(size_t(2 * 3 * 310 * unit), p ? 50000.0f : 1000.0f);
    const uint64_t from = trial.put(values, "source") + uint64_t(40 * unit);
    pieces.push_back({pointer<const char *>(from),
                      pointer<char *>(to + uint64_t(p * 300 * 4 * unit)),
                      {1, 1, 1, 2, 3, 300},
                      {0, 0, 0, 930, 310, 1},
                      {0, 0, 0, 1800, 600, 1}});
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 300 * unit; ++k)
          wanted[size_t((i * 1800 + j * 600 + p * 300) * unit + k)] =
              values[size_t((i * 930 + j * 310 + 10) * unit + k)];
  }
  std::memcpy(trial.wanted.data(), wanted.data(), trial.wanted.size());
  trial.pass(trial.put(pieces, "pieces"));
  trial.grid = {2, 2, 1};
}

/// 5000 floats, and 5000 more behind them, from two buffers.
inline void fetchRuns(Trial &trial) {
  std::vector<float> wanted = counted(10000, 1000);
  const uint64_t to = trial.result(wanted);
  std::vector<FetchPiece> pieces;
  for (int p = 0; p < 2; ++p)
    pieces.push_back(
        {pointer<const char *>(
             trial.put(counted(5000, 1000.0f + 5000.0f * float(p)), "source")),
         pointer<char *>(to + uint64_t(p * 5000 * 4)),
         {1, 1, 1, 1, 1, 5000},
         {0, 0, 0, 0, 0, 1},
         {0, 0, 0, 0, 0, 1}});
  trial.pass(trial.put(pieces, "pieces"));
  trial.grid = {2, 2, 1};
}

/// 5 x 70 elements, each of three terms; but the second piece has only columns
/// 20 to 50 of rows 1 to 4. What a sum is depends on its order.
template <typename T>
void reduce(Trial &trial, int reduction, std::function<T(T, T)> combine,
            std::function<T(int piece, int i, int j)> term) {
  std::vector<ReducePiece> pieces;
  std::vector<T> wanted(350);
  for (int p = 0; p < 3; ++p) {
    const int top = p == 1 ? 1 : 0, bottom = p == 1 ? 4 : 5,
              left = p == 1 ? 20 : 0, right = p == 1 ? 50 : 70;
    std::vector<T> values;
    for (int i = top; i < bottom; ++i)
      for (int j = left; j < right; ++j) {
        values.push_back(term(p, i, j));
        T &result = wanted[size_t(70 * i + j)];
        result = p == 0 ? values.back() : combine(result, values.back());
      }
    pieces.push_back({pointer<const char *>(trial.put(values, "term")),
                      {0, 0, 0, 0, top, left},
                      {1, 1, 1, 1, bottom, right},
                      {0, 0, 0, 0, right - left, 1}});
  }
  const std::vector<long long> sizes = {1, 1, 1, 1, 5, 70};
  trial.pass(trial.put(pieces, "pieces"));
  trial.pass(3);
  trial.pass(reduction);
  trial.pass(trial.result(wanted));
  trial.pass(trial.put(sizes, "sizes"));
}

/// One of these for each piece and element.
inline std::function<float(int, int, int)> among(std::vector<float> some) {
  return [some = std::move(some)](int piece, int i, int j) {
    return some[size_t(i + 3 * j + 5 * piece) % some.size()];
  };
}

inline void sum(Trial &trial) {
  reduce<float>(
      trial, 0, [](float a, float b) { return a + b; },
      among({1e8f, 1, -1e8f, 3, 0.5f}));
}
inline void largest(Trial &trial) {
  reduce<float>(
      trial, 1,
      [](float a, float b) {
        return a != a || b != b ? a + b : std::max(a, b);
      },
      among({4, -7, std::numeric_limits<float>::quiet_NaN(), 2, 2, 9, -1}));
}
/// Sums of bfloat16, 1 + 2^-8, are rounded to 1 at each step.
inline void halves(Trial &trial) {
  reduce<uint16_t>(
      trial, 0, [](uint16_t one, uint16_t) { return one; },
      [](int piece, int, int) { return piece == 0 ? 0x3f80 : 0x3b80; });
}

/// 1003 sums of seven terms, each of which is one run; these begin so many
/// bytes behind a multiple of 16.
inline void sumRuns(Trial &trial, uint64_t offset) {
  std::vector<ReducePiece> pieces;
  std::vector<float> wanted(1003);
  const auto term = among({1e8f, 1, -1e8f, 3, 0.5f});
  for (int p = 0; p < 7; ++p) {
    std::vector<float> values(offset / 4);
    for (int i = 0; i < 1003; ++i) {
      values.push_back(term(p, i, 0));
      float &sum = wanted[size_t(i)];
      sum = p == 0 ? values.back() : sum + values.back();
    }
    pieces.push_back({pointer<const char *>(trial.put(values, "term") + offset),
                      {0, 0, 0, 0, 0, 0},
                      {1, 1, 1, 1, 1, 1003},
                      {0, 0, 0, 0, 0, 1}});
  }
  const std::vector<long long> sizes = {1, 1, 1, 1, 1, 1003};
  trial.pass(trial.put(pieces, "pieces"));
  trial.pass(7);
  trial.pass(0);
  trial.pass(trial.result(wanted));
  trial.pass(trial.put(sizes, "sizes"));
}

/// 2 x 12 x 40 with a border of zeros: a row above, 2 columns to the left, and
/// what is left of it below and to the right. The source is 2 x 8 x 35.
inline void pad(Trial &trial) {
  const auto values = counted(2 * 8 * 35, 100);
  std::vector<float> wanted(960, 0.0f);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 35; ++k)
        wanted[size_t(i * 480 + (j + 1) * 40 + k + 2)] =
            values[size_t(i * 280 + j * 35 + k)];
  PadPiece piece{pointer<const char *>(trial.put(values, "source")),
                 pointer<char *>(trial.result(wanted)),
                 {1, 1, 1, 2, 12, 40},
                 {0, 0, 0, 0, 1, 2},
                 {1, 1, 1, 2, 9, 37},
                 {0, 0, 0, 280, 35, 1},
                 {0, 0, 0, 480, 40, 1}};
  trial.pass(piece);
}

struct Kernel {
  const char *name, *symbol;
  std::function<void(Trial &)> prepare;
};

inline const Kernel kernels[] = {
    {"fetch", "smex_fetch_4", [](Trial &trial) { fetch(trial, 1); }},
    {"fetch of 16 bytes", "smex_fetch_16",
     [](Trial &trial) { fetch(trial, 4); }},
    {"fetch of runs", "smex_fetch_4", fetchRuns},
    {"sum", "smex_reduce_f32", sum},
    {"largest", "smex_reduce_f32", largest},
    {"halves", "smex_reduce_bf16", halves},
    {"sum of runs", "smex_reduce_f32", [](Trial &trial) { sumRuns(trial, 0); }},
    {"sum of runs, not aligned", "smex_reduce_f32",
     [](Trial &trial) { sumRuns(trial, 8); }},
    {"pad", "smex_pad_4", pad},
};

} // namespace smex::conformance

#endif
