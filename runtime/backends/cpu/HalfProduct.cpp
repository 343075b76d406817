#include "runtime/backends/cpu/HalfProduct.h"

#include "kernels/cpu/Halves.h"
#include "runtime/backends/cpu/Onednn.h"
#include "runtime/backends/cpu/PlainParts.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace smex;
using namespace smex::runtime;
using Role = HalfProblem::Role;

namespace {
// Sides of a block, which is a quarter of a megabyte with its operands: large
// enough that conversion and the library's packing do not count for much.
constexpr int64_t blockRows = 96, blockColumns = 192, blockTerms = 96;
} // namespace

HalfProblem HalfProblem::of(const std::vector<cpu::ContractionIndex> &indices) {
  HalfProblem problem;
  for (const cpu::ContractionIndex &index : indices) {
    const Role role = index.summed       ? Summed
                      : index.left == 0  ? Column
                      : index.right == 0 ? Row
                                         : Batch;
    problem.variables.push_back(
        {index.extent, role, index.result, index.left, index.right});
  }
  return problem;
}

HalfProblem HalfProblem::of(const cpu::ConvolutionProblem &p, Wanted wanted) {
  HalfProblem problem;
  // Without windows on the left: the filter, or, where that is wanted, the
  // result.
  const auto add = [&](int64_t extent, int64_t result, int64_t data,
                       int64_t filter, Role whereResult, Role whereData,
                       Role whereFilter) {
    if (wanted == Wanted::Result)
      problem.variables.push_back({extent, whereResult, result, filter, data});
    else if (wanted == Wanted::Data)
      problem.variables.push_back({extent, whereData, data, filter, result});
    else
      problem.variables.push_back({extent, whereFilter, filter, result, data});
  };
  add(p.batch, p.result.batch, p.data.batch, 0, Column, Column, Summed);
  add(p.groups, p.result.group, p.data.group, p.filter.group, Batch, Batch,
      Batch);
  add(p.m, p.result.m, 0, p.filter.m, Row, Summed, Row);
  add(p.c, 0, p.data.c, p.filter.c, Summed, Row, Column);
  const size_t first = problem.variables.size();
  const size_t all = first + 2 * p.spatial.size();
  for (const auto &s : p.spatial) {
    const size_t at = problem.variables.size();
    Window window;
    window.factors.assign(all, 0);
    if (wanted == Wanted::Data) { // of x and k, to o
      add(s.in, 0, s.dataStride, 0, Column, Column, Column);
      window.factors[at] = 1;
      window.factors[at + 1] = -s.dilation;
      window.constant = s.padLow;
      window.divisor = s.stride;
      window.extent = s.out;
      window.stride = s.resultStride;
    } else { // of o and k, to x
      add(s.out, s.resultStride, 0, 0, Column, Column, Summed);
      window.factors[at] = s.stride;
      window.factors[at + 1] = s.dilation;
      window.constant = -s.padLow;
      window.extent = s.in;
      window.stride = s.dataStride;
    }
    add(s.kernel, 0, 0, s.filterStride, Summed, Summed, Column);
    problem.windows.push_back(std::move(window));
  }
  return problem;
}

HalfProduct::HalfProduct(DType type, DType resultType, HalfProblem given,
                         const ThreadGroup &threads)
    : type(type), resultType(resultType), problem(std::move(given)),
      threads(threads), batches(count(Role::Batch)), rows(count(Role::Row)),
      columns(count(Role::Column)), terms(count(Role::Summed)) {}

int64_t HalfProduct::count(Role role) const {
  int64_t points = 1;
  for (const HalfProblem::Variable &variable : problem.variables)
    if (variable.role == role)
      points *= std::max<int64_t>(variable.extent, 0);
  return points;
}

/// Points are numbered row-major, the last variable fastest.
void HalfProduct::find(Role role, Interval range, Places &places) const {
  const size_t size = size_t(range.size()), windows = problem.windows.size();
  for (auto *list : {&places.result, &places.left, &places.right})
    list->assign(size, 0);
  places.windows.assign(size * windows, 0);
  for (size_t i = 0; i < size; ++i) {
    int64_t rest = range.lo + int64_t(i);
    for (size_t v = problem.variables.size(); v-- > 0;) {
      const HalfProblem::Variable &variable = problem.variables[v];
      if (variable.role != role)
        continue;
      const int64_t at = rest % variable.extent;
      rest /= variable.extent;
      places.result[i] += at * variable.result;
      places.left[i] += at * variable.left;
      places.right[i] += at * variable.right;
      for (size_t w = 0; w < windows; ++w)
        places.windows[i * windows + w] += at * problem.windows[w].factors[v];
    }
  }
}

/// A row per term. What is outside of a window is 0.
void HalfProduct::gatherRight(const Places &summed, const Places &columns,
                              int64_t offset, const int64_t *windows,
                              const uint16_t *right, uint16_t *to) const {
  const size_t width = columns.right.size(), count = problem.windows.size();
  const bool isRun =
      width > 0 &&
      columns.right.back() - columns.right.front() == int64_t(width) - 1 &&
      std::adjacent_find(columns.right.begin(), columns.right.end(),
                         [](int64_t a, int64_t b) { return b != a + 1; }) ==
          columns.right.end();
  for (size_t k = 0; k < summed.right.size(); ++k, to += width) {
    const int64_t start = offset + summed.right[k];
    if (count == 0 && isRun) {
      std::memcpy(to, right + start + columns.right[0],
                  width * sizeof(uint16_t));
      continue;
    }
    for (size_t j = 0; j < width; ++j) {
      int64_t at = start + columns.right[j];
      bool inside = true;
      for (size_t w = 0; w < count; ++w) {
        const HalfProblem::Window &window = problem.windows[w];
        int64_t place = windows[w] + columns.windows[j * count + w] +
                        summed.windows[k * count + w];
        if (window.divisor > 1) {
          inside &= place % window.divisor == 0;
          place /= window.divisor;
        }
        inside &= uint64_t(place) < uint64_t(window.extent);
        at += place * window.stride;
      }
      to[j] = inside ? right[at] : uint16_t(0);
    }
  }
}

