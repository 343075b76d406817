// Operands that are lists of integers, there before any kernel runs: constants,
// and the model's inputs; or several such lists, the rows of a matrix, as the
// two ends of edges often are. What is known of their elements; and how an
// element is written: as it is, `list[e]`, or counted from the end where it is
// negative, `list[e] + n if list[e] < 0 else list[e]`, as ONNX's indices are.
#ifndef SMEX_COMPILER_MESSAGEPASSING_LISTS_H
#define SMEX_COMPILER_MESSAGEPASSING_LISTS_H

#include "dialects/tdl/lambda/Lambda.h"
#include "dialects/tdl/lambda/Simplify.h"

#include <optional>
#include <vector>

namespace smex::messagepassing {

/// Operands that are such lists, of rank 1, or have them as rows, of rank 2:
/// numbers that no element is below or above. Nothing for other operands.
using Known = std::vector<std::optional<tdl::Range>>;

/// Whether all these numbers are values of the type.
bool holds(DType type, tdl::Range range);

/// An element of a list.
struct Element {
  int operand;
  int64_t row; // 0 of an operand of rank 1
  tdl::ExprRef index;
  int64_t wrap = 0; // added where the list's number is below 0
};

/// Nothing if the expression is no element of a known list, or a cast changes
/// some of its numbers.
std::optional<Element> elementOf(const tdl::ExprRef &e, const Known &known);

/// The least and the largest that such an element may be.
tdl::Range rangeOf(const Element &element, const Known &known);

/// The lambda without what makes no difference for any number of a known list:
/// comparisons that hold for all or for none, limits that all keep, choices
/// that a condition around them decides; and a condition without which a term
/// is 0 is one of the sum. Canonical, and with the same operands.
tdl::Lambda withoutCertain(const tdl::Lambda &lambda, const Known &known);

/// The lambda with the chosen operands as lists of i32: those of i64 among them
/// of rank 1 whose numbers these hold. Nothing if there is none, if more is
/// asked of one than elements, or if the lambda would be too large. Canonical,
/// with the same operands.
std::optional<tdl::Lambda> narrowed(const tdl::Lambda &lambda,
                                    const Known &known,
                                    const std::vector<bool> &chosen);

} // namespace smex::messagepassing

#endif
