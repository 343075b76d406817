// An emulated GPU for tests of what libraries compute there.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_CUDA_EMULATEDGPU_H
#define SMEX_TEST_RUNTIME_BACKENDS_CUDA_EMULATEDGPU_H

#include "runtime/backends/cuda/Library.h"

#include <catch2/catch.hpp>

namespace smex::cuda {

/// The emulated GPU, cuBLASLt, and a stream.
class EmulatedGpu {
public:
  static EmulatedGpu &get() {
    static EmulatedGpu device;
    return device;
  }
  /// The next bytes, as a plan's buffers begin.
  Address take(int64_t wanted) {
    const Address at = gpu->memory() + Address(used);
    used += (wanted + 63) / 64 * 64;
    REQUIRE(used <= bytes);
    return at;
  }
  void clear() { used = 0; }
  void write(Address to, const std::vector<std::byte> &from) {
    REQUIRE(gpu->driver.copyToDevice(to, from.data(), from.size(), stream) ==
            success);
  }
  std::vector<std::byte> read(Address from, size_t count) {
    std::vector<std::byte> to(count);
    REQUIRE(gpu->driver.copyToHost(to.data(), from, count, stream) == success);
    REQUIRE(gpu->driver.streamSynchronize(stream) == success);
    return to;
  }

  std::unique_ptr<Gpu> gpu;
  Stream stream = nullptr;

private:
  EmulatedGpu() {
    const auto driver = Driver::get();
    REQUIRE(driver);
    auto opened = Gpu::open(**driver, 0);
    REQUIRE(opened);
    gpu = std::move(*opened);
    REQUIRE(gpu->info.name.find("emulated") != std::string::npos);
    REQUIRE(gpu->allocate(bytes));
    REQUIRE(gpu->driver.streamCreate(&stream, streamNonBlocking) == success);
    REQUIRE(loadLibraryFor(plan::KernelKind::Contraction, **driver));
  }
  static constexpr int64_t bytes = int64_t(8) << 20;
  int64_t used = 0;
};

} // namespace smex::cuda

#endif
