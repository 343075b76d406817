#include "compiler/partition/Factors.h"

#include "compiler/partition/Minimization.h"

#include <algorithm>
#include <cmath>
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

/// The largest without sign. In lanes, for vector instructions.
double magnitudeOf(const std::vector<double> &bytes) {
  constexpr size_t kLanes = 8;
  double lanes[kLanes] = {};
  for (size_t i = 0; i < bytes.size() / kLanes * kLanes; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = std::max(lanes[lane], std::abs(bytes[i + lane]));
  for (size_t i = bytes.size() / kLanes * kLanes; i < bytes.size(); ++i)
    lanes[0] = std::max(lanes[0], std::abs(bytes[i]));
  return *std::max_element(lanes, lanes + kLanes);
}

size_t positionOf(int variable, const std::vector<int> &scope) {
  return std::lower_bound(scope.begin(), scope.end(), variable) - scope.begin();
}

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
  return untied[factor.table].empty()
             ? tables[factor.table][offset]
             : Cost{int64_t(untied[factor.table][offset]), 0};
}

double Tables::magnitudeOf(const std::vector<Cost> &costs) {
  double result = 0;
  for (Cost cost : costs) {
    if (cost.tie != 0)
      return -1;
    result = std::max(result, std::abs(double(cost.bytes)));
  }
  return result;
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
  std::vector<Elimination> scheduled;
  Factor result = schedule(variable, sizes, std::move(factors), scheduled);
  if (!scheduled.empty())
    compute(scheduled.front(), sizes);
  // What a bucket made has bytes alone.
  std::vector<double> &bytes = untied[result.table];
  for (double each : bytes)
    tables[result.table].push_back({int64_t(each), 0});
  std::vector<double>().swap(bytes);
  return result;
}

Factor Tables::schedule(int variable, const std::vector<int> &sizes,
                        std::vector<Factor> factors,
                        std::vector<Elimination> &scheduled) {
  std::vector<int> scope = otherVariables(variable, factors);
  // Equal keys: equal sizes, and equal tables on the same places of the scope.
  std::sort(factors.begin(), factors.end(), [](const auto &a, const auto &b) {
    return std::tie(a.table, a.scope) < std::tie(b.table, b.scope);
  });
  key = {kEliminate, sizes[variable]};
  for (int v : scope)
    key.push_back(sizes[v]);
  for (const Factor &factor : factors) {
    key.push_back(-1 - factor.table);
    for (int v : factor.scope)
      key.push_back(v == variable ? int64_t(scope.size())
                                  : int64_t(positionOf(v, scope)));
  }
  const int before = count();
  const int table = make(key, [] { return std::vector<Cost>(); });
  if (table == before)
    scheduled.push_back({variable, scope, std::move(factors), table});
  return {std::move(scope), table};
}

void Tables::compute(const Elimination &elimination,
                     const std::vector<int> &sizes) {
  double most = 0; // of a sum
  for (const Factor &factor : elimination.factors)
    most += magnitude(factor.table);
  double &magnitude = magnitudes[elimination.table];
  if (most < kExact) {
    std::vector<double> &result = untied[elimination.table];
    if (!spare.empty()) {
      result = std::move(spare.back());
      spare.pop_back();
    }
    minimizeSum(elimination.variable, elimination.scope, sizes,
                elimination.factors, *this, result);
    magnitude = ::magnitudeOf(result);
  } else {
    std::vector<Cost> &result = tables[elimination.table];
    minimizeSum(elimination.variable, elimination.scope, sizes,
                elimination.factors, *this, result);
    magnitude = Tables::magnitudeOf(result);
  }
}

void Tables::drop(int table) {
  std::vector<Cost>().swap(tables[table]);
  if (!untied[table].empty()) {
    spare.push_back(std::move(untied[table]));
    untied[table].clear();
  }
}

Factor Tables::fix(const Factor &factor, const std::vector<int> &sizes,
                   const std::vector<int> &values) {
  Factor result;
  key = {kFix, factor.table};
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
