#include "runtime/backends/cpu/Gemm.h"

#include "runtime/backends/cpu/Onednn.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <stdexcept>

using namespace smex;
using namespace smex::runtime;
using cpu::ContractionIndex;
using cpu::Offsets;

namespace {
// A tile is large enough to hide what the library does once per call (packing
// its operands), and small enough to keep every thread busy.
constexpr double flopsPerTile = 40e6, bytesPerTile = 640e3;
/// Tiles are not cut below this: the library's own blocks are about as large.
constexpr int64_t leastSide = 48;
/// The library's innermost loop fills a block of so many rows and columns; one
/// that a tile cuts through costs as much as a whole one.
constexpr int64_t blockSides[2] = {16, 48};
/// Products that small are not worth a call.
constexpr int64_t leastProduct = 512;
/// Work that is worth handing to a thread.
constexpr double flopsPerTask = 4e6;

/// Iteration `number` of a nest, as offsets.
Offsets<3> iteration(const cpu::Nest<3> &nest, int64_t number) {
  Offsets<3> at{};
  for (size_t d = nest.size(); d-- > 0;) {
    const int64_t i = number % nest[d].extent;
    number /= nest[d].extent;
    for (size_t a = 0; a < 3; ++a)
      at[a] += i * nest[d].strides[a];
  }
  return at;
}
} // namespace

/// sgemm has no bf16 sibling, but the matmul primitive does (and uses AMX).
struct Gemm::Bfloat {
  std::map<std::pair<int64_t, int64_t>, dnnl::matmul> primitives;
  std::map<std::pair<int64_t, int64_t>, dnnl::matmul::primitive_desc> descs;
  std::byte *scratch = nullptr; // one stretch per thread
  int64_t scratchBytes = 0;
  int team = 0; // threads that the workspace suffices for

  static dnnl::memory::desc desc(int64_t rows, int64_t columns,
                                 const GemmPlan::Matrix &matrix) {
    const dnnl::memory::dims strides =
        matrix.transposed ? dnnl::memory::dims{1, matrix.leading}
                          : dnnl::memory::dims{matrix.leading, 1};
    return {{rows, columns}, dnnl::memory::data_type::bf16, strides};
  }

  /// False if the library has no fast kernel, or the workspace is too small.
  bool make(const GemmPlan &plan, const std::vector<Tile> &tiles,
            Workspace workspace, int threads) try {
    for (const Tile &tile : tiles) {
      const std::pair<int64_t, int64_t> size{tile.m, tile.n};
      if (primitives.count(size))
        continue;
      const dnnl::matmul::primitive_desc pd({desc(tile.m, plan.k, plan.left),
                                             desc(plan.k, tile.n, plan.right),
                                             desc(tile.m, tile.n, plan.result)},
                                            onednnAttributes(), onednnEngine());
      if (isReference(pd.impl_info_str()))
        return false;
      scratchBytes = std::max<int64_t>(
          scratchBytes, int64_t(pd.scratchpad_desc().get_size()));
      descs.emplace(size, pd);
      primitives.emplace(size, dnnl::matmul(pd));
    }
    scratchBytes = (scratchBytes + 63) / 64 * 64;
    scratch = workspace.data;
    team = scratchBytes
               ? int(std::min<int64_t>(threads, workspace.bytes / scratchBytes))
               : threads;
    return team > 0;
  } catch (const dnnl::error &) {
    return false;
  }

  void run(const Tile &tile, int thread, std::byte *result,
           const std::byte *left, const std::byte *right) const {
    const std::pair<int64_t, int64_t> size{tile.m, tile.n};
    const auto &pd = descs.at(size);
    primitives.at(size).execute(
        onednnStream(),
        {{DNNL_ARG_SRC, onednnMemory(pd.src_desc(), left)},
         {DNNL_ARG_WEIGHTS, onednnMemory(pd.weights_desc(), right)},
         {DNNL_ARG_DST, onednnMemory(pd.dst_desc(), result)},
         {DNNL_ARG_SCRATCHPAD, onednnMemory(pd.scratchpad_desc(),
                                            scratch + thread * scratchBytes)}});
  }
};

Gemm::Gemm(DType type, std::vector<ContractionIndex> wanted,
           Workspace workspace, const ThreadGroup &threads)
    : type(type), indices(std::move(wanted)), threads(threads) {
  for (const ContractionIndex &index : indices)
    if (index.extent <= 0) // an empty sum is the identity, or nothing to do
      return;
  if (type != DType::F32 && type != DType::BF16)
    return;
  plan = planGemm(indices);
  if (!plan || plan->m * plan->n * plan->k < leastProduct) {
    plan.reset();
    return;
  }
  for (const cpu::Loop<3> &loop : plan->outer)
    products *= loop.extent;
  cutTiles();
  if (type == DType::F32)
    return;
  bfloat = std::make_unique<Bfloat>();
  // Sums over several products would be rounded to bf16 in between.
  if (!plan->inner.empty() ||
      !bfloat->make(*plan, tiles, workspace, threads.size()))
    plan.reset();
}

Gemm::~Gemm() = default;

