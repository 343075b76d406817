#include "runtime/plan/RowSlices.h"

#include "dialects/tdl/lambda/SlowOperations.h"

#include <algorithm>

using namespace smex;
using plan::RowSlices;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {
/// A slice is two lines of a cache wide, or at least one; narrower ones would
/// share lines, and spend their time on the list of rows.
constexpr int64_t widest = 128, line = 64;
/// Narrower rows are read as fast as they are.
constexpr int64_t leastRow = 512;
/// What the second-level cache of a processor holds anyway, and what not even
/// its last one holds.
constexpr int64_t leastBytes = int64_t(2) << 20, mostSlice = int64_t(16) << 20;
/// Times that a row is read, at least: it is copied once.
constexpr int64_t leastReads = 8;

/// Slow operations on what all features of a term share.
bool sharesWork(const ExprRef &e, int variable) {
  bool found = false;
  walk(e, [&](const ExprRef &node) {
    const bool isWork = tdl::isSlow(*node) ||
                        (node->kind == ExprKind::Opaque && isFloat(node->type));
    found |= isWork && !uses(node, variable);
  });
  return found;
}

bool isIndex(const ExprRef &e, int variable) {
  return e->kind == ExprKind::Index && e->index == variable;
}

/// Bytes of a slice of the operand that is one element wide.
int64_t columnBytes(const tdl::Lambda &lambda,
                    const std::vector<int64_t> &shape) {
  int64_t bytes = byteSize(lambda.result);
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    bytes *= shape[d];
  return bytes;
}
} // namespace

std::optional<RowSlices> plan::rowSlices(const tdl::Lambda &lambda) {
  const bool isWide = lambda.result == DType::F32 || //
                      lambda.result == DType::F64;
  if (!isWide || lambda.reducer == tdl::Reducer::None || lambda.rank() == 0)
    return std::nullopt;
  const int variable = lambda.rank() - 1;
  if (sharesWork(lambda.body, variable) ||
      (lambda.guard && uses(lambda.guard, variable)))
    return std::nullopt;
  RowSlices slices;
  slices.variable = variable;
  slices.operand = -1;
  bool fits = true;
  const auto look = [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read)
      return;
    const bool along =
        std::any_of(e->children.begin(), e->children.end(),
                    [&](const ExprRef &at) { return uses(at, variable); });
    int term = -1;
    for (const ExprRef &at : e->children)
      for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
        if (uses(at, r))
          term = readsData(at) ? std::max(term, r) : lambda.indexCount();
    if (!along)
      return;
    for (size_t d = 0; d + 1 < e->children.size(); ++d)
      fits &= !uses(e->children[d], variable);
    if (term < 0) // one row for all terms
      return;
    fits &= term < lambda.indexCount() && e->type == lambda.result &&
            isIndex(e->children.back(), variable) && !e->otherwise &&
            (slices.operand < 0 || slices.operand == e->operand);
    slices.operand = e->operand;
    slices.term = term;
  };
  walk(lambda.body, look);
  // All that the kernel reads of the operand has to be in the slice.
  const auto elsewhere = [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read && e->operand == slices.operand)
      fits &= isIndex(e->children.back(), variable);
  };
  walk(lambda.body, elsewhere);
  if (lambda.guard)
    walk(lambda.guard, elsewhere);
  if (!fits || slices.operand < 0)
    return std::nullopt;
  return slices;
}

int64_t plan::sliceElements(const RowSlices &slices, const tdl::Lambda &lambda,
                            const std::vector<int64_t> &extents,
                            const std::vector<int64_t> &shape,
                            int64_t scratchBytes) {
  const int64_t element = byteSize(lambda.result);
  const int64_t row = extents[size_t(slices.variable)] * element;
  const int64_t column = columnBytes(lambda, shape);
  if (row < leastRow || column * (row / element) < leastBytes ||
      column * (widest / element) > mostSlice ||
      extents[size_t(slices.term)] < leastReads * (column / element))
    return 0;
  const int64_t fits = scratchBytes / column;
  return std::min(fits * element, widest) / line * line / element;
}

int64_t plan::sliceScratch(const RowSlices &slices, const tdl::Lambda &lambda,
                           const std::vector<int64_t> &extents,
                           const std::vector<int64_t> &shape) {
  return columnBytes(lambda, shape) *
         sliceElements(slices, lambda, extents, shape, mostSlice);
}
