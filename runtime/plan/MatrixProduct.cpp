#include "runtime/plan/MatrixProduct.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

using namespace smex;
using namespace smex::plan;

namespace {

using Group = std::vector<ProductIndex>;
constexpr const char *groupNames = "mnkb";

/// Libraries count rows, columns and matrices by ints.
constexpr int64_t mostElements = std::numeric_limits<int32_t>::max();

/// Makes one index of those that lie in all three arrays as one would.
void merge(Group &group) {
  std::sort(group.begin(), group.end(), [](const auto &a, const auto &b) {
    return std::tie(a.result, a.left, a.right) >
           std::tie(b.result, b.left, b.right);
  });
  Group merged;
  for (const ProductIndex &index : group) {
    const auto follows = [&](int64_t outer, int64_t stride) {
      return outer == stride * index.extent;
    };
    if (!merged.empty() && follows(merged.back().result, index.result) &&
        follows(merged.back().left, index.left) &&
        follows(merged.back().right, index.right) &&
        merged.back().extent <= mostElements / index.extent) {
      const int64_t extent = merged.back().extent * index.extent;
      merged.back() = index;
      merged.back().extent = extent;
    } else {
      merged.push_back(index);
    }
  }
  group = std::move(merged);
}

/// How a matrix of `rows` x `columns` with these strides is stored by columns.
std::optional<MatrixProduct::Matrix>
matrix(int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride) {
  const auto stored = [](int64_t rows, int64_t columns, int64_t rowStride,
                         int64_t columnStride) -> std::optional<int64_t> {
    if (columns == 1) // no column follows
      columnStride = std::max(rows, int64_t(1));
    const bool fits = (rows == 1 || rowStride == 1) && columnStride >= rows &&
                      columnStride > 0;
    return fits ? std::optional<int64_t>(columnStride) : std::nullopt;
  };
  const auto straight = stored(rows, columns, rowStride, columnStride);
  const auto transposed = stored(columns, rows, columnStride, rowStride);
  // A vector can be either: as one column its elements are neighbours.
  if (transposed && (!straight || (rows == 1 && columnStride == 1)))
    return MatrixProduct::Matrix{true, *transposed, 0};
  if (straight)
    return MatrixProduct::Matrix{false, *straight, 0};
  return std::nullopt;
}

/// The product of these three indices and this batch, where the matrices allow
/// it.
std::optional<MatrixProduct> product(const ProductIndex &m,
                                     const ProductIndex &n,
                                     const ProductIndex &k,
                                     const ProductIndex &batch) {
  for (const ProductIndex *index : {&m, &n, &k, &batch})
    if (index->extent > mostElements)
      return std::nullopt;
  MatrixProduct made;
  made.m = m.extent, made.n = n.extent, made.k = k.extent;
  made.batch = batch.extent;
  const auto a = matrix(m.extent, k.extent, m.left, k.left);
  const auto b = matrix(k.extent, n.extent, k.right, n.right);
  auto d = matrix(m.extent, n.extent, m.result, n.result);
  if (d && d->transposed && m.extent == 1) // one row: its elements may be apart
    d = MatrixProduct::Matrix{false, std::max<int64_t>(n.result, 1), 0};
  if (!a || !b || !d || d->transposed)
    return std::nullopt;
  made.a = *a, made.b = *b, made.d = *d;
  made.a.batchStride = batch.left;
  made.b.batchStride = batch.right;
  made.d.batchStride = batch.result;
  return made;
}

int64_t volume(const std::vector<MatrixProduct::Loop> &loops, int64_t from) {
  for (const MatrixProduct::Loop &loop : loops) {
    if (loop.extent > std::numeric_limits<int64_t>::max() / from)
      return std::numeric_limits<int64_t>::max();
    from *= loop.extent;
  }
  return from;
}

bool isBetter(const MatrixProduct &one, const MatrixProduct &other) {
  const auto size = [](const MatrixProduct &product) {
    return double(product.m) * double(product.n) * double(product.k);
  };
  return std::make_tuple(-one.calls(), size(one)) >
         std::make_tuple(-other.calls(), size(other));
}

/// With a as the left operand.
std::optional<MatrixProduct> best(const std::vector<ProductIndex> &indices,
                                  bool addsUp) {
  Group groups[4];
  for (const ProductIndex &index : indices)
    if (index.extent != 1) // strides of the others say nothing
      groups[std::string(groupNames).find(index.role)].push_back(index);
  for (Group &group : groups)
    merge(group);

  // No index of a group: an extent of one.
  const auto candidate = [&](size_t group, size_t i) {
    return i < groups[group].size() ? groups[group][i] : ProductIndex();
  };
  std::optional<MatrixProduct> found;
  // Which indices m, n, k and the batch are; the batch is of any group but k.
  const auto consider = [&](const size_t (&chosen)[3], size_t batchGroup,
                            size_t batch) {
    auto made = product(candidate(0, chosen[0]), candidate(1, chosen[1]),
                        candidate(2, chosen[2]), candidate(batchGroup, batch));
    if (!made)
      return;
    for (size_t group = 0; group < 4; ++group)
      for (size_t i = 0; i < groups[group].size(); ++i) {
        const ProductIndex &index = groups[group][i];
        if ((group < 3 && i == chosen[group]) ||
            (group == batchGroup && i == batch))
          continue;
        (group == 2 ? made->inner : made->outer)
            .push_back({index.extent, index.result, index.left, index.right});
      }
    if ((addsUp || made->inner.empty()) && (!found || isBetter(*made, *found)))
      found = std::move(made);
  };
  for (size_t i = 0; i <= groups[0].size(); ++i)
    for (size_t j = 0; j <= groups[1].size(); ++j)
      for (size_t l = 0; l <= groups[2].size(); ++l) {
        const size_t chosen[] = {i, j, l};
        for (size_t group : {3, 0, 1})
          for (size_t b = 0; b <= groups[group].size(); ++b)
            if (group == 3 || (b < groups[group].size() && b != chosen[group]))
              consider(chosen, group, b);
      }
  return found;
}

} // namespace

int64_t MatrixProduct::calls() const { return volume(inner, volume(outer, 1)); }

std::optional<MatrixProduct>
plan::matrixProduct(const std::vector<ProductIndex> &indices, bool addsUp) {
  for (const ProductIndex &index : indices)
    if (index.extent <= 0 ||
        std::string(groupNames).find(index.role) == std::string::npos)
      return std::nullopt;
  auto straight = best(indices, addsUp);
  std::vector<ProductIndex> exchanged = indices;
  for (ProductIndex &index : exchanged) {
    std::swap(index.left, index.right);
    if (index.role == 'm' || index.role == 'n')
      index.role = index.role == 'm' ? 'n' : 'm';
  }
  auto swapped = best(exchanged, addsUp);
  if (!swapped || (straight && !isBetter(*swapped, *straight)))
    return straight;
  swapped->swapped = true;
  for (auto *loops : {&swapped->outer, &swapped->inner})
    for (MatrixProduct::Loop &loop : *loops)
      std::swap(loop.left, loop.right);
  return swapped;
}
