#include "compiler/partition/Minimization.h"

#include "compiler/partition/Loops.h"

#include <algorithm>
#include <limits>
#include <memory>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// Rows are made as long as the scope allows, up to kLongRow entries, or
/// kLongestRow where they would have fewer than kShortRow: loops over short
/// rows take longer to start than to run, and longer ones than that leave the
/// nearest cache.
constexpr int64_t kShortRow = 16, kLongRow = 64, kLongestRow = 256;

void convert(Cost cost, Cost &to) { to = cost; }
void convert(Cost cost, double &to) { to = double(cost.bytes); }
void convert(double bytes, Cost &to) { to = {int64_t(bytes), 0}; }
void convert(double bytes, double &to) { to = bytes; }

/// The table itself if it has numbers of that kind, else null.
template <typename Number, typename From> const Number *as(const From *table) {
  if constexpr (std::is_same_v<Number, From>)
    return table;
  else
    return nullptr;
}

template <typename Number> Number infinite();
template <> Cost infinite() {
  return {std::numeric_limits<int64_t>::max(),
          std::numeric_limits<int64_t>::max()};
}
template <> double infinite() {
  return std::numeric_limits<double>::infinity();
}

// Loops that compilers turn into vector instructions.

template <typename Number>
void addTo(Number *__restrict sum, const Number *of, size_t count) {
  for (size_t i = 0; i < count; ++i)
    sum[i] += of[i];
}

template <typename Number>
void lower(Number *__restrict row, Number start, const Number *a,
           size_t width) {
  for (size_t j = 0; j < width; ++j) {
    const Number sum = start + a[j];
    row[j] = sum < row[j] ? sum : row[j];
  }
}

template <typename Number>
void lower(Number *__restrict row, Number start, const Number *a,
           const Number *b, size_t width) {
  for (size_t j = 0; j < width; ++j) {
    const Number sum = start + a[j] + b[j];
    row[j] = sum < row[j] ? sum : row[j];
  }
}

/// The one before all others.
template <typename Number, typename Before>
Number first(const Number *of, size_t count, Before before) {
  constexpr size_t kLanes = 8;
  Number lanes[kLanes];
  std::fill(lanes, lanes + kLanes, of[0]);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] =
          before(of[i + lane], lanes[lane]) ? of[i + lane] : lanes[lane];
  for (; i < count; ++i)
    lanes[0] = before(of[i], lanes[0]) ? of[i] : lanes[0];
  return *std::min_element(lanes, lanes + kLanes, before);
}

template <typename Number> Number least(const Number *of, size_t count) {
  return first(of, count, [](Number a, Number b) { return a < b; });
}

template <typename Number> Number most(const Number *of, size_t count) {
  return first(of, count, [](Number a, Number b) { return b < a; });
}

