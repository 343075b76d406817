#include "dialects/tdl/analysis/Strategies.h"

#include "dialects/tdl/analysis/Affine.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

SymbolicBound add(SymbolicBound a, const SymbolicBound &b, int64_t factor) {
  // Factors of an Affine have 62 bits at most, but a product or a sum of them
  // may not have: such an index expression is beyond any operand, and wraps.
  const auto accumulate = [&](int64_t &x, int64_t y) {
    x = int64_t(uint64_t(x) + uint64_t(y) * uint64_t(factor));
  };
  for (size_t v = 0; v < a.first.size(); ++v) {
    accumulate(a.first[v], b.first[v]);
    accumulate(a.last[v], b.last[v]);
  }
  accumulate(a.constant, b.constant);
  return a;
}

SymbolicBound zeroBound(int indexCount) {
  return {std::vector<int64_t>(indexCount), std::vector<int64_t>(indexCount),
          0};
}

/// What it covers while variable `index` runs over its part; nothing if an atom
/// is no index variable.
std::optional<SymbolicInterval> symbolic(const Affine &a, int indexCount) {
  SymbolicInterval sum = symbolicConstant(a.constant, indexCount);
  for (const Affine::Term &term : a.terms) {
    if (term.atom->kind != ExprKind::Index)
      return std::nullopt;
    sum = sum + symbolicIndex(term.atom->index, indexCount) * term.factor;
  }
  return sum;
}

/// Uncut variables start at 0; what is left of the bound are their extents.
void dropFirst(SymbolicBound &bound) {
  std::fill(bound.first.begin(), bound.first.end(), 0);
}

DimensionNeed needOf(const ExprRef &e, int index, int indexCount) {
  if (!e || !tdl::uses(e, index)) // null: a `:` of an opaque function
    return {};
  const auto normal = affine(e, nullptr);
  if (!normal)
    return {};
  const int64_t stride = normal->factor(index);
  if (normal->usesInside(index)) {
    DimensionNeed need;
    need.kind = DimensionNeed::Blocks;
    for (const Affine::Term &term : normal->terms)
      if (tdl::readsData(term.atom))
        need.kind = DimensionNeed::Whole;
    return need;
  }
  if (stride == 0) // it cancelled out
    return {};
  DimensionNeed need;
  const auto interval = symbolic(*normal, indexCount);
  if (!interval) { // the others go through // or %
    need.kind = DimensionNeed::Blocks;
    return need;
  }
  need.kind = DimensionNeed::Halo;
  need.stride = stride;
  need.low = interval->low;
  need.high = interval->high;
  for (SymbolicBound *bound : {&need.low, &need.high}) {
    bound->last[index] = 0;
    dropFirst(*bound);
  }
  const SymbolicBound zero = zeroBound(indexCount);
  if (stride == 1 && need.low == zero && need.high == zero)
    need.kind = DimensionNeed::Part;
  return need;
}

/// Two reads of one dimension.
DimensionNeed merge(const DimensionNeed &a, const DimensionNeed &b) {
  if (a.kind == DimensionNeed::Whole || b.kind == DimensionNeed::Whole)
    return {};
  DimensionNeed need = a;
  if (a.kind == DimensionNeed::Blocks || b.kind == DimensionNeed::Blocks) {
    need.kind = DimensionNeed::Blocks;
    return need;
  }
  if (a.stride != b.stride)
    return {};
  // Extents are at least 1, so `last` is never negative, and a bound with the
  // smaller factors and constant is the lower one.
  const auto below = [](const SymbolicBound &x, const SymbolicBound &y) {
    for (size_t v = 0; v < x.last.size(); ++v)
      if (x.last[v] > y.last[v])
        return false;
    return x.constant <= y.constant;
  };
  if (!below(a.low, b.low)) {
    if (!below(b.low, a.low))
      return {};
    need.low = b.low;
  }
  if (!below(b.high, a.high)) {
    if (!below(a.high, b.high))
      return {};
    need.high = b.high;
  }
  if (a.kind != b.kind || !(a.low == b.low) || !(a.high == b.high))
    need.kind = DimensionNeed::Halo;
  return need;
}

/// The index lists of all reads, by operand.
std::vector<std::vector<std::vector<ExprRef>>>
readsOf(const tdl::Lambda &lambda) {
  std::vector<std::vector<std::vector<ExprRef>>> reads(lambda.operands.size());
  for (const ExprRef &root : {lambda.guard, lambda.body})
    tdl::walk(root, [&](const ExprRef &e) {
      if (e->kind == ExprKind::Read)
        reads[e->operand].push_back(e->children);
      for (const Expr::Slice &slice : e->slices)
        reads[slice.operand].push_back(slice.index);
    });
  return reads;
}

