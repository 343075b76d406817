// A call of an opaque function that is a lambda's body: such functions have no
// expression that says what they compute, so each has an algorithm of its own.
#ifndef SMEX_COMPILER_CODEGEN_GPU_OPAQUE_H
#define SMEX_COMPILER_CODEGEN_GPU_OPAQUE_H

#include "compiler/codegen/gpu/GpuKernel.h"
#include "compiler/codegen/gpu/OpaqueLaunch.h"

namespace smex::codegen {

/// Where a kernel's function computes the call: `@f(x[i, :], ..)[p]`.
class OpaqueCall {
public:
  explicit OpaqueCall(GpuKernel &kernel);

  /// Elements of a slice along one of its dimensions.
  mlir::Value size(size_t slice = 0, size_t dimension = 0) {
    return extents[slice][dimension];
  }
  /// The element of a slice at these coordinates, as it lies in memory.
  mlir::Value inMemory(mlir::ValueRange i, size_t slice = 0);
  mlir::Value element(mlir::ValueRange i, size_t slice = 0);
  /// The same as an f64.
  mlir::Value real(mlir::ValueRange i, size_t slice = 0);
  DType elementType(size_t slice = 0) const;
  /// Of two elements of the first slice: NaN is larger than any number.
  mlir::Value isLess(mlir::Value x, mlir::Value y);
  double argument(size_t number) const { return call.arguments[number]; }

  /// Of the results that are to be computed, the first, and behind the last. A
  /// function with one result, which has no number, has number 0.
  mlir::Value firstPlace() { return first; }
  mlir::Value endPlace() { return end; }
  /// Stores a value as result number `place`, which is one of those.
  void store(mlir::Value place, mlir::Value value);
  void storeMemory(mlir::Value place, mlir::Value value);
  /// The same where it is one of those and `condition` holds.
  void storeIf(mlir::Value condition, mlir::Value place, mlir::Value value);

  /// A thread for each element, number i, of each slice.
  void eachElement(llvm::function_ref<void(mlir::Value i)> body);
  /// A block for each slice, whose threads wait for each other at its end.
  void eachSlice(llvm::function_ref<void()> body);

  GpuKernel &kernel;
  LocBuilder &b;

private:
  const tdl::Expr &call;
  const std::vector<int> slices;
  int place = -1;              // the variable that numbers the results
  std::vector<Values> extents; // per slice
  mlir::Value first, end;
};

/// The kernels, by function.
void buildGpuOrder(OpaqueCall &call, bool values);
void buildGpuPlaces(OpaqueCall &call);
void buildGpuDeterminant(OpaqueCall &call);
void buildGpuUnique(OpaqueCall &call);
void buildGpuBoxes(OpaqueCall &call);
void buildGpuBits(OpaqueCall &call);

} // namespace smex::codegen

#endif
