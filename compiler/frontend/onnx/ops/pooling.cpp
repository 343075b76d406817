// Pooling.
#include "compiler/frontend/onnx/Table.h"
#include "compiler/frontend/onnx/ops/windows.h"

#include <numeric>

using namespace smex;
using namespace smex::frontend;

static void convertMaxPool(Node &n) {
  const Windows w = readWindows(n, n.shape(0));
  const int64_t column = n.integer("storage_order", 0);
  auto attributes = w.attributes();
  attributes["kernel"] = w.kernel;
  if (!n.wants(1))
    return n.out(0, n.apply("max_pool", {n.in(0)}, attributes));
  attributes["column"] = column;
  const auto results = n.applyAll("max_pool_indices", {n.in(0)}, attributes);
  n.out(0, results[0]);
  n.out(1, results[1]);
}

static void convertAveragePool(Node &n) {
  const Windows w = readWindows(n, n.shape(0));
  const bool padded = n.integer("count_include_pad", 0) != 0;
  auto attributes = w.attributes();
  attributes["kernel"] = w.kernel;
  if (padded) {
    std::vector<int64_t> last;
    for (size_t d = 0; d < w.out.size(); ++d)
      last.push_back(n.shape(0)[2 + d] + w.before[d] + w.after[d]);
    attributes["last"] = last;
  }
  n.out(0, n.apply(padded ? "average_pool_padded" : "average_pool", {n.in(0)},
                   attributes));
}

static void convertLpPool(Node &n) {
  const Windows w = readWindows(n, n.shape(0));
  auto attributes = w.attributes();
  attributes["kernel"] = w.kernel;
  attributes["p"] = n.integer("p", 2);
  n.out(0, n.apply("lp_pool", {n.in(0)}, attributes));
}

static void convertMaxUnpool(Node &n) {
  const auto kernel = n.integers("kernel_shape");
  const size_t rank = kernel.size();
  auto strides = n.integers("strides"), pads = n.integers("pads");
  if (strides.empty())
    strides.assign(rank, 1);
  if (pads.empty())
    pads.assign(2 * rank, 0);
  const auto &x = n.shape(0);
  n.require(x.size() == rank + 2 && strides.size() == rank &&
                pads.size() == 2 * rank,
            "kernel_shape, strides or pads have the wrong length");
  // The indices count in the shape that pooling had, not in a given one.
  std::vector<int64_t> counted, out;
  for (size_t d = 0; d < rank; ++d)
    counted.push_back((x[2 + d] - 1) * strides[d] - pads[d] - pads[rank + d] +
                      kernel[d]);
  out = counted;
  if (n.has(2)) {
    const auto shape = n.constantInts(2);
    n.require(shape.size() == x.size(), "output_shape has the wrong length");
    out.assign(shape.begin() + 2, shape.end());
  }
  for (size_t d = 0; d < rank; ++d)
    n.require(counted[d] >= 0 && out[d] >= 0,
              "its result has a negative extent");
  n.out(0, n.apply("max_unpool", {n.in(0), n.in(1)},
                   {{"counted", counted}, {"out", out}}));
}

/// A reduction of all spatial dimensions, kept as extents of 1.
static Convert global(const char *op) {
  return [op](Node &n) {
    n.require(n.rank(0) >= 2, "its operand must have a dimension of channels");
    std::vector<int64_t> axes(n.rank(0) - 2);
    std::iota(axes.begin(), axes.end(), 2);
    n.out(0, n.reduce(op, n.in(0), axes, true));
  };
}

static void convertGlobalMaxPool(Node &n) {
  n.require(n.rank(0) >= 2, "its operand must have a dimension of channels");
  n.out(0, n.rank(0) == 2 ? n.in(0) : n.apply("global_max_pool", {n.in(0)}));
}

static void convertGlobalLpPool(Node &n) {
  const int64_t p = n.integer("p", 2);
  std::vector<int64_t> axes(std::max<int64_t>(0, n.rank(0) - 2));
  std::iota(axes.begin(), axes.end(), 2);
  const DType type = n.inType(0).dtype;
  const ValueId x = n.summable(n.in(0));
  const ValueId powers =
      n.apply("power", {n.apply("abs", {x})}, {{"to", double(p)}});
  n.out(0, n.cast(n.apply("root", {n.reduce("reduce_sum", powers, axes, true)},
                          {{"of", double(p)}}),
                  type));
}

static void convertMaxRoiPool(Node &n) {
  const auto pooled = n.integers("pooled_shape");
  n.require(pooled.size() == 2 && pooled[0] > 0 && pooled[1] > 0 &&
                n.rank(0) == 4,
            "only images of two dimensions are supported");
  std::vector<ValueId> operands = {n.in(0), n.in(1)};
  for (int64_t side = 0; side < 2; ++side) // boxes are number, x1, y1, x2, y2
    for (int64_t last = 0; last < 2; ++last)
      operands.push_back(n.apply("roi_edges", {n.in(1)},
                                 {{"low", 2 - side},
                                  {"high", 4 - side},
                                  {"size", n.shape(0)[2 + side]},
                                  {"bins", pooled[side]},
                                  {"scale", n.real("spatial_scale", 1.0)},
                                  {"last", last}}));
  n.out(0, n.apply("max_roi_pool", operands));
}

std::vector<Row> smex::frontend::poolingRows() {
  return {
      {"MaxPool", 1, convertMaxPool},
      {"AveragePool", 1, convertAveragePool},
      {"LpPool", 2, convertLpPool},
      {"MaxRoiPool", 1, convertMaxRoiPool},
      {"MaxUnpool", 9, convertMaxUnpool},
      {"GlobalMaxPool", 1, convertGlobalMaxPool},
      {"GlobalAveragePool", 1, global("reduce_mean")},
      {"GlobalLpPool", 2, convertGlobalLpPool},
  };
}
