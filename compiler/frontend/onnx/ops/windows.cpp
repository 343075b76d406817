#include "compiler/frontend/onnx/ops/windows.h"

using namespace smex;
using namespace smex::frontend;

tdl::Attributes Windows::attributes() const {
  return {{"strides", strides},
          {"dilations", dilations},
          {"pads", before},
          {"out", out}};
}

Windows smex::frontend::readWindows(Node &n, const std::vector<int64_t> &x,
                                    std::vector<int64_t> kernel) {
  Windows w;
  const size_t rank = x.size() < 2 ? 0 : x.size() - 2;
  n.require(rank > 0, "its operand must have spatial dimensions");
  w.kernel = n.integers("kernel_shape");
  if (w.kernel.empty())
    w.kernel = std::move(kernel);
  else if (!kernel.empty())
    n.require(w.kernel == kernel, "kernel_shape is not the kernel's shape");
  w.strides = n.integers("strides");
  w.dilations = n.integers("dilations");
  if (w.strides.empty())
    w.strides.assign(rank, 1);
  if (w.dilations.empty())
    w.dilations.assign(rank, 1);
  std::vector<int64_t> pads = n.integers("pads");
  if (pads.empty())
    pads.assign(2 * rank, 0);
  n.require(w.kernel.size() == rank && w.strides.size() == rank &&
                w.dilations.size() == rank && pads.size() == 2 * rank,
            "kernel_shape, strides, dilations or pads have the wrong length");
  const std::string mode = n.text("auto_pad", "NOTSET");
  const bool ceil = n.integer("ceil_mode", 0) != 0;
  n.require(mode == "NOTSET" || mode == "VALID" || mode == "SAME_UPPER" ||
                mode == "SAME_LOWER",
            "auto_pad is not known");
  for (size_t d = 0; d < rank; ++d) {
    const int64_t size = x[2 + d], stride = w.strides[d];
    // Far below where sums and products of them overflow.
    const auto sane = [&](int64_t v, int64_t least) {
      n.require(v >= least && v < (int64_t(1) << 30),
                "a kernel, stride, dilation or pad is out of range");
    };
    sane(w.kernel[d], 1);
    sane(stride, 1);
    sane(w.dilations[d], 1);
    const int64_t window = (w.kernel[d] - 1) * w.dilations[d] + 1;
    int64_t before = pads[d], after = pads[rank + d], out = 0;
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      out = (size + stride - 1) / stride;
      const int64_t missing =
          std::max<int64_t>(0, (out - 1) * stride + window - size);
      before = mode == "SAME_UPPER" ? missing / 2 : missing - missing / 2;
      after = missing - before;
    } else {
      if (mode == "VALID")
        before = after = 0;
      sane(before, 0);
      sane(after, 0);
      const int64_t room = size + before + after - window;
      n.require(room >= 0, "its window is larger than the padded operand");
      out = room / stride + 1;
      // The last window must begin before the padding after the operand.
      if (ceil && room % stride && out * stride < size + before)
        ++out;
    }
    w.before.push_back(before);
    w.after.push_back(after);
    w.out.push_back(out);
  }
  return w;
}
