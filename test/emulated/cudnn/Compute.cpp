#include "test/emulated/cudnn/Compute.h"

#include "test/emulated/ptx/Float.h"

#include <cstring>

namespace smex::emulated::cudnn {
namespace {

const ptx::Format &formatOf(int type) {
  return type == Half       ? ptx::formatF16
         : type == Bfloat16 ? ptx::formatBF16
                            : ptx::formatF32;
}

/// Calls `row(offset, index)` for each run of the innermost dimension: where it
/// starts in the tensor, and in the dense array of its elements.
template <class Row> void forEachRow(const Tensor &tensor, const Row &row) {
  const size_t last = tensor.sizes.size() - 1;
  std::vector<int64_t> at(last, 0);
  int64_t index = 0;
  for (;;) {
    int64_t offset = 0;
    for (size_t d = 0; d < last; ++d)
      offset += at[d] * tensor.strides[d];
    row(offset, index);
    index += tensor.sizes[last];
    size_t d = last;
    while (d > 0 && ++at[d - 1] == tensor.sizes[d - 1])
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

/// Of f32 that tensor cores multiply: TF32's ten bits.
double rounded(double value, bool isTf32) {
  return isTf32 ? ptx::decode(ptx::encode(value, ptx::formatTF32,
                                          ptx::Rounding::Nearest),
                              ptx::formatTF32)
                : value;
}

std::vector<double> read(const Tensor &tensor, uint64_t address, bool isTf32,
                         DeviceView &view) {
  size_t count = 1;
  for (int64_t size : tensor.sizes)
    count *= size_t(size);
  std::vector<double> values(count);
  const size_t bytes = size_t(tensor.elementBytes());
  const int64_t length = tensor.sizes.back(), stride = tensor.strides.back();
  const auto take = [&](const unsigned char *from, size_t to) {
    if (bytes == 4) {
      float value;
      std::memcpy(&value, from, 4);
      values[to] = isTf32 ? rounded(value, true) : value;
    } else {
      uint16_t bits;
      std::memcpy(&bits, from, 2);
      values[to] = ptx::decode(bits, formatOf(tensor.type));
    }
  };
  forEachRow(tensor, [&](int64_t offset, int64_t index) {
    const uint64_t at = address + uint64_t(offset) * bytes;
    if (stride == 1) {
      const auto *row = view.read<unsigned char>(at, size_t(length) * bytes);
      for (int64_t i = 0; i < length; ++i)
        take(row + size_t(i) * bytes, size_t(index + i));
    } else {
      for (int64_t i = 0; i < length; ++i)
        take(view.read<unsigned char>(at + uint64_t(i * stride) * bytes, bytes),
             size_t(index + i));
    }
  });
  return values;
}

void write(const Tensor &tensor, uint64_t address,
           const std::vector<double> &values, DeviceView &view) {
  const size_t bytes = size_t(tensor.elementBytes());
  const int64_t length = tensor.sizes.back(), stride = tensor.strides.back();
  const auto put = [&](unsigned char *to, double value) {
    if (bytes == 4) {
      const float single = float(value);
      std::memcpy(to, &single, 4);
    } else {
      const auto bits = uint16_t(
          ptx::encode(value, formatOf(tensor.type), ptx::Rounding::Nearest));
      std::memcpy(to, &bits, 2);
    }
  };
  forEachRow(tensor, [&](int64_t offset, int64_t index) {
    const uint64_t at = address + uint64_t(offset) * bytes;
    if (stride == 1) {
      auto *row = view.write<unsigned char>(at, size_t(length) * bytes);
      for (int64_t i = 0; i < length; ++i)
        put(row + size_t(i) * bytes, values[size_t(index + i)]);
    } else {
      for (int64_t i = 0; i < length; ++i)
        put(view.write<unsigned char>(at + uint64_t(i * stride) * bytes, bytes),
            values[size_t(index + i)]);
    }
  });
}

/// Three spatial dimensions, the first ones of extent 1 where there are fewer.
struct Sizes {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, window[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {};

  explicit Sizes(const Problem &p) {
    const size_t rank = p.spatialRank(), front = 3 - rank;
    for (size_t d = 0; d < rank; ++d) {
      in[front + d] = p.data.sizes[2 + d];
      out[front + d] = p.result.sizes[2 + d];
      window[front + d] = p.filter.sizes[2 + d];
      stride[front + d] = p.convolution.strides[d];
      dilation[front + d] = p.convolution.dilations[d];
      pad[front + d] = p.convolution.pads[d];
    }
  }
};

/// Calls `term(data, filter, result, count, step)` for all products: `count`
/// neighbours of the result in its last dimension meet data that is `step`
/// elements apart, and one element of the filter.
template <class Term> void forEachTerm(const Problem &p, const Term &term) {
  const Sizes s(p);
  const int64_t groups = p.convolution.groups;
  const int64_t c = p.filter.sizes[1], m = p.filter.sizes[0] / groups;
  const bool flips = p.convolution.mode == 0; // CUDNN_CONVOLUTION
  int64_t first[3], end[3];
  for (int64_t n = 0; n < p.data.sizes[0]; ++n)
    for (int64_t of = 0; of < m * groups; ++of)
      for (int64_t channel = 0; channel < c; ++channel)
        for (int64_t k0 = 0; k0 < s.window[0]; ++k0)
          for (int64_t k1 = 0; k1 < s.window[1]; ++k1)
            for (int64_t k2 = 0; k2 < s.window[2]; ++k2) {
              const int64_t k[3] = {k0, k1, k2};
              bool isEmpty = false;
              for (int d = 0; d < 3; ++d) {
                const int64_t shift = k[d] * s.dilation[d] - s.pad[d];
                first[d] = 0;
                while (first[d] < s.out[d] &&
                       first[d] * s.stride[d] + shift < 0)
                  ++first[d];
                end[d] = s.out[d];
                while (end[d] > first[d] &&
                       (end[d] - 1) * s.stride[d] + shift >= s.in[d])
                  --end[d];
                isEmpty |= first[d] >= end[d];
              }
              if (isEmpty)
                continue;
              const int64_t f0 = flips ? s.window[0] - 1 - k0 : k0,
                            f1 = flips ? s.window[1] - 1 - k1 : k1,
                            f2 = flips ? s.window[2] - 1 - k2 : k2;
              const int64_t weight =
                  (((of * c + channel) * s.window[0] + f0) * s.window[1] + f1) *
                      s.window[2] +
                  f2;
              const int64_t image =
                  (n * groups + of / m) * c + channel; // of the data
              const auto at = [&](int d, int64_t o) {
                return o * s.stride[d] + k[d] * s.dilation[d] - s.pad[d];
              };
              for (int64_t o0 = first[0]; o0 < end[0]; ++o0)
                for (int64_t o1 = first[1]; o1 < end[1]; ++o1)
                  term(((image * s.in[0] + at(0, o0)) * s.in[1] + at(1, o1)) *
                               s.in[2] +
                           at(2, first[2]),
                       weight,
                       (((n * m * groups + of) * s.out[0] + o0) * s.out[1] +
                        o1) * s.out[2] +
                           first[2],
                       end[2] - first[2], s.stride[2]);
            }
}

} // namespace

void compute(const Problem &p, const Places &places, float alpha, float beta,
             DeviceView &view) {
  // cudnnMathType_t: without CUDNN_FMA_MATH "the library may use TF32" for
  // tensors of float.
  const bool isTf32 = p.data.type == Float && p.convolution.mathType != Fma;
  const Tensor &target = p.written();
  const uint64_t place = p.direction == Direction::Forward ? places.result
                         : p.direction == Direction::Data  ? places.data
                                                           : places.filter;
  size_t count = 1;
  for (int64_t size : target.sizes)
    count *= size_t(size);
  std::vector<double> sums(count, 0.0), x, w, y;
  if (p.direction != Direction::Data)
    x = read(p.data, places.data, isTf32, view);
  if (p.direction != Direction::Filter)
    w = read(p.filter, places.filter, isTf32, view);
  if (p.direction != Direction::Forward)
    y = read(p.result, places.result, isTf32, view);
  forEachTerm(p, [&](int64_t data, int64_t filter, int64_t result, int64_t many,
                     int64_t step) {
    switch (p.direction) {
    case Direction::Forward:
      for (int64_t i = 0; i < many; ++i)
        sums[size_t(result + i)] +=
            w[size_t(filter)] * x[size_t(data + i * step)];
      break;
    case Direction::Data:
      for (int64_t i = 0; i < many; ++i)
        sums[size_t(data + i * step)] +=
            w[size_t(filter)] * y[size_t(result + i)];
      break;
    case Direction::Filter:
      for (int64_t i = 0; i < many; ++i)
        sums[size_t(filter)] +=
            x[size_t(data + i * step)] * y[size_t(result + i)];
      break;
    }
  });
  std::vector<double> before;
  if (beta != 0)
    before = read(target, place, false, view);
  for (size_t i = 0; i < count; ++i)
    sums[i] =
        double(alpha) * sums[i] + (beta != 0 ? double(beta) * before[i] : 0.0);
  write(target, place, sums, view);
}

} // namespace smex::emulated::cudnn
