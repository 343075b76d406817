// Kernels of kind Contraction by cuBLASLt: where the matrices are, and the
// calls of one product.
#include "runtime/backends/cuda/BlasAlgorithm.h"
#include "runtime/backends/cuda/Library.h"
#include "runtime/plan/Epilogue.h"
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

/// What the library's kernels may take a bias to have, whatever they are asked
/// for: "cuBLASLt's alignment preferences cover A, B, C, D but not the epilogue
/// bias pointer", and kernels fault with less (pytorch#194497).
constexpr uint32_t leastBiasAlignment = 16;

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
    std::unique_ptr<LibraryCall> none;
    if (binding.epilogue && !canHaveEpilogue())
      return none;
    if (Status set = describeEpilogue(*described); !set)
      return set.takeError();
    auto algorithm = blas::choose(asked(), typed, *described);
    if (!algorithm)
      return algorithm.takeError();
    if (!*algorithm)
      return none;
    if (hasBias())
      if (Status set = setBias(blas, *described, bias); !set)
        return set.takeError();
    return std::unique_ptr<LibraryCall>(
        new Product(blas, typed, std::move(*described), sums, **algorithm,
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

  bool hasBias() const {
    return binding.epilogue && binding.epilogue->what.bias >= 0;
  }

  /// Whether the product is one call, and the bias lies as the library wants
  /// it; finds the bias.
  bool canHaveEpilogue() {
    if (!hasBias())
      return plan::isInOneCall(product, std::nullopt);
    const DeviceBuffer &held = binding.epilogue->bias;
    const Box &read = binding.epilogue->biasRegion;
    if (held.box.size() != read.size() || held.type.dtype != result ||
        !contains(held.box, read) || !plan::isInOneCall(product, volume(read)))
      return false;
    // Packed: along each dimension but the first that is not of one element,
    // all that is held is read.
    const std::vector<int64_t> strides =
        rowMajorStrides(smex::extents(held.box));
    int64_t packed = 1, offset = 0;
    for (size_t d = read.size(); d-- > 0;) {
      if (read[d].size() > 1 && strides[d] != packed)
        return false;
      packed *= read[d].size();
      offset += (read[d].lo - held.box[d].lo) * strides[d];
    }
    bias = held.address + Address(offset * byteSize(result));
    return lowestBit(bias | bufferAlignment) >= leastBiasAlignment;
  }

  uint32_t epilogue() const {
    if (!binding.epilogue)
      return blas::epilogueDefault;
    const uint32_t added = hasBias() ? blas::epilogueBias : 0;
    switch (binding.epilogue->what.activation) {
    case analysis::Activation::Relu:
      return blas::epilogueRelu | added;
    case analysis::Activation::Gelu:
      return blas::epilogueGelu | added;
    case analysis::Activation::None:
      break;
    }
    return blas::epilogueBias;
  }

  /// The choice of an algorithm is not to depend on where in a GPU's memory the
  /// bias is, but for its alignment.
  Status describeEpilogue(const blas::Described &made) const {
    if (!binding.epilogue)
      return {};
    if (Status set = setEpilogue(blas, made, epilogue()); !set)
      return set;
    return hasBias() ? setBias(blas, made, lowestBit(bias | bufferAlignment))
                     : Status();
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
    return lowestBit(all);
  }
  static uint32_t lowestBit(Address of) { return uint32_t(of & (~of + 1)); }

  /// What a library chooses an algorithm for.
  blas::Asked asked() const {
    return {blas,
            binding.gpu.info.name,
            binding.choices,
            product,
            type,
            result,
            alignment(&Matrices::a),
            alignment(&Matrices::b),
            alignment(&Matrices::d),
            workspaceBytes,
            binding.reproducible,
            epilogue(),
            hasBias() ? lowestBit(bias | bufferAlignment) : 0};
  }

  const Blas &blas;
  const LibraryBinding &binding;
  const tdl::Lambda &lambda;
  const DType type, result, sums;
  Address workspace = 0;
  size_t workspaceBytes = 0;
  MatrixProduct product;
  std::vector<Matrices> calls;
  Address bias = 0;
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
