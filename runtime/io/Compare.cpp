#include "runtime/io/Compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

using namespace smex;
using namespace smex::io;

namespace {

/// Calls use(value), of the type that the tensor has; small floats as float.
template <typename Use>
auto useElement(const Tensor &tensor, int64_t i, Use use) {
  const auto as = [&](auto zero) {
    return use(tensor.data<decltype(zero)>()[i]);
  };
  switch (tensor.type.dtype) {
  case DType::Bool:
  case DType::U8:
    return as(uint8_t{});
  case DType::U16:
    return as(uint16_t{});
  case DType::U32:
    return as(uint32_t{});
  case DType::U64:
    return as(uint64_t{});
  case DType::I8:
    return as(int8_t{});
  case DType::I16:
    return as(int16_t{});
  case DType::I32:
    return as(int32_t{});
  case DType::I64:
    return as(int64_t{});
  case DType::F16:
    return use(halfToFloat(tensor.data<uint16_t>()[i]));
  case DType::BF16:
    return use(bfloatToFloat(tensor.data<uint16_t>()[i]));
  case DType::F32:
    return as(float{});
  case DType::F64:
    return as(double{});
  }
  return use(std::numeric_limits<double>::quiet_NaN());
}

std::string number(double value, const char *format = "%.9g") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string textAt(const Tensor &tensor, int64_t i) {
  if (tensor.type.dtype == DType::Bool)
    return tensor.bytes[size_t(i)] == std::byte(0) ? "false" : "true";
  return useElement(tensor, i, [](auto value) -> std::string {
    if constexpr (std::is_integral_v<decltype(value)>)
      return std::to_string(value);
    else
      return number(double(value));
  });
}

/// The elements that differ: how many, and the worst (the first, for integers).
struct Differences {
  int64_t count = 0, worst = -1;
  double largest = 0;

  void add(int64_t element, double difference) {
    ++count;
    if (worst < 0 || difference > largest) {
      worst = element;
      largest = difference;
    }
  }
};
} // namespace

double io::toleranceOf(DType type) {
  constexpr double roundings = 16; // sqrt(256)
  if (type == DType::F16)
    return roundings * 0x1p-11;
  if (type == DType::BF16)
    return roundings * 0x1p-8;
  return 1e-4;
}

double io::realAt(const Tensor &tensor, int64_t element) {
  return useElement(tensor, element, [](auto value) { return double(value); });
}

std::string io::coordinates(const std::vector<int64_t> &shape,
                            int64_t element) {
  std::string text = "]";
  for (size_t d = shape.size(); d-- > 0;) {
    text = (d ? ", " : "") + std::to_string(element % shape[d]) + text;
    element /= shape[d];
  }
  return "[" + text;
}

Comparison io::compare(const Tensor &tensor, const Tensor &reference) {
  return compare(tensor, reference, toleranceOf(reference.type.dtype));
}

Comparison io::compare(const Tensor &tensor, const Tensor &reference,
                       double tolerance) {
  Comparison result;
  if (tensor.type != reference.type) {
    result.text =
        toString(tensor.type) + ", " + toString(reference.type) + " expected";
    return result;
  }
  if (tensor.bytes.empty() ||
      std::memcmp(tensor.bytes.data(), reference.bytes.data(),
                  tensor.bytes.size()) == 0) {
    result.same = result.bitEqual = true;
    result.text = "bit-equal";
    return result;
  }

  const int64_t size = byteSize(tensor.type.dtype);
  const int64_t elements = int64_t(tensor.bytes.size()) / size;
  const bool floats = isFloat(tensor.type.dtype);
  double magnitude = 0;
  for (int64_t i = 0; floats && i < elements; ++i)
    if (const double value = std::fabs(realAt(reference, i));
        std::isfinite(value))
      magnitude = std::max(magnitude, value);
  const double limit = tolerance * magnitude;

  Differences beyond; // what the tolerance does not cover
  double largest = 0;
  for (int64_t i = 0; i < elements; ++i) {
    if (!floats) {
      if (std::memcmp(&tensor.bytes[size_t(i * size)],
                      &reference.bytes[size_t(i * size)], size_t(size)) != 0)
        beyond.add(i, 0);
      continue;
    }
    const double got = realAt(tensor, i), want = realAt(reference, i);
    if (got == want || (std::isnan(got) && std::isnan(want)))
      continue;
    double difference = std::fabs(got - want);
    if (std::isnan(difference)) // NaN against a number
      difference = HUGE_VAL;
    largest = std::max(largest, difference);
    if (!(difference <= limit))
      beyond.add(i, difference);
  }
  result.relative = largest == 0 ? 0 : largest / magnitude;
  result.same = beyond.count == 0;
  if (result.same) {
    result.text = largest == 0
                      ? "equal (but for the sign of zeros or the bits of NaNs)"
                      : "within " + number(result.relative, "%.2g") +
                            " of the largest magnitude";
    return result;
  }
  result.text = coordinates(tensor.type.shape, beyond.worst) + ": " +
                textAt(tensor, beyond.worst) + ", " +
                textAt(reference, beyond.worst) + " expected (" +
                std::to_string(beyond.count) + " of " +
                std::to_string(elements) + " elements differ";
  if (floats)
    result.text += " by more than " + number(tolerance, "%g") +
                   " of the largest magnitude, " + number(magnitude, "%.3g");
  result.text += ")";
  return result;
}
