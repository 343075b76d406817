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

/// Collects reads, and whether all of them may be made whatever conditions say,
/// but for those that comparisons of coordinates guard.
struct Collector {
  explicit Collector(int variable) : variable(variable) {}

  const int variable;
  NeighbourReads found;
  bool free = true;

  void visit(const ExprRef &e, bool isEvaluated, const ExprRef &guard) {
    if (e->kind == ExprKind::Read) {
      free &= isEvaluated || hasPlainIndices(*e);
      add(e, guard);
    }
    if (e->kind == ExprKind::Select && !tdl::readsData(e->children[0]) &&
        (readsData(e->children[1]) || readsData(e->children[2])) &&
        compares(e->children[0])) {
      const ExprRef &condition = e->children[0];
      visit(e->children[1], isEvaluated, tdl::both(guard, condition));
      visit(e->children[2], isEvaluated,
            tdl::both(guard, tdl::unary(tdl::UnaryOp::Not, condition)));
      return;
    }
    const bool lazy = e->kind == ExprKind::Select ||
                      (e->kind == ExprKind::Binary && e->type == DType::Bool &&
                       !tdl::isComparison(e->binary));
    for (size_t i = 0; i < e->children.size(); ++i) {
      visit(e->children[i], isEvaluated && (i == 0 || !lazy), guard);
      if (lazy && i == 0 && !isMadeOfData(e->children[0]) &&
          std::any_of(e->children.begin() + 1, e->children.end(),
                      [&](const ExprRef &child) { return readsAlong(child); }))
        free = false;
    }
  }

private:
  /// Reads something at each value of the variable.
  bool readsAlong(const ExprRef &e) const {
    bool found = false;
    tdl::walk(e, [&](const ExprRef &part) {
      found |= part->kind == ExprKind::Read && uses(part, variable);
    });
    return found;
  }

  void add(const ExprRef &read, const ExprRef &guard) {
    for (NeighbourReads::Read &known : found.reads)
      if (equal(known.read, read)) {
        known.guard = known.guard && guard
                          ? tdl::binary(tdl::BinaryOp::Or, known.guard, guard)
                          : nullptr;
        return;
      }
    found.reads.push_back({read, guard});
  }

  /// Is made of comparisons that are true on one side of a value of the
  /// variable, or whatever it is: these are collected.
  bool compares(const ExprRef &condition) {
    if (condition->kind == ExprKind::Binary &&
        (condition->binary == tdl::BinaryOp::And ||
         condition->binary == tdl::BinaryOp::Or))
      return compares(condition->children[0]) &&
             compares(condition->children[1]);
    if (condition->kind == ExprKind::Unary &&
        condition->unary == tdl::UnaryOp::Not)
      return compares(condition->children[0]);
    if (!uses(condition, variable))
      return true;
    if (!cutOf(condition, variable))
      return false;
    found.comparisons.push_back(condition);
    return true;
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

NeighbourReads codegen::neighbourReads(const ExprRef &term, int variable) {
  Collector collector(variable);
  collector.visit(term, true, nullptr);
  NeighbourReads neighbours{{}, collector.found.comparisons};
  for (const NeighbourReads::Read &each : collector.found.reads)
    if (isNeighbourly(*each.read, variable))
      neighbours.reads.push_back(each);
  return neighbours;
}

int64_t codegen::neighboursPerAccess(const ExprRef &term, int variable,
                                     int64_t written, int64_t bytes,
                                     bool mayAsk) {
  Collector collector(variable);
  collector.visit(term, true, nullptr);
  if (!collector.free)
    return 1;
  int64_t widest = written;
  for (const auto &[read, guard] : collector.found.reads) {
    if (guard && !mayAsk)
      return 1;
    if (isNeighbourly(*read, variable))
      widest = std::max(widest, byteSize(read->type));
    else if (uses(read, variable))
      return 1;
  }
  // More than 8 copies of the expression are a lot of code.
  return std::min<int64_t>(bytes / widest, 8);
}
