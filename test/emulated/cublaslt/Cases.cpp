// Calls of cuBLASLt, each with what the emulated library answers: the same
// program runs on NVIDIA's, where there is a GPU, and lists what differs. It
// uses nothing but the public entry points, and finds both libraries as
// smex-run does.
#include "test/emulated/cublaslt/Functions.h"
#include "test/emulated/cublaslt/Status.h"
#include "test/emulated/cuda/Functions.h"
#include "test/emulated/ptx/Float.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

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
  return true;
}

struct MatrixSpec {
  int type = R_32F;
  int64_t rows = 0, columns = 0, leading = 0;
  int32_t batch = 1;
  int64_t batchStride = 0;
  int32_t order = ORDER_COL;
};

/// D = op(A) op(B) + beta D, each setting one that a case changes.
struct Spec {
  int computeType = COMPUTE_32F, scaleType = R_32F;
  int32_t transA = OP_N, transB = OP_N, transC = OP_N;
  MatrixSpec a{R_32F, 16, 24, 16}, b{R_32F, 24, 8, 24}, d{R_32F, 16, 8, 16};
  double beta = 0;
  uint64_t offsetA = 0, offsetD = 0; // bytes from an aligned address
  uint64_t workspaceBytes = 0, workspaceOffset = 0;
  uint32_t alignment = 16, reductions = REDUCTION_SCHEME_MASK;
  int wanted = 1;
  bool asks = true; // else no algorithm is given
  bool zeroAlgorithm = false;
  bool nullHandle = false, nullLayout = false, nullA = false, nullAlpha = false;
  /// A workspace smaller than what the heuristic was told.
  bool takesWorkspaceAway = false;
};

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

constexpr size_t elements = 4096, matrixBytes = elements * 8;

struct Machine {
  void *context = nullptr, *stream = nullptr, *handle = nullptr;
  uint64_t a = 0, b = 0, d = 0, workspace = 0;

  bool open() {
    return !call.cuInit(0) && !call.cuDevicePrimaryCtxRetain(&context, 0) &&
           !call.cuCtxSetCurrent(context) && !call.cuStreamCreate(&stream, 1) &&
           !call.cublasLtCreate(&handle) &&
           !call.cuMemAlloc_v2(&a, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&b, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&d, matrixBytes + 256) &&
           !call.cuMemAlloc_v2(&workspace, 1 << 20);
  }
} machine;

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

/// Runs to the first call that is refused: "heuristic 7"; "0" if none is, and
/// the results are right.
std::string run(const Spec &spec) {
#define STEP(name, what)                                                       \
  if (int status = (what))                                                     \
  return std::string(name) + " " + std::to_string(status)
  struct Cleanup {
    std::vector<std::function<void()>> all;
    ~Cleanup() {
      for (const auto &each : all)
        each();
    }
  } cleanup;
  void *operation = nullptr, *layouts[3] = {}, *preference = nullptr;
  STEP("descriptor", call.cublasLtMatmulDescCreate(&operation, spec.computeType,
                                                   spec.scaleType));
  cleanup.all.push_back([=] { call.cublasLtMatmulDescDestroy(operation); });
  for (const auto &[attribute, value] :
       {std::pair{MATMUL_DESC_TRANSA, spec.transA},
        std::pair{MATMUL_DESC_TRANSB, spec.transB},
        std::pair{MATMUL_DESC_TRANSC, spec.transC}})
    STEP("transposition", call.cublasLtMatmulDescSetAttribute(
                              operation, attribute, &value, sizeof value));
  const MatrixSpec *specs[] = {&spec.a, &spec.b, &spec.d};
  for (int i = 0; i < 3; ++i) {
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
             handle, operation, layouts[0], layouts[1], layouts[2], layouts[2],
             preference, spec.wanted, results, &count));
    if (count < 1)
      return "heuristic finds nothing";
  }
  if (spec.zeroAlgorithm)
    std::memset(results, 0, sizeof results);
  if (spec.asks) {
    alignas(8) std::byte checked[96] = {};
    STEP("check", call.cublasLtMatmulAlgoCheck(handle, operation, layouts[0],
                                               layouts[1], layouts[2],
                                               layouts[2], results, checked));
  }
  const auto a = numbers(spec.a.type, elements, 1),
             b = numbers(spec.b.type, elements, 2);
  auto d = numbers(spec.d.type, elements, 3);
  const uint64_t atA = machine.a + spec.offsetA, atD = machine.d + spec.offsetD;
  STEP("copy", call.cuMemcpyHtoD_v2(atA, a.data(), a.size()));
  STEP("copy", call.cuMemcpyHtoD_v2(machine.b, b.data(), b.size()));
  STEP("copy", call.cuMemcpyHtoD_v2(atD, d.data(), d.size()));
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
           layouts[1], beta, pointer(atD), layouts[2], pointer(atD), layouts[2],
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
        sum += spec.beta * elementAt(d, spec.d.type, to);
        if (elementAt(got, spec.d.type, to) != sum)
          return "wrong at " + std::to_string(i) + ", " + std::to_string(j);
      }
  return "0";
}

struct Case {
  const char *name;
  const char *expected; // the call that is refused, and its status; or "0"
  std::function<void(Spec &)> change;
};

void types(Spec &s, int operands, int result) {
  s.a.type = s.b.type = operands;
  s.d.type = result;
}

