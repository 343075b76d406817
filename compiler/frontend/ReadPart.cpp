#include "compiler/frontend/ReadPart.h"

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/analysis/ValueRange.h"

#include <algorithm>
#include <tuple>

using namespace smex;
using namespace smex::frontend;
using analysis::Affine;
using tdl::ExprRef;

namespace {

/// So many points of an index space are looked at one by one.
constexpr int64_t mostPoints = 1 << 18;

bool isVariable(const Affine::Term &term) {
  return term.atom->kind == tdl::ExprKind::Index;
}

/// Where each dimension has a variable of its own, or none.
std::optional<Part> product(const std::vector<ExprRef> &indices,
                            const std::vector<int64_t> &extents) {
  Part part;
  std::vector<bool> used(extents.size(), false);
  for (const ExprRef &index : indices) {
    const auto sum = analysis::affine(index, nullptr);
    if (!sum || sum->terms.size() > 1)
      return std::nullopt;
    if (sum->isConstant()) {
      part.push_back({sum->constant, 1, 1});
      continue;
    }
    const Affine::Term &term = sum->terms[0];
    const size_t variable = size_t(term.atom->index);
    if (!isVariable(term) || used[variable])
      return std::nullopt;
    used[variable] = true;
    const int64_t count = extents[variable];
    int64_t end = 0;
    if (__builtin_mul_overflow(term.factor, count - 1, &end) ||
        __builtin_add_overflow(end, sum->constant, &end))
      return std::nullopt;
    part.push_back(count == 1 ? Progression{sum->constant, 1, 1}
                              : Progression{std::min(sum->constant, end), count,
                                            std::abs(term.factor)});
  }
  return part;
}

/// Whether the numbers of the elements in memory are 0, 1, .. to the last one.
bool isWhole(const std::vector<ExprRef> &indices,
             const std::vector<int64_t> &extents,
             const std::vector<int64_t> &shape) {
  ExprRef number = tdl::constant(0);
  for (size_t d = 0; d < indices.size(); ++d)
    number = tdl::binary(
        tdl::BinaryOp::Add,
        tdl::binary(tdl::BinaryOp::Mul, number, tdl::constant(shape[d])),
        indices[d]);
  auto sum = analysis::affine(number, nullptr);
  if (!sum || sum->constant != 0)
    return false;
  std::sort(sum->terms.begin(), sum->terms.end(),
            [](const auto &a, const auto &b) { return a.factor < b.factor; });
  int64_t elements = 1;
  for (const Affine::Term &term : sum->terms) {
    if (!isVariable(term) || term.factor != elements ||
        __builtin_mul_overflow(elements, extents[size_t(term.atom->index)],
                               &elements))
      return false;
  }
  int64_t all = 1;
  for (int64_t extent : shape)
    all *= extent;
  return elements == all;
}

/// The elements that are marked, if they are a part; `at`: per dimension, its
/// coordinates that occur.
std::optional<Part> partOf(const std::vector<std::vector<bool>> &at,
                           int64_t marked) {
  Part part;
  int64_t product = 1;
  for (const auto &occurs : at) {
    const auto first = std::find(occurs.begin(), occurs.end(), true);
    if (first == occurs.end())
      return std::nullopt;
    const auto second = std::find(first + 1, occurs.end(), true);
    Progression along = {first - occurs.begin(), 1,
                         second == occurs.end() ? 1 : second - first};
    const int64_t count = std::count(first, occurs.end(), true);
    for (int64_t next = along.first + along.step;
         next < int64_t(occurs.size()) && occurs[size_t(next)];
         next += along.step)
      ++along.count;
    if (along.count != count)
      return std::nullopt;
    product *= count;
    part.push_back(along);
  }
  return product == marked ? std::optional(part) : std::nullopt;
}

std::optional<Part> pointByPoint(const std::vector<ExprRef> &indices,
                                 const std::vector<Taken> &conditions,
                                 const std::vector<int64_t> &extents,
                                 const std::vector<int64_t> &shape) {
  // Variables that say nothing stay where they are.
  std::vector<size_t> variables;
  int64_t points = 1, elements = 1;
  const auto matters = [&](size_t v) {
    const auto uses = [&](const ExprRef &e) { return tdl::uses(e, int(v)); };
    return std::any_of(indices.begin(), indices.end(), uses) ||
           std::any_of(conditions.begin(), conditions.end(),
                       [&](const Taken &t) { return uses(t.condition); });
  };
  for (size_t v = 0; v < extents.size(); ++v)
    if (matters(v)) {
      variables.push_back(v);
      if (extents[v] > mostPoints / points)
        return std::nullopt;
      points *= extents[v];
    }
  std::vector<std::vector<bool>> at;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > (1 << 26) / elements)
      return std::nullopt;
    elements *= extent;
    at.emplace_back(size_t(extent), false);
  }
  std::vector<bool> marks(size_t(elements), false);
  int64_t marked = 0;
  const analysis::Shapes none;
  analysis::RangeEvaluator evaluator(none);
  Box point = wholeBox(std::vector<int64_t>(extents.size(), 1));
  for (int64_t p = 0; p < points; ++p) {
    int64_t rest = p;
    for (size_t v : variables) {
      point[v] = {rest % extents[v], rest % extents[v] + 1};
      rest /= extents[v];
    }
    bool isTaken = true;
    for (const Taken &taken : conditions) {
      const auto truth = evaluator.truth(taken.condition, point);
      if (truth == analysis::Truth::Perhaps)
        return std::nullopt;
      isTaken &= (truth == analysis::Truth::Always) == taken.holds;
    }
    if (!isTaken)
      continue;
    int64_t element = 0;
    for (size_t d = 0; d < indices.size(); ++d) {
      const auto value = evaluator.range(indices[d], point);
      if (!value.isPoint() || value.first < 0 || value.first >= shape[d])
        return std::nullopt;
      element = element * shape[d] + value.first;
      at[d][size_t(value.first)] = true;
    }
    marked += !marks[size_t(element)];
    marks[size_t(element)] = true;
  }
  return marked ? partOf(at, marked) : std::nullopt;
}

