// Operators that take a part of a tensor, or put a margin around it.
#include "compiler/frontend/onnx/Table.h"

#include <numeric>

using namespace smex;
using namespace smex::frontend;

static void convertSlice(Node &n) {
  const bool inputs = n.opset >= 10;
  const auto list = [&](const char *name, size_t i) {
    return !inputs    ? n.integers(name)
           : n.has(i) ? n.constantInts(i)
                      : std::vector<int64_t>();
  };
  const auto starts = list("starts", 1), ends = list("ends", 2);
  auto axes = list("axes", 3);
  auto steps = inputs ? list("", 4) : std::vector<int64_t>();
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (steps.empty())
    steps.assign(starts.size(), 1);
  n.require(starts.size() == ends.size() && starts.size() == axes.size() &&
                starts.size() == steps.size(),
            "starts, ends, axes and steps differ in length");
  axes = n.axes(axes, n.rank(0));
  std::vector<int64_t> out = n.shape(0), first(out.size(), 0),
                       by(out.size(), 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size = out[axes[i]], step = steps[i];
    n.require(step != 0, "a step is zero");
    // Ends far out of range mean "all"; negative ones count from the end.
    const auto clamp = [&](int64_t at, int64_t low, int64_t high) {
      if (at < 0)
        at = at < -size ? low : at + size;
      return std::max(low, std::min(at, high));
    };
    int64_t start, count;
    if (step > 0) {
      start = clamp(starts[i], 0, size);
      const int64_t length = clamp(ends[i], 0, size) - start;
      count = length <= 0 ? 0 : (length - 1) / step + 1;
    } else {
      start = clamp(starts[i], 0, size - 1);
      const int64_t length = start - clamp(ends[i], -1, size - 1);
      // -step overflows for the smallest number, which goes past any end.
      count = length <= 0 || size == 0 ? 0
              : step == INT64_MIN      ? 1
                                       : (length - 1) / -step + 1;
    }
    out[axes[i]] = count;
    first[axes[i]] = count ? start : 0;
    by[axes[i]] = count > 1 ? step : 1;
  }
  bool same = out == n.shape(0);
  for (int64_t step : by)
    same &= step == 1;
  n.out(0, same ? n.in(0)
                : n.apply("slice", {n.in(0)},
                          {{"starts", first}, {"steps", by}, {"out", out}}));
}

static void convertSplit(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
  const int64_t size = n.shape(0)[axis];
  std::vector<int64_t> parts = n.integersOrInput("split", 1);
  int64_t count = n.hasAttribute("num_outputs") ? n.integer("num_outputs")
                                                : n.outputCount();
  if (parts.empty()) {
    n.require(count > 0 && count <= 100000,
              "the number of parts is impossible");
    // The last one is smaller where they cannot be equal.
    const int64_t part = (size + count - 1) / count;
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(std::max<int64_t>(0, std::min(part, size - i * part)));
  }
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    n.require(parts[i] >= 0 && parts[i] <= size - at,
              "its parts are larger than the whole");
    if (n.wants(i))
      n.out(i, n.slice(n.in(0), axis, at, parts[i]));
    at += parts[i];
  }
  n.require(at == size, "its parts are smaller than the whole");
}

/// Pads of all dimensions: first those before, then those after.
static void pad(Node &n, std::vector<int64_t> pads, std::vector<int64_t> axes,
                const std::string &mode, ValueId value) {
  const size_t rank = n.rank(0);
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = n.axes(axes, int64_t(rank));
  n.require(pads.size() == 2 * axes.size(),
            "two pads per dimension are needed");
  std::vector<int64_t> before(rank, 0), out = n.shape(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size = out[axes[i]], first = pads[i],
                  last = pads[i + axes.size()];
    before[axes[i]] = first;
    n.require(!__builtin_add_overflow(out[axes[i]], first, &out[axes[i]]) &&
                  !__builtin_add_overflow(out[axes[i]], last, &out[axes[i]]) &&
                  out[axes[i]] >= 0,
              "the padded shape is impossible");
    if (mode != "constant" && (first || last))
      n.require(size > 0, "there is nothing to repeat in an empty dimension");
  }
  if (mode == "constant")
    return n.out(0, n.apply("pad", {n.in(0), value},
                            {{"before", before}, {"out", out}}));
  if (mode != "edge" && mode != "reflect" && mode != "wrap")
    n.refuse("mode \"", mode, "\" is not known");
  // What negative pads cut off is not there to be repeated.
  ValueId x = n.in(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i], size = n.type(x).shape[axis],
                  first = std::min<int64_t>(pads[i], 0),
                  last = std::min<int64_t>(pads[i + axes.size()], 0);
    if (first == 0 && last == 0)
      continue;
    n.require(size + first + last > 0, "its pads leave nothing to repeat");
    x = n.slice(x, axis, -first, size + first + last);
    before[axis] -= first;
  }
  n.out(0, n.apply("pad_" + mode, {x}, {{"before", before}, {"out", out}}));
}

static void convertPad2(Node &n) {
  const double value = n.real("value", 0.0);
  pad(n, n.integers("pads"), {}, n.text("mode", "constant"),
      n.addReals({value}, {}, n.inType(0).dtype));
}

static void convertPad(Node &n) {
  const std::string mode = n.text("mode", "constant");
  const ValueId value = n.has(2) ? n.reshape(n.in(2), {})
                                 : n.addReals({0}, {}, n.inType(0).dtype);
  pad(n, n.constantInts(1),
      n.has(3) ? n.constantInts(3) : std::vector<int64_t>(), mode, value);
}

static void convertCenterCropPad(Node &n) {
  const auto shape = n.constantInts(1);
  std::vector<int64_t> axes = n.integers("axes");
  if (axes.empty()) {
    axes.resize(n.rank(0));
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = n.axes(axes, n.rank(0));
  n.require(shape.size() == axes.size(), "one extent per axis is needed");
  std::vector<int64_t> before(n.rank(0), 0), out = n.shape(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t from = out[axes[i]], to = shape[i];
    n.require(to >= 0, "an extent is negative");
    before[axes[i]] = to >= from ? (to - from) / 2 : -((from - to) / 2);
    out[axes[i]] = to;
  }
  n.out(0, n.apply("pad", {n.in(0), n.addReals({0}, {}, n.inType(0).dtype)},
                   {{"before", before}, {"out", out}}));
}

std::vector<Row> smex::frontend::sliceRows() {
  return {
      {"Slice", 1, convertSlice},
      {"Split", 2, convertSplit},
      {"CenterCropPad", 18, convertCenterCropPad},
      {"Pad", 2, convertPad2},
      {"Pad", 11, convertPad},
  };
}
