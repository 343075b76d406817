#include "test/emulated/cublaslt/Trial.h"

#include "test/emulated/cublaslt/Functions.h"
#include "test/emulated/cublaslt/Status.h"
#include "test/emulated/cuda/Functions.h"
#include "test/emulated/ptx/Float.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

using namespace smex::emulated;
using namespace smex::emulated::cublaslt;

namespace {

struct Calls {
#define SMEX_MEMBER(result, name, parameters) result(*name) parameters;
  SMEX_CUBLASLT_FUNCTIONS(SMEX_MEMBER)
#undef SMEX_MEMBER
#define SMEX_MEMBER(name, parameters, arguments) int(*name) parameters;
  SMEX_CUDA_FUNCTIONS(SMEX_MEMBER)
#undef SMEX_MEMBER
} call;

bool emulatesNvidia = false;

bool load() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *library = dlopen("libcublasLt.so.13", RTLD_NOW);
  if (!library)
    library = dlopen("libcublasLt.so.12", RTLD_NOW);
  if (!driver || !library) {
    std::printf("%s\n", dlerror());
    return false;
  }
#define SMEX_FIND(result, name, parameters)                                    \
  call.name = reinterpret_cast<decltype(call.name)>(dlsym(library, #name));
  SMEX_CUBLASLT_FUNCTIONS(SMEX_FIND)
#undef SMEX_FIND
#define SMEX_FIND(name, parameters, arguments)                                 \
  call.name = reinterpret_cast<decltype(call.name)>(dlsym(driver, #name));
  SMEX_CUDA_FUNCTIONS(SMEX_FIND)
#undef SMEX_FIND
  emulatesNvidia = dlsym(driver, "smexEmulatedSubmit") != nullptr;
  return true;
}

double elementAt(const std::vector<std::byte> &bytes, int type, int64_t at) {
  switch (type) {
  case R_64F: {
    double value;
    std::memcpy(&value, bytes.data() + at * 8, 8);
    return value;
  }
  case R_32F: {
    float value;
    std::memcpy(&value, bytes.data() + at * 4, 4);
    return double(value);
  }
  }
  uint16_t bits;
  std::memcpy(&bits, bytes.data() + at * 2, 2);
  return smex::ptx::decode(bits, type == R_16F ? smex::ptx::formatF16
                                               : smex::ptx::formatBF16);
}

size_t bytesOf(int type) { return type == R_64F ? 8 : type == R_32F ? 4 : 2; }

/// Small integers: sums are exact in any order.
std::vector<std::byte> numbers(int type, size_t count, unsigned seed) {
  std::vector<std::byte> bytes(count * bytesOf(type));
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double value = double(int((seed >> 16) % 5)) - 2;
    const float single = float(value);
    const auto half = uint16_t(smex::ptx::encode(
        value, type == R_16F ? smex::ptx::formatF16 : smex::ptx::formatBF16,
        smex::ptx::Rounding::Nearest));
    std::byte *to = bytes.data() + i * bytesOf(type);
    if (type == R_64F)
      std::memcpy(to, &value, 8);
    else if (type == R_32F)
      std::memcpy(to, &single, 4);
    else
      std::memcpy(to, &half, 2);
  }
  return bytes;
}

double activated(uint32_t epilogue, double value) {
  if (epilogue & EPILOGUE_RELU)
    return std::max(value, 0.0);
  if (epilogue & EPILOGUE_GELU)
    return 0.5 * value *
           (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) *
                          (value + 0.044715 * value * value * value)));
  return value;
}

double geluByErf(double value) {
  return 0.5 * value * (1 + std::erf(value / std::sqrt(2.0)));
}

/// Small integers are exact; of an elementary function nothing is promised, and
/// GPUs have fast ones.
bool isAsGood(const Spec &spec, double value, double wanted) {
  if (!(spec.epilogue & EPILOGUE_GELU))
    return value == wanted;
  const double accuracy =
      spec.d.type == R_64F || spec.d.type == R_32F ? 2e-3 : 1e-2;
  return std::abs(value - wanted) <= accuracy * std::max(1.0, std::abs(wanted));
}

constexpr size_t elements = 4096, matrixBytes = elements * 8;

struct Machine {
  void *context = nullptr, *stream = nullptr, *handle = nullptr;
  uint64_t a = 0, b = 0, d = 0, bias = 0, workspace = 0;

  bool open() {
    return !call.cuInit(0) && !call.cuDevicePrimaryCtxRetain(&context, 0) &&
           !call.cuCtxSetCurrent(context) && !call.cuStreamCreate(&stream, 1) &&
           !call.cublasLtCreate(&handle) &&
           !call.cuMemAlloc_v2(&a, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&b, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&d, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&bias, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&workspace, 1 << 20);
  }
} machine;

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

} // namespace

bool cublaslt::isEmulated() { return emulatesNvidia; }

