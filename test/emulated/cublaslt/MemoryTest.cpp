// What the emulated library finds wrong with device memory, as for kernels, and
// with the order of calls.
#include "test/emulated/cublaslt/Functions.h"
#include "test/emulated/cublaslt/Status.h"
#include "test/emulated/cuda/Child.h"
#include "test/emulated/cuda/Functions.h"

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)
SMEX_CUBLASLT_FUNCTIONS(SMEX_CUBLASLT_DECLARE)

using namespace smex::emulated;
using namespace smex::emulated::cublaslt;
using Catch::Matchers::Contains;

namespace {

#define NEED(call)                                                             \
  if (int result_ = (call))                                                    \
  return std::string(#call " gave ") + std::to_string(result_) + "\n"

constexpr unsigned m = 16, n = 8, k = 192;

/// d = a * b of f32, with a sum that is split if there is a workspace.
struct Session {
  void *context = nullptr, *first = nullptr, *second = nullptr;
  void *handle = nullptr, *operation = nullptr, *preference = nullptr;
  void *layoutA = nullptr, *layoutB = nullptr, *layoutD = nullptr;
  uint64_t a = 0, b = 0, d = 0, other = 0, workspace = 0;
  alignas(8) std::byte results[96] = {};

  std::string open(uint64_t workspaceBytes, uint64_t bytesOfA = 4 * m * k) {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    NEED(cuStreamCreate(&first, 1));
    NEED(cuStreamCreate(&second, 1));
    NEED(cuMemAlloc_v2(&a, bytesOfA));
    NEED(cuMemAlloc_v2(&b, 4 * k * n));
    NEED(cuMemAlloc_v2(&d, 4 * m * n));
    NEED(cuMemAlloc_v2(&other, 4 * m * n));
    NEED(cuMemAlloc_v2(&workspace, 1 << 16));
    NEED(cublasLtCreate(&handle));
    NEED(cublasLtMatmulDescCreate(&operation, COMPUTE_32F, R_32F));
    NEED(cublasLtMatrixLayoutCreate(&layoutA, R_32F, m, k, m));
    NEED(cublasLtMatrixLayoutCreate(&layoutB, R_32F, k, n, k));
    NEED(cublasLtMatrixLayoutCreate(&layoutD, R_32F, m, n, m));
    NEED(cublasLtMatmulPreferenceCreate(&preference));
    NEED(cublasLtMatmulPreferenceSetAttribute(
        preference, MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspaceBytes,
        sizeof workspaceBytes));
    int count = 0;
    NEED(cublasLtMatmulAlgoGetHeuristic(handle, operation, layoutA, layoutB,
                                        layoutD, layoutD, preference, 1,
                                        results, &count));
    return "";
  }
  std::string fill(uint64_t to, unsigned count) {
    const std::vector<float> ones(count, 1);
    NEED(cuMemcpyHtoD_v2(to, ones.data(), 4 * count));
    return "";
  }
  int multiply(uint64_t to, void *stream, float beta = 0) {
    const float one = 1;
    const auto pointer = [](uint64_t address) {
      return reinterpret_cast<void *>(address);
    };
    return cublasLtMatmul(handle, operation, &one, pointer(a), layoutA,
                          pointer(b), layoutB, &beta, pointer(to), layoutD,
                          pointer(to), layoutD, results, pointer(workspace),
                          1 << 16, stream);
  }
  std::string results_() {
    return "results " + std::to_string(cuStreamSynchronize(first)) + " " +
           std::to_string(cuStreamSynchronize(second));
  }
};

/// In a child, once for each of some orders of streams.
void inOrders(const std::function<std::string(Session &)> &body,
              const std::vector<std::string> &expected) {
  for (const char *seed : {"0", "1", "77"}) {
    const std::string output = inChild({{"SMEX_EMULATED_SEED", seed}}, [&] {
      Session session;
      return body(session);
    });
    INFO(output);
    for (const std::string &each : expected)
      CHECK_THAT(output, Contains(each));
  }
}

#define GO(call)                                                               \
  if (std::string error_ = (call); !error_.empty())                            \
  return error_

} // namespace

TEST_CASE("a product of what was written") {
  inOrders(
      [](Session &s) -> std::string {
        GO(s.open(1 << 16));
        GO(s.fill(s.a, m * k));
        GO(s.fill(s.b, k * n));
        NEED(s.multiply(s.d, s.first));
        std::vector<float> out(m * n);
        NEED(cuMemcpyDtoHAsync_v2(out.data(), s.d, 4 * m * n, s.first));
        NEED(cuStreamSynchronize(s.first));
        return "is " + std::to_string(int(out.front() + out.back()));
      },
      {"is 384"});
}

TEST_CASE("operands that nobody has written") {
  inOrders(
      [](Session &s) -> std::string {
        GO(s.open(0));
        GO(s.fill(s.a, m * k));
        NEED(s.multiply(s.d, s.first));
        return s.results_();
      },
      {"cublasLtMatmul of 16 x 8 x 192", "nobody has written byte 0",
       "results 719"});
}

TEST_CASE("a result that is added to, and nobody has written") {
  inOrders(
      [](Session &s) -> std::string {
        GO(s.open(0));
        GO(s.fill(s.a, m * k));
        GO(s.fill(s.b, k * n));
        NEED(s.multiply(s.d, s.first, 1));
        return s.results_();
      },
      {"nobody has written", "results 719"});
}

TEST_CASE("a matrix beyond its allocation") {
  inOrders(
      [](Session &s) -> std::string {
        GO(s.open(0, 4 * m * (k - 1)));
        GO(s.fill(s.a, m * (k - 1)));
        GO(s.fill(s.b, k * n));
        NEED(s.multiply(s.d, s.first));
        return s.results_();
      },
      {"not in one allocation", "results 7"});
}

TEST_CASE(
    "two streams with one result race, and so they do with one workspace") {
  for (const bool sharesResult : {true, false})
    inOrders(
        [&](Session &s) -> std::string {
          GO(s.open(sharesResult ? 0 : 1 << 16));
          GO(s.fill(s.a, m * k));
          GO(s.fill(s.b, k * n));
          NEED(s.multiply(s.d, s.first));
          NEED(s.multiply(sharesResult ? s.d : s.other, s.second));
          return s.results_();
        },
        {"two streams race", "cublasLtMatmul"});
}

TEST_CASE("two streams that share operands do not race") {
  inOrders(
      [](Session &s) -> std::string {
        GO(s.open(0));
        GO(s.fill(s.a, m * k));
        GO(s.fill(s.b, k * n));
        NEED(s.multiply(s.d, s.first));
        NEED(s.multiply(s.other, s.second));
        return s.results_();
      },
      {"results 0 0"});
}

TEST_CASE("handles and descriptors after their end") {
  inOrders(
      [](Session &s) -> std::string {
        GO(s.open(0));
        NEED(cublasLtMatrixLayoutDestroy(nullptr));
        NEED(cublasLtMatrixLayoutDestroy(s.layoutD));
        std::string all = std::to_string(s.multiply(s.d, s.first));
        all += " " + std::to_string(cublasLtMatrixLayoutDestroy(s.layoutD));
        NEED(cublasLtDestroy(s.handle));
        all += " " + std::to_string(s.multiply(s.d, s.first));
        return "statuses " + all;
      },
      {"statuses 7 7 1", "its library follows the pointer"});
}

TEST_CASE("a call for another device than the handle's") {
  const std::string output = inChild({{"SMEX_EMULATED_DEVICES", "2"}}, [] {
    Session s;
    GO(s.open(0));
    void *context = nullptr, *stream = nullptr;
    NEED(cuDevicePrimaryCtxRetain(&context, 1));
    NEED(cuCtxSetCurrent(context));
    NEED(cuStreamCreate(&stream, 1));
    return "status " + std::to_string(s.multiply(s.d, stream));
  });
  CHECK_THAT(output, Contains("the handle is of device 0"));
  CHECK_THAT(output, Contains("status 7"));
}
