// Random products by cuBLASLt, on a GPU and a library that are emulated: those
// that the compiler leaves to it, on parts of tensors, in buffers that may hold
// more. Small integers, so that sums are exact, to the bit; nothing else of the
// result's buffer may change.
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "kernels/cpu/Element.h"
#include "runtime/backends/cuda/Library.h"
#include "runtime/plan/Target.h"
#include "test/runtime/backends/cuda/EmulatedGpu.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace smex;
using namespace smex::cuda;

namespace {

struct Tested {
  int products = 0, all = 0;
};

class Case {
public:
  explicit Case(unsigned seed) : random(seed) {}

  int64_t draw(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }

  /// Sum(x0[..] * x1[..]) with up to two indices of each role, in any order.
  /// Partial results of 16-bit floats are f32, and only theirs are of a part of
  /// the terms.
  void run(DType type, int64_t largest, bool isPartial, Tested &tested) {
    std::string roles;
    for (char role : {'b', 'm', 'n'})
      roles += std::string(size_t(draw(0, 2)), role);
    std::shuffle(roles.begin(), roles.end(), random);
    const size_t rank = roles.size();
    roles += std::string(size_t(draw(1, 2)), 'k');
    const bool isRounded = tdl::is16Bit(type) && !isPartial;

    std::vector<int64_t> sizes;
    Box indices;
    for (char role : roles) {
      sizes.push_back(draw(1, largest));
      indices.push_back(role == 'k' && isRounded ? Interval{0, sizes.back()}
                                                 : part(sizes.back()));
    }
    const auto nameOf = [&](size_t i) {
      return i < rank ? "i" + std::to_string(i)
                      : "r" + std::to_string(i - rank);
    };
    plan::Sizes whole{sizes, {}};
    std::vector<Box> needed;
    std::string text = "(", reads[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<size_t> dims;
      for (size_t i = 0; i < roles.size(); ++i)
        if (roles[i] != (side ? 'm' : 'n'))
          dims.push_back(i);
      std::shuffle(dims.begin(), dims.end(), random);
      whole.shapes.emplace_back();
      needed.emplace_back();
      for (size_t i : dims) {
        whole.shapes.back().push_back(sizes[i]);
        needed.back().push_back(indices[i]);
        reads[side] += (reads[side].empty() ? "" : ", ") + nameOf(i);
      }
      text += (side ? ", x1: " : "x0: ") + std::string(name(type)) + "[" +
              std::to_string(dims.size()) + "]";
    }
    text += ") -> " + std::string(name(type)) + ": lambda";
    for (size_t i = 0; i < rank; ++i)
      text += (i ? ", " : " ") + nameOf(i);
    text += ": Sum(lambda ";
    for (size_t i = rank; i < roles.size(); ++i)
      text += (i > rank ? ", " : "") + nameOf(i);
    const bool exchanged = draw(0, 1);
    text += ": x" + std::to_string(exchanged) + "[" + reads[exchanged] +
            "] * x" + std::to_string(!exchanged) + "[" + reads[!exchanged] +
            "])";
    const auto parsed = tdl::parseLambda(text);
    REQUIRE(parsed);
    lambda = isPartial ? tdl::accumulated(*parsed) : *parsed;
    kernel.kind = plan::KernelKind::Contraction;
    kernel.lambda = tdl::toString(lambda);
    kernel.roles = roles;
    ++tested.all;
    if (!plan::libraryHas("sm_80", kernel, lambda, whole))
      return;
    ++tested.products;
    INFO(kernel.lambda << " for " << toString(indices));

    EmulatedGpu &device = EmulatedGpu::get();
    device.clear();
    Choices choices;
    const int64_t workspaceBytes = draw(0, 2) * 4096;
    LibraryBinding binding{kernel,
                           lambda,
                           indices,
                           {},
                           {},
                           device.take(workspaceBytes),
                           workspaceBytes,
                           *device.gpu,
                           choices,
                           draw(0, 1) == 1};
    std::vector<std::vector<std::byte>> held;
    std::vector<tdl::OperandView> views;
    for (size_t side = 0; side < 2; ++side) {
      const Box box = holding(needed[side], whole.shapes[side]);
      held.push_back(numbers(type, volume(box)));
      binding.operands.push_back({device.take(int64_t(held.back().size())),
                                  box,
                                  {type, whole.shapes[side]}});
      device.write(binding.operands.back().address, held.back());
    }
    for (size_t side = 0; side < 2; ++side)
      views.push_back(
          {whole.shapes[side], binding.operands[side].box, held[side].data()});
    const std::vector<int64_t> shape(sizes.begin(),
                                     sizes.begin() + int64_t(rank));
    const Box own(indices.begin(), indices.begin() + int64_t(rank));
    const Box box = holding(own, shape);
    std::vector<std::byte> expected = numbers(lambda.result, volume(box));
    binding.result = {
        device.take(int64_t(expected.size())), box, {lambda.result, shape}};
    device.write(binding.result.address, expected);

    const auto value = tdl::interpret(lambda, indices, views);
    REQUIRE(value);
    put(*value, own, box, expected);
    auto call = bindLibrary(binding);
    INFO((call ? "" : call.error().message));
    REQUIRE(call);
    for (int run = 0; run < 2; ++run) {
      const Status done = (*call)->submit(device.stream);
      INFO((done ? "" : done.error().message));
      REQUIRE(done);
      REQUIRE(device.read(binding.result.address, expected.size()) == expected);
    }
  }

private:
  Interval part(int64_t extent) {
    const int64_t lo = draw(0, 1) ? 0 : draw(0, extent - 1);
    return {lo, draw(0, 1) ? extent : draw(lo + 1, extent)};
  }
  /// A box within the tensor that holds `needed`, and maybe more.
  Box holding(const Box &needed, const std::vector<int64_t> &shape) {
    Box box = needed;
    for (size_t d = 0; d < box.size(); ++d)
      if (draw(0, 2) == 0)
        box[d] = {draw(0, box[d].lo), draw(box[d].hi, shape[d])};
    return box;
  }
  std::vector<std::byte> numbers(DType type, int64_t count) {
    std::vector<std::byte> bytes(size_t(count * byteSize(type)));
    cpu::withElement(type, [&](auto element) {
      using T = decltype(element);
      for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<T *>(bytes.data())[i] =
            cpu::store<T>(cpu::Accumulator<T>(draw(-2, 2)));
    });
    return bytes;
  }
  /// The result's part to its place in the buffer.
  void put(const Tensor &value, const Box &own, const Box &box,
           std::vector<std::byte> &bytes) const {
    const int64_t size = byteSize(lambda.result);
    const std::vector<int64_t> strides = rowMajorStrides(extents(box));
    for (int64_t i = 0; i < volume(own); ++i) {
      int64_t rest = i, offset = 0;
      for (size_t d = own.size(); d-- > 0; rest /= own[d].size())
        offset +=
            (own[d].lo - box[d].lo + rest % own[d].size()) * strides[d] * size;
      std::memcpy(&bytes[size_t(offset)], &value.bytes[size_t(i * size)],
                  size_t(size));
    }
  }

