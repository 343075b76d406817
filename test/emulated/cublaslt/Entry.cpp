// The entry points. Each counts as a call (SMEX_EMULATED_FAIL_AT), and says why
// it refuses.
#include "test/emulated/Recorded.h"
#include "test/emulated/cublaslt/Functions.h"
#include "test/emulated/cublaslt/Multiply.h"

#include <algorithm>
#include <atomic>
#include <memory>

SMEX_CUBLASLT_FUNCTIONS(SMEX_CUBLASLT_DECLARE)

using namespace smex::emulated;
using namespace smex::emulated::cublaslt;
using Kind = Descriptor::Kind;

namespace {

template <class Body> int entry(const char *name, const Body &body) {
  const DriverCalls *driver = DriverCalls::get();
  if (!driver)
    return STATUS_NOT_INITIALIZED;
  if (const int injected = driver->call(name))
    return injected;
  try {
    body(*driver);
    return STATUS_SUCCESS;
  } catch (const Refusal &refusal) {
    driver->report((std::string(name) + ": " + refusal.text).c_str());
    return refusal.status;
  }
}

template <class Made> void give(void **to, const char *name, const Made &made) {
  need(to != nullptr, STATUS_INVALID_VALUE,
       std::string(name) + ": nowhere to put it", cites::nowhere);
  *to = add(made);
}

/// Handle, current device and stream are of one device.
const Handle &usableHandle(void *pointer, const DriverCalls &driver,
                           void *stream = nullptr) {
  const Handle &handle = handleAt(pointer);
  for (int device : {driver.deviceOf(nullptr), driver.deviceOf(stream)})
    need(device == handle.device, STATUS_INVALID_VALUE,
         "the handle is of device " + std::to_string(handle.device) +
             ", and the call is for device " + std::to_string(device),
         cites::otherDevice);
  return handle;
}

Algorithm algorithmAt(const void *pointer) {
  need(pointer != nullptr, STATUS_INVALID_VALUE, "no algorithm",
       cites::nullParameter);
  Algorithm algorithm;
  std::memcpy(&algorithm, pointer, sizeof algorithm);
  return algorithm;
}

double scalarAt(const void *pointer, const Problem &problem) {
  if (problem.isDouble())
    return *static_cast<const double *>(pointer);
  return double(*static_cast<const float *>(pointer));
}

void needAligned(uint64_t address, size_t bytes, const char *name,
                 const Citation &citation = cites::aligned) {
  need(address % bytes == 0, STATUS_INVALID_VALUE,
       std::string(name) + " is not aligned to " + std::to_string(bytes) +
           " bytes",
       citation);
}

uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// Of a recorded call: "o=.. a=.. b=.. c=.. d=..".
std::optional<std::string> textOf(void *handle, void *operation, void *a,
                                  void *b, void *c, void *d) {
  std::string text;
  const std::pair<const char *, void *> all[] = {
      {"o", operation}, {"a", a}, {"b", b}, {"c", c}, {"d", d}};
  for (const auto &[name, pointer] : all) {
    const auto own = descriptorText(pointer);
    if (!own || !isHandle(handle))
      return std::nullopt;
    text += (text.empty() ? "" : " ") + (name + ("=" + *own));
  }
  return text;
}

} // namespace

