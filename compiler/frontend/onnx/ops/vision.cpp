// Operators that read between elements, at places that an operand gives.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

static void convertGridSample(Node &n) {
  std::string mode = n.text("mode", n.opset < 20 ? "bilinear" : "linear");
  const std::string padding = n.text("padding_mode", "zeros");
  const int64_t align = n.integer("align_corners", 0) != 0;
  const int64_t sides = n.rank(0) - 2;
  n.require((sides == 2 || sides == 3) && n.rank(1) == n.rank(0) &&
                n.shape(1).back() == sides && n.shape(1)[0] == n.shape(0)[0],
            "its operands must be images of two or three dimensions, and a "
            "grid of as many");
  n.require(padding == "zeros" || padding == "border" ||
                padding == "reflection",
            "padding_mode is not known");
  const int64_t taps = mode == "nearest"                        ? 1
                       : mode == "bilinear" || mode == "linear" ? 2
                       : mode == "bicubic" || mode == "cubic"   ? 4
                                                                : 0;
  n.require(taps > 0, "mode is not known");
  n.require(taps < 4 || sides == 2,
            "mode cubic is for images of two dimensions");
  std::vector<ValueId> operands = {n.in(0)}, weights;
  for (int64_t side = 0; side < sides; ++side) { // the grid's last part first
    const int64_t size = n.shape(0)[2 + side];
    n.require(size > 0, "there is nothing to sample in an empty dimension");
    const ValueId v =
        n.apply("grid_coordinate", {n.in(1)},
                {{"part", sides - 1 - side}, {"size", size}, {"align", align}});
    operands.push_back(n.apply("grid_places", {v},
                               {{"taps", taps},
                                {"size", size},
                                {"padding", padding},
                                {"align", align}}));
    if (taps > 1)
      weights.push_back(n.apply("grid_weights", {v}, {{"taps", taps}}));
  }
  operands.insert(operands.end(), weights.begin(), weights.end());
  std::string op = taps > 1 ? "grid_sample" : "grid_sample_nearest";
  if (sides == 3)
    op += "_3d";
  n.out(0, n.apply(op, operands));
}

static void convertRoiAlign(Node &n) {
  const bool half =
      n.text("coordinate_transformation_mode",
             n.opset < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel";
  const std::string mode = n.text("mode", "avg");
  n.require(mode == "avg" || mode == "max", "mode is not known");
  const int64_t samples = n.integer("sampling_ratio", 0);
  n.require(samples > 0, "sampling_ratio 0 is not supported: the number of "
                         "samples would depend on values");
  const double scale = n.real("spatial_scale", 1.0);
  n.require(n.rank(0) == 4 && n.rank(1) == 2,
            "its operands have the wrong ranks");
  n.require(n.shape(0)[2] > 0 && n.shape(0)[3] > 0, "its images are empty");
  std::vector<ValueId> operands = {n.in(0), n.in(2)};
  for (int64_t side = 0; side < 2; ++side) { // boxes are x1, y1, x2, y2
    const ValueId points = n.apply(
        "roi_points", {n.in(1)},
        {{"low", 1 - side},
         {"high", 3 - side},
         {"scale", scale},
         {"offset", half ? 0.5 : 0.0},
         {"least", half ? -1e30 : 1.0},
         {"bins", n.integer(side == 0 ? "output_height" : "output_width", 1)},
         {"samples", samples}});
    const tdl::Attributes size = {{"size", n.shape(0)[2 + side]}};
    operands.push_back(n.apply("roi_places", {points}, size));
    operands.push_back(n.apply("roi_weights", {points}, size));
  }
  n.out(0, n.apply(mode == "avg" ? "roi_align" : "roi_align_max", operands));
}

static void convertAffineGrid(Node &n) {
  const auto size = n.constantInts(1);
  n.require(size.size() == 4 || size.size() == 5,
            "only grids of two or three dimensions are supported");
  for (int64_t extent : size)
    n.require(extent >= 0, "its size is negative");
  tdl::Attributes attributes = {{"H", size[size.size() - 2]},
                                {"W", size.back()},
                                {"align", n.integer("align_corners", 0)}};
  if (size.size() == 5)
    attributes["D"] = size[2];
  n.out(0, n.apply(size.size() == 5 ? "affine_grid_3d" : "affine_grid",
                   {n.in(0)}, attributes));
}

std::vector<Row> smex::frontend::visionRows() {
  return {
      {"GridSample", 16, convertGridSample},
      {"RoiAlign", 10, convertRoiAlign},
      {"AffineGrid", 20, convertAffineGrid},
  };
}
