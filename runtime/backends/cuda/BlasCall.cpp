// Kernels of kind Contraction by cuBLASLt: where the matrices are, an algorithm
// that is chosen once, and the calls of one product.
#include "runtime/backends/cuda/BlasDescriptors.h"
#include "runtime/backends/cuda/Library.h"
#include "runtime/plan/Target.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::cuda;
using plan::MatrixProduct;

namespace {

/// What cublasLtMatmul asks of its workspace.
constexpr Address workspaceAlignment = 256;
/// What all buffers have (runtime/plan/Plan.h). More would depend on where in a
/// GPU's memory a worker has its arena, and with it the choice of an algorithm.
constexpr Address bufferAlignment = 64;

bool is16Bit(DType type) { return type == DType::F16 || type == DType::BF16; }

/// Where a call's matrices are, and whether it adds to what is in d.
struct Matrices {
  Address a, b, d;
  bool adds;
};

class Product : public LibraryCall {
public:
  Product(const Blas &blas, blas::Handle handle, blas::Described described,
          DType sums, blas::Algorithm algorithm, std::vector<Matrices> calls,
          Address workspace, size_t workspaceBytes)
      : blas(blas), handle(handle), described(std::move(described)),
        isDouble(sums == DType::F64), algorithm(algorithm),
        calls(std::move(calls)), workspace(workspace),
        workspaceBytes(workspaceBytes) {}

  Status submit(Stream stream) override {
    for (const Matrices &each : calls) {
      const blas::StatusCode code =
          blas.matmul(handle, described.operation.get(), scale(true),
                      pointer(each.a), described.a.get(), pointer(each.b),
                      described.b.get(), scale(each.adds), pointer(each.d),
                      described.d.get(), pointer(each.d), described.d.get(),
                      &algorithm, pointer(workspace), workspaceBytes, stream);
      if (code != blas::success)
        return blas.check(code, "cublasLtMatmul");
    }
    return {};
  }

private:
  static void *pointer(Address address) {
    return reinterpret_cast<void *>(address);
  }
  /// In the type of the sums, as the library wants it.
  const void *scale(bool isOne) const {
    static const float singles[] = {0, 1};
    static const double doubles[] = {0, 1};
    return isDouble ? static_cast<const void *>(&doubles[isOne])
                    : static_cast<const void *>(&singles[isOne]);
  }

  const Blas &blas;
  const blas::Handle handle;
  const blas::Described described;
  const bool isDouble;
  const blas::Algorithm algorithm;
  const std::vector<Matrices> calls;
  const Address workspace;
  const size_t workspaceBytes;
};

/// Makes a product of one binding.
class Binder {
public:
  Binder(const Blas &blas, const LibraryBinding &binding)
      : blas(blas), binding(binding), lambda(binding.lambda),
        type(lambda.operands[0].type), result(lambda.result),
        sums(blas::sumsOf(type)) {
    workspace = (binding.workspace + workspaceAlignment - 1) /
                workspaceAlignment * workspaceAlignment;
    const Address lost = workspace - binding.workspace;
    workspaceBytes = binding.workspaceBytes > int64_t(lost)
                         ? size_t(binding.workspaceBytes - int64_t(lost))
                         : 0;
    if (workspaceBytes == 0)
      workspace = 0;
  }

