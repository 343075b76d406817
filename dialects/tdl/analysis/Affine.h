// Index expressions in a normal form: sums of multiples of atoms. Most atoms
// are index variables; what is not affine (a floor division, a nested read) is
// an atom of its own, so that everything around it is still exact.
//
//     4*(i + 1) - i + j//2      3*i + 1*(j//2) + 4
//     (8*i + 2*j + 4) // 4      2*i + (j + 2)//2 = 2*i + j//2 + 1
//     (8*i + j) % 8             j % 8
//     e//6*6 + e//2%3*2 + e%2   e       (a `join` of the `split` of e)
//
// These identities hold for all integers. They are what makes reshapes, which
// are a split of a join, come out as boxes.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_AFFINE_H
#define SMEX_DIALECTS_TDL_ANALYSIS_AFFINE_H

#include "dialects/tdl/lambda/Expr.h"

#include <optional>
#include <vector>

namespace smex::analysis {

using Shapes = std::vector<std::vector<int64_t>>;

struct Affine {
  struct Term {
    tdl::ExprRef atom; // neither a sum, nor a constant, nor a multiple
    int64_t factor;
  };
  /// Index variables first, in order, then other atoms in the order in which
  /// they were met; no atom twice, no factor 0.
  std::vector<Term> terms;
  int64_t constant = 0;

  bool isConstant() const { return terms.empty(); }
  /// The only index variable if the value is just that, else -1.
  int asIndex() const;
  /// The factor of index variable `index`, which may be 0. It may occur inside
  /// of other atoms as well: see `usesInside`.
  int64_t factor(int index) const;
  /// True if the variable occurs inside an atom that is not itself.
  bool usesInside(int index) const;
};

/// Nothing where a factor or constant leaves 62 bits, the sum has more than 64
/// terms, or the expression is not an i64. With shapes, `Extent` becomes its
/// number; without, it is an atom.
std::optional<Affine> affine(const tdl::ExprRef &e, const Shapes *shapes);

tdl::ExprRef toExpr(const Affine &a);

/// Nothing on overflow.
std::optional<Affine> add(Affine a, const Affine &b);
std::optional<Affine> scale(Affine a, int64_t factor);
std::optional<Affine> subtract(const Affine &a, const Affine &b);

/// The same terms with the same factors, whatever the constants.
bool sameTerms(const Affine &a, const Affine &b);
bool equal(const Affine &a, const Affine &b);

} // namespace smex::analysis

#endif