const std::vector<Case> cases = {
    {"f32", "0", [](Spec &) {}},
    {"f64", "0",
     [](Spec &s) {
       s.computeType = COMPUTE_64F;
       s.scaleType = R_64F;
       types(s, R_64F, R_64F);
     }},
    {"f16 to f16", "0", [](Spec &s) { types(s, R_16F, R_16F); }},
    {"f16 to f32", "0", [](Spec &s) { types(s, R_16F, R_32F); }},
    {"bf16 to bf16", "0", [](Spec &s) { types(s, R_16BF, R_16BF); }},
    {"bf16 to f32", "0", [](Spec &s) { types(s, R_16BF, R_32F); }},
    {"pedantic", "0", [](Spec &s) { s.computeType = COMPUTE_32F_PEDANTIC; }},
    {"A transposed", "0",
     [](Spec &s) {
       s.transA = OP_T;
       s.a = {R_32F, 24, 16, 24};
     }},
    {"B transposed", "0",
     [](Spec &s) {
       s.transB = OP_T;
       s.b = {R_32F, 8, 24, 8};
     }},
    {"leading dimensions with room", "0",
     [](Spec &s) { s.a.leading = 20, s.b.leading = 28, s.d.leading = 32; }},
    {"odd leading dimensions", "0",
     [](Spec &s) {
       s.a.leading = 17, s.b.leading = 25, s.d.leading = 19;
       s.alignment = 4;
     }},
    {"all by rows", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 24, 24, 1, 0, ORDER_ROW};
       s.b = {R_32F, 24, 8, 8, 1, 0, ORDER_ROW};
       s.d = {R_32F, 16, 8, 8, 1, 0, ORDER_ROW};
     }},
    {"a batch", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.a.batchStride = 400, s.b.batchStride = 192, s.d.batchStride = 128;
     }},
    {"one A for a batch", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.b.batchStride = 192, s.d.batchStride = 128;
     }},
    {"a batch between the columns", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.a.leading = s.d.leading = 48;
       s.a.batchStride = s.d.batchStride = 16, s.b.batchStride = 192;
     }},
    {"added to D", "0", [](Spec &s) { s.beta = 1; }},
    {"one row", "0",
     [](Spec &s) {
       s.a = {R_32F, 1, 24, 1};
       s.d = {R_32F, 1, 8, 1};
       s.alignment = 4;
     }},
    {"one column", "0",
     [](Spec &s) {
       s.b = {R_32F, 24, 1, 24};
       s.d = {R_32F, 16, 1, 16};
     }},
    {"one term", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 1, 16};
       s.b = {R_32F, 1, 8, 1};
       s.alignment = 4;
     }},
    {"a single number", "0",
     [](Spec &s) {
       s.a = {R_32F, 1, 1, 1};
       s.b = {R_32F, 1, 1, 1};
       s.d = {R_32F, 1, 1, 1};
       s.alignment = 4;
     }},
    {"an address of 4 bytes that the preference allows", "0",
     [](Spec &s) { s.offsetA = 4, s.alignment = 4; }},
    {"no algorithm", "0", [](Spec &s) { s.asks = false; }},
    {"a long sum with a workspace", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
     }},
    {"a long sum without reductions", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.reductions = REDUCTION_SCHEME_NONE;
     }},
    {"no handle", "heuristic 1", [](Spec &s) { s.nullHandle = true; }},
    {"no layout", "heuristic 7", [](Spec &s) { s.nullLayout = true; }},
    {"no A", "matmul 7", [](Spec &s) { s.nullA = true; }},
    {"no alpha", "matmul 7", [](Spec &s) { s.nullAlpha = true; }},
    {"no algorithm is asked for", "heuristic 7", [](Spec &s) { s.wanted = 0; }},
    {"a leading dimension below the rows", "heuristic 7",
     [](Spec &s) { s.a.leading = 15; }},
    {"sums of different lengths", "heuristic 7",
     [](Spec &s) { s.b = {R_32F, 20, 8, 20}; }},
    {"a result of another height", "heuristic 7",
     [](Spec &s) { s.d = {R_32F, 12, 8, 12}; }},
    {"batches of different sizes", "heuristic 7",
     [](Spec &s) { s.a.batch = 2; }},
    {"operands of two types", "heuristic 15",
     [](Spec &s) { s.b.type = R_16F; }},
    {"f32 to f16", "heuristic 15", [](Spec &s) { s.d.type = R_16F; }},
    {"f64 summed in f32", "heuristic 15",
     [](Spec &s) { types(s, R_64F, R_64F); }},
    {"C transposed", "heuristic 15", [](Spec &s) { s.transC = OP_T; }},
    {"an algorithm of zeros", "check 7",
     [](Spec &s) { s.zeroAlgorithm = true; }},
    {"a workspace that is not aligned", "matmul 7",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.workspaceOffset = 64;
     }},
    {"less workspace than the algorithm needs", "matmul 7",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.takesWorkspaceAway = true;
     }},
    {"an address of 4 bytes that the preference does not allow", "matmul 7",
     [](Spec &s) { s.offsetA = 4; }},
    {"an address that no element has", "matmul 7",
     [](Spec &s) { s.offsetD = 2, s.alignment = 4; }},
};

} // namespace

int main() {
  if (!load())
    return 2;
  if (!machine.open()) {
    std::printf("no GPU, or no handle of cuBLASLt\n");
    return 2;
  }
  char device[128] = "";
  call.cuDeviceGetName(device, sizeof device, 0);
  std::printf("cuBLASLt %zu on %s\n", call.cublasLtGetVersion(), device);
  int differences = 0;
  for (const Case &each : cases) {
    Spec spec;
    each.change(spec);
    const std::string got = run(spec);
    if (got == each.expected)
      continue;
    if (differences++ == 0)
      std::printf("%-60s %-16s %s\n", "case", "expected", "got");
    std::printf("%-60s %-16s %s\n", each.name, each.expected, got.c_str());
  }
  std::printf("%zu cases, %d differ\n", cases.size(), differences);
  return differences ? 3 : 0;
}