/// Whether b begins where a ends in dimension `d`, so that both are one.
bool appendAlong(size_t d, PartRange &a, const PartRange &b) {
  if (a.low != b.low || a.high != b.high)
    return false;
  for (size_t other = 0; other < a.part.size(); ++other)
    if (other != d && !(a.part[other] == b.part[other]))
      return false;
  Progression &mine = a.part[d];
  const Progression &next = b.part[d];
  const int64_t step = mine.count > 1 ? mine.step : next.first - mine.first;
  if (step < 1 || next.first != mine.last() + step ||
      (next.count > 1 && next.step != step))
    return false;
  mine = {mine.first, mine.count + next.count, step};
  return true;
}

} // namespace

std::optional<Part> smex::frontend::readPart(
    const std::vector<ExprRef> &indices, const std::vector<Taken> &conditions,
    const std::vector<int64_t> &extents, const std::vector<int64_t> &shape) {
  const auto isEmpty = [](int64_t extent) { return extent < 1; };
  if (std::any_of(extents.begin(), extents.end(), isEmpty) ||
      std::any_of(shape.begin(), shape.end(), isEmpty))
    return std::nullopt;
  if (!conditions.empty())
    return pointByPoint(indices, conditions, extents, shape);
  std::optional<Part> part = product(indices, extents);
  if (!part && isWhole(indices, extents, shape))
    part = wholePart(shape);
  if (!part)
    part = pointByPoint(indices, conditions, extents, shape);
  return part && notPartOf(*part, shape).empty() ? part : std::nullopt;
}

std::vector<PartRange> smex::frontend::joined(std::vector<PartRange> ranges) {
  const size_t rank = ranges.empty() ? 0 : ranges[0].part.size();
  // Along the last dimension first: what is read in row-major order is soon
  // rows, then blocks of rows.
  for (size_t d = rank; d-- > 0;) {
    const auto key = [&](const PartRange &range) {
      std::vector<int64_t> numbers = {range.low, range.high};
      for (size_t other = 0; other < rank; ++other)
        if (other != d)
          for (int64_t n : {range.part[other].first, range.part[other].count,
                            range.part[other].step})
            numbers.push_back(n);
      const Progression &along = range.part[d];
      numbers.insert(numbers.end(), {along.first, along.count, along.step});
      return numbers;
    };
    std::sort(ranges.begin(), ranges.end(),
              [&](const PartRange &a, const PartRange &b) {
                return key(a) < key(b);
              });
    std::vector<PartRange> fewer;
    for (PartRange &range : ranges)
      if (fewer.empty() ||
          !(fewer.back() == range || appendAlong(d, fewer.back(), range)))
        fewer.push_back(std::move(range));
    ranges = std::move(fewer);
  }
  return ranges;
}
