#include "runtime/executor/Ranges.h"

#include "runtime/executor/Draw.h"
#include "runtime/io/Compare.h"

#include <cstring>
#include <optional>

using namespace smex;
using namespace smex::runtime;

namespace {

/// Nothing where a u64 is beyond i64.
std::optional<int64_t> integerAt(const Tensor &tensor, int64_t element) {
  const DType type = tensor.type.dtype;
  const int64_t size = byteSize(type);
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes.data() + element * size, size_t(size));
  const int shift = int(64 - 8 * size);
  const int64_t value =
      isSigned(type) ? int64_t(bits << shift) >> shift : int64_t(bits);
  if (type == DType::U64 && value < 0)
    return std::nullopt;
  return value;
}

Error outside(const std::string &what, const Tensor &tensor, int64_t element,
              int64_t low, int64_t high, std::optional<int64_t> ignore) {
  const auto value = integerAt(tensor, element);
  uint64_t bits = 0;
  if (!value)
    std::memcpy(&bits, tensor.bytes.data() + element * 8, 8);
  return fail(what,
              tensor.type.rank() == 0
                  ? ""
                  : ": element " + io::coordinates(tensor.type.shape, element),
              " is ", value ? std::to_string(*value) : std::to_string(bits),
              ", ", low, " to ", high,
              ignore ? ", or " + std::to_string(*ignore) + "," : "",
              " allowed");
}

/// What there is of the part in a tensor with fewer rows, as a small graph's.
std::optional<Part> within(Part part, const std::vector<int64_t> &shape) {
  for (size_t d = 0; d < part.size(); ++d) {
    if (part[d].first >= shape[d])
      return std::nullopt;
    part[d].count = std::min(part[d].count,
                             (shape[d] - 1 - part[d].first) / part[d].step + 1);
  }
  return part;
}

/// Calls `each` with the range and each element of it, for each value that the
/// tensor has, until it says false.
template <typename Each>
void forEachPart(const plan::Port &port, const TensorType &type, int64_t count,
                 Each &&each) {
  for (const PartRange &range : port.parts) {
    const size_t lead = type.shape.size() - range.part.size();
    const std::vector<int64_t> shape(type.shape.begin() + int64_t(lead),
                                     type.shape.end());
    const auto part = within(range.part, shape);
    const int64_t size = *elementCount(shape);
    bool more = part.has_value();
    for (int64_t first = 0; more && first + size <= count; first += size)
      forEachElement(*part, shape, [&](int64_t element) {
        return more = each(range, first + element);
      });
  }
}

} // namespace

Status runtime::checkRange(const plan::Port &port, const std::string &what,
                           const Tensor &tensor, int64_t count) {
  for (int64_t e = 0; port.low && port.high && e < count; ++e) {
    const auto value = integerAt(tensor, e);
    if (value && ((*port.low <= *value && *value <= *port.high) ||
                  (port.ignore && *value == *port.ignore)))
      continue;
    return outside(what, tensor, e, *port.low, *port.high, port.ignore);
  }
  std::optional<Error> error;
  forEachPart(port, tensor.type, count,
              [&](const PartRange &range, int64_t element) {
                const auto value = integerAt(tensor, element);
                if (!value || *value < range.low || *value > range.high)
                  error = outside(what, tensor, element, range.low, range.high,
                                  std::nullopt);
                return !error;
              });
  if (error)
    return std::move(*error);
  return {};
}

void runtime::drawInput(uint64_t seed, const plan::Port &port, Tensor &to) {
  const bool isRanged = port.low && port.high;
  if (isRanged)
    drawRange(seed, port.name, *port.low, *port.high, to);
  else
    draw(seed, port.name, to.type, 1, wholeBox(to.type.shape), to.bytes.data());
  if (port.parts.empty())
    return;
  // Where parts overlap, an element is in all of their ranges.
  const int64_t count = *elementCount(to.type.shape);
  struct Ends {
    int64_t low, high;
  };
  std::vector<Ends> ranges(size_t(count),
                           Ends{isRanged ? *port.low : INT64_MIN,
                                isRanged ? *port.high : INT64_MAX});
  forEachPart(port, to.type, count, [&](const PartRange &part, int64_t e) {
    Ends &range = ranges[size_t(e)];
    range.low = std::max(range.low, part.low);
    range.high = std::min(range.high, part.high);
    return true;
  });
  const int64_t size = byteSize(to.type.dtype);
  Tensor one = makeTensor({to.type.dtype, {}});
  for (int64_t e = 0; e < count; ++e) {
    const Ends &range = ranges[size_t(e)];
    if (range.low > range.high ||
        (range.low == INT64_MIN && range.high == INT64_MAX))
      continue;
    drawRange(seed, port.name + "." + std::to_string(e), range.low, range.high,
              one);
    std::memcpy(to.bytes.data() + e * size, one.bytes.data(), size_t(size));
  }
}
