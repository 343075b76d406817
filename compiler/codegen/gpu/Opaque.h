// A call of an opaque function that is a lambda's body: such functions have no
// expression that says what they compute, so each has an algorithm of its own.
#ifndef SMEX_COMPILER_CODEGEN_GPU_OPAQUE_H
#define SMEX_COMPILER_CODEGEN_GPU_OPAQUE_H

#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

/// How the threads share the work of a call.
enum class OpaqueWork {
  PerElement, ///< a thread takes an element of the first slice
  PerSlice,   ///< a block takes all of a slice
};
OpaqueWork workOf(const tdl::Lambda &lambda);

/// Result variables by which slices differ: all but the one that numbers the
/// function's results.
std::vector<int> sliceVariables(const tdl::Lambda &lambda);

/// Where a kernel's function computes the call: `@f(x[i, :], ..)[p]`.
class OpaqueCall {
public:
  explicit OpaqueCall(GpuKernel &kernel);

  /// Elements of the first slice, which has rank 1.
  mlir::Value size() { return extent; }
  /// The element number i of the first slice, as it lies in memory.
  mlir::Value inMemory(mlir::Value i);
  mlir::Value element(mlir::Value i);
  DType elementType() const;
  bool argument(size_t number) const { return call.arguments[number] != 0; }

  /// Of the results that are to be computed, the first, and behind the last.
  mlir::Value firstPlace() { return first; }
  mlir::Value endPlace() { return end; }
  /// Stores a value as result number `place`, which is one of those.
  void store(mlir::Value place, mlir::Value value);
  void storeMemory(mlir::Value place, mlir::Value value);
  /// The same where it is one of those and `condition` holds.
  void storeIf(mlir::Value condition, mlir::Value place, mlir::Value value);

  /// A thread for each element, number i, of each slice.
  void eachElement(llvm::function_ref<void(mlir::Value i)> body);
  /// A block for each slice.
  void eachSlice(llvm::function_ref<void()> body);

  GpuKernel &kernel;
  LocBuilder &b;

private:
  const tdl::Expr &call;
  const std::vector<int> slices;
  int place = -1; // the variable that numbers the results
  mlir::Value extent, first, end;
};

/// The kernels, by function.
void buildGpuOrder(OpaqueCall &call, bool values);
void buildGpuPlaces(OpaqueCall &call);
void buildGpuBits(OpaqueCall &call);

} // namespace smex::codegen

#endif