  Result<std::unique_ptr<LibraryCall>> bind() {
    if (Status placed = place(); !placed)
      return placed.takeError();
    auto handle =
        binding.gpu.handleOf("cuBLASLt", [&] { return makeHandle(); });
    if (!handle)
      return handle.takeError();
    const auto typed = static_cast<blas::Handle>(*handle);
    auto described = describe(blas, product, type, result);
    if (!described)
      return described.takeError();
    auto algorithm = choose(typed, *described);
    if (!algorithm)
      return algorithm.takeError();
    return std::unique_ptr<LibraryCall>(
        new Product(blas, typed, std::move(*described), sums, *algorithm,
                    std::move(calls), workspace, workspaceBytes));
  }

private:
  /// The product and where its matrices are.
  Status place() {
    std::vector<int64_t> extents;
    for (const Interval &index : binding.indices)
      extents.push_back(index.size());
    const auto sizesOf = [](const DeviceBuffer &buffer) {
      return smex::extents(buffer.box);
    };
    const auto indices = plan::productIndices(
        binding.kernel, lambda, extents, sizesOf(binding.result),
        {sizesOf(binding.operands[0]), sizesOf(binding.operands[1])});
    auto found = indices ? plan::matrixProduct(*indices, plan::addsUp(lambda))
                         : std::nullopt;
    if (!found)
      return Error{"no product of matrices computes \"" +
                       binding.kernel.lambda + "\"",
                   Fault::Defect};
    product = std::move(*found);

    // The first element of each, and of all calls: how far from there.
    auto result = firstOf(binding.result, [&](size_t d) { return d; });
    if (!result)
      return result.takeError();
    Address operands[2] = {};
    for (const tdl::ExprRef &factor : lambda.body->children) {
      const tdl::Expr &read =
          factor->kind == tdl::ExprKind::Cast ? *factor->children[0] : *factor;
      auto first =
          firstOf(binding.operands[size_t(read.operand)],
                  [&](size_t d) { return size_t(read.children[d]->index); });
      if (!first)
        return first.takeError();
      operands[read.operand] = *first;
    }
    const int64_t size = byteSize(type), resultSize = byteSize(this->result);
    calls = {{operands[0], operands[1], *result, false}};
    const auto repeat = [&](const MatrixProduct::Loop &loop, bool adds) {
      std::vector<Matrices> all;
      for (const Matrices &from : calls)
        for (int64_t i = 0; i < loop.extent; ++i)
          all.push_back({from.a + Address(i * loop.left * size),
                         from.b + Address(i * loop.right * size),
                         from.d + Address(i * loop.result * resultSize),
                         from.adds || (adds && i > 0)});
      calls = std::move(all);
    };
    for (const MatrixProduct::Loop &loop : product.outer)
      repeat(loop, false);
    for (const MatrixProduct::Loop &loop : product.inner)
      repeat(loop, true);
    if (product.swapped)
      for (Matrices &each : calls)
        std::swap(each.a, each.b);
    return {};
  }

  /// The address of the first element of the index ranges; `indexOf` says which
  /// index variable a dimension has. The plan promises that the buffer holds
  /// all of them; memory is not taken on trust.
  template <typename IndexOf>
  Result<Address> firstOf(const DeviceBuffer &buffer, const IndexOf &indexOf) {
    const std::vector<int64_t> strides =
        rowMajorStrides(smex::extents(buffer.box));
    int64_t offset = 0;
    for (size_t d = 0; d < buffer.box.size(); ++d) {
      const Interval &needed = binding.indices[indexOf(d)];
      if (!buffer.box[d].contains(needed))
        return Error{"a buffer does not hold what a product takes of it",
                     Fault::Defect};
      offset += (needed.lo - buffer.box[d].lo) * strides[d];
    }
    return buffer.address + Address(offset * byteSize(buffer.type.dtype));
  }

  Result<std::shared_ptr<void>> makeHandle() {
    blas::Handle handle = nullptr;
    if (Status made = blas.check(blas.create(&handle),
                                 "GPU " + std::to_string(binding.gpu.number) +
                                     ": cublasLtCreate");
        !made)
      return made.takeError();
    const auto destroy = blas.destroy;
    return std::shared_ptr<void>(handle, [destroy](void *made) {
      destroy(static_cast<blas::Handle>(made));
    });
  }

  /// What all calls' addresses of a matrix are multiples of.
  uint32_t alignment(Address Matrices::*matrix) const {
    Address all = bufferAlignment;
    for (const Matrices &each : calls)
      all |= each.*matrix;
    return uint32_t(all & (~all + 1)); // the lowest bit
  }

  /// Sums of 16-bit floats must not be rounded before they are whole, so that
  /// parts of them, where a sum is split, are to be of the type of the sums.
  uint32_t reductions() const {
    if (binding.reproducible)
      return blas::reductionNone;
    return is16Bit(result) ? blas::reductionComputeType : blas::reductionAny;
  }

  std::string request() const {
    const auto matrix = [](const MatrixProduct::Matrix &of, uint32_t bytes) {
      return std::string(of.transposed ? " t" : " n") + " ld " +
             std::to_string(of.leading) + " batch " +
             std::to_string(of.batchStride) + " aligned " +
             std::to_string(bytes);
    };
    return "matmul " + std::string(smex::name(type)) + " to " +
           std::string(smex::name(result)) + ", " + std::to_string(product.m) +
           " x " + std::to_string(product.n) + " x " +
           std::to_string(product.k) + " times " +
           std::to_string(product.batch) + ", a" +
           matrix(product.a, alignment(&Matrices::a)) + ", b" +
           matrix(product.b, alignment(&Matrices::b)) + ", d" +
           matrix(product.d, alignment(&Matrices::d)) + ", workspace " +
           std::to_string(workspaceBytes) + ", reductions " +
           std::to_string(reductions());
  }