void Gemm::cutTiles() {
  const double flops =
      2.0 * double(plan->m) * double(plan->n) * double(plan->k);
  const double bytes =
      double(byteSize(type)) *
      (double(plan->m) * double(plan->k) + double(plan->k) * double(plan->n) +
       double(plan->m) * double(plan->n));
  const double wanted = std::max(flops / flopsPerTile, bytes / bytesPerTile);
  // A power of two, the nearest: as many tiles for each of two or four threads.
  int64_t ways[2] = {1, 1};
  const int64_t sizes[2] = {plan->m, plan->n};
  while (double(ways[0] * ways[1]) * std::sqrt(2.0) < wanted) {
    const int longer = sizes[0] / ways[0] >= sizes[1] / ways[1] ? 0 : 1;
    const auto canCut = [&](int d) {
      return sizes[d] / (2 * ways[d]) >= leastSide;
    };
    if (!canCut(longer) && !canCut(1 - longer))
      break;
    ways[canCut(longer) ? longer : 1 - longer] *= 2;
  }
  // Between blocks; tiles are no smaller than a block, so that none is empty.
  const auto part = [&](int d, int64_t i) {
    const auto at = [&](int64_t i) {
      const int64_t block = blockSides[d];
      const int64_t exact = cut({0, sizes[d]}, ways[d], i).lo;
      return (exact + block / 2) / block * block;
    };
    return Interval{at(i), i + 1 < ways[d] ? at(i + 1) : sizes[d]};
  };
  for (int64_t i = 0; i < ways[0]; ++i)
    for (int64_t j = 0; j < ways[1]; ++j) {
      const Interval rows = part(0, i), columns = part(1, j);
      tiles.push_back(
          {rows.size(), columns.size(), rows.lo * plan->resultRow + columns.lo,
           rows.lo * plan->leftRow, columns.lo * plan->rightColumn});
    }
}

void Gemm::multiply(const Tile &tile, const Offsets<3> &at, int thread,
                    std::byte *result, const std::byte *left,
                    const std::byte *right) const {
  const int64_t size = byteSize(type);
  std::byte *to = result + (at[0] + tile.result) * size;
  const std::byte *a = left + (at[1] + tile.left) * size;
  const std::byte *b = right + (at[2] + tile.right) * size;
  if (bfloat)
    return bfloat->run(tile, thread, to, a, b);
  float add = 0;
  cpu::forEach(plan->inner, Offsets<2>{}, [&](const Offsets<2> &term) {
    const dnnl_status_t status = dnnl_sgemm(
        plan->left.transposed ? 'T' : 'N', plan->right.transposed ? 'T' : 'N',
        tile.m, tile.n, plan->k, 1.f,
        reinterpret_cast<const float *>(a) + term[0], plan->left.leading,
        reinterpret_cast<const float *>(b) + term[1], plan->right.leading, add,
        reinterpret_cast<float *>(to), plan->result.leading);
    if (status == dnnl_out_of_memory)
      throw std::bad_alloc();
    if (status != dnnl_success)
      throw std::runtime_error("the library's matrix product failed");
    add = 1;
  });
}

void Gemm::run(std::byte *result, const std::byte *left,
               const std::byte *right) const {
  if (!plan)
    return loops(result, left, right);
  if (plan->swapped)
    std::swap(left, right);
  const int64_t perProduct = int64_t(tiles.size());
  const int64_t items = products * perProduct;
  const double flops = 2.0 * double(plan->m) * double(plan->n) *
                       double(plan->k) / double(perProduct);
  const int64_t perTask = std::max<int64_t>(1, int64_t(flopsPerTask / flops));
  threads.forEach((items + perTask - 1) / perTask,
                  [&](int64_t task, int thread) {
                    const int64_t end = std::min(items, (task + 1) * perTask);
                    for (int64_t i = task * perTask; i < end; ++i)
                      multiply(tiles[size_t(i % perProduct)],
                               iteration(plan->outer, i / perProduct), thread,
                               result, left, right);
                  },
                  bfloat ? bfloat->team : 0);
}

void Gemm::loops(std::byte *result, const std::byte *left,
                 const std::byte *right) const {
  // Cut along the longest index of the result.
  double points = 1;
  size_t along = indices.size();
  for (size_t i = 0; i < indices.size(); ++i) {
    points *= double(std::max<int64_t>(indices[i].extent, 1));
    if (!indices[i].summed &&
        (along == indices.size() || indices[i].extent > indices[along].extent))
      along = i;
  }
  int64_t tasks = std::min<int64_t>(int64_t(points / 1e5), 4 * threads.size());
  if (along == indices.size() || tasks < 2)
    return cpu::contract(type, indices, result, left, right);
  const ContractionIndex &index = indices[along];
  tasks = std::min(tasks, index.extent);
  const int64_t size = byteSize(type);
  threads.forEach(tasks, [&](int64_t task, int) {
    const Interval range = cut({0, index.extent}, tasks, task);
    std::vector<ContractionIndex> part = indices;
    part[along].extent = range.size();
    cpu::contract(type, part, result + range.lo * index.result * size,
                  left + range.lo * index.left * size,
                  right + range.lo * index.right * size);
  });
}
