#include "test/compiler/codegen/Harness.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace smex;
using namespace smex::codegen;

Loaded::Loaded(const std::vector<KernelRequest> &requests,
               const CodegenOptions &options) {
  const Result<std::string> bytes = compileKernels(requests, options);
  if (!bytes)
    FAIL(bytes.error().message);
  const int file = memfd_create("kernels", 0);
  REQUIRE(file >= 0);
  REQUIRE(write(file, bytes->data(), bytes->size()) == ssize_t(bytes->size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!handle)
    FAIL(dlerror());
}

Loaded::~Loaded() {
  if (handle)
    dlclose(handle);
}

Loaded::Function Loaded::function(const std::string &symbol) const {
  void *address = dlsym(handle, symbol.c_str());
  REQUIRE(address);
  return reinterpret_cast<Function>(address);
}

namespace {
/// Calls f(offset in `box`, offset in `whole`) for each element of the box.
template <typename F> void zip(const Box &box, const Box &whole, F &&f) {
  std::vector<int64_t> at;
  for (Interval i : box)
    at.push_back(i.lo);
  const auto strides = rowMajorStrides(extents(whole));
  for (int64_t n = 0, count = volume(box); n < count; ++n) {
    int64_t offset = 0;
    for (size_t d = 0; d < box.size(); ++d)
      offset += (at[d] - whole[d].lo) * strides[d];
    f(n, offset);
    for (size_t d = box.size(); d-- > 0; at[d] = box[d].lo)
      if (++at[d] < box[d].hi)
        break;
  }
}
} // namespace

Buffer codegen::bufferOf(const Tensor &tensor, const Box &box) {
  Buffer buffer = emptyBuffer(tensor.type.dtype, tensor.type.shape, box);
  const int64_t size = byteSize(buffer.dtype);
  zip(box, wholeBox(tensor.type.shape), [&](int64_t to, int64_t from) {
    std::memcpy(&buffer.bytes[size_t(to * size)],
                &tensor.bytes[size_t(from * size)], size_t(size));
  });
  return buffer;
}

Buffer codegen::emptyBuffer(DType dtype, const std::vector<int64_t> &shape,
                            const Box &box) {
  Buffer buffer{dtype, shape, box, {}};
  // What a kernel must overwrite, and must not read.
  buffer.bytes.resize(size_t(volume(box) * byteSize(dtype)), std::byte(0xcd));
  return buffer;
}

std::vector<int64_t> codegen::numbersOf(const Box &indices,
                                        const Buffer &result,
                                        const std::vector<Buffer> &operands) {
  std::vector<int64_t> numbers;
  for (Interval i : indices) {
    numbers.push_back(i.lo);
    numbers.push_back(i.hi);
  }
  const auto strides = rowMajorStrides(extents(result.box));
  for (size_t d = 0; d < result.box.size(); ++d) {
    numbers.push_back(result.box[d].lo);
    numbers.push_back(strides[d]);
  }
  for (const Buffer &operand : operands) {
    const auto strides = rowMajorStrides(extents(operand.box));
    for (size_t d = 0; d < operand.box.size(); ++d) {
      numbers.push_back(operand.box[d].lo);
      numbers.push_back(strides[d]);
      numbers.push_back(operand.shape[d]);
    }
  }
  return numbers;
}

void codegen::call(Loaded::Function function, const Box &indices,
                   Buffer &result, const std::vector<Buffer> &operands) {
  std::vector<char *> pointers = {
      reinterpret_cast<char *>(result.bytes.data())};
  for (const Buffer &operand : operands)
    pointers.push_back(const_cast<char *>(
        reinterpret_cast<const char *>(operand.bytes.data())));
  function(pointers.data(), numbersOf(indices, result, operands).data());
}

tdl::Lambda codegen::lambdaOf(const std::string &text) {
  Result<tdl::Lambda> lambda = tdl::parseLambda(text);
  if (!lambda)
    FAIL(text << ": " << lambda.error().message);
  return std::move(*lambda);
}

int64_t codegen::pick(Random &random, int64_t lo, int64_t hi) {
  return lo + int64_t(random() % uint64_t(hi - lo + 1));
}

Tensor codegen::randomTensor(Random &random, TensorType type, int lo, int hi,
                             bool fractions) {
  Tensor tensor = makeTensor(type);
  const int64_t size = byteSize(type.dtype), count = *elementCount(type.shape);
  for (int64_t i = 0; i < count; ++i) {
    tdl::Scalar value;
    if (isFloat(type.dtype) && fractions)
      value.real = lo + (hi - lo) * (random() * 0x1p-32);
    else if (isFloat(type.dtype))
      value.real = double(pick(random, lo, hi));
    else
      value.integer = pick(random, lo, hi);
    if (type.dtype == DType::Bool)
      value.integer &= 1;
    tdl::store(type.dtype, value, &tensor.bytes[size_t(i * size)]);
  }
  return tensor;
}

double codegen::elementAt(const Tensor &tensor, size_t i) {
  const DType type = tensor.type.dtype;
  const tdl::Scalar s =
      tdl::load(type, &tensor.bytes[i * size_t(byteSize(type))]);
  return isFloat(type) ? s.real : double(s.integer);
}
