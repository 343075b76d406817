// Where the elements of a slice that are not 0 are, in their order, and zeros
// behind (`nonzero_places`). A block goes through the slice.
#include "compiler/codegen/gpu/Count.h"
#include "compiler/codegen/gpu/Opaque.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

void codegen::buildGpuPlaces(OpaqueCall &call) {
  GpuKernel &kernel = call.kernel;
  LocBuilder &b = call.b;
  BlockCount count(kernel);
  const auto isSome = [&](Value i) {
    const DType type = call.elementType();
    Value zero =
        isFloat(type) ? realConstant(b, type, 0) : integerConstant(b, type, 0);
    return emitBinary(b, tdl::BinaryOp::Ne, type, call.element(i), zero);
  };
  call.eachSlice([&] {
    Value all =
        count.run(call.size(), isSome, [&](Value i, Value is, Value upTo) {
          Value number = arith::IndexCastOp::create(b, b.getI64Type(), i);
          call.storeIf(is, kernel.sub(upTo, kernel.constant(1)), number);
        });
    Value rest = kernel.max(all, call.firstPlace());
    Value zero = integerConstant(b, DType::I64, 0);
    kernel.strided(kernel.add(rest, kernel.thread), call.endPlace(),
                   kernel.constant(kernel.schedule.threads),
                   [&](Value place) { call.store(place, zero); });
  });
}
