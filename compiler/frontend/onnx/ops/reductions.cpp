// Reductions over sets of axes, and what is made of them.
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

ValueId Node::reduce(std::string_view op, ValueId v,
                     const std::vector<int64_t> &axes, bool keep) {
  if (axes.empty()) {
    // One term for each element.
    if (op == "reduce_sum" || op == "reduce_prod" || op == "reduce_max" ||
        op == "reduce_min" || op == "reduce_mean")
      return v;
    std::vector<int64_t> shape = type(v).shape;
    shape.push_back(1);
    return reduce(op, reshape(v, shape), {int64_t(shape.size()) - 1}, false);
  }
  const auto &shape = type(v).shape;
  std::vector<int64_t> out, over, from(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool reduced = std::count(axes.begin(), axes.end(), int64_t(d));
    if (reduced && keep)
      out.push_back(1);
    if (reduced) {
      over.push_back(shape[d]);
    } else {
      from[d] = int64_t(out.size());
      out.push_back(shape[d]);
    }
  }
  int64_t next = int64_t(out.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::count(axes.begin(), axes.end(), int64_t(d)))
      from[d] = next++;
  return apply(op, {v}, {{"out", out}, {"over", over}, {"from", from}});
}

/// `sinceInput`: from this opset on, axes are an operand. `real`: of integers,
/// it is computed in f64, and truncated.
static Convert reduction(const char *op, int sinceInput, bool real = false) {
  return [=](Node &n) {
    const bool keep = n.integer("keepdims", 1) != 0;
    const bool noop = n.integer("noop_with_empty_axes", 0) != 0;
    std::vector<int64_t> axes = n.opset < sinceInput ? n.integers("axes")
                                : n.has(1)           ? n.constantInts(1)
                                                     : std::vector<int64_t>();
    axes = n.axes(axes, n.rank(0));
    if (axes.empty() && !noop)
      for (int64_t d = 0; d < n.rank(0); ++d)
        axes.push_back(d);
    const DType type = n.inType(0).dtype;
    const ValueId x =
        real && !isFloat(type) ? n.cast(n.in(0), DType::F64) : n.in(0);
    n.out(0, n.cast(n.reduce(op, x, axes, keep), type));
  };
}

static Convert argument(const char *op) {
  return [op](Node &n) {
    const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
    n.require(n.shape(0)[axis] > 0,
              "an empty dimension has no largest element");
    ValueId v =
        n.apply(op, {n.in(0)},
                {{"axis", axis}, {"last", n.integer("select_last_index", 0)}});
    if (n.integer("keepdims", 1)) {
      std::vector<int64_t> shape = n.shape(0);
      shape[axis] = 1;
      v = n.reshape(v, shape);
    }
    n.out(0, v);
  };
}

/// Along a dimension, what a sum or product has come to at each place.
static Convert running(const char *op) {
  return [op](Node &n) {
    n.out(0, n.apply(op, {n.in(0)},
                     {{"axis", n.axis(n.constantInt(1), n.rank(0))},
                      {"exclusive", n.integer("exclusive", 0)},
                      {"reverse", n.integer("reverse", 0)}}));
  };
}

static void topk(Node &n, int64_t k) {
  const int64_t axis = n.axis(n.integer("axis", -1), n.rank(0));
  const bool largest = n.integer("largest", 1) != 0;
  n.ignore("sorted"); // sorted is one of the legal orders
  if (k < 0 || k > n.shape(0)[axis])
    n.refuse("k is ", k, ", of ", n.shape(0)[axis], " elements");
  const auto results =
      n.applyAll("topk", {n.in(0)},
                 {{"axis", axis}, {"k", k}, {"largest", int64_t(largest)}});
  n.out(0, results[0]);
  n.out(1, results[1]);
}

static void convertTopK1(Node &n) { topk(n, n.integer("k")); }
static void convertTopK(Node &n) { topk(n, n.constantInt(1)); }

std::vector<Row> smex::frontend::reductionRows() {
  std::vector<Row> rows = {
      {"ReduceSum", 1, reduction("reduce_sum", 13)},
      {"ReduceProd", 1, reduction("reduce_prod", 18)},
      {"ReduceMax", 1, reduction("reduce_max", 18)},
      {"ReduceMin", 1, reduction("reduce_min", 18)},
      {"ReduceMean", 1, reduction("reduce_mean", 18)},
      {"ReduceL1", 1, reduction("reduce_l1", 18)},
      {"ReduceL2", 1, reduction("reduce_l2", 18, true)},
      {"ReduceSumSquare", 1, reduction("reduce_sum_square", 18)},
      {"ReduceLogSum", 1, reduction("reduce_log_sum", 18, true)},
      {"ReduceLogSumExp", 1, reduction("reduce_log_sum_exp", 18, true)},
      {"ArgMax", 1, argument("argmax")},
      {"ArgMin", 1, argument("argmin")},
      {"CumSum", 11, running("cumsum")},
      {"CumProd", 26, running("cumprod")},
      {"TopK", 1, convertTopK1},
      {"TopK", 10, convertTopK},
      {"Det", 11, plain("det")},
  };
  return rows;
}
