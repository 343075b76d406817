// Operators that reorder elements without choosing among them.
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::frontend;

static void convertReshape(Node &n) {
  const bool zero = n.integer("allowzero", 0) != 0;
  const auto &from = n.shape(0);
  std::vector<int64_t> shape = n.constantInts(1);
  const int64_t elements = *elementCount(from);
  int64_t rest = -1, product = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && !zero) {
      n.require(d < from.size(), "it keeps a dimension that its operand lacks");
      shape[d] = from[d];
    }
    if (shape[d] == -1) {
      n.require(rest < 0, "more than one dimension is -1");
      rest = int64_t(d);
    } else if (shape[d] < 0 ||
               __builtin_mul_overflow(product, shape[d], &product)) {
      n.refuse("the shape is impossible");
    }
  }
  if (rest >= 0) {
    if (product == 0 || elements % product)
      n.refuse(toString(n.inType(0)), " does not divide into ", product,
               " parts");
    shape[rest] = elements / product;
  }
  n.out(0, n.reshape(n.in(0), shape));
}

static void convertFlatten(Node &n) {
  const auto &shape = n.shape(0);
  int64_t axis = n.integer("axis", 1);
  if (axis < 0)
    axis += n.rank(0);
  n.require(axis >= 0 && axis <= n.rank(0), "axis is out of range");
  const auto product = [&](auto from, auto to) {
    return std::accumulate(from, to, int64_t(1), std::multiplies<int64_t>());
  };
  n.out(0, n.reshape(n.in(0), {product(shape.begin(), shape.begin() + axis),
                               product(shape.begin() + axis, shape.end())}));
}

static void convertSqueeze(Node &n) {
  const auto &shape = n.shape(0);
  const auto axes = n.axes(n.integersOrInput("axes", 1), n.rank(0));
  std::vector<int64_t> left;
  for (int64_t d = 0; d < n.rank(0); ++d) {
    const bool named = std::count(axes.begin(), axes.end(), d);
    if (named && shape[d] != 1)
      n.refuse("dimension ", d, " of ", toString(n.inType(0)), " is not 1");
    if (!named && (!axes.empty() || shape[d] != 1))
      left.push_back(shape[d]);
  }
  n.out(0, n.reshape(n.in(0), left));
}

static void convertUnsqueeze(Node &n) {
  const auto given = n.integersOrInput("axes", 1);
  const auto axes = n.axes(given, n.rank(0) + int64_t(given.size()));
  std::vector<int64_t> sorted = axes, shape = n.shape(0);
  std::sort(sorted.begin(), sorted.end());
  for (int64_t axis : sorted)
    shape.insert(shape.begin() + axis, 1);
  n.out(0, n.reshape(n.in(0), shape));
}

static void convertTranspose(Node &n) {
  std::vector<int64_t> perm = n.integers("perm");
  if (perm.empty())
    for (int64_t d = n.rank(0); d-- > 0;)
      perm.push_back(d);
  if (int64_t(perm.size()) != n.rank(0))
    n.refuse("perm has ", perm.size(), " entries for rank ", n.rank(0));
  n.out(0, n.transpose(n.in(0), n.axes(perm, n.rank(0))));
}

/// numpy's rule for two shapes.
static std::vector<int64_t> broadcast(Node &n, std::vector<int64_t> a,
                                      std::vector<int64_t> b) {
  if (a.size() < b.size())
    a.swap(b);
  b.insert(b.begin(), a.size() - b.size(), 1);
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1)
      n.refuse("extents ", a[d], " and ", b[d], " do not go together");
    a[d] = a[d] == 1 ? b[d] : a[d];
  }
  return a;
}

static void convertExpand(Node &n) {
  n.out(0, n.expand(n.in(0), broadcast(n, n.shape(0), n.constantInts(1))));
}

static void convertTile(Node &n) {
  const auto repeats = n.constantInts(1);
  std::vector<int64_t> out = n.shape(0);
  n.require(repeats.size() == out.size(), "one repeat per dimension is needed");
  for (size_t d = 0; d < out.size(); ++d)
    n.require(repeats[d] >= 0 &&
                  !__builtin_mul_overflow(out[d], repeats[d], &out[d]),
              "a repeat is negative or too large");
  n.out(0, out == n.shape(0) ? n.in(0)
                             : n.apply("tile", {n.in(0)}, {{"out", out}}));
}

/// Whether channels count blocks last.
static bool isColumnRowDepth(Node &n) {
  const std::string mode = n.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    n.refuse("mode \"", mode, "\" is not known");
  return mode == "CRD";
}

static void convertDepthToSpace(Node &n) {
  const int64_t b = n.integer("blocksize");
  const bool crd = isColumnRowDepth(n);
  // Below where b * b overflows.
  n.require(b > 0 && b < (int64_t(1) << 31) && n.rank(0) == 4 &&
                n.shape(0)[1] % (b * b) == 0,
            "its operand must have rank 4, and blocks must divide channels");
  n.out(0, n.apply(crd ? "depth_to_space_crd" : "depth_to_space", {n.in(0)},
                   {{"b", b}}));
}

static void convertSpaceToDepth(Node &n) {
  const int64_t b = n.integer("blocksize");
  const bool crd = n.opset >= 28 && isColumnRowDepth(n);
  n.require(b > 0 && b < (int64_t(1) << 31) && n.rank(0) == 4 &&
                n.shape(0)[2] % b == 0 && n.shape(0)[3] % b == 0,
            "its operand must have rank 4, and blocks must divide space");
  n.out(0, n.apply(crd ? "space_to_depth_crd" : "space_to_depth", {n.in(0)},
                   {{"b", b}}));
}

static void convertConcat(Node &n) {
  const int64_t axis = n.axis(n.integer("axis"), n.rank(0));
  std::vector<ValueId> parts;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    n.require(n.rank(i) == n.rank(0) && n.inType(i).dtype == n.inType(0).dtype,
              "its operands have different ranks or element types");
    if (n.shape(i)[axis] != 0 || n.inputs.size() == 1)
      parts.push_back(n.in(i));
  }
  n.out(0, parts.empty() ? n.in(0) : n.concat(parts, axis));
}

static void convertTrilu(Node &n) {
  n.require(n.rank(0) >= 2, "its operand must be matrices");
  const int64_t k = n.has(1) ? n.constantInt(1) : 0;
  n.out(0, n.apply(n.integer("upper", 1) ? "triu" : "tril", {n.in(0)},
                   {{"k", k}}));
}

static void convertReverseSequence(Node &n) {
  const int64_t batch = n.integer("batch_axis", 1),
                time = n.integer("time_axis", 0);
  n.require(batch + time == 1 && batch * time == 0 && n.rank(0) >= 2,
            "time and batch must be the first two dimensions");
  n.out(0,
        n.apply(time == 0 ? "reverse_sequence" : "reverse_sequence_batch_first",
                {n.in(0), n.in(1)}));
}

std::vector<Row> smex::frontend::shapeRows() {
  return {
      {"Reshape", 5, convertReshape},
      {"Flatten", 1, convertFlatten},
      {"Squeeze", 1, convertSqueeze},
      {"Unsqueeze", 1, convertUnsqueeze},
      {"Transpose", 1, convertTranspose},
      {"Expand", 8, convertExpand},
      {"Tile", 6, convertTile},
      {"DepthToSpace", 1, convertDepthToSpace},
      {"SpaceToDepth", 1, convertSpaceToDepth},
      {"Concat", 4, convertConcat},
      {"Trilu", 14, convertTrilu},
      {"ReverseSequence", 10, convertReverseSequence},
  };
}
