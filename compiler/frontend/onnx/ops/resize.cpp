// Resize and Upsample: tables of places and weights, computed here, one
// dimension at a time.
#include "compiler/frontend/onnx/Table.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

namespace {
struct Options {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, extrapolation = 0;
  bool excludeOutside = false, antialias = false;
};

/// One dimension: what each element of the result is made of.
struct Dimension {
  int64_t from, to;
  double scale;
  /// Of the result before it was made an integer.
  double length = double(to);
  double roiStart = 0, roiEnd = 1;
};

double originalCoordinate(const Options &o, const Dimension &d, int64_t at) {
  const double x = double(at), from = double(d.from), to = d.length;
  if (o.coordinates == "align_corners")
    return to == 1 ? 0 : x * (from - 1) / (to - 1);
  if (o.coordinates == "asymmetric")
    return x / d.scale;
  if (o.coordinates == "tf_half_pixel_for_nn")
    return (x + 0.5) / d.scale;
  if (o.coordinates == "pytorch_half_pixel")
    return to > 1 ? (x + 0.5) / d.scale - 0.5 : 0;
  if (o.coordinates == "half_pixel_symmetric") {
    const double adjustment = double(d.to) / (d.scale * from);
    return from / 2 * (1 - adjustment) + (x + 0.5) / d.scale - 0.5;
  }
  if (o.coordinates == "tf_crop_and_resize")
    return to > 1 ? d.roiStart * (from - 1) +
                        x * (d.roiEnd - d.roiStart) * (from - 1) / (to - 1)
                  : 0.5 * (d.roiStart + d.roiEnd) * (from - 1);
  return (x + 0.5) / d.scale - 0.5; // half_pixel
}

int64_t nearestPlace(const Options &o, double x) {
  if (o.nearest == "floor")
    return int64_t(std::floor(x));
  if (o.nearest == "ceil")
    return int64_t(std::ceil(x));
  return int64_t(o.nearest == "round_prefer_ceil" ? std::floor(x + 0.5)
                                                  : std::ceil(x - 0.5));
}

double weight(const Options &o, double distance) {
  const double t = std::abs(distance), a = o.cubic;
  if (o.mode == "linear")
    return std::max(0.0, 1 - t);
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

struct Table {
  int64_t taps = 1;
  std::vector<int64_t> places; // [to, taps]
  std::vector<double> weights;
};

Table makeTable(const Options &o, const Dimension &d) {
  Table table;
  const bool nearest = o.mode == "nearest";
  // Downsampling with antialias widens the filter.
  const double squeeze = o.antialias ? std::min(1.0, d.scale) : 1;
  const double reach = o.mode == "cubic" ? 2 : 1;
  const int64_t first = nearest ? 0 : int64_t(std::floor(-reach / squeeze)) + 1;
  table.taps = nearest ? 1 : 2 - 2 * first;
  for (int64_t at = 0; at < d.to; ++at) {
    const double x = originalCoordinate(o, d, at);
    const bool outside = o.coordinates == "tf_crop_and_resize" &&
                         (x < 0 || x > double(d.from - 1));
    const int64_t base = nearest ? nearestPlace(o, x) : int64_t(std::floor(x));
    double sum = 0;
    const size_t row = table.weights.size();
    for (int64_t t = 0; t < table.taps; ++t) {
      const int64_t place = base + first + t;
      const bool beside = place < 0 || place >= d.from;
      double w = nearest ? 1 : weight(o, (x - double(place)) * squeeze);
      if (beside && o.excludeOutside)
        w = 0;
      sum += w;
      table.weights.push_back(w);
      // Beside the operand its border is read; far outside, nothing.
      table.places.push_back(
          outside ? -1 : std::max<int64_t>(0, std::min(place, d.from - 1)));
    }
    for (size_t i = row; i < table.weights.size(); ++i)
      table.weights[i] /= sum == 0 ? 1 : sum;
  }
  return table;
}

void resample(Node &n, ValueId &v, int64_t axis, const Options &o,
              const Dimension &d) {
  const Table table = makeTable(o, d);
  const bool crops = o.coordinates == "tf_crop_and_resize";
  const DType type = n.type(v).dtype;
  tdl::Attributes attributes = {{"axis", axis}};
  if (crops)
    attributes["otherwise"] = o.extrapolation;
  const ValueId flat = n.addInts(table.places);
  if (o.mode == "nearest") {
    v = n.apply(crops ? "resample_nearest_else" : "resample_nearest", {v, flat},
                attributes);
    return;
  }
  // Weights must not be rounded to what the elements are.
  const DType wide = type == DType::F64 ? type : DType::F32;
  v = n.apply(crops ? "resample_else" : "resample",
              {n.cast(v, wide), n.reshape(flat, {d.to, table.taps}),
               n.addReals(table.weights, {d.to, table.taps}, wide)},
              attributes);
}

/// Whole repetitions of elements need no table: then the regions that are read
/// are exactly known.
bool repeats(const Options &o, const Dimension &d) {
  if (o.mode != "nearest" || d.from == 0 || d.to % d.from ||
      o.coordinates == "tf_crop_and_resize")
    return false;
  const Table table = makeTable(o, d);
  for (int64_t at = 0; at < d.to; ++at)
    if (table.places[at] != at / (d.to / d.from))
      return false;
  return true;
}

void resize(Node &n, const Options &o, std::vector<Dimension> dims) {
  const DType type = n.inType(0).dtype;
  ValueId v = n.in(0);
  std::vector<int64_t> times;
  bool all = true;
  for (const Dimension &d : dims) {
    n.require(d.from > 0 || d.to == 0, "an empty dimension cannot grow");
    n.require(d.to >= 0 && d.to <= (int64_t(1) << 24),
              "a dimension of the result is too large");
    all &= repeats(o, d);
    times.push_back(d.from ? d.to / d.from : 1);
  }
  if (all)
    v = n.apply("repeat_elements", {v}, {{"times", times}});
  else
    for (size_t axis = 0; axis < dims.size(); ++axis)
      if (!repeats(o, dims[axis]) || dims[axis].from != dims[axis].to)
        resample(n, v, int64_t(axis), o, dims[axis]);
  n.out(0, n.cast(v, type));
}
} // namespace

static std::vector<Dimension> scaled(Node &n,
                                     const std::vector<double> &scales) {
  const auto &shape = n.shape(0);
  n.require(scales.size() == shape.size(), "one scale per dimension is needed");
  std::vector<Dimension> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    const double to = std::floor(double(shape[d]) * scales[d]);
    n.require(scales[d] > 0 && to < 1e9, "a scale is out of range");
    dims.push_back(
        {shape[d], int64_t(to), scales[d], double(shape[d]) * scales[d]});
  }
  return dims;
}