bool cublaslt::openMachine() {
  if (!load())
    return false;
  if (machine.open())
    return true;
  std::printf("no GPU, or no handle of cuBLASLt\n");
  return false;
}

std::string cublaslt::machineName() {
  char device[128] = "";
  call.cuDeviceGetName(device, sizeof device, 0);
  return "cuBLASLt " + std::to_string(call.cublasLtGetVersion()) + " on " +
         device;
}

std::string cublaslt::run(const Spec &spec) {
#define STEP(name, what)                                                       \
  if (int status = (what))                                                     \
  return std::string(name) + " " + std::to_string(status)
  if (spec.destroysNothing)
    return "destroyed " +
           std::to_string(call.cublasLtMatrixLayoutDestroy(nullptr)) + " " +
           std::to_string(call.cublasLtMatmulDescDestroy(nullptr)) + " " +
           std::to_string(call.cublasLtMatmulPreferenceDestroy(nullptr)) + " " +
           std::to_string(call.cublasLtDestroy(nullptr));
  struct Cleanup {
    std::vector<std::function<void()>> all;
    ~Cleanup() {
      for (const auto &each : all)
        each();
    }
  } cleanup;
  void *operation = nullptr, *layouts[4] = {}, *preference = nullptr;
  STEP("descriptor", call.cublasLtMatmulDescCreate(&operation, spec.computeType,
                                                   spec.scaleType));
  cleanup.all.push_back([=] { call.cublasLtMatmulDescDestroy(operation); });
  for (const auto &[attribute, value] :
       {std::pair{MATMUL_DESC_TRANSA, spec.transA},
        std::pair{MATMUL_DESC_TRANSB, spec.transB},
        std::pair{MATMUL_DESC_TRANSC, spec.transC}})
    STEP("transposition", call.cublasLtMatmulDescSetAttribute(
                              operation, attribute, &value, sizeof value));
  STEP("epilogue", call.cublasLtMatmulDescSetAttribute(
                       operation, MATMUL_DESC_EPILOGUE, &spec.epilogue,
                       sizeof spec.epilogue));
  const uint64_t atBias = spec.nullBias ? 0 : machine.bias + spec.offsetBias;
  if (spec.epilogue & EPILOGUE_BIAS) {
    void *bias = pointer(atBias);
    STEP("bias", call.cublasLtMatmulDescSetAttribute(
                     operation, MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    STEP("bias", call.cublasLtMatmulDescSetAttribute(
                     operation, MATMUL_DESC_BIAS_DATA_TYPE, &spec.biasType,
                     sizeof spec.biasType));
    STEP("bias", call.cublasLtMatmulDescSetAttribute(
                     operation, MATMUL_DESC_BIAS_BATCH_STRIDE, &spec.biasStride,
                     sizeof spec.biasStride));
  }
  MatrixSpec c = spec.d;
  if (spec.broadcastsC)
    c.leading = 0;
  const MatrixSpec *specs[] = {&spec.a, &spec.b, &spec.d, &c};
  for (int i = 0; i < 4; ++i) {
    const MatrixSpec &own = *specs[i];
    STEP("layout", call.cublasLtMatrixLayoutCreate(
                       &layouts[i], own.type, uint64_t(own.rows),
                       uint64_t(own.columns), own.leading));
    void *layout = layouts[i];
    cleanup.all.push_back([=] { call.cublasLtMatrixLayoutDestroy(layout); });
    STEP("order",
         call.cublasLtMatrixLayoutSetAttribute(layout, MATRIX_LAYOUT_ORDER,
                                               &own.order, sizeof own.order));
    STEP("batch",
         call.cublasLtMatrixLayoutSetAttribute(
             layout, MATRIX_LAYOUT_BATCH_COUNT, &own.batch, sizeof own.batch));
    STEP("stride", call.cublasLtMatrixLayoutSetAttribute(
                       layout, MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                       &own.batchStride, sizeof own.batchStride));
  }
  if (spec.nullLayout)
    layouts[0] = nullptr;
  void *handle = spec.nullHandle ? nullptr : machine.handle;
  // Room for cublasLtMatmulHeuristicResult_t.
  alignas(8) std::byte results[4 * 96] = {};
  if (spec.asks) {
    STEP("preference", call.cublasLtMatmulPreferenceCreate(&preference));
    cleanup.all.push_back(
        [=] { call.cublasLtMatmulPreferenceDestroy(preference); });
    STEP("workspace", call.cublasLtMatmulPreferenceSetAttribute(
                          preference, MATMUL_PREF_MAX_WORKSPACE_BYTES,
                          &spec.workspaceBytes, sizeof spec.workspaceBytes));
    STEP("reductions", call.cublasLtMatmulPreferenceSetAttribute(
                           preference, MATMUL_PREF_REDUCTION_SCHEME_MASK,
                           &spec.reductions, sizeof spec.reductions));
    for (int attribute :
         {MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      STEP("alignment",
           call.cublasLtMatmulPreferenceSetAttribute(
               preference, attribute, &spec.alignment, sizeof spec.alignment));
    int count = 0;
    STEP("heuristic",
         call.cublasLtMatmulAlgoGetHeuristic(
             handle, operation, layouts[0], layouts[1], layouts[3], layouts[2],
             preference, spec.wanted, results, &count));
    if (count < 1)
      return "heuristic finds nothing";
  }
  if (spec.zeroAlgorithm)
    std::memset(results, 0, sizeof results);
  if (spec.asks) {
    alignas(8) std::byte checked[96] = {};
    STEP("check", call.cublasLtMatmulAlgoCheck(handle, operation, layouts[0],
                                               layouts[1], layouts[3],
                                               layouts[2], results, checked));
  }
  const auto a = numbers(spec.a.type, elements, 1),
             b = numbers(spec.b.type, elements, 2);
  const auto bias = numbers(spec.d.type, elements, 4);
  auto d = numbers(spec.d.type, elements, 3);
  const uint64_t atA = machine.a + spec.offsetA, atD = machine.d + spec.offsetD;
  STEP("copy", call.cuMemcpyHtoD_v2(atA, a.data(), a.size()));
  STEP("copy", call.cuMemcpyHtoD_v2(machine.b, b.data(), b.size()));
  STEP("copy", call.cuMemcpyHtoD_v2(atD, d.data(), d.size()));
  if (atBias)
    STEP("copy", call.cuMemcpyHtoD_v2(atBias, bias.data(), bias.size()));
  const auto &valuesOfC = spec.broadcastsC ? bias : d;
  const uint64_t atC = spec.broadcastsC ? atBias : atD;
  const float singles[] = {1, float(spec.beta)};
  const double doubles[] = {1, spec.beta};
  const bool isDouble = spec.scaleType == R_64F;
  const void *alpha = isDouble ? static_cast<const void *>(&doubles[0])
                               : static_cast<const void *>(&singles[0]);
  const void *beta = isDouble ? static_cast<const void *>(&doubles[1])
                              : static_cast<const void *>(&singles[1]);
  STEP("matmul",
       call.cublasLtMatmul(
           handle, operation, spec.nullAlpha ? nullptr : alpha,
           spec.nullA ? nullptr : pointer(atA), layouts[0], pointer(machine.b),
           layouts[1], beta, pointer(atC), layouts[3], pointer(atD), layouts[2],
           spec.asks ? results : nullptr,
           pointer(machine.workspace + spec.workspaceOffset),
           spec.takesWorkspaceAway ? 0 : size_t(spec.workspaceBytes),
           machine.stream));
  STEP("stream", call.cuStreamSynchronize(machine.stream));
  std::vector<std::byte> got(d.size());
  STEP("copy", call.cuMemcpyDtoH_v2(got.data(), atD, got.size()));
#undef STEP
  const auto at = [](const MatrixSpec &matrix, int64_t row, int64_t column,
                     int64_t batch) {
    return batch * matrix.batchStride + (matrix.order == ORDER_COL
                                             ? row + column * matrix.leading
                                             : row * matrix.leading + column);
  };
  double fromTanh = 0, fromErf = 0; // of GELU, squares
  for (int64_t s = 0; s < spec.d.batch; ++s)
    for (int64_t i = 0; i < spec.d.rows; ++i)
      for (int64_t j = 0; j < spec.d.columns; ++j) {
        double sum = 0;
        const int64_t k = spec.transA ? spec.a.rows : spec.a.columns;
        for (int64_t l = 0; l < k; ++l)
          sum += elementAt(a, spec.a.type,
                           spec.transA ? at(spec.a, l, i, s)
                                       : at(spec.a, i, l, s)) *
                 elementAt(b, spec.b.type,
                           spec.transB ? at(spec.b, j, l, s)
                                       : at(spec.b, l, j, s));
        const int64_t to = at(spec.d, i, j, s);
        sum += spec.beta * elementAt(valuesOfC, c.type, at(c, i, j, s));
        if (spec.epilogue & EPILOGUE_BIAS)
          sum += elementAt(bias, spec.d.type, i + s * spec.biasStride);
        const double wanted = activated(spec.epilogue, sum),
                     value = elementAt(got, spec.d.type, to);
        if (!isAsGood(spec, value, wanted))
          return "wrong at " + std::to_string(i) + ", " + std::to_string(j);
        fromTanh += (value - wanted) * (value - wanted);
        fromErf += (value - geluByErf(sum)) * (value - geluByErf(sum));
      }
  if ((spec.epilogue & EPILOGUE_GELU) && fromErf < fromTanh)
    return "gelu is nearer to erf";
  return "0";
}
