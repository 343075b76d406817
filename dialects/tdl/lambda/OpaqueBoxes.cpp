#include "dialects/tdl/lambda/OpaqueBoxes.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace smex;
using namespace smex::tdl;

namespace {

struct Rectangle {
  double low[2], high[2];
  double area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

double element(const Tensor &tensor, int64_t i) {
  const DType type = tensor.type.dtype;
  return load(type, tensor.bytes.data() + i * byteSize(type)).real;
}

Rectangle rectangle(const Tensor &boxes, int64_t box, bool isCentred) {
  Rectangle made;
  for (int64_t d = 0; d < 2; ++d) {
    const double a = element(boxes, 4 * box + d);
    const double b = element(boxes, 4 * box + 2 + d);
    made.low[d] = isCentred ? a - b / 2 : std::min(a, b);
    made.high[d] = isCentred ? a + b / 2 : std::max(a, b);
  }
  return made;
}

bool overlap(const Rectangle &a, const Rectangle &b, double most) {
  double shared = 1;
  for (int d = 0; d < 2; ++d)
    shared *= std::max(0.0, std::min(a.high[d], b.high[d]) -
                                std::max(a.low[d], b.low[d]));
  if (shared <= 0 || a.area() <= 0 || b.area() <= 0)
    return false;
  return shared / (a.area() + b.area() - shared) > most;
}

} // namespace

Result<std::vector<int64_t>> tdl::shapeOfBoxes(const SliceShapes &slices,
                                               const std::vector<double> &) {
  const int64_t count = slices[1][0];
  if (slices[0] != std::vector<int64_t>{count, 4})
    return fail("boxes of ", slices[0][0], " by ", slices[0][1], ", and ",
                count, " scores");
  return std::vector<int64_t>{count};
}

Result<Tensor> tdl::unsuppressedBoxes(const std::vector<Tensor> &slices,
                                      const std::vector<double> &arguments) {
  const Tensor &boxes = slices[0], &scores = slices[1];
  const int64_t count = scores.type.shape[0];
  const double most = arguments[0], iou = arguments[1], least = arguments[2];
  const bool isBounded = arguments[3] != 0, isCentred = arguments[4] != 0;
  std::vector<std::pair<double, int64_t>> order; // scores, boxes
  for (int64_t i = 0; i < count; ++i)
    if (const double score = element(scores, i); !isBounded || score > least)
      order.push_back({score, i});
  std::stable_sort(order.begin(), order.end(),
                   [](const auto &a, const auto &b) {
                     return a.first > b.first ||
                            (!std::isnan(a.first) && std::isnan(b.first));
                   });
  Tensor result = makeTensor({DType::I64, {count}});
  int64_t *places = result.data<int64_t>();
  std::fill(places, places + count, -1);
  std::vector<Rectangle> kept;
  for (const auto &[score, i] : order) {
    if (double(kept.size()) >= most)
      break;
    const Rectangle box = rectangle(boxes, i, isCentred);
    if (std::any_of(kept.begin(), kept.end(), [&](const Rectangle &other) {
          return overlap(box, other, iou);
        }))
      continue;
    kept.push_back(box);
    *places++ = i;
  }
  return result;
}
