// Signals: Fourier transforms and windows.
#include "compiler/frontend/onnx/Table.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

/// x[..., n, ..., 1 or 2] to m frequencies of `length` samples.
static ValueId transform(Node &n, ValueId x, int64_t axis, int64_t length,
                         bool inverse, bool onesided) {
  const auto shape = n.type(x).shape;
  n.require(length > 0 && length < (int64_t(1) << 24),
            "its length is out of range");
  n.require(shape.back() == 1 || shape.back() == 2,
            "its last dimension must be 1 (real) or 2 (complex)");
  n.require(axis < int64_t(shape.size()) - 1,
            "axis is the dimension of complex parts");
  return n.apply(shape.back() == 2 ? "dft" : "dft_real", {x},
                 {{"axis", axis},
                  {"n", length},
                  {"m", onesided ? length / 2 + 1 : length},
                  {"sign", int64_t(inverse ? 1 : -1)},
                  {"by", inverse ? 1.0 / double(length) : 1.0}});
}

static void convertDft(Node &n) {
  int64_t axis = n.opset < 20 ? n.integer("axis", 1)
                 : n.has(2)   ? n.constantInt(2)
                              : -2;
  axis = n.axis(axis, n.rank(0));
  const bool onesided = n.integer("onesided", 0) != 0;
  const bool inverse = n.integer("inverse", 0) != 0;
  const int64_t extent = n.shape(0)[axis];
  const int64_t length = n.has(1)              ? n.constantInt(1)
                         : onesided && inverse ? 2 * (extent - 1)
                                               : extent;
  if (onesided && inverse) {
    n.require(length > 0 && length < (int64_t(1) << 24) &&
                  n.shape(0).back() == 2 && axis < n.rank(0) - 1,
              "its operand must be complex, of two frequencies or more");
    return n.out(
        0, n.apply("dft_to_real", {n.in(0)}, {{"axis", axis}, {"n", length}}));
  }
  n.out(0, transform(n, n.in(0), axis, length, inverse, onesided));
}

static void convertStft(Node &n) {
  const int64_t step = n.constantInt(1);
  const bool onesided = n.integer("onesided", 1) != 0;
  ValueId signal = n.in(0);
  if (n.type(signal).rank() == 2)
    signal = n.reshape(signal, {n.shape(0)[0], n.shape(0)[1], 1});
  n.require(n.type(signal).rank() == 3, "its signal has the wrong shape");
  const DType type = n.type(signal).dtype;
  n.require(n.has(2) || n.has(3), "it needs a window or the length of frames");
  const int64_t length = n.has(3) ? n.constantInt(3) : n.shape(2)[0];
  const ValueId window = n.has(2) ? n.in(2)
                                  : n.expand(n.addReals({1}, {}, type),
                                             {std::max<int64_t>(0, length)});
  const int64_t samples = n.type(signal).shape[1];
  n.require(step > 0 && length > 0 && length <= samples &&
                n.type(window).shape == std::vector<int64_t>{length},
            "its frames do not fit the signal");
  const ValueId frames =
      n.apply("frames", {signal, window},
              {{"step", step}, {"count", (samples - length) / step + 1}});
  n.out(0, transform(n, frames, 2, length, false, onesided));
}

/// a - b cos(t) + c cos(2t) over a period of the size, or of one less.
static Convert window(double a, double b, double c) {
  return [=](Node &n) {
    const int64_t size = n.constantInt(0);
    const bool periodic = n.integer("periodic", 1) != 0;
    n.require(size >= 0, "its size is negative");
    n.out(0,
          n.apply("cosine_window", {},
                  {{"n", size},
                   {"over",
                    double(periodic ? size : std::max<int64_t>(1, size - 1))},
                   {"a", a},
                   {"b", b},
                   {"c", c},
                   {"to", n.dtype("output_datatype", DType::F32)}}));
  };
}

/// A bank of triangular filters: a constant, whatever it is used for.
static void convertMelWeights(Node &n) {
  const int64_t bands = n.constantInt(0), length = n.constantInt(1);
  const double rate = double(n.constantInt(2)), low = n.constantReal(3),
               high = n.constantReal(4);
  n.require(bands > 0 && length > 0 && bands < 100000 && length < 10000000 &&
                rate > 0 && low >= 0 && high > low,
            "an operand is out of range");
  const int64_t bins = length / 2 + 1;
  n.require(bins * bands <= (int64_t(1) << 28), "its result is too large");
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double step = (mel(high) - mel(low)) / double(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double frequency =
        700 * (std::pow(10, (double(i) * step + mel(low)) / 2595) - 1);
    edges.push_back(int64_t(std::floor(double(length + 1) * frequency / rate)));
  }
  std::vector<double> weights(size_t(bins * bands), 0.0);
  for (int64_t band = 0; band < bands; ++band) {
    const int64_t left = edges[band], peak = edges[band + 1],
                  right = edges[band + 2];
    const auto put = [&](int64_t bin, double w) {
      if (bin >= 0 && bin < bins)
        weights[size_t(bin * bands + band)] = w;
    };
    for (int64_t bin = left; bin <= peak; ++bin)
      put(bin, peak == left ? 1 : double(bin - left) / double(peak - left));
    for (int64_t bin = peak; bin < right; ++bin)
      put(bin, double(right - bin) / double(right - peak));
  }
  n.out(0, n.addReals(weights, {bins, bands},
                      n.dtype("output_datatype", DType::F32)));
}

std::vector<Row> smex::frontend::signalRows() {
  return {
      {"DFT", 17, convertDft},
      {"STFT", 17, convertStft},
      {"HannWindow", 17, window(0.5, 0.5, 0)},
      {"HammingWindow", 17, window(25.0 / 46, 21.0 / 46, 0)},
      {"BlackmanWindow", 17, window(0.42, 0.5, 0.08)},
      {"MelWeightMatrix", 17, convertMelWeights},
  };
}
