#include "runtime/backends/cuda/BlasAlgorithm.h"

#include <cstring>

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::blas;
using plan::MatrixProduct;

namespace {

class Choosing {
public:
  Choosing(const Asked &asked, Handle handle, const Described &made)
      : asked(asked), library(asked.blas), handle(handle), made(made) {}

  Result<std::optional<Algorithm>> run() {
    auto chosen = asked.choices.choiceFor(
        {library.name(), asked.device, request()},
        [&](const std::string &bytes) { return isRight(bytes); },
        [&] { return ask(); });
    if (!chosen && hasNone && asked.epilogue != epilogueDefault)
      return std::optional<Algorithm>();
    if (!chosen)
      return chosen.takeError();
    Algorithm algorithm;
    std::memcpy(&algorithm, chosen->data(), sizeof algorithm);
    return std::optional<Algorithm>(algorithm);
  }

private:
  /// Sums of 16-bit floats must not be rounded before they are whole, so that
  /// parts of them, where a sum is split, are to be of the type of the sums.
  uint32_t reductions() const {
    if (asked.reproducible)
      return reductionNone;
    return asked.result == DType::F16 || asked.result == DType::BF16
               ? reductionComputeType
               : reductionAny;
  }

  std::string request() const {
    const auto matrix = [](const MatrixProduct::Matrix &of, uint32_t bytes) {
      return std::string(of.transposed ? " t" : " n") + " ld " +
             std::to_string(of.leading) + " batch " +
             std::to_string(of.batchStride) + " aligned " +
             std::to_string(bytes);
    };
    const MatrixProduct &product = asked.product;
    std::string text =
        "matmul " + std::string(smex::name(asked.type)) + " to " +
        std::string(smex::name(asked.result)) + ", " +
        std::to_string(product.m) + " x " + std::to_string(product.n) + " x " +
        std::to_string(product.k) + " times " + std::to_string(product.batch) +
        ", a" + matrix(product.a, asked.a) + ", b" +
        matrix(product.b, asked.b) + ", d" + matrix(product.d, asked.d) +
        ", workspace " + std::to_string(asked.workspaceBytes) +
        ", reductions " + std::to_string(reductions());
    if (asked.epilogue != epilogueDefault)
      text += ", epilogue " + std::to_string(asked.epilogue);
    if (asked.bias)
      text += " bias aligned " + std::to_string(asked.bias);
    return text;
  }

  /// Whether the library takes this algorithm for the product, within the
  /// workspace and by the reductions that are allowed.
  bool isRight(const std::string &bytes) const {
    Algorithm algorithm;
    if (bytes.size() != sizeof algorithm)
      return false;
    std::memcpy(&algorithm, bytes.data(), sizeof algorithm);
    HeuristicResult checked = {};
    uint32_t scheme = 0;
    size_t written = 0;
    return library.algorithmCheck(handle, made.operation.get(), made.a.get(),
                                  made.b.get(), made.d.get(), made.d.get(),
                                  &algorithm, &checked) == blas::success &&
           checked.workspaceBytes <= asked.workspaceBytes &&
           library.configGet(&algorithm, configReductionScheme, &scheme,
                             sizeof scheme, &written) == blas::success &&
           (scheme & ~reductions()) == 0;
  }

  Result<Owned<Preference>> preference() const {
    Preference created = nullptr;
    if (Status done = library.check(library.preferenceCreate(&created),
                                    "cublasLtMatmulPreferenceCreate");
        !done)
      return done.takeError();
    Owned<Preference> owned(created, library.preferenceDestroy);
    const uint64_t most = asked.workspaceBytes;
    const uint32_t mask = reductions();
    struct Setting {
      int attribute;
      const void *value;
      size_t bytes;
    };
    for (const Setting &each : std::initializer_list<Setting>{
             {preferenceMaxWorkspaceBytes, &most, sizeof most},
             {preferenceReductionSchemeMask, &mask, sizeof mask},
             {preferenceMinAlignmentA, &asked.a, sizeof asked.a},
             {preferenceMinAlignmentB, &asked.b, sizeof asked.b},
             {preferenceMinAlignmentC, &asked.d, sizeof asked.d},
             {preferenceMinAlignmentD, &asked.d, sizeof asked.d}})
      if (Status done =
              library.check(library.preferenceSet(created, each.attribute,
                                                  each.value, each.bytes),
                            "cublasLtMatmulPreferenceSetAttribute");
          !done)
        return done.takeError();
    return owned;
  }

  /// The best one by the library's own estimate.
  Result<std::string> ask() {
    auto preference = this->preference();
    if (!preference)
      return preference.takeError();
    constexpr int wanted = 8;
    HeuristicResult results[wanted] = {};
    int count = 0;
    const StatusCode code = library.heuristic(
        handle, made.operation.get(), made.a.get(), made.b.get(), made.d.get(),
        made.d.get(), preference->get(), wanted, results, &count);
    hasNone = code == notSupported;
    if (Status done =
            library.check(code, "cublasLtMatmulAlgoGetHeuristic, " + request());
        !done)
      return done.takeError();
    for (int i = 0; i < count; ++i) {
      const HeuristicResult &each = results[i];
      const std::string bytes(reinterpret_cast<const char *>(&each.algorithm),
                              sizeof each.algorithm);
      if (each.state == blas::success && isRight(bytes))
        return bytes;
    }
    hasNone = true;
    return Error{library.name() + " has no algorithm on " + asked.device +
                     " for " + request(),
                 Fault::Environment};
  }

  const Asked &asked;
  const Blas &library;
  const Handle handle;
  const Described &made;
  bool hasNone = false; // the library says so
};

} // namespace

Result<std::optional<Algorithm>> blas::choose(const Asked &asked, Handle handle,
                                              const Described &made) {
  return Choosing(asked, handle, made).run();
}
