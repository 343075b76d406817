// A kernel bound to buffers of random boxes, checked against the reference
// result of its lambda: small integers, so that sums are exact, to the bit.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_KERNELCASE_H
#define SMEX_TEST_RUNTIME_BACKENDS_KERNELCASE_H

#include "dialects/tdl/lambda/Interpreter.h"
#include "kernels/cpu/Element.h"
#include "runtime/backends/cpu/BoundKernel.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

namespace smex::runtime {

class KernelCase {
public:
  explicit KernelCase(unsigned seed) : random(seed) {}

  /// low .. high
  int64_t draw(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }
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

  /// A buffer of small integers, with a border that must stay as it is.
  BufferView buffer(DType type, const std::vector<int64_t> &shape, Box box) {
    const int64_t elements = volume(box);
    storage.emplace_back(size_t(elements * byteSize(type) + 192));
    std::vector<std::byte> &bytes = storage.back();
    for (std::byte &byte : bytes)
      byte = std::byte(random());
    std::byte *start = bytes.data() + 64 - uintptr_t(bytes.data()) % 64;
    cpu::withElement(type, [&](auto element) {
      using T = decltype(element);
      for (int64_t i = 0; i < elements; ++i)
        reinterpret_cast<T *>(start)[i] =
            cpu::store<T>(cpu::Accumulator<T>(draw(-2, 2)));
    });
    return {start, std::move(box), {type, shape}, false};
  }

  /// Binds with `bind`, runs `runs` times, and compares.
  void check(Result<BoundKernelPtr> (*bind)(const Binding &),
             const plan::Kernel &kernel, const tdl::Lambda &lambda,
             const Box &indices, const BufferView &result,
             const std::vector<BufferView> &operands, int64_t workspaceBytes,
             int threads, int runs = 2, const KernelObject *kernels = nullptr) {
    INFO(kernel.lambda << " for " << toString(indices));
    std::vector<tdl::OperandView> views;
    for (const BufferView &operand : operands) {
      INFO("operand " << toString(operand.box) << " of "
                      << toString(operand.type));
      views.push_back({operand.type.shape, operand.box, operand.data});
    }
    const auto value = tdl::interpret(lambda, indices, views);
    INFO((value ? "" : value.error().message));
    REQUIRE(value);

    // What the buffer must hold, border and all.
    const std::vector<std::byte> *held = nullptr;
    for (const auto &bytes : storage)
      if (result.data >= bytes.data() &&
          result.data < bytes.data() + bytes.size())
        held = &bytes;
    REQUIRE(held);
    std::vector<std::byte> expected = *held;
    const Box part(indices.begin(), indices.begin() + lambda.rank());
    const int64_t size = byteSize(lambda.result);
    const std::vector<int64_t> strides = result.strides();
    for (int64_t i = 0; i < volume(part); ++i) {
      int64_t rest = i, offset = result.data - held->data();
      for (size_t d = part.size(); d-- > 0; rest /= part[d].size())
        offset += (part[d].lo - result.box[d].lo + rest % part[d].size()) *
                  strides[d] * size;
      std::memcpy(&expected[size_t(offset)], &value->bytes[size_t(i * size)],
                  size_t(size));
    }

    const ThreadGroup group(threads);
    group.adopt();
    const auto none = KernelObject::load({});
    std::vector<std::byte> scratch(size_t(workspaceBytes) + 128,
                                   std::byte(0xab));
    std::byte *start = scratch.data() + 64 - uintptr_t(scratch.data()) % 64;
    const std::string target = "x86-64-v3";
    const Binding binding{kernel,   lambda,
                          indices,  result,
                          operands, {start, workspaceBytes},
                          group,    target,
                          kernels ? *kernels : *none};
    auto bound = bind(binding);
    INFO((bound ? "" : bound.error().message));
    REQUIRE(bound);
    REQUIRE(*bound);
    for (int run = 0; run < runs; ++run) {
      const Status done = (*bound)->run();
      REQUIRE(done);
      REQUIRE(*held == expected);
    }
    for (size_t i = size_t(start - scratch.data()) + size_t(workspaceBytes);
         i < scratch.size(); ++i)
      REQUIRE(scratch[i] == std::byte(0xab));
  }

  std::mt19937 random;

private:
  std::vector<std::vector<std::byte>> storage;
};

} // namespace smex::runtime

#endif
