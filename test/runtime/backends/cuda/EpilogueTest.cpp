// Products with their epilogues by cuBLASLt, on a GPU and a library that are
// emulated, against the formula: on parts of tensors, in buffers that hold
// more.
#include "runtime/plan/Epilogue.h"
#include "kernels/cpu/Element.h"
#include "runtime/plan/Target.h"
#include "test/runtime/backends/cuda/EmulatedGpu.h"

#include <cmath>
#include <random>

using namespace smex;
using namespace smex::cuda;
using analysis::Activation;

namespace {

/// Values, as they are in memory.
std::vector<std::byte> stored(DType type, const std::vector<double> &values) {
  std::vector<std::byte> bytes(values.size() * size_t(byteSize(type)));
  cpu::withElement(type, [&](auto element) {
    using T = decltype(element);
    for (size_t i = 0; i < values.size(); ++i)
      reinterpret_cast<T *>(bytes.data())[i] =
          cpu::store<T>(cpu::Accumulator<T>(values[i]));
  });
  return bytes;
}

double valueAt(DType type, const std::vector<std::byte> &bytes, size_t i) {
  double value = 0;
  cpu::withElement(type, [&](auto element) {
    using T = decltype(element);
    value = double(cpu::load(reinterpret_cast<const T *>(bytes.data())[i]));
  });
  return value;
}

double activated(Activation activation, double z) {
  switch (activation) {
  case Activation::Relu:
    return std::max(z, 0.0);
  case Activation::Gelu:
    return 0.5 * z *
           (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) *
                          (z + 0.044715 * z * z * z)));
  case Activation::None:
    break;
  }
  return z;
}

/// result[r, i, j] = Sum over k of x[r, i, k] * w[k, j], a perceptron's layer;
/// or with w[r, k, j], a product of batches.
struct Layer {
  DType type = DType::F32;
  bool isBatched = false;
  Activation activation = Activation::None;
  /// Of the bias: none, or how many of the result's last dimensions it has.
  int biasRank = 1;
  Box rows = {{0, 3}, {0, 4}}; // of 3 and 4
  Interval columns = {0, 8};   // of 16
  int64_t biasHeldFrom = 0;    // in the buffer
};

enum class Outcome { Right, Wrong, None };

class Trial {
public:
  explicit Trial(const Layer &layer) : layer(layer) {}

  Outcome run() {
    const std::string type(name(layer.type));
    const std::string w = layer.isBatched ? "[3]" : "[2]";
    const auto parsed = tdl::parseLambda(
        "(x0: " + type + "[3], x1: " + type + w + ") -> " + type +
        ": lambda i0, i1, i2: Sum(lambda r0: x0[i0, i1, r0] * x1[" +
        (layer.isBatched ? "i0, " : "") + "r0, i2])");
    REQUIRE(parsed);
    plan::Kernel kernel;
    kernel.kind = plan::KernelKind::Contraction;
    kernel.lambda = tdl::toString(*parsed);
    kernel.roles = layer.isBatched ? "bmnk" : "mmnk";
    EmulatedGpu &device = EmulatedGpu::get();
    device.clear();
    Choices choices;
    const Box result = {layer.rows[0], layer.rows[1], layer.columns};
    Box indices = result;
    indices.push_back({0, terms});
    LibraryBinding binding{kernel, *parsed, indices,     {},     {},
                           0,      0,       *device.gpu, choices};
    const Box xBox = {layer.rows[0], layer.rows[1], {0, terms}};
    Box wBox;
    if (layer.isBatched)
      wBox.push_back(layer.rows[0]);
    wBox.push_back({0, terms});
    wBox.push_back({0, 16});
    const auto x = put(device, xBox, {3, 4, terms}, binding.operands);
    const auto wValues =
        put(device, wBox,
            layer.isBatched ? std::vector<int64_t>{3, terms, 16}
                            : std::vector<int64_t>{terms, 16},
            binding.operands);
    binding.result = {device.take(volume(result) * byteSize(layer.type)),
                      result,
                      {layer.type, {3, 4, 16}}};
    EpilogueBinding epilogue{{layer.activation, -1, 0}, {}, {}};
    std::vector<double> bias;
    if (layer.biasRank > 0) {
      epilogue.what.bias = 1;
      const Box whole = wholeBox({3, 4, 16});
      Box held;
      for (int d = 3 - layer.biasRank; d < 3; ++d) {
        held.push_back(whole[size_t(d)]);
        epilogue.biasRegion.push_back(result[size_t(d)]);
      }
      held.back().lo = layer.biasHeldFrom;
      std::vector<DeviceBuffer> buffers;
      const std::vector<int64_t> shape = extents(whole);
      bias = put(device, held, {shape.end() - layer.biasRank, shape.end()},
                 buffers);
      epilogue.bias = buffers.front();
    }
    binding.epilogue = epilogue;
    auto call = bindLibrary(binding);
    INFO((call ? "" : call.error().message));
    REQUIRE(call);
    if (!*call)
      return Outcome::None;
    REQUIRE((*call)->submit(device.stream));
    const auto got = device.read(binding.result.address,
                                 size_t(volume(result) * byteSize(layer.type)));
    size_t at = 0;
    for (int64_t r = result[0].lo; r < result[0].hi; ++r)
      for (int64_t i = result[1].lo; i < result[1].hi; ++i)
        for (int64_t j = result[2].lo; j < result[2].hi; ++j) {
          double z = 0;
          for (int64_t k = 0; k < terms; ++k)
            z += x[element(xBox, {r, i, k})] *
                 wValues[layer.isBatched ? element(wBox, {r, k, j})
                                         : element(wBox, {k, j})];
          if (layer.biasRank > 0) {
            const std::vector<int64_t> all = {r, i, j};
            z += bias[element(epilogue.bias.box,
                              {all.end() - layer.biasRank, all.end()})];
          }
          const double wanted = activated(layer.activation, z);
          const double accuracy = layer.activation != Activation::Gelu ? 0
                                  : byteSize(layer.type) == 2          ? 1e-2
                                                                       : 1e-5;
          if (std::abs(valueAt(layer.type, got, at++) - wanted) >
              accuracy * std::max(1.0, std::abs(wanted)))
            return Outcome::Wrong;
        }
    return Outcome::Right;
  }

private:
  static constexpr int64_t terms = 5;