  Result<blas::Algorithm> choose(blas::Handle handle,
                                 const blas::Described &made) {
    auto chosen = binding.choices.choiceFor(
        {blas.name(), binding.gpu.info.name, request()},
        [&](const std::string &bytes) { return isRight(handle, made, bytes); },
        [&] { return ask(handle, made); });
    if (!chosen)
      return chosen.takeError();
    blas::Algorithm algorithm;
    std::memcpy(&algorithm, chosen->data(), sizeof algorithm);
    return algorithm;
  }

  /// Whether the library takes this algorithm for the product, within the
  /// workspace and by the reductions that are allowed.
  bool isRight(blas::Handle handle, const blas::Described &made,
               const std::string &bytes) const {
    blas::Algorithm algorithm;
    if (bytes.size() != sizeof algorithm)
      return false;
    std::memcpy(&algorithm, bytes.data(), sizeof algorithm);
    blas::HeuristicResult checked = {};
    uint32_t scheme = 0;
    size_t written = 0;
    return blas.algorithmCheck(handle, made.operation.get(), made.a.get(),
                               made.b.get(), made.d.get(), made.d.get(),
                               &algorithm, &checked) == blas::success &&
           checked.workspaceBytes <= workspaceBytes &&
           blas.configGet(&algorithm, blas::configReductionScheme, &scheme,
                          sizeof scheme, &written) == blas::success &&
           (scheme & ~reductions()) == 0;
  }

  /// The best one by the library's own estimate.
  Result<std::string> ask(blas::Handle handle,
                          const blas::Described &made) const {
    blas::Preference created = nullptr;
    if (Status done = blas.check(blas.preferenceCreate(&created),
                                 "cublasLtMatmulPreferenceCreate");
        !done)
      return done.takeError();
    const blas::Owned<blas::Preference> preference(created,
                                                   blas.preferenceDestroy);
    const uint64_t most = workspaceBytes;
    const uint32_t mask = reductions(), a = alignment(&Matrices::a),
                   b = alignment(&Matrices::b), d = alignment(&Matrices::d);
    struct Setting {
      int attribute;
      const void *value;
      size_t bytes;
    };
    for (const Setting &each : std::initializer_list<Setting>{
             {blas::preferenceMaxWorkspaceBytes, &most, sizeof most},
             {blas::preferenceReductionSchemeMask, &mask, sizeof mask},
             {blas::preferenceMinAlignmentA, &a, sizeof a},
             {blas::preferenceMinAlignmentB, &b, sizeof b},
             {blas::preferenceMinAlignmentC, &d, sizeof d},
             {blas::preferenceMinAlignmentD, &d, sizeof d}})
      if (Status done = blas.check(blas.preferenceSet(created, each.attribute,
                                                      each.value, each.bytes),
                                   "cublasLtMatmulPreferenceSetAttribute");
          !done)
        return done.takeError();
    constexpr int wanted = 8;
    blas::HeuristicResult results[wanted] = {};
    int count = 0;
    if (Status done = blas.check(
            blas.heuristic(handle, made.operation.get(), made.a.get(),
                           made.b.get(), made.d.get(), made.d.get(), created,
                           wanted, results, &count),
            "cublasLtMatmulAlgoGetHeuristic, " + request());
        !done)
      return done.takeError();
    for (int i = 0; i < count; ++i) {
      const blas::HeuristicResult &each = results[i];
      const std::string bytes(reinterpret_cast<const char *>(&each.algorithm),
                              sizeof each.algorithm);
      if (each.state == blas::success && isRight(handle, made, bytes))
        return bytes;
    }
    return Error{blas.name() + " has no algorithm on " + binding.gpu.info.name +
                     " for " + request(),
                 Fault::Environment};
  }

  const Blas &blas;
  const LibraryBinding &binding;
  const tdl::Lambda &lambda;
  const DType type, result, sums;
  Address workspace = 0;
  size_t workspaceBytes = 0;
  MatrixProduct product;
  std::vector<Matrices> calls;
};

} // namespace

Result<std::unique_ptr<LibraryCall>>
cuda::bindMatrixProduct(const LibraryBinding &binding) {
  const auto blas = Blas::get(binding.gpu.driver);
  if (!blas)
    return blas.error();
  if (binding.operands.size() != 2 || binding.lambda.operands.size() != 2)
    return Error{"a product of matrices has two operands", Fault::Defect};
  return Binder(**blas, binding).bind();
}
