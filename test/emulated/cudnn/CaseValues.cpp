// Convolutions and their gradients of small integers, by each algorithm that
// the library offers, against plain loops: where sums are made as written the
// bits must be those, and where they are transformed, nearly.
#include "test/emulated/cudnn/CaseShapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

namespace smex::cases {
namespace {

enum Direction { Forward, ByData, ByFilter };

uint16_t bits16(float value, int type) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (type == Bfloat16) // small integers need no rounding
    return uint16_t(bits >> 16);
  if (value == 0)
    return 0;
  const int exponent = int(bits >> 23 & 255) - 127 + 15;
  return uint16_t((bits >> 16 & 0x8000) | uint32_t(exponent) << 10 |
                  (bits >> 13 & 0x3ff));
}

float of16(uint16_t bits, int type) {
  uint32_t wide = uint32_t(bits) << 16;
  if (type == Half) {
    const int exponent = bits >> 10 & 31;
    if (exponent == 0)
      return std::ldexp(float(bits & 0x3ff), -24) * (bits & 0x8000 ? -1 : 1);
    wide = (bits & 0x8000u) << 16 | uint32_t(exponent - 15 + 127) << 23 |
           (bits & 0x3ffu) << 13;
  }
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

/// Elements in the order of memory, gaps included.
struct Memory {
  std::vector<int> sizes, strides;
  std::vector<float> values; // by place
  uint64_t address = 0;

  Memory(std::vector<int> sizes, std::vector<int> strides)
      : sizes(std::move(sizes)), strides(std::move(strides)) {
    if (this->strides.empty())
      this->strides = Shape::packed(this->sizes);
    int64_t span = 1;
    for (size_t d = 0; d < this->sizes.size(); ++d)
      span += int64_t(this->sizes[d] - 1) * this->strides[d];
    values.resize(size_t(span));
  }
  int64_t at(const std::vector<int> &place) const {
    int64_t offset = 0;
    for (size_t d = 0; d < place.size(); ++d)
      offset += int64_t(place[d]) * strides[d];
    return offset;
  }
};

template <class Use>
void forEach(const std::vector<int> &sizes, const Use &use) {
  std::vector<int> at(sizes.size(), 0);
  for (;;) {
    use(at);
    size_t d = sizes.size();
    while (d > 0 && ++at[d - 1] == sizes[d - 1])
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

void reference(const Shape &s, Direction direction, Memory &x, Memory &w,
               Memory &y, float beta) {
  Memory &written = direction == Forward ? y : direction == ByData ? x : w;
  forEach(written.sizes, [&](const std::vector<int> &at) {
    written.values[size_t(written.at(at))] *= beta;
  });
  const int m = s.filter[0] / s.groups, rank = int(s.pads.size());
  forEach(s.result, [&](const std::vector<int> &place) {
    forEach(s.filter, [&](std::vector<int> window) {
      if (window[0] != place[1])
        return;
      std::vector<int> from{place[0], place[1] / m * s.filter[1] + window[1]};
      for (int d = 0; d < rank; ++d) {
        const int i = place[size_t(2 + d)] * s.strides[size_t(d)] +
                      window[size_t(2 + d)] * s.dilations[size_t(d)] -
                      s.pads[size_t(d)];
        if (i < 0 || i >= s.data[size_t(2 + d)])
          return;
        from.push_back(i);
      }
      float &data = x.values[size_t(x.at(from))],
            &filter = w.values[size_t(w.at(window))],
            &result = y.values[size_t(y.at(place))];
      if (direction == Forward)
        result += data * filter;
      else if (direction == ByData)
        data += result * filter;
      else
        filter += data * result;
    });
  });
}

bool upload(Library &l, Memory &memory, int type, int64_t shift) {
  const size_t bytes = memory.values.size() * (type == Float ? 4 : 2);
  uint64_t base = 0;
  if (l.cuMemAlloc_v2(&base, bytes + size_t(shift)))
    return false;
  memory.address = base + uint64_t(shift);
  std::vector<unsigned char> raw(bytes);
  for (size_t i = 0; i < memory.values.size(); ++i)
    if (type == Float) {
      std::memcpy(&raw[4 * i], &memory.values[i], 4);
    } else {
      const uint16_t half = bits16(memory.values[i], type);
      std::memcpy(&raw[2 * i], &half, 2);
    }
  return l.cuMemcpyHtoD_v2(memory.address, raw.data(), bytes) == 0;
}

bool download(Library &l, Memory &memory, int type) {
  const size_t bytes = memory.values.size() * (type == Float ? 4 : 2);
  std::vector<unsigned char> raw(bytes);
  if (l.cuMemcpyDtoH_v2(raw.data(), memory.address, bytes))
    return false;
  for (size_t i = 0; i < memory.values.size(); ++i)
    if (type == Float) {
      std::memcpy(&memory.values[i], &raw[4 * i], 4);
    } else {
      uint16_t half;
      std::memcpy(&half, &raw[2 * i], 2);
      memory.values[i] = of16(half, type);
    }
  return true;
}

int runWith(Library &l, const Shape &s, Direction direction, float beta,
            const EmulatedCudnnPerf &algorithm, int64_t shift,
            const Descriptors &d, std::string &note) {
  std::mt19937 random(7);
  Memory x(s.data, s.dataStrides), w(s.filter, {}),
      y(s.result, s.resultStrides);
  for (Memory *memory : {&x, &w, &y})
    for (float &value : memory->values)
      value = float(int(random() % 3) - 1);
  for (Memory *memory : {&x, &w, &y})
    if (!upload(l, *memory, s.type, shift))
      return -1;
  uint64_t workspace = 0;
  if (l.cuMemAlloc_v2(&workspace, std::max<size_t>(algorithm.memory, 256)))
    return -1;
  l.cudnnSetConvolutionMathType(d.convolution, algorithm.mathType);
  const auto at = [](uint64_t address) {
    return reinterpret_cast<void *>(address);
  };
  const float one = 1;
  int code = 0;
  if (direction == Forward)
    code = l.cudnnConvolutionForward(
        l.handle, &one, d.x, at(x.address), d.w, at(w.address), d.convolution,
        algorithm.algorithm, at(workspace), algorithm.memory, &beta, d.y,
        at(y.address));
  else if (direction == ByData)
    code = l.cudnnConvolutionBackwardData(
        l.handle, &one, d.w, at(w.address), d.y, at(y.address), d.convolution,
        algorithm.algorithm, at(workspace), algorithm.memory, &beta, d.x,
        at(x.address));
  else
    code = l.cudnnConvolutionBackwardFilter(
        l.handle, &one, d.x, at(x.address), d.y, at(y.address), d.convolution,
        algorithm.algorithm, at(workspace), algorithm.memory, &beta, d.w,
        at(w.address));
  if (code)
    return code;
  if (l.cuStreamSynchronize(l.stream))
    return -1;
  Memory expected = direction == Forward ? y : direction == ByData ? x : w;
  Memory got = expected;
  reference(s, direction, direction == ByData ? expected : x,
            direction == ByFilter ? expected : w,
            direction == Forward ? expected : y, beta);
  if (!download(l, got, s.type))
    return -1;
  for (Memory *memory : {&x, &w, &y})
    l.cuMemFree_v2(memory->address - uint64_t(shift));
  l.cuMemFree_v2(workspace);
  float largest = 0, difference = 0;
  for (size_t i = 0; i < got.values.size(); ++i) {
    largest = std::max(largest, std::fabs(expected.values[i]));
    const float off = std::fabs(expected.values[i] - got.values[i]);
    difference = off <= difference ? difference : off; // NaN counts
  }
  // Fourier and Winograd: 4 and above, of the filter's gradient 2 as well.
  const bool sums = algorithm.algorithm < (direction == Forward ? 4 : 2) ||
                    (direction == ByFilter && algorithm.algorithm == 3);
  const float allowed = sums ? 0 : (s.type == Float ? 1e-3f : 3e-2f) * largest;
  if (difference <= allowed)
    return 0;
  note += " algorithm " + std::to_string(algorithm.algorithm) + " is off by " +
          std::to_string(difference) + " of " + std::to_string(largest) + ";";
  return -1;
}

/// Whether there are algorithms of a direction: some, none, or who knows.
enum Offer { Some, None, Either };
using Offers = std::array<Offer, 3>; // by Direction

/// All algorithms that the library offers, for all three directions.
int runAll(Library &l, Shape s, std::string &note, float beta = 0,
           int64_t shift = 0, const Offers &offers = {}) {
  s.mathType = s.type == Float ? 3 : 1;
  s.setResult();
  int worst = 0;
  for (Direction direction : {Forward, ByData, ByFilter}) {
    const Descriptors d(l, s);
    if (d.status)
      return d.status;
    EmulatedCudnnPerf found[32];
    int count = 0;
    const int code =
        direction == Forward
            ? l.cudnnGetConvolutionForwardAlgorithm_v7(
                  l.handle, d.x, d.w, d.convolution, d.y, 32, &count, found)
        : direction == ByData
            ? l.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                  l.handle, d.w, d.y, d.convolution, d.x, 32, &count, found)
            : l.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                  l.handle, d.x, d.y, d.convolution, d.w, 32, &count, found);
    if (code)
      return code;
    int ran = 0;
    for (int i = 0; i < count; ++i) {
      if (found[i].status != 0 || (s.type == Float && (found[i].mathType == 1 ||
                                                       found[i].mathType == 2)))
        continue;
      if (s.type == Float)
        found[i].mathType = 3;
      ++ran;
      const int status =
          runWith(l, s, direction, beta, found[i], shift, d, note);
      if (status != 0) {
        worst = status;
        note += " direction " + std::to_string(direction) + " status " +
                std::to_string(status) + ";";
      }
    }
    const Offer offer = offers[size_t(direction)];
    if (offer != Either && (ran > 0) != (offer == Some)) {
      note += (ran ? " an algorithm in direction "
                   : " no algorithm in direction ") +
              std::to_string(direction);
      worst = -1;
    }
  }
  return worst;
}

} // namespace

#define SMEX_VALUES(name, ...)                                                 \
  {name, 0, true,                                                              \
   []([[maybe_unused]] Library &l,                                             \
      [[maybe_unused]] std::string &note) -> int {                             \
     Shape s;                                                                  \
     __VA_ARGS__                                                               \
   }}

std::vector<Case> values() {
  return {
    SMEX_VALUES("values: float", return runAll(l, s, note);),
        SMEX_VALUES("values: half", s.type = Half; return runAll(l, s, note);),
        SMEX_VALUES("values: bfloat16", s.type = Bfloat16;
                    return runAll(l, s, note);),
        SMEX_VALUES("values: added to what is there",
                    return runAll(l, s, note, 1);),
        SMEX_VALUES("values: strides", s.strides = {2, 3};
                    return runAll(l, s, note);),
        SMEX_VALUES("values: dilations", s.dilations = {2, 1};
                    return runAll(l, s, note);),
        SMEX_VALUES("values: groups", s.groups = 2; s.filter = {6, 2, 3, 3};
                    return runAll(l, s, note);),
        SMEX_VALUES("values: depthwise, half", s.groups = 4;
                    s.filter = {4, 1, 3, 3}; s.type = Half;
                    return runAll(l, s, note);),
        SMEX_VALUES("values: a window of one point", s.filter = {6, 4, 1, 1};
                    s.pads = {0, 0}; return runAll(l, s, note);),
        SMEX_VALUES("values: 1-d as 2-d", s.data = {2, 4, 1, 9};
                    s.filter = {6, 4, 1, 3}; s.pads = {0, 1};
                    return runAll(l, s, note);),
        SMEX_VALUES("values: 3-d", s.data = {2, 4, 4, 5, 6};
                    s.filter = {6, 4, 3, 3, 3}; s.pads = {1, 1, 1};
                    s.strides = {1, 2, 1}; s.dilations = {1, 1, 1};
                    return runAll(l, s, note);),
        SMEX_VALUES("values: 3-d, bfloat16, groups", s.data = {2, 4, 4, 5, 6};
                    s.filter = {6, 2, 3, 3, 3}; s.pads = {1, 1, 1};
                    s.strides = {1, 1, 1}; s.dilations = {1, 1, 1};
                    s.groups = 2; s.type = Bfloat16;
                    return runAll(l, s, note);),
        SMEX_VALUES("values: pads of the window's size less one",
                    s.pads = {2, 2};
                    return runAll(l, s, note);),
        SMEX_VALUES("values: data and result are parts of larger ones",
                    s.dataStrides = {1024, 128, 12, 1};
                    s.resultStrides = {2048, 128, 12, 1};
                    // Seen of cuDNN 9.14.
                    return runAll(l, s, note, 0, 0, {Some, None, None});),
        SMEX_VALUES("values: a step of two elements",
                    s.dataStrides = {1024, 256, 32, 2};
                    // cuDNN 9.14 writes such data, the emulated one does not.
                    return runAll(l, s, note, 0, 0, {Some, Either, None});),
        SMEX_VALUES("values: float at multiples of 4 bytes only",
                    return runAll(l, s, note, 0, 4);),
  };
}

} // namespace smex::cases
