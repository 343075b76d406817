#include "runtime/backends/cpu/GemmPlan.h"

#include <algorithm>
#include <tuple>

using namespace smex;
using namespace smex::runtime;
using cpu::ContractionIndex;

namespace {
enum Group { M, N, K, Batch };

Group groupOf(const ContractionIndex &index) {
  if (index.summed)
    return K;
  if (index.left && !index.right)
    return M;
  if (index.right && !index.left)
    return N;
  return Batch;
}

/// Makes one index of those that are contiguous in all three arrays.
void merge(std::vector<ContractionIndex> &group) {
  std::sort(group.begin(), group.end(), [](const auto &a, const auto &b) {
    return std::tie(a.result, a.left, a.right) >
           std::tie(b.result, b.left, b.right);
  });
  std::vector<ContractionIndex> merged;
  for (const ContractionIndex &index : group) {
    const auto follows = [&](int64_t outer, int64_t stride) {
      return outer == stride * index.extent;
    };
    if (!merged.empty() && follows(merged.back().result, index.result) &&
        follows(merged.back().left, index.left) &&
        follows(merged.back().right, index.right)) {
      const int64_t extent = merged.back().extent * index.extent;
      merged.back() = index;
      merged.back().extent = extent;
    } else {
      merged.push_back(index);
    }
  }
  group = std::move(merged);
}

/// How a matrix of `rows` x `columns` with these strides is stored, if one of
/// its dimensions is contiguous.
std::optional<GemmPlan::Matrix>
matrix(int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride) {
  if (rows == 1) // a stride that is not used may be any
    rowStride = std::max<int64_t>(1, columns * columnStride);
  if (columns == 1)
    columnStride = std::max<int64_t>(1, rows * rowStride);
  if ((columnStride == 1 || columns == 1) && rowStride >= columns)
    return GemmPlan::Matrix{rowStride, false};
  if ((rowStride == 1 || rows == 1) && columnStride >= rows)
    return GemmPlan::Matrix{columnStride, true};
  return std::nullopt;
}

/// The product of these three indices, where the matrices allow it.
std::optional<GemmPlan> product(const ContractionIndex &m,
                                const ContractionIndex &n,
                                const ContractionIndex &k) {
  GemmPlan plan;
  plan.m = m.extent, plan.n = n.extent, plan.k = k.extent;
  const auto result = matrix(m.extent, n.extent, m.result, n.result);
  const auto left = matrix(m.extent, k.extent, m.left, k.left);
  const auto right = matrix(k.extent, n.extent, k.right, n.right);
  if (!result || !left || !right || result->transposed)
    return std::nullopt;
  plan.result = *result, plan.left = *left, plan.right = *right;
  plan.resultRow = m.result, plan.leftRow = m.left, plan.rightColumn = n.right;
  return plan;
}

void exchangeOperands(std::vector<ContractionIndex> &indices) {
  for (ContractionIndex &index : indices)
    std::swap(index.left, index.right);
}

/// The largest product among all choices of three indices.
std::optional<GemmPlan>
largestProduct(const std::vector<ContractionIndex> &indices) {
  std::vector<ContractionIndex> groups[4];
  for (const ContractionIndex &index : indices)
    if (index.extent > 1)
      groups[groupOf(index)].push_back(index);
  for (auto &group : groups)
    merge(group);

  // No index of a group: an extent of one.
  const auto candidate = [&](Group group, size_t i) {
    return i < groups[group].size() ? groups[group][i] : ContractionIndex{};
  };
  std::optional<GemmPlan> best;
  std::array<size_t, 3> chosen{};
  for (size_t i = 0; i <= groups[M].size(); ++i)
    for (size_t j = 0; j <= groups[N].size(); ++j)
      for (size_t l = 0; l <= groups[K].size(); ++l) {
        const auto plan =
            product(candidate(M, i), candidate(N, j), candidate(K, l));
        if (plan && (!best || plan->m * plan->n * plan->k >
                                  best->m * best->n * best->k)) {
          best = plan;
          chosen = {i, j, l};
        }
      }
  if (!best)
    return std::nullopt;
  for (Group group : {Batch, M, N, K})
    for (size_t i = 0; i < groups[group].size(); ++i) {
      const ContractionIndex &index = groups[group][i];
      if (group != Batch && i == chosen[group])
        continue;
      if (group == K)
        best->inner.push_back({index.extent, {index.left, index.right}});
      else
        best->outer.push_back(
            {index.extent, {index.result, index.left, index.right}});
    }
  return best;
}
} // namespace

std::optional<GemmPlan>
runtime::planGemm(std::vector<ContractionIndex> indices) {
  auto straight = largestProduct(indices);
  exchangeOperands(indices);
  auto swapped = largestProduct(indices);
  const auto size = [](const std::optional<GemmPlan> &plan) {
    return plan ? plan->m * plan->n * plan->k : 0;
  };
  if (size(swapped) <= size(straight))
    return straight;
  swapped->swapped = true;
  return swapped;
}
