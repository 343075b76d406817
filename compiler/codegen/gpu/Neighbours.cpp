#include "compiler/codegen/gpu/Neighbours.h"

#include "compiler/codegen/expression/Conditions.h"

#include <algorithm>

using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;
using tdl::readsData;

namespace {

/// Says the same at all coordinates, but for what it reads there.
bool isMadeOfData(const ExprRef &e) {
  if (e->kind == ExprKind::Read)
    return true;
  if (e->kind == ExprKind::Index || e->kind == ExprKind::Extent)
    return false;
  return std::all_of(e->children.begin(), e->children.end(), isMadeOfData);
}

/// x[i, j]: in range wherever the lambda has it, as no condition on coordinates
/// can keep it so.
bool hasPlainIndices(const tdl::Expr &read) {
  return std::all_of(
      read.children.begin(), read.children.end(),
      [](const ExprRef &index) { return index->kind == ExprKind::Index; });
}

/// Collects reads, and whether all of them may be made whatever conditions say.
struct Collector {
  std::vector<ExprRef> reads;
  bool free = true;

  void visit(const ExprRef &e, bool isEvaluated) {
    if (e->kind == ExprKind::Read) {
      free &= isEvaluated || hasPlainIndices(*e);
      if (std::none_of(reads.begin(), reads.end(),
                       [&](const ExprRef &r) { return equal(r, e); }))
        reads.push_back(e);
    }
    const bool lazy = e->kind == ExprKind::Select ||
                      (e->kind == ExprKind::Binary && e->type == DType::Bool &&
                       !tdl::isComparison(e->binary));
    for (size_t i = 0; i < e->children.size(); ++i) {
      visit(e->children[i], isEvaluated && (i == 0 || !lazy));
      if (lazy && i == 0 && !isMadeOfData(e->children[0]) &&
          std::any_of(e->children.begin() + 1, e->children.end(), readsData))
        free = false;
    }
  }
};

bool isNeighbourly(const tdl::Expr &read, int last) {
  if (read.children.empty())
    return false;
  for (size_t d = 0; d + 1 < read.children.size(); ++d)
    if (uses(read.children[d], last))
      return false;
  const auto linear = linearIn(read.children.back(), last);
  return linear && linear->factor == 1 && !readsData(read.children.back());
}

} // namespace

std::vector<ExprRef> codegen::neighbourReads(const ExprRef &term,
                                             int variable) {
  Collector collector;
  collector.visit(term, true);
  std::vector<ExprRef> reads;
  for (const ExprRef &read : collector.reads)
    if (isNeighbourly(*read, variable))
      reads.push_back(read);
  return reads;
}

int64_t codegen::neighboursPerAccess(const ExprRef &term, int variable,
                                     int64_t written, int64_t bytes) {
  Collector collector;
  collector.visit(term, true);
  if (!collector.free)
    return 1;
  int64_t widest = written;
  for (const ExprRef &read : collector.reads) {
    if (isNeighbourly(*read, variable))
      widest = std::max(widest, byteSize(read->type));
    else if (uses(read, variable))
      return 1;
  }
  // More than 8 copies of the expression are a lot of code.
  return std::min<int64_t>(bytes / widest, 8);
}
