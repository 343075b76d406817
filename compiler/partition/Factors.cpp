#include "compiler/partition/Factors.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// First words of keys, so that different operations never share one.
enum KeyKind : int64_t { kEliminate = -1, kFix = -2 };

std::vector<int64_t> rowMajorStrides(const std::vector<int> &sizes,
                                     const std::vector<int> &scope) {
  std::vector<int64_t> strides(scope.size());
  int64_t stride = 1;
  for (size_t i = scope.size(); i-- > 0; stride *= sizes[scope[i]])
    strides[i] = stride;
  return strides;
}

size_t positionOf(int variable, const std::vector<int> &scope) {
  return std::lower_bound(scope.begin(), scope.end(), variable) - scope.begin();
}

/// Adds up factors over all assignments to a scope, minimizing over one more
/// variable x. Sums are kept per depth: `sums[i]` has, for each value of x, the
/// factors whose scopes are all assigned once the first i variables are, so an
/// innermost step adds only what changes there.
class Minimization {
public:
  Minimization(int x, const std::vector<int> &scope,
               const std::vector<int> &sizes,
               const std::vector<Factor> &factors, const Tables &tables)
      : domain(sizes[x]), depth(scope.size()), terms(depth + 1),
        sums((depth + 1) * domain), values(depth), byCost(domain) {
    for (int v : scope)
      extents.push_back(sizes[v]);
    for (const Factor &factor : factors)
      addTerm(x, scope, sizes, factor, tables.costs(factor.table));
    costs.reserve(tableSize(sizes, scope));
  }

  std::vector<Cost> run() {
    for (const Term &term : terms[0])
      for (int x = 0; x < domain; ++x)
        sums[x] += term.costs[x];
    if (depth == 0)
      costs.push_back(*std::min_element(sums.begin(), sums.end()));
    else
      visit(0);
    return std::move(costs);
  }

private:
  struct Term {
    const Cost *costs;            // row-major, x's axis moved innermost
    std::vector<int64_t> strides; // in rows, of the scope's variables
    std::vector<Cost> least;      // over each row
  };

  void addTerm(int x, const std::vector<int> &scope,
               const std::vector<int> &sizes, const Factor &factor,
               const std::vector<Cost> &table) {
    const size_t axis = positionOf(x, factor.scope);
    int64_t rows = 1, inner = 1; // inner: entries behind x's axis
    Term term{table.data(), std::vector<int64_t>(depth), {}};
    size_t deepest = 0;
    for (size_t i = factor.scope.size(); i-- > 0;) {
      if (i == axis)
        continue;
      const size_t position = positionOf(factor.scope[i], scope);
      term.strides[position] = rows;
      rows *= sizes[factor.scope[i]];
      deepest = std::max(deepest, position + 1);
      if (i > axis)
        inner = rows;
    }
    if (inner > 1) {
      std::vector<Cost> moved(table.size());
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t value = 0; value < domain; ++value)
          moved[row * domain + value] =
              table[(row / inner * domain + value) * inner + row % inner];
      transposed.push_back(std::move(moved));
      term.costs = transposed.back().data();
    }
    if (deepest == depth)
      for (int64_t row = 0; row < rows; ++row)
        term.least.push_back(*std::min_element(
            term.costs + row * domain, term.costs + (row + 1) * domain));
    terms[deepest].push_back(std::move(term));
  }

  void visit(size_t level) {
    if (level + 1 == depth)
      return visitInnermost();
    const Cost *sum = &sums[level * domain];
    Cost *next = &sums[(level + 1) * domain];
    for (values[level] = 0; values[level] < extents[level]; ++values[level]) {
      std::copy(sum, sum + domain, next);
      for (const Term &term : terms[level + 1]) {
        const Cost *row = term.costs + rowOf(term, level) * domain;
        for (int x = 0; x < domain; ++x)
          next[x] += row[x];
      }
      visit(level + 1);
    }
  }

  /// Takes the values of x by what they cost so far, and stops where the rest
  /// cannot be less, whatever the innermost terms add.
  void visitInnermost() {
    const size_t level = depth - 1;
    const Cost *sum = &sums[level * domain];
    for (int x = 0; x < domain; ++x)
      byCost[x] = {sum[x], x};
    std::sort(byCost.begin(), byCost.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    for (values[level] = 0; values[level] < extents[level]; ++values[level]) {
      rows.clear();
      Cost least;
      for (const Term &term : terms[depth]) {
        const int64_t row = rowOf(term, level);
        rows.push_back(term.costs + row * domain);
        least += term.least[row];
      }
      Cost best;
      for (int i = 0; i < domain; ++i) {
        const auto &[cost, x] = byCost[i];
        if (i > 0 && !(cost + least < best))
          break;
        Cost total = cost;
        for (const Cost *row : rows)
          total += row[x];
        if (i == 0 || total < best)
          best = total;
      }
      costs.push_back(best);
    }
  }

  int64_t rowOf(const Term &term, size_t level) const {
    int64_t row = 0;
    for (size_t i = 0; i <= level; ++i)
      row += values[i] * term.strides[i];
    return row;
  }

  const int domain;
  const size_t depth;
  std::vector<std::vector<Term>> terms; // per depth
  std::vector<Cost> sums, costs;
  std::vector<int64_t> values; // of the scope
  std::vector<std::pair<Cost, int>> byCost;
  std::vector<const Cost *> rows;
  std::vector<int> extents;
  std::deque<std::vector<Cost>> transposed;
};

} // namespace

