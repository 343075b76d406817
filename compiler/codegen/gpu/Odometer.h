// Numbers in mixed radix, as tuples of loop variables are counted. Taking a
// number apart is a division per digit, which a GPU has no instruction for; a
// loop with a constant step adds digits instead, and carries.
#ifndef SMEX_COMPILER_CODEGEN_GPU_ODOMETER_H
#define SMEX_COMPILER_CODEGEN_GPU_ODOMETER_H

#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

class Odometer {
public:
  /// The last digit has the last radix; the first one's is not used, so that no
  /// number is too large. A radix of 0 stands for 1.
  Odometer(GpuKernel &kernel, Values radices);

  Values digitsOf(mlir::Value number);
  /// The digits of the sum of two numbers.
  Values sum(mlir::ValueRange one, mlir::ValueRange other);

private:
  GpuKernel &kernel;
  const Values radices;
};

} // namespace smex::codegen

#endif