/// x is the variable that is minimized over. The last variables of the scope
/// are taken together: a row has an entry per assignment to them. Sums are kept
/// per depth, of all factors whose other variables are assigned once the first
/// i variables of the scope are: those with a variable of the row as a number
/// per value of x and entry ("wide"), the others as one per value of x. Only
/// those wide ones that need all variables are added row by row, for those
/// values of x that could lower an entry of that row.
template <typename Number> class Minimization {
public:
  Minimization(int x, const std::vector<int> &scope,
               const std::vector<int> &sizes)
      : x(x), domain(sizes[x]), scope(scope), sizes(sizes),
        depth(scope.size()) {
    while (depth > 0) {
      const int64_t longer = int64_t(width) * sizes[scope[depth - 1]];
      if (depth < scope.size() &&
          longer > (int64_t(width) < kShortRow ? kLongestRow : kLongRow))
        break;
      width = size_t(longer);
      --depth;
    }
    levels.resize(depth + 1);
  }

  /// The table is used until the end of `run`.
  template <typename From>
  void add(const std::vector<int> &known, const From *table) {
    // Strides in the table, of variables that the factor does not know 0.
    std::vector<int64_t> strides(scope.size());
    int64_t ofX = 0, size = 1;
    for (size_t i = known.size(); i-- > 0; size *= sizes[known[i]])
      (known[i] == x ? ofX : strides[placeOf(known[i])]) = size;
    size_t level = depth;
    while (level > 0 && strides[level - 1] == 0)
      --level;
    Loops row;
    bool isWide = false;
    for (size_t i = depth; i < scope.size(); ++i) {
      row.add(sizes[scope[i]], strides[i]);
      isWide = isWide || strides[i] > 0;
    }

    Term term{as<Number>(table), std::move(strides), ofX, nullptr, {}, {}};
    if (!term.numbers || !(isWide ? row.areContiguous() : ofX == 1))
      copy(term, table, isWide);
    Level &at = levels[level];
    if (isWide && level == depth)
      findLeast(term);
    (isWide ? at.wide : at.narrow).push_back(std::move(term));
  }

  /// Row-major over the scope.
  void run(std::vector<Number> &result) {
    result.resize(tableSize(sizes, scope));
    next = result.data();
    values.resize(depth);
    bounds.resize(domain);
    totals.resize(width);
    enter(0);
  }

private:
  struct Term {
    const Number *numbers;
    std::vector<int64_t> strides;  // of the scope
    int64_t ofX;                   // its stride
    std::unique_ptr<Number[]> own; // if these are not a table as it is
    std::vector<Number> least;     // of each row
    std::vector<int64_t> leastStrides;
  };

  /// Where the first so many variables are assigned.
  struct Level {
    std::vector<Term> wide, narrow; // that need the last of them
    /// Sums of these and of those before, or null if there are none.
    const Number *wideSum = nullptr, *narrowSum = nullptr;
    const Number *least = nullptr; // of each row of `wideSum`
    std::vector<Number> ownWide, ownNarrow, ownLeast;
  };

  size_t placeOf(int v) const {
    return std::lower_bound(scope.begin(), scope.end(), v) - scope.begin();
  }

  /// Loops over what the term knows of the variables before the row, and x.
  Loops loopsBeforeRow(const Term &term) const {
    Loops loops;
    for (size_t i = 0; i < depth; ++i)
      if (term.strides[i] > 0)
        loops.add(sizes[scope[i]], term.strides[i]);
    loops.add(domain, term.ofX);
    return loops;
  }

  /// Row-major strides of these loops, each step so large.
  std::vector<int64_t> stridesBeforeRow(const Term &term, int64_t size) const {
    std::vector<int64_t> strides(depth);
    size *= domain;
    for (size_t i = depth; i-- > 0;)
      if (term.strides[i] > 0) {
        strides[i] = size;
        size *= sizes[scope[i]];
      }
    return strides;
  }

  /// Makes the term's own numbers, row-major: variables before the row, x, and
  /// the row if it is wide.
  template <typename From>
  void copy(Term &term, const From *table, bool isWide) const {
    Loops loops = loopsBeforeRow(term);
    size_t size = domain * (isWide ? width : 1);
    for (size_t i = 0; i < scope.size(); ++i)
      if (i >= depth && isWide)
        loops.add(sizes[scope[i]], term.strides[i]);
      else if (i < depth && term.strides[i] > 0)
        size *= sizes[scope[i]];
    term.own.reset(new Number[size]);
    Number *to = term.own.get();
    loops.forEach([&](int64_t offset, int64_t count, int64_t stride) {
      for (int64_t i = 0; i < count; ++i)
        convert(table[offset + i * stride], *to++);
    });
    term.numbers = term.own.get();
    term.ofX = isWide ? width : 1;
    term.strides = stridesBeforeRow(term, term.ofX);
  }

  void findLeast(Term &term) const {
    Loops loops = loopsBeforeRow(term);
    loops.forEach([&](int64_t offset, int64_t count, int64_t stride) {
      for (int64_t i = 0; i < count; ++i)
        term.least.push_back(least(term.numbers + offset + i * stride, width));
    });
    term.leastStrides = stridesBeforeRow(term, 1);
  }

  void enter(size_t level) {
    Level &at = levels[level];
    if (level > 0) {
      const Level &before = levels[level - 1];
      at.wideSum = before.wideSum;
      at.narrowSum = before.narrowSum;
      at.least = before.least;
    }
    if (!at.narrow.empty())
      addTerms(at.narrow, level, 1, at.ownNarrow, at.narrowSum);
    if (level == depth)
      return addRow();
    if (!at.wide.empty()) {
      addTerms(at.wide, level, width, at.ownWide, at.wideSum);
      at.ownLeast.resize(domain);
      for (int i = 0; i < domain; ++i)
        at.ownLeast[i] = least(at.wideSum + i * width, width);
      at.least = at.ownLeast.data();
    }
    for (values[level] = 0; values[level] < sizes[scope[level]];
         ++values[level])
      enter(level + 1);
  }

  /// Makes `own` the sum of `sum`, if it is not null, and the terms, and `sum`
  /// that: `count` numbers per value of x.
  void addTerms(const std::vector<Term> &terms, size_t level, size_t count,
                std::vector<Number> &own, const Number *&sum) const {
    if (sum)
      own.assign(sum, sum + domain * count);
    else
      own.assign(domain * count, Number());
    sum = own.data();
    for (const Term &term : terms) {
      const Number *of = term.numbers + offset(term.strides, level);
      if (term.ofX == int64_t(count))
        addTo(own.data(), of, domain * count);
      else
        for (int i = 0; i < domain; ++i)
          addTo(&own[i * count], of + i * term.ofX, count);
    }
  }

  void addRow() {
    const Level &at = levels[depth];
    std::fill(bounds.begin(), bounds.end(), Number());
    added.clear();
    if (at.narrowSum)
      addTo(bounds.data(), at.narrowSum, domain);
    if (at.wideSum) {
      added.push_back({at.wideSum, int64_t(width)});
      addTo(bounds.data(), at.least, domain);
    }
    for (const Term &term : at.wide) {
      added.push_back({term.numbers + offset(term.strides, depth), term.ofX});
      addTo(bounds.data(), &term.least[offset(term.leastStrides, depth)],
            domain);
    }
    std::fill(next, next + width, infinite<Number>());
    const int best =
        int(std::min_element(bounds.begin(), bounds.end()) - bounds.begin());
    lowerRow(best);
    const Number enough = most(next, width);
    for (int i = 0; i < domain; ++i)
      if (bounds[i] < enough && i != best)
        lowerRow(i);
    next += width;
  }

  /// To what the i-th value of x costs.
  void lowerRow(int i) {
    const Number *narrow = levels[depth].narrowSum;
    const Number start = narrow ? narrow[i] : Number();
    const auto from = [&](size_t s) {
      return added[s].numbers + i * added[s].ofX;
    };
    if (added.size() <= 1) {
      const Number none = Number();
      return lower(next, start, added.empty() ? &none : from(0), width);
    }
    const Number *a = from(0);
    if (added.size() > 2) {
      std::copy_n(a, width, totals.begin());
      for (size_t s = 2; s < added.size(); ++s)
        addTo(totals.data(), from(s), width);
      a = totals.data();
    }
    lower(next, start, a, from(1), width);
  }

  int64_t offset(const std::vector<int64_t> &strides, size_t count) const {
    int64_t result = 0;
    for (size_t i = 0; i < count; ++i)
      result += values[i] * strides[i];
    return result;
  }

  struct Added {
    const Number *numbers;
    int64_t ofX; // stride
  };

  const int x, domain;
  const std::vector<int> &scope, &sizes;
  size_t depth;     // variables of the scope before the row
  size_t width = 1; // entries of a row
  std::vector<Level> levels;
  std::vector<int64_t> values; // of the variables before the row
  std::vector<Added> added;    // wide, to a row
  std::vector<Number> bounds;  // per value of x: no entry of a row is less
  std::vector<Number> totals;
  Number *next = nullptr; // to be set
};

template <typename Number>
void minimize(int variable, const std::vector<int> &scope,
              const std::vector<int> &sizes, const std::vector<Factor> &factors,
              const Tables &tables, std::vector<Number> &result) {
  Minimization<Number> minimization(variable, scope, sizes);
  for (const Factor &factor : factors)
    if (const auto &bytes = tables.bytes(factor.table); !bytes.empty())
      minimization.add(factor.scope, bytes.data());
    else
      minimization.add(factor.scope, tables.costs(factor.table).data());
  minimization.run(result);
}

} // namespace

void network::minimizeSum(int variable, const std::vector<int> &scope,
                          const std::vector<int> &sizes,
                          const std::vector<Factor> &factors,
                          const Tables &tables, std::vector<Cost> &result) {
  minimize(variable, scope, sizes, factors, tables, result);
}

void network::minimizeSum(int variable, const std::vector<int> &scope,
                          const std::vector<int> &sizes,
                          const std::vector<Factor> &factors,
                          const Tables &tables, std::vector<double> &result) {
  minimize(variable, scope, sizes, factors, tables, result);
}
