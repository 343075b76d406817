// Convolutions.
#include "compiler/frontend/onnx/Table.h"
#include "compiler/frontend/onnx/ops/windows.h"

using namespace smex;
using namespace smex::frontend;

ValueId Node::convolution(ValueId x, ValueId w) {
  const auto &in = type(x).shape, &filters = type(w).shape;
  require(in.size() >= 3 && filters.size() == in.size(),
          "its operand and filters must have the same spatial dimensions");
  const int64_t group = integer("group", 1);
  require(group > 0 && filters[1] > 0 && in[1] == filters[1] * group &&
              filters[0] % group == 0,
          "channels, filters and groups do not go together");
  const Windows windows =
      readWindows(*this, in, {filters.begin() + 2, filters.end()});
  return apply("conv", {x, w}, windows.attributes());
}

static void convertConv(Node &n) {
  ValueId y = n.convolution(n.in(0), n.in(1));
  if (n.has(2))
    y = n.apply("add_channel", {y, n.in(2)});
  n.out(0, y);
}

static void convertConvTranspose(Node &n) {
  const auto &x = n.shape(0), &w = n.shape(1);
  n.require(x.size() >= 3 && w.size() == x.size() && x[1] == w[0],
            "its operand and filters do not go together");
  const size_t rank = x.size() - 2;
  const int64_t group = n.integer("group", 1);
  n.require(group > 0 && x[1] % group == 0, "groups must divide channels");
  const auto list = [&](const char *name, size_t size, int64_t otherwise) {
    auto values = n.integers(name);
    if (values.empty())
      values.assign(size, otherwise);
    n.require(values.size() == size, "an attribute has the wrong length");
    for (int64_t v : values)
      n.require(v >= -(int64_t(1) << 30) && v < (int64_t(1) << 30),
                "an attribute is out of range");
    return values;
  };
  const auto strides = list("strides", rank, 1);
  const auto dilations = list("dilations", rank, 1);
  const auto extra = list("output_padding", rank, 0);
  const auto shape = n.integers("output_shape");
  const std::string mode = n.text("auto_pad", "NOTSET");
  auto pads = list("pads", 2 * rank, 0);
  n.ignore("kernel_shape");
  std::vector<int64_t> before, out;
  for (size_t d = 0; d < rank; ++d) {
    n.require(strides[d] > 0 && dilations[d] > 0, "strides must be positive");
    const int64_t full = (x[2 + d] - 1) * strides[d] + extra[d] +
                         (w[2 + d] - 1) * dilations[d] + 1;
    int64_t first = pads[d], size = full - pads[d] - pads[rank + d];
    const bool given = !shape.empty();
    if (given || mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      n.require(!given || shape.size() >= rank, "output_shape is too short");
      size = given ? shape[shape.size() - rank + d] : x[2 + d] * strides[d];
      const int64_t cut = std::max<int64_t>(0, full - size);
      // What is odd goes to the end for SAME_UPPER only.
      first = mode == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
    } else if (mode == "VALID") {
      first = 0;
      size = full;
    }
    n.require(size >= 0, "its result has a negative extent");
    before.push_back(first);
    out.push_back(size);
  }
  ValueId y = n.apply("conv_transpose", {n.in(0), n.in(1)},
                      {{"group", group},
                       {"strides", strides},
                       {"dilations", dilations},
                       {"pads", before},
                       {"out", out}});
  if (n.has(2))
    y = n.apply("add_channel", {y, n.in(2)});
  n.out(0, y);
}

