// Runs compiled kernels on tensors, the way an executor would.
#ifndef SMEX_TEST_COMPILER_CODEGEN_HARNESS_H
#define SMEX_TEST_COMPILER_CODEGEN_HARNESS_H

#include "compiler/codegen/cpu/Codegen.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <random>

namespace smex::codegen {

/// A loaded shared object; from memory, not from a file.
class Loaded {
public:
  /// Fails the test on any error.
  explicit Loaded(const std::vector<KernelRequest> &requests,
                  const CodegenOptions &options = {});
  ~Loaded();
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;

  using Function = void (*)(char *const *, const int64_t *);
  Function function(const std::string &symbol) const;

private:
  void *handle = nullptr;
};

/// A part of a tensor in a buffer of its own, dense and row-major.
struct Buffer {
  DType dtype;
  std::vector<int64_t> shape; // of the tensor
  Box box;
  std::vector<std::byte> bytes;
};
Buffer bufferOf(const Tensor &tensor, const Box &box);
Buffer emptyBuffer(DType dtype, const std::vector<int64_t> &shape,
                   const Box &box);

/// The numbers of the ABI (runtime/plan/README.md) for the index ranges.
std::vector<int64_t> numbersOf(const Box &indices, const Buffer &result,
                               const std::vector<Buffer> &operands);

/// Calls the kernel for the index ranges.
void call(Loaded::Function function, const Box &indices, Buffer &result,
          const std::vector<Buffer> &operands);

/// The lambda of this text; fails the test if it does not parse.
tdl::Lambda lambdaOf(const std::string &text);

using Random = std::mt19937;
int64_t pick(Random &random, int64_t lo, int64_t hi); // both included

/// Small integers from `lo` to `hi`, exact in every type, or with
/// `fractions` reals between them.
Tensor randomTensor(Random &random, TensorType type, int lo, int hi,
                    bool fractions = false);

/// An element as a double (integers as well).
double elementAt(const Tensor &tensor, size_t i);

} // namespace smex::codegen

#endif
