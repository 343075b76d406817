#include "dialects/tdl/analysis/Properties.h"

#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/NestedProduct.h"

#include <limits>
#include <optional>

using namespace smex;
using namespace smex::analysis;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::numeric_limits<int64_t>::max();
  return product;
}

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::numeric_limits<int64_t>::max();
  return sum;
}

/// x[i0, i1, ..], all output indices in order, never out of range.
bool isIdentity(const ExprRef &read, int rank) {
  if (int(read->children.size()) != rank || read->otherwise)
    return false;
  for (int d = 0; d < rank; ++d)
    if (read->children[d]->kind != ExprKind::Index ||
        read->children[d]->index != d)
      return false;
  return true;
}

bool isBroadcast(const ExprRef &read, int rank) {
  int last = -1;
  for (const ExprRef &e : read->children) {
    if (e->kind == ExprKind::Int)
      continue;
    if (e->kind != ExprKind::Index || e->index <= last || e->index >= rank)
      return false;
    last = e->index;
  }
  return !read->otherwise;
}

/// Per operand: read, and only at the output indices.
std::vector<bool> identityOperands(const tdl::Lambda &lambda) {
  std::vector<bool> read(lambda.operands.size()), only(read.size(), true);
  tdl::walk(lambda.body, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read) {
      read[e->operand] = true;
      if (!isIdentity(e, lambda.rank()))
        only[e->operand] = false;
    }
    for (const tdl::Expr::Slice &slice : e->slices)
      only[slice.operand] = false;
  });
  for (size_t i = 0; i < read.size(); ++i)
    only[i] = only[i] && read[i];
  return only;
}

struct Cost {
  int64_t flops = 0;
  bool data = false; // depends on an operand
};

Cost costOf(const ExprRef &e) {
  if (e->kind == ExprKind::Read)
    return {e->otherwise ? costOf(e->otherwise).flops : 0, true};
  if (e->kind == ExprKind::Opaque)
    return {1, true};
  Cost cost;
  if (e->kind == ExprKind::Select) {
    const Cost c = costOf(e->children[0]);
    const Cost a = costOf(e->children[1]), b = costOf(e->children[2]);
    cost.flops = saturatingAdd(c.flops, std::max(a.flops, b.flops));
    cost.data = c.data || a.data || b.data;
    return cost;
  }
  for (const ExprRef &child : e->children) {
    const Cost part = costOf(child);
    cost.flops = saturatingAdd(cost.flops, part.flops);
    cost.data = cost.data || part.data;
  }
  if (cost.data && (e->kind == ExprKind::Unary || e->kind == ExprKind::Binary))
    cost.flops = saturatingAdd(cost.flops, 1);
  return cost;
}

} // namespace

bool analysis::isMap(const tdl::Lambda &lambda) {
  return lambda.reducer == tdl::Reducer::None &&
         lambda.body->kind != ExprKind::Opaque;
}

bool analysis::isElementwise(const tdl::Lambda &lambda) {
  if (!isMap(lambda))
    return false;
  bool main = false;
  for (bool identity : identityOperands(lambda))
    main |= identity;
  tdl::walk(lambda.body, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      main = main && isBroadcast(e, lambda.rank());
  });
  return main;
}

int64_t analysis::flopsPerPoint(const tdl::Lambda &lambda) {
  const auto nested = matchNestedProduct(lambda);
  if (nested && nested->other) {
    constexpr int64_t columns = 64; // compiler/codegen/gpu/Nested.cpp
    return saturatingAdd(costOf(nested->factor).flops, columns - 1) / columns +
           2;
  }
  int64_t total = costOf(lambda.body).flops;
  if (lambda.guard)
    total = saturatingAdd(total, costOf(lambda.guard).flops);
  if (lambda.reducer != tdl::Reducer::None)
    total = saturatingAdd(total, 1);
  return total;
}

int64_t analysis::flops(const tdl::Lambda &lambda,
                        const std::vector<int64_t> &extents) {
  int64_t total = flopsPerPoint(lambda);
  for (int64_t extent : extents) {
    if (extent == 0)
      return 0;
    total = saturatingMul(total, extent);
  }
  return total;
}

int64_t
analysis::bytes(const tdl::Lambda &lambda, const std::vector<int64_t> &extents,
                const std::vector<std::vector<int64_t>> &operandShapes) {
  const auto size = [](const Box &box, DType type) {
    int64_t total = byteSize(type);
    for (Interval side : box)
      total = saturatingMul(total, side.size());
    return total;
  };
  const Box indices = wholeBox(extents);
  int64_t total = size(Box(indices.begin(), indices.begin() + lambda.rank()),
                       lambda.result);
  const std::vector<Access> read = accesses(lambda, operandShapes);
  for (size_t i = 0; i < read.size(); ++i)
    total = saturatingAdd(total, size(read[i].region(indices, operandShapes[i]),
                                      lambda.operands[i].type));
  return total;
}

std::vector<int> analysis::inPlaceOperands(const tdl::Lambda &lambda) {
  std::vector<int> candidates;
  if (!isMap(lambda))
    return candidates;
  const std::vector<bool> identity = identityOperands(lambda);
  for (size_t i = 0; i < identity.size(); ++i)
    if (identity[i] && lambda.operands[i].type == lambda.result)
      candidates.push_back(int(i));
  return candidates;
}
