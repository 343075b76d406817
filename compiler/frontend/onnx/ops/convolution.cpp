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

std::vector<Row> smex::frontend::convolutionRows() {
  return {
      {"Conv", 1, convertConv},
      {"ConvTranspose", 1, convertConvTranspose},
  };
}