extern "C" {

size_t cublasLtGetVersion() { return Settings::get().version; }

const char *cublasLtGetStatusName(int status) {
  switch (status) {
#define SMEX_CUBLASLT_NAME(name, value)                                        \
  case name:                                                                   \
    return "CUBLAS_" #name;
    SMEX_CUBLASLT_STATUSES(SMEX_CUBLASLT_NAME)
#undef SMEX_CUBLASLT_NAME
  }
  return "unknown";
}

const char *cublasLtGetStatusString(int status) {
  return cublasLtGetStatusName(status);
}

int cublasLtCreate(void **handle) {
  return entry("cublasLtCreate", [&](const DriverCalls &driver) {
    const int device = driver.deviceOf(nullptr);
    need(handle != nullptr, STATUS_INVALID_VALUE, "nowhere to put the handle",
         cites::nowhere);
    need(device >= 0, STATUS_NOT_INITIALIZED, "no context is current",
         cites::noContext);
    give(handle, "cublasLtCreate", Handle{device});
  });
}

int cublasLtDestroy(void *handle) {
  return entry("cublasLtDestroy",
               [&](const DriverCalls &) { removeHandle(handle); });
}

int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  return entry("cublasLtMatrixLayoutCreate", [&](const DriverCalls &) {
    Descriptor made(Kind::Layout);
    made.put(MATRIX_LAYOUT_TYPE, uint32_t(type));
    made.put(MATRIX_LAYOUT_ROWS, rows);
    made.put(MATRIX_LAYOUT_COLS, columns);
    made.put(MATRIX_LAYOUT_LD, leading);
    give(layout, "cublasLtMatrixLayoutCreate", made);
  });
}

int cublasLtMatmulDescCreate(void **operation, int computeType, int scaleType) {
  return entry("cublasLtMatmulDescCreate", [&](const DriverCalls &) {
    Descriptor made(Kind::Operation);
    made.put(MATMUL_DESC_COMPUTE_TYPE, int32_t(computeType));
    made.put(MATMUL_DESC_SCALE_TYPE, int32_t(scaleType));
    give(operation, "cublasLtMatmulDescCreate", made);
  });
}

int cublasLtMatmulPreferenceCreate(void **preference) {
  return entry("cublasLtMatmulPreferenceCreate", [&](const DriverCalls &) {
    give(preference, "cublasLtMatmulPreferenceCreate",
         Descriptor(Kind::Preference));
  });
}

// Of each kind of descriptor: destroy, set, get.
#define SMEX_CUBLASLT_DESCRIPTOR(name, kind)                                   \
  int cublasLt##name##Destroy(void *descriptor) {                              \
    return entry("cublasLt" #name "Destroy", [&](const DriverCalls &) {        \
      removeDescriptor(descriptor, kind);                                      \
    });                                                                        \
  }                                                                            \
  int cublasLt##name##SetAttribute(void *descriptor, int attribute,            \
                                   const void *value, size_t bytes) {          \
    return entry("cublasLt" #name "SetAttribute", [&](const DriverCalls &) {   \
      descriptorAt(descriptor, kind, #name).set(attribute, value, bytes);      \
    });                                                                        \
  }                                                                            \
  int cublasLt##name##GetAttribute(void *descriptor, int attribute,            \
                                   void *value, size_t bytes,                  \
                                   size_t *written) {                          \
    return entry("cublasLt" #name "GetAttribute", [&](const DriverCalls &) {   \
      descriptorAt(descriptor, kind, #name)                                    \
          .get(attribute, value, bytes, written);                              \
    });                                                                        \
  }