  std::mt19937 random;
  tdl::Lambda lambda;
  plan::Kernel kernel;
};

Tested run(DType type, unsigned firstSeed, unsigned count, int64_t largest,
           bool isPartial = false) {
  Tested tested;
  for (unsigned seed = firstSeed; seed < firstSeed + count; ++seed) {
    CAPTURE(seed, name(type), isPartial);
    Case(seed).run(type, largest, isPartial, tested);
  }
  return tested;
}

} // namespace

TEST_CASE("products of every type that the library has") {
  unsigned seed = 0;
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    const Tested tested = run(type, seed, 300, 5);
    CHECK(tested.products > tested.all / 2);
    seed += 1000;
  }
}

TEST_CASE("partial results of 16-bit products are f32") {
  for (DType type : {DType::F16, DType::BF16})
    CHECK(run(type, 7000, 200, 5, /*isPartial=*/true).products > 100);
}

TEST_CASE("sums that are long enough to be split") {
  CHECK(run(DType::F32, 9000, 60, 24).products > 30);
  CHECK(run(DType::BF16, 9100, 60, 24).products > 20);
}

TEST_CASE("reproducible products give the same bits each time") {
  // The emulated library adds the parts of a sum that is split in another order
  // each time (SMEX_EMULATED_CUBLASLT_SPLIT).
  const int64_t m = 16, k = 192, n = 8;
  const auto lambda = tdl::parseLambda(
      "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, "
      "r0] * x1[r0, i1])");
  REQUIRE(lambda);
  plan::Kernel kernel;
  kernel.kind = plan::KernelKind::Contraction;
  kernel.lambda = tdl::toString(*lambda);
  kernel.roles = "mnk";
  for (bool reproducible : {false, true}) {
    CAPTURE(reproducible);
    EmulatedGpu &device = EmulatedGpu::get();
    device.clear();
    Choices choices;
    LibraryBinding binding{
        kernel,
        *lambda,
        wholeBox({m, n, k}),
        {device.take(4 * m * n), wholeBox({m, n}), {DType::F32, {m, n}}},
        {},
        device.take(1 << 16),
        1 << 16,
        *device.gpu,
        choices,
        reproducible};
    std::mt19937 random(1);
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{m, k}, {k, n}}) {
      const Address at = device.take(4 * shape[0] * shape[1]);
      std::vector<std::byte> bytes(size_t(4 * shape[0] * shape[1]));
      for (size_t i = 0; i < bytes.size(); i += 4) {
        const float value = float(random()) / 7e8f - 3;
        std::memcpy(&bytes[i], &value, 4);
      }
      device.write(at, bytes);
      binding.operands.push_back({at, wholeBox(shape), {DType::F32, shape}});
    }
    auto call = bindLibrary(binding);
    REQUIRE(call);
    int others = 0;
    std::vector<std::byte> first;
    for (int run = 0; run < 6; ++run) {
      REQUIRE((*call)->submit(device.stream));
      const auto bits = device.read(binding.result.address, size_t(4 * m * n));
      if (run == 0)
        first = bits;
      others += bits != first;
    }
    CHECK((others > 0) == !reproducible);
  }
}

TEST_CASE("integers are generated") {
  for (DType type : {DType::I32, DType::I64, DType::U8}) {
    Tested tested;
    Case(1).run(type, 4, false, tested);
    CHECK(tested.products == 0);
  }
}
