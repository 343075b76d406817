#include "compiler/partition/Reduction.h"

#include "compiler/partition/Patterns.h"

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

/// Values that others always beat. A variable sees its neighbours in groups
/// that have the same table and the same values left: a weight that every
/// timestep reads has thousands of neighbours, but few groups.
class Dominance {
public:
  Dominance(const std::vector<int> &sizes, const std::vector<Factor> &factors,
            const Tables &tables)
      : sizes(sizes), factors(factors), tables(tables), kept(sizes.size()),
        known(sizes.size()), groups(sizes.size()) {
    for (size_t v = 0; v < sizes.size(); ++v) {
      std::vector<int> all(sizes[v]);
      std::iota(all.begin(), all.end(), 0);
      kept[v] = lists.number(all);
    }
    for (size_t f = 0; f < factors.size(); ++f)
      for (int v : factors[f].scope) {
        known[v].push_back(int(f));
        count(v, factors[f], 1);
      }
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
    std::vector<std::vector<int>> result;
    for (int list : kept)
      result.push_back(lists.keys[list]);
    return result;
  }

private:
  struct Group {
    int table;
    bool isRow;     // the variable is the table's first
    int neighbours; // the list of values left to them; none: -1
    int64_t count;
  };

  /// More or fewer factors like this one among those that v knows.
  void count(int v, const Factor &factor, int64_t change) {
    const bool isRow = factor.scope[0] == v;
    const int others =
        factor.scope.size() == 1 ? -1 : kept[factor.scope[isRow]];
    for (Group &group : groups[v])
      if (group.table == factor.table && group.isRow == isRow &&
          group.neighbours == others) {
        group.count += change;
        return;
      }
    groups[v].push_back({factor.table, isRow, others, change});
  }

  bool removeDominated(int v) {
    std::vector<int> values = lists.keys[kept[v]];
    const size_t before = values.size();
    for (size_t i = values.size(); i-- > 0;)
      for (size_t j = 0; j < values.size(); ++j)
        if (i != j && isDominated(v, values[i], values[j])) {
          values.erase(values.begin() + i);
          break;
        }
    if (values.size() == before)
      return false;
    const auto countForNeighbours = [&](int64_t change) {
      for (int f : known[v])
        for (int neighbour : factors[f].scope)
          if (neighbour != v)
            count(neighbour, factors[f], change);
    };
    countForNeighbours(-1);
    kept[v] = lists.number(values);
    countForNeighbours(1);
    return true;
  }

  /// Whether `by` instead of `value` never costs more, whatever the neighbours
  /// have. Of equals the lower stays.
  bool isDominated(int v, int value, int by) const {
    Cost most;
    for (const Group &group : groups[v])
      if (group.count > 0) {
        const Cost each = largestDifference(group, v, by, value);
        most += Cost{each.bytes * group.count, each.tie * group.count};
      }
    return most < Cost() || (most == Cost() && by < value);
  }

  Cost largestDifference(const Group &group, int v, int a, int b) const {
    const std::vector<Cost> &costs = tables.costs(group.table);
    if (group.neighbours < 0)
      return costs[a] - costs[b];
    const int64_t columns =
        group.isRow ? int64_t(costs.size()) / sizes[v] : sizes[v];
    Cost most;
    bool first = true;
    for (int y : lists.keys[group.neighbours]) {
      const Cost difference =
          group.isRow ? costs[a * columns + y] - costs[b * columns + y]
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
  Patterns<std::vector<int>> lists;       // of values left
  std::vector<int> kept;                  // per variable, a list
  std::vector<std::vector<int>> known;    // factors per variable
  std::vector<std::vector<Group>> groups; // the same, grouped
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