SMEX_CUBLASLT_DESCRIPTOR(MatrixLayout, Kind::Layout)
SMEX_CUBLASLT_DESCRIPTOR(MatmulDesc, Kind::Operation)
SMEX_CUBLASLT_DESCRIPTOR(MatmulPreference, Kind::Preference)
#undef SMEX_CUBLASLT_DESCRIPTOR

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a,
                                   void *b, void *c, void *d, void *preference,
                                   int wanted, void *results, int *count) {
  const int status =
      entry("cublasLtMatmulAlgoGetHeuristic", [&](const DriverCalls &driver) {
        usableHandle(handle, driver);
        need(wanted > 0, STATUS_INVALID_VALUE, "no algorithm is asked for",
             cites::count);
        need(results && count, STATUS_INVALID_VALUE,
             "nowhere to put algorithms", cites::nullParameter);
        const Problem problem = problemOf(operation, a, b, c, d);
        const auto found =
            proposals(problem, descriptorAt(preference, Kind::Preference,
                                            "the preference"));
        need(!found.empty(), STATUS_NOT_SUPPORTED,
             "no algorithm is within the preference", cites::noneFound);
        *count = std::min(wanted, int(found.size()));
        for (int i = 0; i < *count; ++i) {
          const HeuristicResult result{found[size_t(i)],
                                       workspaceOf(found[size_t(i)], problem),
                                       STATUS_SUCCESS,
                                       1.0f,
                                       {}};
          std::memcpy(static_cast<HeuristicResult *>(results) + i, &result,
                      sizeof result);
        }
      });
  return recorded("cublasLtMatmulAlgoGetHeuristic", status,
                  [&]() -> std::optional<std::string> {
                    auto text = textOf(handle, operation, a, b, c, d);
                    const auto own = descriptorText(preference);
                    if (text && own && results && count)
                      return *text + " p=" + *own +
                             " wanted=" + std::to_string(wanted);
                    return std::nullopt;
                  });
}

int cublasLtMatmulAlgoCheck(void *handle, void *operation, void *a, void *b,
                            void *c, void *d, const void *algorithm,
                            void *result) {
  return entry("cublasLtMatmulAlgoCheck", [&](const DriverCalls &driver) {
    usableHandle(handle, driver);
    need(result != nullptr, STATUS_INVALID_VALUE, "nowhere to put the result",
         cites::nullParameter);
    const Problem problem = problemOf(operation, a, b, c, d);
    const Algorithm checked = algorithmAt(algorithm);
    check(checked, problem);
    // "algo field is never updated".
    auto *to = static_cast<HeuristicResult *>(result);
    to->workspaceBytes = workspaceOf(checked, problem);
    to->state = STATUS_SUCCESS;
    to->waves = 1;
  });
}

int cublasLtMatmulAlgoConfigGetAttribute(const void *algorithm, int attribute,
                                         void *value, size_t bytes,
                                         size_t *written) {
  return entry(
      "cublasLtMatmulAlgoConfigGetAttribute", [&](const DriverCalls &) {
        const Algorithm asked = algorithmAt(algorithm);
        uint32_t stored = 0;
        switch (attribute) {
        case ALGO_CONFIG_ID:
          stored = uint32_t(asked.id);
          break;
        case ALGO_CONFIG_SPLITK_NUM:
          stored = uint32_t(asked.parts);
          break;
        case ALGO_CONFIG_REDUCTION_SCHEME:
          stored = uint32_t(asked.scheme);
          break;
        default:
          refuse(STATUS_INVALID_VALUE, "attribute " + std::to_string(attribute),
                 attribute >= 0 && attribute <= ALGO_CONFIG_CLUSTER_SHAPE_ID
                     ? cites::someConfiguration
                     : cites::unknownAttribute);
        }
        need(bytes == 0 ? written != nullptr : value && bytes == sizeof stored,
             STATUS_INVALID_VALUE, "the attribute has 4 bytes", cites::getSize);
        if (bytes > 0)
          std::memcpy(value, &stored, sizeof stored);
        if (written)
          *written = sizeof stored;
      });
}