/// A linear combination of extents: "dx - 1", "2*dx + y - 3".
std::string haloText(const SymbolicBound &bound, const tdl::Lambda &lambda) {
  std::string text;
  int64_t constant = bound.constant;
  const auto append = [&](int64_t factor, const std::string &what) {
    if (factor == 0)
      return;
    text += text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    const uint64_t size = factor < 0 ? -uint64_t(factor) : uint64_t(factor);
    text += what.empty() ? std::to_string(size)
            : size == 1  ? what
                         : std::to_string(size) + "*" + what;
  };
  for (size_t v = 0; v < bound.last.size(); ++v) {
    append(bound.last[v], lambda.indexName(int(v)));
    constant -= bound.last[v]; // `last` is the extent less 1
  }
  append(constant, "");
  return text.empty() ? "0" : text;
}

std::string toText(const DimensionNeed &need, const tdl::Lambda &lambda) {
  switch (need.kind) {
  case DimensionNeed::Whole:
    return "whole";
  case DimensionNeed::Part:
    return "part";
  case DimensionNeed::Blocks:
    return "blocks";
  case DimensionNeed::Halo:
    break;
  }
  const std::string part = need.stride == 1 ? "part"
                           : need.stride == -1
                               ? "-part"
                               : std::to_string(need.stride) + "*part";
  const std::string low = haloText(need.low, lambda);
  const std::string high = haloText(need.high, lambda);
  if (low == "0" && high == "0")
    return part;
  return part + " + halo [" + low + ", " + high + "]";
}

} // namespace

SymbolicInterval analysis::symbolicIndex(int index, int indexCount) {
  SymbolicInterval interval = {zeroBound(indexCount), zeroBound(indexCount)};
  interval.low.first[index] = 1;
  interval.high.last[index] = 1;
  return interval;
}

SymbolicInterval analysis::symbolicConstant(int64_t value, int indexCount) {
  SymbolicInterval interval = {zeroBound(indexCount), zeroBound(indexCount)};
  interval.low.constant = interval.high.constant = value;
  return interval;
}

SymbolicInterval analysis::operator+(const SymbolicInterval &a,
                                     const SymbolicInterval &b) {
  return {::add(a.low, b.low, 1), ::add(a.high, b.high, 1)};
}

SymbolicInterval analysis::operator-(const SymbolicInterval &a,
                                     const SymbolicInterval &b) {
  return {::add(a.low, b.high, -1), ::add(a.high, b.low, -1)};
}

SymbolicInterval analysis::operator*(const SymbolicInterval &a,
                                     int64_t factor) {
  const SymbolicBound zero = zeroBound(int(a.low.first.size()));
  const SymbolicInterval scaled = {::add(zero, a.low, factor),
                                   ::add(zero, a.high, factor)};
  return factor < 0 ? SymbolicInterval{scaled.high, scaled.low} : scaled;
}

std::vector<int> analysis::cuttableIndices(const tdl::Lambda &lambda) {
  std::vector<int> indices;
  for (int v = 0; v < lambda.indexCount(); ++v) {
    bool inside = false;
    if (lambda.body->kind == ExprKind::Opaque)
      for (const ExprRef &child : lambda.body->children)
        inside |= tdl::uses(child, v);
    if (!inside)
      indices.push_back(v);
  }
  return indices;
}

std::vector<Strategy> analysis::strategies(const tdl::Lambda &lambda) {
  const auto reads = readsOf(lambda);
  std::vector<Strategy> found;
  for (int index : cuttableIndices(lambda)) {
    Strategy strategy;
    strategy.index = index;
    if (index >= lambda.rank())
      strategy.reducer = lambda.reducer;
    for (size_t operand = 0; operand < reads.size(); ++operand) {
      const int rank = lambda.operands[operand].rank;
      std::vector<DimensionNeed> needs(rank);
      for (int d = 0; d < rank; ++d)
        for (size_t r = 0; r < reads[operand].size(); ++r) {
          const DimensionNeed need =
              needOf(reads[operand][r][d], index, lambda.indexCount());
          needs[d] = r ? merge(needs[d], need) : need;
        }
      strategy.operands.push_back(std::move(needs));
    }
    found.push_back(std::move(strategy));
  }
  return found;
}

std::string analysis::toString(const Strategy &strategy,
                               const tdl::Lambda &lambda) {
  const std::string &index = lambda.indexName(strategy.index);
  std::string text = index + " -> ";
  if (strategy.reducer == tdl::Reducer::None)
    text += "concat " + index;
  else
    text += "reduce " + std::string(tdl::name(strategy.reducer));
  text += ":";
  for (size_t operand = 0; operand < strategy.operands.size(); ++operand) {
    text += " " + lambda.operands[operand].name + "[";
    for (size_t d = 0; d < strategy.operands[operand].size(); ++d)
      text += (d ? ", " : "") + toText(strategy.operands[operand][d], lambda);
    text += "]";
  }
  return text;
}