int64_t network::tableSize(const std::vector<int> &sizes,
                           const std::vector<int> &scope) {
  int64_t size = 1;
  for (int v : scope)
    if (__builtin_mul_overflow(size, int64_t(sizes[v]), &size))
      return std::numeric_limits<int64_t>::max();
  return size;
}

Cost Tables::at(const Factor &factor, const std::vector<int> &sizes,
                const std::vector<int> &values) const {
  int64_t offset = 0;
  for (int v : factor.scope)
    offset = offset * sizes[v] + values[v];
  return tables[factor.table][offset];
}

std::vector<int> network::otherVariables(int variable,
                                         const std::vector<Factor> &factors) {
  std::vector<int> others;
  for (const Factor &factor : factors)
    others.insert(others.end(), factor.scope.begin(), factor.scope.end());
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  others.erase(std::remove(others.begin(), others.end(), variable),
               others.end());
  return others;
}

Factor Tables::eliminate(int variable, const std::vector<int> &sizes,
                         std::vector<Factor> factors) {
  std::vector<int> scope = otherVariables(variable, factors);
  // Equal keys: equal sizes, and equal tables on the same places of the scope.
  std::sort(factors.begin(), factors.end(), [](const auto &a, const auto &b) {
    return std::tie(a.table, a.scope) < std::tie(b.table, b.scope);
  });
  std::vector<int64_t> key{kEliminate, sizes[variable]};
  for (int v : scope)
    key.push_back(sizes[v]);
  for (const Factor &factor : factors) {
    key.push_back(-1 - factor.table);
    for (int v : factor.scope)
      key.push_back(v == variable ? int64_t(scope.size())
                                  : int64_t(positionOf(v, scope)));
  }

  const int table = make(key, [&] {
    return Minimization(variable, scope, sizes, factors, *this).run();
  });
  return {std::move(scope), table};
}

Factor Tables::fix(const Factor &factor, const std::vector<int> &sizes,
                   const std::vector<int> &values) {
  Factor result;
  std::vector<int64_t> key{kFix, factor.table};
  const auto strides = rowMajorStrides(sizes, factor.scope);
  int64_t start = 0;
  std::vector<int64_t> kept; // strides
  for (size_t i = 0; i < factor.scope.size(); ++i) {
    const int v = factor.scope[i];
    key.push_back(sizes[v]);
    key.push_back(values[v]);
    if (values[v] < 0) {
      result.scope.push_back(v);
      kept.push_back(strides[i]);
    } else {
      start += values[v] * strides[i];
    }
  }
  if (kept.size() == factor.scope.size())
    return factor;
  result.table = make(key, [&] {
    std::vector<Cost> costs;
    const int64_t size = tableSize(sizes, result.scope);
    for (int64_t entry = 0; entry < size; ++entry) {
      int64_t offset = start, rest = entry;
      for (size_t i = kept.size(); i-- > 0; rest /= sizes[result.scope[i]])
        offset += rest % sizes[result.scope[i]] * kept[i];
      costs.push_back(tables[factor.table][offset]);
    }
    return costs;
  });
  return result;
}
