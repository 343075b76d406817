#include "dialects/tdl/analysis/Compose.h"

#include "dialects/tdl/analysis/Bounds.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/lambda/Conjuncts.h"
#include "dialects/tdl/lambda/Simplify.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::analysis;
using tdl::ExprKind;
using tdl::ExprRef;
using Instruction = IntervalProgram::Instruction;

namespace {

/// Only the replaced operand's extents are known; expressions that ask for
/// those of others stay as they are.
bool mentionsExtents(const ExprRef &e) {
  bool found = false;
  tdl::walk(
      e, [&](const ExprRef &node) { found |= node->kind == ExprKind::Extent; });
  return found;
}

/// True if the read is within `shape` for all values of the index variables.
bool alwaysInRange(const ExprRef &read, const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &extents) {
  for (const ExprRef &e : read->children)
    if (tdl::readsData(e) || mentionsExtents(e))
      return false;
  Shapes shapes(read->operand + 1);
  shapes[read->operand] = shape;
  for (const Conjunction &outside : inRange(read, false, shapes)) {
    bool possible = true;
    for (const auto &tests : Bounds(outside, shapes).feasibility()) {
      IntervalProgram zero;
      zero.code = {{Instruction::Const, 0}};
      const auto &test = tests.front().code;
      zero.code.insert(zero.code.end(), test.begin(), test.end());
      zero.code.push_back({Instruction::When, 0});
      if (zero.evaluate(wholeBox(extents), 1).empty())
        possible = false;
    }
    if (possible)
      return false;
  }
  return true;
}

/// x[i, j] for the element i, j: the whole of x or its first elements in each
/// dimension.
bool isCut(const tdl::Lambda &producer) {
  const ExprRef &body = producer.body;
  if (body->kind != ExprKind::Read || body->otherwise ||
      int(body->children.size()) != producer.rank())
    return false;
  for (int d = 0; d < producer.rank(); ++d)
    if (body->children[d]->kind != ExprKind::Index ||
        body->children[d]->index != d)
      return false;
  return true;
}

/// Whether indices are before the ends of a tensor of this shape.
ExprRef isBeforeEnds(const std::vector<ExprRef> &index,
                     const std::vector<int64_t> &shape) {
  ExprRef all;
  for (size_t d = 0; d < index.size(); ++d)
    all = tdl::both(
        all, tdl::binary(tdl::BinaryOp::Lt, index[d], tdl::constant(shape[d])));
  return all;
}

/// The node with operand numbers looked up in `numbers`.
ExprRef renumbered(const tdl::Expr &e, std::vector<ExprRef> children,
                   ExprRef otherwise, std::vector<tdl::Expr::Slice> slices,
                   const std::vector<int> &numbers) {
  if (e.kind == ExprKind::Read)
    return tdl::read(numbers[e.operand], e.type, std::move(children),
                     std::move(otherwise));
  if (e.kind == ExprKind::Extent)
    return tdl::extentOf(numbers[e.operand], e.dim);
  for (tdl::Expr::Slice &slice : slices)
    slice.operand = numbers[slice.operand];
  return tdl::withChildren(e, std::move(children), std::move(otherwise),
                           std::move(slices));
}

/// The reads of `operand`, and whether it is used in any other way.
std::vector<ExprRef> readsOf(const tdl::Lambda &lambda, int operand,
                             bool &opaque) {
  std::vector<ExprRef> reads;
  opaque = false;
  for (const ExprRef &root : {lambda.guard, lambda.body})
    tdl::walk(root, [&](const ExprRef &e) {
      if (e->kind == ExprKind::Read && e->operand == operand)
        reads.push_back(e);
      for (const tdl::Expr::Slice &slice : e->slices)
        opaque |= slice.operand == operand;
    });
  return reads;
}

/// Numbers of the composed lambda's operands.
struct Numbering {
  std::vector<int> consumer, producer;
};

Numbering number(const tdl::Lambda &consumer, int operand,
                 const tdl::Lambda &producer, const std::vector<int> &same,
                 Composition &out) {
  Numbering numbers;
  numbers.consumer.assign(consumer.operands.size(), -1);
  numbers.producer.assign(producer.operands.size(), -1);
  const auto append = [&](const tdl::Operand &what, bool ofProducer, int i) {
    out.lambda.operands.push_back(what);
    out.operands.push_back({ofProducer, i});
    return int(out.operands.size()) - 1;
  };
  for (int c = 0; c < int(consumer.operands.size()); ++c) {
    if (c != operand) {
      numbers.consumer[c] = append(consumer.operands[c], false, c);
      continue;
    }
    for (int p = 0; p < int(producer.operands.size()); ++p)
      if (same.empty() || same[p] < 0 || same[p] == operand)
        numbers.producer[p] = append(producer.operands[p], true, p);
  }
  for (int p = 0; p < int(producer.operands.size()); ++p)
    if (numbers.producer[p] < 0)
      numbers.producer[p] = numbers.consumer[same[p]];
  return numbers;
}

} // namespace

