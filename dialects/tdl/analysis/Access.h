// Which box of each operand a part of a lambda reads: interval analysis of its
// index expressions (thesis section 3.4.2). Tofu's arithmetic (figure 3.4)
// works on real fractions of symbolic bounds and is unsound for subtraction and
// for negative factors; this one works on exact integers, so that uneven cuts
// and halos come out to the element.
//
//     conv1d: lambda b, co, x: Sum(lambda ci, dx: data[b, ci, x + dx] * ...)
//     data's dimension 2 for x in [0, 5), dx in [0, 3): [0, 7)
//
// The analysis of a lambda runs once and leaves a small program per operand
// dimension; the search runs these on numbers, millions of times.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_ACCESS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_ACCESS_H

#include "dialects/support/Box.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <cstdint>
#include <map>
#include <vector>

namespace smex::analysis {

/// A postfix program over intervals: the values that an index expression takes
/// while the index variables run over a box.
struct IntervalProgram {
  struct Instruction {
    enum Code {
      Index, // push the interval of index variable `value`
      Const, // push [value, value + 1)
      Whole, // push all of the dimension, [0, extent): a `:`, or data decides
      // Pop the right operand, then the left one; push the smallest interval
      // that holds the result for every pair of values. Integer division
      // rounds down and Mod has the divisor's sign.
      Add,
      Sub,
      Mul,
      FloorDiv,
      Mod,
      Min,
      Max,
      Hull, // either of the two: the branches of a select, several reads
      // What conditions say (README.md). Only Hull has a value where an operand
      // is empty.
      Meet,    // the values of both
      When,    // the left operand, or nothing if the right one is empty
      AtMost,  // pop one; push all numbers up to its largest
      AtLeast, // pop one; push all numbers from its smallest on
    } code;
    int64_t value = 0;
    bool operator==(const Instruction &other) const {
      return code == other.code && value == other.value;
    }
  };
  /// Without an instruction nothing is read.
  std::vector<Instruction> code;

  /// What is read of a dimension of this extent, clamped to it. Never too
  /// small; exact for one variable in affine expressions; an overflow gives the
  /// whole dimension. Does not allocate: this is what the search spends its
  /// time in.
  Interval evaluate(const Box &indices, int64_t extent) const;
};

/// How a lambda reads one operand: the box hull of all its reads.
struct Access {
  std::vector<IntervalProgram> dims; // one per dimension of the operand

  /// The region read, clamped to the shape; absent if nothing is read or
  /// `indices` are empty. (An operand of rank 0 has one region only, which
  /// counts as read wherever there are indices.)
  Box region(const Box &indices, const std::vector<int64_t> &shape) const;
};

/// One per operand. The shapes give `Extent` its number, and tell what follows
/// from a read being out of range.
std::vector<Access>
accesses(const tdl::Lambda &lambda,
         const std::vector<std::vector<int64_t>> &operandShapes);

/// The same, found once for each lambda and the shapes of its operands: models
/// repeat their layers. Lambdas are known by their address and have to stay
/// where they are; references stay valid.
class AccessTable {
public:
  const std::vector<Access> &
  of(const tdl::Lambda &lambda,
     const std::vector<std::vector<int64_t>> &operandShapes) {
    const auto [entry, isNew] = known.try_emplace({&lambda, operandShapes});
    if (isNew)
      entry->second = accesses(lambda, operandShapes);
    return entry->second;
  }

private:
  std::map<std::pair<const tdl::Lambda *, std::vector<std::vector<int64_t>>>,
           std::vector<Access>>
      known;
};

} // namespace smex::analysis

#endif
