// What else a lambda tells about an operator, without its name.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_PROPERTIES_H
#define SMEX_DIALECTS_TDL_ANALYSIS_PROPERTIES_H

#include "dialects/tdl/lambda/Lambda.h"

#include <vector>

namespace smex::analysis {

/// No reduction, and not opaque: each element is an expression of its own.
bool isMap(const tdl::Lambda &lambda);

/// A map that combines elements at the same place. At least one operand is read
/// at `x[i0, i1, ..]`, exactly the output indices in order, and only there (so
/// it can have the result's shape); and every other read takes, per dimension,
/// one output index or a constant, the indices in increasing order: no
/// permutation, no repetition, no shift. So a bias b[i1], a scalar s[] and a
/// broadcast x[i0, 0] are allowed beside the main operand; a copy that is only
/// a broadcast, a transposition, an `else` and an iota are not element-wise.
bool isElementwise(const tdl::Lambda &lambda);

/// Arithmetic on values at one point of the index space (outputs and
/// reductions): one per unary and binary operation whose operands depend on
/// data, and one per term of a reduction. Index arithmetic, selects, casts and
/// what is computed from indices alone are free; of both branches of a select
/// the dearer one counts. An opaque function counts as 1 per result. What all
/// columns of a sum over products share (NestedProduct.h) counts once for each
/// 64 of them.
int64_t flopsPerPoint(const tdl::Lambda &lambda);

/// For extents of all index variables; at most 2^63 - 1, like `bytes`.
int64_t flops(const tdl::Lambda &lambda, const std::vector<int64_t> &extents);

/// Bytes of the result, and of every operand's region that is read, once.
int64_t bytes(const tdl::Lambda &lambda, const std::vector<int64_t> &extents,
              const std::vector<std::vector<int64_t>> &operandShapes);

/// Operands whose buffer the result may take over: those of a map that are read
/// at the output indices only, in order and unguarded, and have the result's
/// type. (The operand then has the result's shape, if it is read whole: the
/// caller compares shapes.)
std::vector<int> inPlaceOperands(const tdl::Lambda &lambda);

} // namespace smex::analysis

#endif