int cublasLtMatmul(void *handle, void *operation, const void *alpha,
                   const void *a, void *aLayout, const void *b, void *bLayout,
                   const void *beta, const void *c, void *cLayout, void *d,
                   void *dLayout, const void *algorithm, void *workspace,
                   size_t workspaceBytes, void *stream) {
  static std::atomic<uint64_t> calls = 0;
  // For the record: what the algorithm was asked for with, and beta.
  size_t aligned = 16, room = workspaceBytes;
  double scale = 0;
  const int status = entry("cublasLtMatmul", [&](const DriverCalls &driver) {
    usableHandle(handle, driver, stream);
    auto call = std::make_shared<Call>();
    call->problem = problemOf(operation, aLayout, bLayout, cLayout, dLayout);
    const Problem &problem = call->problem;
    need(alpha && beta && a && b && d, STATUS_INVALID_VALUE,
         "a parameter is NULL", cites::nullParameter);
    call->alpha = scalarAt(alpha, problem);
    call->beta = scalarAt(beta, problem);
    need(call->beta == 0 || c, STATUS_INVALID_VALUE, "C is NULL",
         cites::nullParameter);
    need(c != d || problem.c == problem.d, STATUS_INVALID_VALUE,
         "C is D, with another layout", cites::inPlace);
    call->a = addressOf(a), call->b = addressOf(b), call->c = addressOf(c);
    call->d = addressOf(d), call->workspace = addressOf(workspace);
    needAligned(call->workspace, 256, "the workspace", cites::workspaceAligned);
    if (algorithm) {
      call->algorithm = algorithmAt(algorithm);
      check(call->algorithm, problem);
    } else {
      // "When NULL, an implicit heuristics query with default search
      // preferences will be performed".
      const auto found = proposals(problem, Descriptor(Kind::Preference));
      need(!found.empty(), STATUS_NOT_SUPPORTED, "no algorithm",
           cites::noneFound);
      call->algorithm = found.front();
    }
    const size_t needed = workspaceOf(call->algorithm, problem);
    scale = call->beta;
    room = std::max(room, needed);
    aligned =
        std::max(alignmentOf(call->algorithm, problem), sizeOf(problem.a.type));
    need(needed <= workspaceBytes && (needed == 0 || workspace),
         STATUS_INVALID_VALUE,
         "the algorithm needs a workspace of " + std::to_string(needed) +
             " bytes",
         cites::workspaceSize);
    needAligned(call->a, std::max(aligned, sizeOf(problem.a.type)), "matrix A");
    needAligned(call->b, std::max(aligned, sizeOf(problem.b.type)), "matrix B");
    needAligned(call->d, std::max(aligned, sizeOf(problem.d.type)), "matrix D");
    if (call->beta != 0)
      needAligned(call->c, std::max(aligned, sizeOf(problem.c.type)),
                  "matrix C");
    if (problem.epilogue.hasBias()) {
      // Only who reads it needs it: the heuristic was seen to do without.
      need(problem.epilogue.bias != 0, STATUS_INVALID_VALUE, "there is no bias",
           cites::nullParameter);
      needAligned(problem.epilogue.bias, 16, "the bias", cites::biasAligned);
    }
    call->number = calls++;
    const std::string description =
        "cublasLtMatmul of " + std::to_string(problem.m) + " x " +
        std::to_string(problem.n) + " x " + std::to_string(problem.k) +
        (problem.epilogue.kind == EPILOGUE_DEFAULT
             ? ""
             : " with epilogue " + std::to_string(problem.epilogue.kind));
    need(submitWork(driver, stream, description,
                    [call](DeviceView &view) { multiply(*call, view); }) == 0,
         STATUS_EXECUTION_FAILED, "the device takes no work", cites::device);
  });
  return recorded(
      "cublasLtMatmul", status, [&]() -> std::optional<std::string> {
        auto text =
            textOf(handle, operation, aLayout, bLayout, cLayout, dLayout);
        if (!text || !alpha || !beta)
          return std::nullopt;
        *text += " at=";
        for (const void *each : {a, b, c, static_cast<const void *>(d),
                                 static_cast<const void *>(workspace)})
          *text += placeIn256(addressOf(each)) + ",";
        text->back() = ' ';
        return *text + "bytes=" + std::to_string(workspaceBytes) +
               " room=" + std::to_string(room) +
               " aligned=" + std::to_string(aligned) +
               " beta=" + (scale != 0 ? "1" : "0") +
               " same=" + (c == d ? "1" : "0") +
               " algorithm=" + (algorithm ? "1" : "0");
      });
}
}
