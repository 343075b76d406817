#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/ValueRange.h"

#include <limits>

using namespace smex;
using namespace smex::analysis;

namespace {

using Instruction = IntervalProgram::Instruction;

/// Beyond these a number counts as unbounded: far above every extent, and far
/// enough below 2^63 that adding one or two cannot overflow.
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min() / 4;
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max() / 4;

/// Deeper programs read everything: no expression of an operator comes close.
constexpr int kDepth = 64;

/// Both ends belong to it: negation and division are simpler so.
struct Range {
  int64_t first, last;
  bool empty() const { return last < first; }
};
constexpr Range kEverything = {kLowest, kHighest};
constexpr Range kNothing = {0, -1};

bool bounded(Range a) { return kLowest < a.first && a.last < kHighest; }

/// A bound that leaves the numbers we count with tells nothing about the other
/// end either, since the index arithmetic itself may have wrapped around.
Range checked(int64_t first, int64_t last) {
  if (first <= kLowest || last >= kHighest)
    return kEverything;
  return {first, last};
}

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// The hull of the four corners, which bounds any operation that is monotone in
/// each operand.
Range corners(int64_t a, int64_t b, int64_t c, int64_t d) {
  return checked(std::min(std::min(a, b), std::min(c, d)),
                 std::max(std::max(a, b), std::max(c, d)));
}

/// Figure 3.4 of the thesis scales both ends by k, which turns an interval
/// inside out where k < 0.
Range mul(Range a, Range b) {
  int64_t p, q;
  bool overflow = __builtin_mul_overflow(a.first, b.first, &p) |
                  __builtin_mul_overflow(a.last, b.first, &q);
  if (b.first == b.last)
    return overflow ? kEverything : checked(std::min(p, q), std::max(p, q));
  int64_t r, s;
  overflow |= __builtin_mul_overflow(a.first, b.last, &r) |
              __builtin_mul_overflow(a.last, b.last, &s);
  return overflow ? kEverything : corners(p, q, r, s);
}

Range floorDiv(Range a, Range b) {
  if (b.first <= 0 && b.last >= 0)
    return kEverything;
  return corners(floorDiv(a.first, b.first), floorDiv(a.last, b.first),
                 floorDiv(a.first, b.last), floorDiv(a.last, b.last));
}

Range mod(Range a, Range b) {
  if (b.first <= 0 && b.last >= 0)
    return kEverything;
  if (b.first == b.last) {
    const int64_t quotient = floorDiv(a.first, b.first);
    if (quotient == floorDiv(a.last, b.first))
      return {a.first - quotient * b.first, a.last - quotient * b.first};
  }
  return b.first > 0 ? Range{0, b.last - 1} : Range{b.first + 1, 0};
}

Range arithmetic(Instruction::Code code, Range a, Range b) {
  if (!bounded(a) || !bounded(b))
    return kEverything;
  switch (code) {
  case Instruction::Add: // of bounded numbers: no overflow
    return checked(a.first + b.first, a.last + b.last);
  case Instruction::Sub:
    return checked(a.first - b.last, a.last - b.first);
  case Instruction::Mul:
    return mul(a, b);
  case Instruction::FloorDiv:
    return floorDiv(a, b);
  case Instruction::Mod:
    return mod(a, b);
  default:
    return kEverything;
  }
}

Range apply(Instruction::Code code, Range a, Range b) {
  if (code == Instruction::Hull)
    return a.empty() ? b
           : b.empty()
               ? a
               : Range{std::min(a.first, b.first), std::max(a.last, b.last)};
  if (a.empty() || b.empty())
    return kNothing;
  switch (code) {
  case Instruction::Meet:
    return {std::max(a.first, b.first), std::min(a.last, b.last)};
  case Instruction::When:
    return a;
  case Instruction::Min:
    return {std::min(a.first, b.first), std::min(a.last, b.last)};
  case Instruction::Max:
    return {std::max(a.first, b.first), std::max(a.last, b.last)};
  default:
    return arithmetic(code, a, b);
  }
}

Range toRange(Interval interval) {
  if (interval.empty())
    return kNothing;
  return {std::max(interval.lo, kLowest), std::min(interval.hi - 1, kHighest)};
}

Interval clamped(Interval read, int64_t extent) {
  read = intersect(read, {0, extent});
  return read.empty() ? Interval{0, 0} : read;
}

} // namespace

/// Of a program that has instructions; `whole` stands for what data decides.
static Range run(const std::vector<Instruction> &code, const Box &indices,
                 Range whole) {
  Range stack[kDepth];
  int depth = 0;
  for (const Instruction &instruction : code) {
    switch (instruction.code) {
    case Instruction::AtMost:
      if (!stack[depth - 1].empty())
        stack[depth - 1].first = kLowest;
      continue;
    case Instruction::AtLeast:
      if (!stack[depth - 1].empty())
        stack[depth - 1].last = kHighest;
      continue;
    case Instruction::Index:
    case Instruction::Const:
    case Instruction::Whole:
      if (depth == kDepth)
        return whole;
      stack[depth++] = instruction.code == Instruction::Index
                           ? toRange(indices[instruction.value])
                       : instruction.code == Instruction::Const
                           ? Range{instruction.value, instruction.value}
                           : whole;
      continue;
    default:
      --depth;
      stack[depth - 1] =
          apply(instruction.code, stack[depth - 1], stack[depth]);
    }
  }
  return stack[depth - 1];
}

Interval IntervalProgram::evaluate(const Box &indices, int64_t extent) const {
  if (code.empty())
    return {0, 0};
  if (code.size() == 1 && code[0].code == Instruction::Index) // most are
    return clamped(indices[code[0].value], extent);
  const Range range = run(code, indices, {0, extent - 1});
  if (range.empty())
    return {0, 0};
  return clamped({range.first, range.last + 1}, extent);
}

Interval analysis::unclamped(const IntervalProgram &program,
                             const Box &indices) {
  if (program.code.empty())
    return {0, 0};
  const Range range = run(program.code, indices, kEverything);
  return range.empty() ? Interval{0, 0} : Interval{range.first, range.last + 1};
}

Box Access::region(const Box &indices,
                   const std::vector<int64_t> &shape) const {
  if (isEmpty(indices))
    return Box::absent(shape.size());
  Box box(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    box[d] = dims[d].evaluate(indices, shape[d]);
    if (box[d].empty())
      return Box::absent(shape.size());
  }
  return box;
}
