#include "compiler/partition/Minimization.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

template <typename Number> Number numberOf(Cost cost);
template <> Cost numberOf(Cost cost) { return cost; }
template <> int64_t numberOf(Cost cost) { return cost.bytes; }
Cost costOf(Cost number) { return number; }
Cost costOf(int64_t number) { return {number, 0}; }

/// x is the variable that is minimized over, y the last one of the scope. For
/// each assignment to the scope but y, there are sums per value of x of all
/// that does not depend on y; they are kept per depth: `sums[i]` has the
/// factors whose scopes are all assigned once the first i variables are. Then
/// what depends on y is added for a row of all values of y at once, for those
/// values of x that could lower an entry of that row.
template <typename Number> class Minimization {
public:
  Minimization(int x, const std::vector<int> &scope,
               const std::vector<int> &sizes,
               const std::vector<Factor> &factors, const Tables &tables)
      : x(x), domain(sizes[x]), scope(scope), sizes(sizes), depth(scope.size()),
        width(depth > 0 ? sizes[scope.back()] : 1), terms(depth + 1),
        sums((depth + 1) * domain), bounds(domain), values(depth), row(width),
        totals(width) {
    for (const Factor &factor : factors)
      addTerm(factor, tables.costs(factor.table));
    costs.resize(tableSize(sizes, scope));
    next = costs.data();
  }

  std::vector<Cost> run() {
    for (const Term &term : terms[0])
      for (int i = 0; i < domain; ++i)
        sums[i] += term.numbers[i];
    if (depth == 0)
      *next = costOf(*std::min_element(sums.begin(), sums.end()));
    else
      visit(0);
    return std::move(costs);
  }

private:
  struct Term {
    /// Row-major: scope but y, x, and y if the factor has it.
    std::vector<Number> numbers;
    std::vector<int64_t> strides; // of the scope but y: of its variables
    std::vector<Number> least;    // over y, if the factor has it
  };

  void addTerm(const Factor &factor, const std::vector<Cost> &table) {
    // Strides in the term of the factor's variables, in their order.
    std::vector<int64_t> strides(factor.scope.size());
    const bool hasY = depth > 0 && factor.scope.size() > 1 &&
                      std::binary_search(factor.scope.begin(),
                                         factor.scope.end(), scope.back());
    int64_t stride = hasY ? int64_t(domain) * width : domain;
    Term term;
    term.strides.resize(depth);
    size_t deepest = 0;
    for (size_t i = factor.scope.size(); i-- > 0;) {
      const int v = factor.scope[i];
      if (v == x) {
        strides[i] = hasY ? width : 1;
      } else if (hasY && v == scope.back()) {
        strides[i] = 1;
        deepest = depth;
      } else {
        const size_t place =
            std::lower_bound(scope.begin(), scope.end(), v) - scope.begin();
        term.strides[place] = strides[i] = stride;
        stride *= sizes[v];
        deepest = std::max(deepest, place + 1);
      }
    }
    term.numbers.resize(table.size());
    copy(factor, strides, table, term.numbers);
    if (hasY)
      for (auto at = term.numbers.begin(); at != term.numbers.end();
           at += width)
        term.least.push_back(*std::min_element(at, at + width));
    terms[deepest].push_back(std::move(term));
  }

  void copy(const Factor &factor, const std::vector<int64_t> &strides,
            const std::vector<Cost> &table, std::vector<Number> &numbers) {
    const size_t last = factor.scope.size() - 1;
    std::vector<int> place(last); // of all variables but the last one
    int64_t to = 0;
    for (size_t from = 0; from < table.size();) {
      for (int i = 0; i < sizes[factor.scope[last]]; ++i)
        numbers[to + i * strides[last]] = numberOf<Number>(table[from++]);
      for (size_t i = last; i-- > 0;) {
        to += strides[i];
        if (++place[i] < sizes[factor.scope[i]])
          break;
        to -= strides[i] * place[i];
        place[i] = 0;
      }
    }
  }

  void visit(size_t level) {
    if (level + 1 == depth)
      return visitRow();
    const Number *sum = &sums[level * domain];
    Number *deeper = &sums[(level + 1) * domain];
    for (values[level] = 0; values[level] < sizes[scope[level]];
         ++values[level]) {
      std::copy(sum, sum + domain, deeper);
      for (const Term &term : terms[level + 1]) {
        const Number *of = &term.numbers[offset(term, level + 1)];
        for (int i = 0; i < domain; ++i)
          deeper[i] += of[i];
      }
      visit(level + 1);
    }
  }

  void visitRow() {
    const Number *sum = &sums[(depth - 1) * domain];
    starts.clear();
    for (const Term &term : terms[depth]) {
      const int64_t start = offset(term, depth - 1);
      const Number *least = &term.least[start / width];
      const Number *rest = starts.empty() ? sum : bounds.data();
      for (int i = 0; i < domain; ++i)
        bounds[i] = rest[i] + least[i];
      starts.push_back(&term.numbers[start]);
    }
    const int first =
        int(std::min_element(bounds.begin(), bounds.end()) - bounds.begin());
    const Number *added = addTerms(first);
    const Number sumOfFirst = sum[first];
    Number *out = row.data();
    for (int j = 0; j < width; ++j)
      out[j] = sumOfFirst + added[j];
    const Number most = *std::max_element(row.begin(), row.end());
    for (int i = 0; i < domain; ++i) {
      if (!(bounds[i] < most) || i == first)
        continue;
      added = addTerms(i);
      const Number sumOfI = sum[i];
      for (int j = 0; j < width; ++j)
        out[j] = std::min(out[j], sumOfI + added[j]);
    }
    for (int j = 0; j < width; ++j)
      *next++ = costOf(out[j]);
  }

  /// What depends on y, per value of y, for the i-th value of x.
  const Number *addTerms(int i) {
    const int64_t begin = int64_t(i) * width;
    if (starts.size() == 1)
      return starts[0] + begin;
    std::copy_n(starts[0] + begin, width, totals.begin());
    for (size_t t = 1; t < starts.size(); ++t) {
      const Number *term = starts[t] + begin;
      for (int j = 0; j < width; ++j)
        totals[j] += term[j];
    }
    return totals.data();
  }

  /// Where the term's part for the first `count` variables begins.
  int64_t offset(const Term &term, size_t count) const {
    int64_t result = 0;
    for (size_t i = 0; i < count; ++i)
      result += values[i] * term.strides[i];
    return result;
  }

  const int x, domain;
  const std::vector<int> &scope, &sizes;
  const size_t depth;
  const int width;                      // of the table: values of y
  std::vector<std::vector<Term>> terms; // per depth
  std::vector<Number> sums;
  std::vector<Number> bounds;  // per value of x: no entry of a row is less
  std::vector<int64_t> values; // of the scope
  std::vector<Number> row, totals;
  std::vector<const Number *> starts;
  std::vector<Cost> costs;
  Cost *next; // to be set
};

} // namespace

std::vector<Cost> network::minimizeSum(int variable,
                                       const std::vector<int> &scope,
                                       const std::vector<int> &sizes,
                                       const std::vector<Factor> &factors,
                                       const Tables &tables) {
  if (std::any_of(factors.begin(), factors.end(), [&](const Factor &factor) {
        return tables.hasTies(factor.table);
      }))
    return Minimization<Cost>(variable, scope, sizes, factors, tables).run();
  return Minimization<int64_t>(variable, scope, sizes, factors, tables).run();
}
