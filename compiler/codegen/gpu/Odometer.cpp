#include "compiler/codegen/gpu/Odometer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

/// Where a range is empty no number is asked for, but the step is taken apart
/// all the same.
static Values atLeastOne(GpuKernel &kernel, Values radices) {
  for (Value &radix : radices)
    radix = kernel.max(radix, kernel.constant(1));
  return radices;
}

Odometer::Odometer(GpuKernel &kernel, Values radices)
    : kernel(kernel), radices(atLeastOne(kernel, std::move(radices))) {}

Values Odometer::digitsOf(Value number) {
  Values digits(radices.size());
  for (size_t n = radices.size(); n-- > 1;) {
    Value rest = kernel.divide(number, radices[n]);
    digits[n] = kernel.sub(number, kernel.mul(rest, radices[n]));
    number = rest;
  }
  if (!digits.empty())
    digits[0] = number;
  return digits;
}

Values Odometer::sum(ValueRange one, ValueRange other) {
  Values digits(radices.size());
  Value carry, nothing = kernel.constant(0), unit = kernel.constant(1);
  for (size_t n = radices.size(); n-- > 0;) {
    Value digit = kernel.add(one[n], other[n]);
    if (carry)
      digit = kernel.add(digit, carry);
    if (n > 0) {
      Value stays = kernel.less(digit, radices[n]);
      Value less = kernel.sub(digit, radices[n]);
      digit = arith::SelectOp::create(kernel.b, stays, digit, less);
      carry = arith::SelectOp::create(kernel.b, stays, nothing, unit);
    }
    digits[n] = digit;
  }
  return digits;
}

void GpuKernel::counted(ArrayRef<Value> radices, Value first, Value end,
                        Value step,
                        llvm::function_ref<void(const Values &)> body) {
  counted(radices, first, end, step, 1,
          [&](ArrayRef<Values> numbers) { body(numbers.front()); });
}

void GpuKernel::counted(ArrayRef<Value> radices, Value first, Value end,
                        Value step, int64_t many,
                        llvm::function_ref<void(ArrayRef<Values>)> body) {
  if (radices.empty())
    return strided(first, end, step, [&](Value) { body(Values()); });
  Odometer odometer(*this, Values(radices.begin(), radices.end()));
  const Values by = odometer.digitsOf(step);
  Values digits = odometer.digitsOf(first);
  const auto rounds = [&](Value from, int64_t numbers) {
    // Of a round, the last number is below the end, too.
    Value last = mul(step, constant(numbers - 1));
    auto loop = scf::ForOp::create(b, from, sub(end, last),
                                   mul(step, constant(numbers)), digits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Values> round;
    Values at(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    for (int64_t k = 0; k < numbers; ++k) {
      round.push_back(at);
      at = odometer.sum(at, by);
    }
    body(round);
    scf::YieldOp::create(b, at);
    digits.assign(loop.getResults().begin(), loop.getResults().end());
  };
  if (many == 1)
    return rounds(first, 1);
  rounds(first, many);
  // What is left is fewer than so many.
  Value span = max(sub(end, first), constant(0));
  Value count = divide(add(span, sub(step, constant(1))), step);
  Value whole = divide(count, constant(many));
  Value done = mul(mul(whole, constant(many)), step);
  rounds(add(first, done), 1);
}
