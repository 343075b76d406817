#include "runtime/io/Compare.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace smex;

namespace {
Tensor floats(const std::vector<float> &values) {
  Tensor tensor = makeTensor({DType::F32, {int64_t(values.size())}});
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}
io::Comparison compare(const std::vector<float> &a,
                       const std::vector<float> &b) {
  return io::compare(floats(a), floats(b));
}
const float inf = INFINITY, nan_ = NAN;
} // namespace

TEST_CASE("equal, close, apart") {
  io::Comparison c = compare({1, 2, 3}, {1, 2, 3});
  CHECK((c.same && c.bitEqual && c.text == "bit-equal"));
  c = compare({1, 2, 1000}, {1.05f, 2, 1000});
  CHECK((c.same && !c.bitEqual));
  CHECK(c.text == "within 5e-05 of the largest magnitude");
  c = compare({1, 2, 10}, {1.25f, 2.5f, 10});
  CHECK_FALSE(c.same);
  CHECK(c.text == "[1]: 2, 2.5 expected (2 of 3 elements differ by more than "
                  "0.0001 of the largest magnitude, 10)");
  CHECK(compare({0, 0}, {0, -0.f}).same);
  CHECK_FALSE(compare({1e-30f}, {0}).same); // nothing to measure it by
}

TEST_CASE("what is not finite equals only itself") {
  CHECK(compare({nan_, 1}, {nan_, 1}).same);
  CHECK_FALSE(compare({nan_, 1}, {0, 1}).same);
  CHECK_FALSE(compare({0, 1}, {nan_, 1}).same);
  CHECK(compare({inf, 1}, {inf, 1}).same);
  CHECK_FALSE(compare({inf, 1}, {-inf, 1}).same);
  CHECK_FALSE(compare({3e38f, 1}, {inf, 1}).same);
  // An infinity does not make every other difference small.
  CHECK_FALSE(compare({inf, 1}, {inf, 2}).same);
  CHECK_FALSE(compare({nan_}, {nan_, nan_}).same);
}

TEST_CASE("what rounding may come to depends on the type") {
  // 16 times half a unit of the last place of 1: of 11 bits, of 8.
  CHECK(io::toleranceOf(DType::F16) == 16 * 0x1p-11);
  CHECK(io::toleranceOf(DType::BF16) == 16 * 0x1p-8);
  for (DType type : {DType::F32, DType::F64, DType::I32})
    CHECK(io::toleranceOf(type) == 1e-4);
  const auto halves = [](DType type, float value) {
    Tensor tensor = makeTensor({type, {2}});
    for (int i = 0; i < 2; ++i) {
      const float each = i ? value : 1.f;
      tensor.data<uint16_t>()[i] =
          type == DType::F16 ? floatToHalf(each) : floatToBfloat(each);
    }
    return tensor;
  };
  for (DType type : {DType::F16, DType::BF16}) {
    const float ulp = type == DType::F16 ? 0x1p-11f : 0x1p-8f; // below 1
    const Tensor reference = halves(type, 0.5f);
    CHECK(io::compare(halves(type, 0.5f + 16 * ulp), reference).same);
    CHECK_FALSE(io::compare(halves(type, 0.5f + 17 * ulp), reference).same);
    CHECK_FALSE(
        io::compare(halves(type, 0.5f + 16 * ulp), reference, 1e-4).same);
  }
}

TEST_CASE("integers must be equal") {
  Tensor a = makeTensor({DType::I64, {2, 2}}), b = a;
  a.data<int64_t>()[3] = 1000000;
  b.data<int64_t>()[3] = 1000001;
  const io::Comparison c = io::compare(a, b, 1);
  CHECK_FALSE(c.same);
  CHECK(c.text == "[1, 1]: 1000000, 1000001 expected (1 of 4 elements differ)");
}

TEST_CASE("types and shapes must agree") {
  const io::Comparison c = io::compare(makeTensor({DType::F32, {2}}),
                                       makeTensor({DType::F64, {2, 1}}));
  CHECK_FALSE(c.same);
  CHECK(c.text == "f32[2], f64[2, 1] expected");
  CHECK(
      io::compare(makeTensor({DType::F32, {0}}), makeTensor({DType::F32, {0}}))
          .bitEqual);
}