void HalfProduct::store(const Places &rows, const Places &columns,
                        int64_t offset, const float *sums,
                        std::byte *result) const {
  const size_t width = columns.result.size();
  uint16_t halves[blockColumns];
  for (size_t i = 0; i < rows.result.size(); ++i, sums += width) {
    const int64_t start = offset + rows.result[i];
    if (resultType == DType::F32) {
      float *to = reinterpret_cast<float *>(result) + start;
      for (size_t j = 0; j < width; ++j)
        to[columns.result[j]] = sums[j];
      continue;
    }
    cpu::toHalves(type, sums, halves, int64_t(width));
    uint16_t *to = reinterpret_cast<uint16_t *>(result) + start;
    for (size_t j = 0; j < width; ++j)
      to[columns.result[j]] = halves[j];
  }
}

void HalfProduct::block(Interval rowRange, Interval columnRange, int64_t batch,
                        std::byte *result, const uint16_t *left,
                        const uint16_t *right) const {
  Places at, rows, columns, summed;
  find(Role::Batch, {batch, batch + 1}, at);
  find(Role::Row, rowRange, rows);
  find(Role::Column, columnRange, columns);
  const size_t count = problem.windows.size();
  std::vector<int64_t> windows(count + 1);
  for (size_t w = 0; w < count; ++w)
    windows[w] = problem.windows[w].constant + at.windows[w];

  alignas(64) float sums[blockRows * blockColumns];
  alignas(64) float a[blockRows * blockTerms], b[blockTerms * blockColumns];
  uint16_t halves[blockTerms * blockColumns];
  static_assert(blockRows <= blockColumns, "halves are of either operand");
  const int64_t m = rowRange.size(), n = columnRange.size();
  std::fill(sums, sums + m * n, 0.f);
  for (int64_t first = 0; first < terms; first += blockTerms) {
    const int64_t k = std::min(blockTerms, terms - first);
    find(Role::Summed, {first, first + k}, summed);
    for (size_t i = 0; i < size_t(m); ++i) {
      const uint16_t *row = left + at.left[0] + rows.left[i];
      for (size_t l = 0; l < size_t(k); ++l)
        halves[i * size_t(k) + l] = row[summed.left[l]];
    }
    cpu::toFloats(type, halves, a, m * k);
    gatherRight(summed, columns, at.right[0], windows.data(), right, halves);
    cpu::toFloats(type, halves, b, k * n);
    if (dnnl_sgemm('N', 'N', m, n, k, 1.f, a, k, b, n, 1.f, sums, n) !=
        dnnl_success)
      throw std::runtime_error("the library's matrix product failed");
  }
  store(rows, columns, at.result[0], sums, result);
}

void HalfProduct::run(std::byte *result, const std::byte *left,
                      const std::byte *right) const {
  const auto *a = reinterpret_cast<const uint16_t *>(left);
  const auto *b = reinterpret_cast<const uint16_t *>(right);
  const int64_t down = (rows + blockRows - 1) / blockRows;
  const int64_t across = (columns + blockColumns - 1) / blockColumns;
  threads.forEach(batches * down * across, [&](int64_t task, int) {
    const int64_t row = task / across % down * blockRows;
    const int64_t column = task % across * blockColumns;
    block({row, std::min(rows, row + blockRows)},
          {column, std::min(columns, column + blockColumns)},
          task / across / down, result, a, b);
  });
}

namespace {
class HalfConvolution : public BoundKernel {
public:
  HalfConvolution(const ConvolutionSite &site, const ConvolutionPart &part,
                  const ThreadGroup &threads)
      : site(site), part(part),
        product(site.type, site.wantedType(),
                HalfProblem::of(part.problem, site.wanted), threads) {}

  Status run() override {
    const bool byResult = site.wanted == Wanted::Result;
    if (part.clear.size() > 0)
      clearBox(site.wanted == Wanted::Data ? site.data : site.filter,
               part.clear);
    if (byResult) // of nothing, it is zero
      product.run(part.result, part.filter, part.data);
    else if (part.isZero)
      return {};
    else if (site.wanted == Wanted::Data)
      product.run(part.data, part.filter, part.result);
    else
      product.run(part.filter, part.result, part.data);
    return {};
  }

private:
  const ConvolutionSite site;
  const ConvolutionPart part;
  const HalfProduct product;
};
} // namespace

Result<BoundKernelPtr>
runtime::bindHalfConvolution(const ConvolutionSite &site,
                             const std::vector<Box> &pieces,
                             const ThreadGroup &threads) {
  std::vector<BoundKernelPtr> kernels;
  for (const Box &piece : pieces) {
    auto part = partOf(site, piece);
    if (!part)
      return part.takeError();
    kernels.push_back(std::make_unique<HalfConvolution>(site, *part, threads));
  }
  return BoundKernelPtr(new KernelSequence(std::move(kernels)));
}