static void convertUpsample(Node &n) {
  Options o{n.text("mode", "nearest"), "asymmetric", "floor"};
  n.require(o.mode == "nearest" || o.mode == "linear", "mode is not known");
  resize(n, o,
         scaled(n, n.hasAttribute("scales") ? n.reals("scales")
                                            : n.constantReals(1)));
}

static void convertResize(Node &n) {
  Options o;
  o.mode = n.text("mode", "nearest");
  o.coordinates = n.text("coordinate_transformation_mode", "half_pixel");
  o.nearest = n.text("nearest_mode", "round_prefer_floor");
  o.cubic = n.real("cubic_coeff_a", -0.75);
  o.extrapolation = n.real("extrapolation_value", 0.0);
  o.excludeOutside = n.integer("exclude_outside", 0) != 0;
  o.antialias = n.integer("antialias", 0) != 0 && o.mode != "nearest";
  n.require(o.mode == "nearest" || o.mode == "linear" || o.mode == "cubic",
            "mode is not known");
  const auto &shape = n.shape(0);
  std::vector<int64_t> axes = n.axes(n.integers("axes"), n.rank(0));
  if (axes.empty())
    for (int64_t d = 0; d < n.rank(0); ++d)
      axes.push_back(d);
  std::vector<Dimension> dims;
  for (int64_t size : shape)
    dims.push_back({size, size, 1});
  const std::string policy = n.text("keep_aspect_ratio_policy", "stretch");
  if (n.has(2) && *elementCount(n.shape(2)) > 0) {
    const auto scales = n.constantReals(2);
    n.require(scales.size() == axes.size(),
              "one scale per dimension is needed");
    std::vector<double> full(shape.size(), 1.0);
    for (size_t i = 0; i < axes.size(); ++i)
      full[axes[i]] = scales[i];
    dims = scaled(n, full);
  } else {
    const auto sizes = n.constantInts(3);
    n.require(sizes.size() == axes.size(), "one size per dimension is needed");
    double kept = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      Dimension &d = dims[axes[i]];
      n.require(sizes[i] >= 0 && sizes[i] < (int64_t(1) << 30),
                "a size is out of range");
      d.to = sizes[i];
      d.length = double(d.to);
      d.scale = double(d.to) / double(d.from);
      if (i == 0 || (policy == "not_larger" ? d.scale < kept : d.scale > kept))
        kept = d.scale;
    }
    if (policy == "not_larger" || policy == "not_smaller")
      for (int64_t axis : axes) {
        dims[axis].scale = kept;
        dims[axis].to =
            int64_t(std::floor(kept * double(dims[axis].from) + 0.5));
        dims[axis].length = double(dims[axis].to);
      }
  }
  if (o.coordinates == "tf_crop_and_resize") {
    const auto roi = n.constantReals(1);
    n.require(roi.size() == 2 * axes.size(), "roi has the wrong length");
    for (size_t i = 0; i < axes.size(); ++i) {
      dims[axes[i]].roiStart = roi[i];
      dims[axes[i]].roiEnd = roi[axes.size() + i];
    }
  }
  resize(n, o, dims);
}

static void convertResize10(Node &n) {
  Options o{n.text("mode", "nearest"), "asymmetric", "floor"};
  n.require(o.mode == "nearest" || o.mode == "linear", "mode is not known");
  resize(n, o, scaled(n, n.constantReals(1)));
}

std::vector<Row> smex::frontend::resizeRows() {
  return {
      {"Upsample", 7, convertUpsample},
      {"Resize", 10, convertResize10},
      {"Resize", 11, convertResize},
  };
}
