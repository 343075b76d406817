// A lambda: one tensor as a function of its coordinates (thesis section 3.4.1),
// in the normal form that every later stage works on. Either a map,
//
//     (x: f32[2], b: f32[1]) -> f32: lambda i, j: x[i, j] + b[j]
//
// or one reduction, outermost, of a map,
//
//     (a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * b[k,
//     j])
//
// A lambda knows ranks and element types but no extents: those belong to the
// instance. Ranges are extents of the index variables, so one lambda (and one
// analysis, and one generated kernel) serves every shape.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_LAMBDA_H
#define SMEX_DIALECTS_TDL_LAMBDA_LAMBDA_H

#include "dialects/support/Reducer.h"
#include "dialects/support/Result.h"
#include "dialects/tdl/lambda/Expr.h"

#include <optional>
#include <string_view>

namespace smex::tdl {

using smex::name;
using smex::parseReducer;
using smex::Reducer;

struct Operand {
  std::string name;
  DType type;
  int rank;
};

struct Lambda {
  std::vector<Operand> operands;
  DType result = DType::F32;
  /// Index variables: the result's, one per dimension, then the reduction's.
  /// Expr::index counts through both.
  std::vector<std::string> outputs;
  std::vector<std::string> reductions;
  Reducer reducer = Reducer::None;
  /// Reduction only: terms where it is false do not count; may read operands.
  /// The preimage of a scatter is `where key[e] == i`, a prefix sum
  /// `where k <= i`, a neighbourhood `where row[v] <= e and e < row[v + 1]`.
  /// Null: every term counts.
  ExprRef guard;
  ExprRef body;

  int rank() const { return int(outputs.size()); }
  int indexCount() const { return int(outputs.size() + reductions.size()); }
  const std::string &indexName(int i) const {
    return i < rank() ? outputs[i] : reductions[i - rank()];
  }
};

/// The lambda on one line, as in the examples above. Canonical: equal lambdas
/// print equally once `canonicalize` has renamed operands and indices. Besides
/// what templates know (README.md): `extent(x, 1)` is an Extent, and a literal
/// whose type nothing else tells carries it, `f64(0.5)`.
std::string toString(const Lambda &lambda);
std::string toString(const ExprRef &e, const Lambda &scope);

/// Reads what toString wrote; the error gives the column and what was expected.
/// Any byte string is a safe input (nesting deeper than 200 is an error).
Result<Lambda> parseLambda(std::string_view text);

/// Renames operands to x0, x1.. and index variables to i0, i1.. / r0, r1.. in
/// order, so that distinct lambdas are distinct texts.
Lambda canonicalize(Lambda lambda);

/// What the rest of the compiler may rely on; parseLambda and the dialect check
/// it: indices and operands in range, read arity = rank, types agree, a guard
/// only with a reducer, index expressions i64, extents in range, Opaque only as
/// the whole body.
Status verify(const Lambda &lambda);

/// The value that adds nothing to a reduction: 0, -inf (lowest), +inf
/// (highest), 1.
ExprRef identity(Reducer reducer, DType type);

} // namespace smex::tdl

#endif
