#include "compiler/codegen/expression/Merge.h"

using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

bool isVariable(const ExprRef &e, int variable) {
  return e->kind == ExprKind::Index && e->index == variable;
}

/// The dimension of the pair in this read; -1 for none; nothing where the
/// variables occur in any other way.
std::optional<int> dimOf(const tdl::Expr &read, int variable) {
  int dim = -1;
  for (size_t d = 0; d < read.children.size(); ++d) {
    if (!uses(read.children[d], variable) &&
        !uses(read.children[d], variable + 1))
      continue;
    const bool starts = dim < 0 && !read.otherwise &&
                        d + 1 < read.children.size() &&
                        isVariable(read.children[d], variable) &&
                        isVariable(read.children[d + 1], variable + 1);
    if (!starts)
      return std::nullopt;
    dim = int(d++);
  }
  return dim;
}

} // namespace

std::optional<Pair> codegen::mergeable(const tdl::Lambda &lambda,
                                       int variable) {
  // Scans, scatters and opaque functions go by coordinates.
  if (lambda.guard || lambda.body->kind == ExprKind::Opaque ||
      variable + 1 == lambda.rank() ||
      variable + 1 >= lambda.indexCount())
    return std::nullopt;
  constexpr int unseen = -2;
  Pair pair{std::vector<int>(lambda.operands.size(), unseen)};
  bool fits = true;
  size_t inReads = 0, all = 0;
  walk(lambda.body, [&](const ExprRef &e) {
    if (isVariable(e, variable) || isVariable(e, variable + 1))
      ++all;
    if (e->kind != ExprKind::Read)
      return;
    const std::optional<int> dim = dimOf(*e, variable);
    int &known = pair.dim[size_t(e->operand)];
    fits &= dim && (known == unseen || known == *dim);
    if (!fits)
      return;
    known = *dim;
    inReads += *dim >= 0 ? 2 : 0;
  });
  // Anywhere else they stand for numbers.
  if (!fits || inReads != all)
    return std::nullopt;
  for (int &dim : pair.dim)
    dim = std::max(dim, -1);
  return pair;
}