  static size_t element(const Box &box, const std::vector<int64_t> &at) {
    const auto strides = rowMajorStrides(extents(box));
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d)
      offset += (at[d] - box[d].lo) * strides[d];
    return size_t(offset);
  }

  /// Small integers: sums are exact.
  std::vector<double> put(EmulatedGpu &device, const Box &box,
                          std::vector<int64_t> shape,
                          std::vector<DeviceBuffer> &to) {
    std::vector<double> values;
    for (int64_t i = 0; i < volume(box); ++i)
      values.push_back(double(int(random() % 5)) - 2);
    const auto bytes = stored(layer.type, values);
    to.push_back({device.take(int64_t(bytes.size())),
                  box,
                  {layer.type, std::move(shape)}});
    device.write(to.back().address, bytes);
    return values;
  }

  const Layer layer;
  std::mt19937 random{7};
};

Outcome outcome(const Layer &layer) {
  CAPTURE(name(layer.type), int(layer.activation), layer.biasRank);
  return Trial(layer).run();
}

} // namespace

TEST_CASE("epilogues of every type that the library has") {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16})
    for (Activation activation :
         {Activation::None, Activation::Relu, Activation::Gelu})
      for (int biasRank : {0, 1}) {
        if (activation == Activation::None && biasRank == 0)
          continue;
        Layer layer;
        layer.type = type;
        layer.activation = activation;
        layer.biasRank = biasRank;
        CHECK(outcome(layer) == Outcome::Right);
        layer.isBatched = true; // with one bias for all
        CHECK(outcome(layer) == Outcome::Right);
        layer.isBatched = false;
        layer.rows = {{1, 2}, {1, 3}};
        layer.columns = {8, 16}; // and the bias in the middle of its buffer
        CHECK(outcome(layer) == Outcome::Right);
      }
}

TEST_CASE("a bias along two dimensions, where these are the library's rows") {
  Layer layer;
  layer.biasRank = 2;
  // Of one row of x, results lie together with those of no other.
  layer.rows = {{0, 3}, {2, 3}};
  CHECK(outcome(layer) == Outcome::Right);
  layer.rows = {{0, 3}, {0, 4}};
  CHECK(outcome(layer) == Outcome::None);
}

TEST_CASE("a bias that is aligned too little") {
  // Kernels of cuBLASLt may take 16 bytes for granted.
  Layer layer;
  layer.columns = {1, 9};
  CHECK(outcome(layer) == Outcome::None);
  layer.biasHeldFrom = 1;
  CHECK(outcome(layer) == Outcome::Right);
  layer.type = DType::BF16;
  layer.biasHeldFrom = 0;
  layer.columns = {4, 12}; // 8 bytes
  CHECK(outcome(layer) == Outcome::None);
}
