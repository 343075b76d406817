#include "compiler/partition/Reduction.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// First words of keys (Factors.cpp has the others).
enum KeyKind : int64_t { kGiven = -3, kSum = -4, kCompact = -5 };

/// Comparing every two values of a larger domain takes longer than it saves.
constexpr int kLargestCompared = 32;

/// All factors of the problem on one scope, summed into one.
std::vector<Factor> merge(const Problem &problem, Tables &tables) {
  std::map<std::vector<int>, std::vector<int64_t>> byScope;
  for (size_t i = 0; i < problem.unaries.size(); ++i)
    byScope[{problem.unaries[i].variable}].push_back(tables.make(
        {kGiven, int64_t(i)}, [&] { return problem.unaries[i].costs; }));
  for (const Problem::Binary &binary : problem.binaries) {
    const Table &table = problem.tables[binary.table];
    const bool transposed = binary.first > binary.second;
    const int number = tables.make({kGiven, binary.table, transposed}, [&] {
      std::vector<Cost> costs = table.costs;
      for (size_t i = 0; transposed && i < costs.size(); ++i)
        costs[i] = table.at(int(i % table.rows), int(i / table.rows));
      return costs;
    });
    byScope[{std::min(binary.first, binary.second),
             std::max(binary.first, binary.second)}]
        .push_back(number);
  }

  std::vector<Factor> factors;
  for (auto &[scope, numbers] : byScope) {
    if (numbers.size() == 1) {
      factors.push_back({scope, int(numbers.front())});
      continue;
    }
    std::vector<int64_t> key{kSum};
    std::sort(numbers.begin(), numbers.end());
    key.insert(key.end(), numbers.begin(), numbers.end());
    const int number = tables.make(key, [&, &numbers = numbers] {
      std::vector<Cost> sum(tables.costs(int(numbers.front())).size());
      for (int64_t part : numbers)
        for (size_t i = 0; i < sum.size(); ++i)
          sum[i] += tables.costs(int(part))[i];
      return sum;
    });
    factors.push_back({scope, number});
  }
  return factors;
}

class Dominance {
public:
  Dominance(const std::vector<int> &sizes, const std::vector<Factor> &factors,
            const Tables &tables)
      : sizes(sizes), factors(factors), tables(tables), kept(sizes.size()),
        known(sizes.size()) {
    for (size_t v = 0; v < sizes.size(); ++v) {
      kept[v].resize(sizes[v]);
      std::iota(kept[v].begin(), kept[v].end(), 0);
    }
    for (size_t f = 0; f < factors.size(); ++f)
      for (int v : factors[f].scope)
        known[v].push_back(int(f));
  }

  /// A value removed may leave another one of a neighbour without its use, so
  /// neighbours are looked at again.
  std::vector<std::vector<int>> run() {
    std::vector<int> queue(sizes.size());
    std::iota(queue.begin(), queue.end(), 0);
    std::vector<bool> queued(sizes.size(), true);
    for (size_t next = 0; next < queue.size(); ++next) {
      const int v = queue[next];
      queued[v] = false;
      if (sizes[v] > kLargestCompared || !removeDominated(v))
        continue;
      for (int f : known[v])
        for (int neighbour : factors[f].scope)
          if (neighbour != v && !queued[neighbour]) {
            queued[neighbour] = true;
            queue.push_back(neighbour);
          }
    }
    return std::move(kept);
  }

private:
  bool removeDominated(int v) {
    std::vector<int> &values = kept[v];
    const size_t before = values.size();
    for (size_t i = values.size(); i-- > 0;)
      for (size_t j = 0; j < values.size(); ++j)
        if (i != j && isDominated(v, values[i], values[j])) {
          values.erase(values.begin() + i);
          break;
        }
    return values.size() < before;
  }

  /// Whether `by` instead of `value` never costs more, whatever the neighbours
  /// have. Of equals the lower stays.
  bool isDominated(int v, int value, int by) const {
    Cost most;
    for (int f : known[v])
      most += largestDifference(factors[f], v, by, value);
    return most < Cost() || (most == Cost() && by < value);
  }

  Cost largestDifference(const Factor &factor, int v, int a, int b) const {
    const std::vector<Cost> &costs = tables.costs(factor.table);
    if (factor.scope.size() == 1)
      return costs[a] - costs[b];
    const bool isRow = factor.scope[0] == v;
    const int other = factor.scope[isRow];
    const int64_t columns = sizes[factor.scope[1]];
    Cost most;
    bool first = true;
    for (int y : kept[other]) {
      const Cost difference =
          isRow ? costs[a * columns + y] - costs[b * columns + y]
                : costs[y * columns + a] - costs[y * columns + b];
      if (first || most < difference)
        most = difference;
      first = false;
    }
    return most;
  }

  const std::vector<int> &sizes;
  const std::vector<Factor> &factors;
  const Tables &tables;
  std::vector<std::vector<int>> kept;
  std::vector<std::vector<int>> known; // factors per variable
};

/// The factor's table without the rows and columns of removed values.
int compact(const Factor &factor, const std::vector<int> &sizes,
            const std::vector<std::vector<int>> &kept, Tables &tables) {
  bool whole = true;
  std::vector<int64_t> key{kCompact, factor.table};
  for (int v : factor.scope) {
    whole = whole && int(kept[v].size()) == sizes[v];
    key.push_back(-1);
    key.insert(key.end(), kept[v].begin(), kept[v].end());
  }
  if (whole)
    return factor.table;
  return tables.make(key, [&] {
    const std::vector<Cost> &costs = tables.costs(factor.table);
    std::vector<Cost> result;
    for (int x : kept[factor.scope[0]]) {
      if (factor.scope.size() == 1)
        result.push_back(costs[x]);
      else
        for (int y : kept[factor.scope[1]])
          result.push_back(costs[int64_t(x) * sizes[factor.scope[1]] + y]);
    }
    return result;
  });
}

} // namespace

Reduction network::reduce(const Problem &problem, Tables &tables) {
  std::vector<Factor> factors = merge(problem, tables);
  Reduction reduction;
  reduction.kept = Dominance(problem.domains, factors, tables).run();
  for (const auto &values : reduction.kept)
    reduction.graph.sizes.push_back(int(values.size()));
  for (Factor &factor : factors)
    reduction.graph.factors.push_back(
        {factor.scope,
         compact(factor, problem.domains, reduction.kept, tables)});
  return reduction;
}