static void convertCol2Im(Node &n) {
  const auto image = n.constantInts(1), block = n.constantInts(2);
  const size_t rank = image.size();
  n.require(n.rank(0) == 3 && block.size() == rank && rank > 0,
            "its operands have the wrong shapes");
  // As a convolution over an image of this shape, which gives the blocks'
  // places.
  std::vector<int64_t> shape = {n.shape(0)[0], 0};
  shape.insert(shape.end(), image.begin(), image.end());
  const Windows w = readWindows(n, shape, block);
  int64_t size = 1;
  bool fits = true;
  for (int64_t extent : block)
    fits &= !__builtin_mul_overflow(size, extent, &size);
  n.require(fits && n.shape(0)[1] % size == 0,
            "blocks do not divide its channels");
  const int64_t channels = n.shape(0)[1] / size;
  std::vector<int64_t> blocks = {n.shape(0)[0], channels};
  blocks.insert(blocks.end(), block.begin(), block.end());
  blocks.insert(blocks.end(), w.out.begin(), w.out.end());
  n.out(0, n.apply("col2im", {n.reshape(n.in(0), blocks)},
                   {{"rank", int64_t(rank)},
                    {"strides", w.strides},
                    {"dilations", w.dilations},
                    {"pads", w.before},
                    {"out", image}}));
}

static void convertDeformConv(Node &n) {
  const auto &x = n.shape(0), &w = n.shape(1);
  n.require(x.size() == 4 && w.size() == 4,
            "only images of two dimensions are supported");
  const int64_t group = n.integer("group", 1),
                parts = n.integer("offset_group", 1);
  n.require(group > 0 && parts > 0 && x[1] == w[1] * group &&
                w[0] % group == 0 && x[1] % parts == 0,
            "channels, filters and groups do not go together");
  const Windows windows = readWindows(n, x, {w[2], w[3]});
  const std::vector<int64_t> expected = {x[0], parts * w[2] * w[3] * 2,
                                         windows.out[0], windows.out[1]};
  n.require(n.shape(2) == expected, "its offsets have the wrong shape");
  std::vector<ValueId> operands = {n.in(0)};
  for (size_t part = 0; part < 2; ++part)
    operands.push_back(n.apply("deform_places", {n.in(2)},
                               {{"part", int64_t(part)},
                                {"kernel", windows.kernel},
                                {"stride", windows.strides[part]},
                                {"dilation", windows.dilations[part]},
                                {"pad", windows.before[part]},
                                {"groups", parts}}));
  ValueId samples = n.apply("deform_samples", operands);
  if (n.has(4))
    samples = n.apply("deform_mask", {samples, n.in(4)}, {{"groups", parts}});
  ValueId y = n.apply("deform_conv", {samples, n.in(1)});
  if (n.has(3))
    y = n.apply("add_channel", {y, n.in(3)});
  n.out(0, y);
}

/// Over a sequence, each channel for itself, seeing no later element; what lies
/// before the first one is the end of the sequence before, or zero.
static void convertCausalConv(Node &n) {
  const auto shape = n.shape(0), filter = n.shape(1);
  n.require(shape.size() == 3 && filter.size() == 3 && filter[0] == shape[1] &&
                filter[1] == 1 && filter[2] > 0,
            "its operand and filters do not go together");
  const int64_t before = filter[2] - 1;
  const std::vector<int64_t> stateShape = {shape[0], shape[1], before};
  ValueId state = noValue;
  if (n.has(3)) {
    state = n.in(3);
    n.require(n.type(state).shape == stateShape,
              "its state has the wrong shape");
  } else {
    state = n.expand(n.addReals({0}, {}, n.inType(0).dtype), stateShape);
  }
  const ValueId x = before ? n.concat({state, n.in(0)}, 2) : n.in(0);
  const std::vector<int64_t> one = {1}, none = {0}, out = {shape[2]};
  ValueId y = n.apply(
      "conv", {x, n.in(1)},
      {{"strides", one}, {"dilations", one}, {"pads", none}, {"out", out}});
  if (n.has(2))
    y = n.apply("add_channel", {y, n.in(2)});
  const std::string activation = n.text("activation", "none");
  if (activation == "silu" || activation == "swish")
    y = n.apply("swish", {y});
  else
    n.require(activation == "none", "activation is not known");
  n.out(0, y);
  n.out(1, n.slice(x, 2, shape[2], before));
}

std::vector<Row> smex::frontend::convolutionRows() {
  return {
      {"Conv", 1, convertConv},
      {"ConvTranspose", 1, convertConvTranspose},
      {"Col2Im", 18, convertCol2Im},
      {"DeformConv", 19, convertDeformConv},
      {"CausalConvWithState", 27, convertCausalConv},
  };
}