std::optional<Composition> analysis::compose(Instance consumer, int operand,
                                             Instance producer,
                                             const std::vector<int> &same) {
  const tdl::Lambda &outer = consumer.lambda, &inner = producer.lambda;
  bool opaque;
  const std::vector<ExprRef> reads = readsOf(outer, operand, opaque);
  if (reads.empty() || opaque || !isMap(inner) ||
      inner.result != outer.operands[operand].type ||
      inner.rank() != outer.operands[operand].rank)
    return std::nullopt;
  // Of a cut, an element that there is none of may be one of what is cut: the
  // read keeps its `else`, and asks for the end first.
  const auto mayBeOutside = [&](const ExprRef &read) {
    return read->otherwise &&
           !alwaysInRange(read, producer.extents, consumer.extents);
  };
  const bool asksForEnds =
      std::any_of(reads.begin(), reads.end(), mayBeOutside);
  if (asksForEnds && !isCut(inner))
    return std::nullopt;

  Composition composed;
  composed.lambda = outer;
  composed.lambda.operands.clear();
  const Numbering numbers = number(outer, operand, inner, same, composed);
  const auto at = [&](const std::vector<ExprRef> &index) {
    return tdl::rebuild(inner.body, [&](const tdl::Expr &e, auto children,
                                        ExprRef otherwise, auto slices) {
      return e.kind == ExprKind::Index
                 ? index[e.index]
                 : renumbered(e, std::move(children), std::move(otherwise),
                              std::move(slices), numbers.producer);
    });
  };
  int64_t size = 0; // substituted so far: nested reads multiply
  const auto make = [&](const tdl::Expr &e, auto children, ExprRef otherwise,
                        auto slices) {
    if (e.operand == operand && e.kind == ExprKind::Extent)
      return tdl::constant(producer.extents[e.dim]);
    if (e.operand == operand && e.kind == ExprKind::Read &&
        size <= tdl::maxSize) {
      ExprRef value = at(children);
      if (asksForEnds && otherwise)
        value = tdl::select(
            isBeforeEnds(children, producer.extents),
            tdl::read(value->operand, value->type, value->children, otherwise),
            otherwise);
      size += value->size;
      return value;
    }
    // Too large already: whatever stands here, verify refuses it.
    return renumbered(e, std::move(children), std::move(otherwise),
                      std::move(slices), numbers.consumer);
  };
  composed.lambda.guard = tdl::rebuild(outer.guard, make);
  composed.lambda.body = tdl::rebuild(outer.body, make);
  if (size > tdl::maxSize)
    return std::nullopt;
  // A split of a join, an index that cannot be out of range any more.
  const Box ranges = wholeBox(consumer.extents);
  if (composed.lambda.guard)
    composed.lambda.guard =
        tdl::simplify(composed.lambda.guard, ranges.intervals());
  composed.lambda.body =
      tdl::simplify(composed.lambda.body, ranges.intervals());
  composed.lambda = tdl::canonicalize(std::move(composed.lambda));
  if (!tdl::verify(composed.lambda))
    return std::nullopt;
  return composed;
}

/// Outputs whose value follows, for each term of a reduction, from an equation
/// of its condition: `where key[r] == i`. A term then counts for one i only.
static std::vector<bool> determined(const tdl::Lambda &lambda) {
  std::vector<bool> found(lambda.indexCount());
  const auto solve = [&](const ExprRef &variable, const ExprRef &other) {
    if (variable->kind == ExprKind::Index && variable->index < lambda.rank() &&
        !tdl::uses(other, variable->index))
      found[variable->index] = true;
  };
  for (const ExprRef &part : tdl::conjuncts(lambda.guard)) {
    if (part->kind != ExprKind::Binary || part->binary != tdl::BinaryOp::Eq)
      continue;
    const ExprRef &a = part->children[0], &b = part->children[1];
    solve(a, b);
    solve(b, a);
    const bool isDifference = b->kind == ExprKind::Int && b->integer == 0 &&
                              a->kind == ExprKind::Binary &&
                              a->binary == tdl::BinaryOp::Sub;
    if (isDifference) {
      solve(a->children[0], a->children[1]);
      solve(a->children[1], a->children[0]);
    }
  }
  return found;
}

bool analysis::fusable(const tdl::Lambda &consumer, int operand,
                       const tdl::Lambda &producer) {
  bool opaque;
  const std::vector<ExprRef> reads = readsOf(consumer, operand, opaque);
  if (reads.empty() || opaque || !isMap(producer))
    return false;
  int inner = 0;
  tdl::walk(producer.body,
            [&](const ExprRef &e) { inner += e->kind == ExprKind::Read; });
  if (inner <= 1 && flopsPerPoint(producer) == 0)
    return true;
  std::vector<bool> taken = determined(consumer), seen(taken.size());
  for (const ExprRef &e : reads.front()->children) {
    if (e->kind != ExprKind::Index || seen[e->index])
      return false;
    taken[e->index] = seen[e->index] = true;
  }
  for (bool found : taken)
    if (!found)
      return false;
  for (const ExprRef &read : reads)
    if (!tdl::equal(read, reads.front()))
      return false;
  return true;
}
