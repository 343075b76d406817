#include "compiler/codegen/gpu/Flags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

constexpr int64_t warp = 32;

Value wordOf(LocBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Value isSet(LocBuilder &b, Value bits) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, wordOf(b, 0));
}

} // namespace

Flags::Flags(GpuKernel &kernel)
    : kernel(kernel), b(kernel.b),
      words(kernel.shared(b.getI32Type(), kernel.schedule.threads / warp)),
      lane(arith::RemUIOp::create(b, kernel.thread, kernel.constant(warp))),
      warpNumber(kernel.divide(kernel.thread, kernel.constant(warp))) {}

Value Flags::bitOf(Value of) {
  Value number = arith::IndexCastOp::create(b, b.getI32Type(), of);
  return arith::ShLIOp::create(b, wordOf(b, 1), number);
}

void Flags::set(Value mine) {
  Value bits = arith::SelectOp::create(b, mine, bitOf(lane), wordOf(b, 0));
  for (int64_t distance = warp / 2; distance > 0; distance /= 2)
    bits = arith::OrIOp::create(b, bits, kernel.fromLane(bits, distance));
  kernel.when(kernel.isZero(lane),
              [&] { memref::StoreOp::create(b, bits, words, warpNumber); });
}

Value Flags::any() {
  const Values last = kernel.repeat(
      {kernel.constant(0), wordOf(b, 0)},
      [&](ValueRange now) -> Value {
        return kernel.less(now[0],
                           kernel.constant(kernel.schedule.threads / warp));
      },
      [&](ValueRange now) {
        Value bits = memref::LoadOp::create(b, words, now[0]);
        return Values{kernel.add(now[0], kernel.constant(1)),
                      arith::OrIOp::create(b, now[1], bits)};
      });
  return isSet(b, last[1]);
}

void Flags::each(Value warps, llvm::function_ref<void(Value)> body) {
  kernel.loop(kernel.constant(0), warps, 1, [&](Value w) {
    Value bits = memref::LoadOp::create(b, words, w);
    kernel.when(isSet(b, bits), [&] {
      Value start = kernel.mul(w, kernel.constant(warp));
      kernel.loop(kernel.constant(0), kernel.constant(warp), 1, [&](Value l) {
        Value bit = arith::AndIOp::create(b, bits, bitOf(l));
        kernel.when(isSet(b, bit), [&] { body(kernel.add(start, l)); });
      });
    });
  });
}
