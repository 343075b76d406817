#include "runtime/backends/cpu/Segments.h"

#include "dialects/tdl/lambda/Conjuncts.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;
using tdl::ExprKind;
using tdl::ExprRef;

/// `offsets[v] <= k`, possibly with a cast to an index.
static std::optional<Segments> lowerBound(const tdl::Lambda &lambda,
                                          const ExprRef &part) {
  if (part->kind != ExprKind::Binary || part->binary != tdl::BinaryOp::Le)
    return std::nullopt;
  const ExprRef &term = part->children[1];
  ExprRef offset = part->children[0];
  if (offset->kind == ExprKind::Cast)
    offset = offset->children[0];
  const bool bounds =
      term->kind == ExprKind::Index && term->index >= lambda.rank() &&
      offset->kind == ExprKind::Read && offset->children.size() == 1 &&
      (offset->type == DType::I32 || offset->type == DType::I64);
  if (!bounds)
    return std::nullopt;
  const ExprRef &at = offset->children[0];
  if (at->kind != ExprKind::Index || at->index >= lambda.rank())
    return std::nullopt;
  return Segments{size_t(at->index), size_t(offset->operand)};
}

std::optional<Segments> runtime::segmentsOf(const tdl::Lambda &lambda) {
  for (const ExprRef &part : tdl::conjuncts(lambda.guard))
    if (auto found = lowerBound(lambda, part))
      return found;
  return std::nullopt;
}

std::vector<int64_t> runtime::balancedParts(const BufferView &offsets,
                                            Interval results, int64_t ways) {
  constexpr int64_t termsPerResult = 4;
  const bool isShort = offsets.type.dtype == DType::I32;
  const auto weight = [&](int64_t v) {
    const int64_t i = v - offsets.box[0].lo;
    const int64_t offset =
        isShort ? reinterpret_cast<const int32_t *>(offsets.data)[i]
                : reinterpret_cast<const int64_t *>(offsets.data)[i];
    return offset + termsPerResult * v;
  };
  std::vector<int64_t> starts = {results.lo};
  // Weights are known at all starts; the one at the end is past its element.
  const int64_t last = results.hi - 1;
  const double first = double(weight(results.lo));
  const double all = double(weight(last)) - first;
  for (int64_t part = 1; part < ways; ++part) {
    const auto wanted = int64_t(first + all * double(part) / double(ways));
    int64_t low = starts.back(), high = last;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (weight(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    starts.push_back(low);
  }
  starts.push_back(results.hi);
  return starts;
}
