#include "dialects/tdl/lambda/Arithmetic.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::tdl;

namespace {
int64_t cast(DType from, DType to, int64_t value) {
  return convert(from, to, scalarOf(value)).integer;
}
int64_t truncated(DType to, double value) {
  return convert(DType::F64, to, scalarOf(value)).integer;
}
int64_t integer(BinaryOp op, DType type, int64_t a, int64_t b) {
  Scalar result{};
  REQUIRE(evaluate(op, type, scalarOf(a), scalarOf(b), result));
  return result.integer;
}
double real(BinaryOp op, DType type, double a, double b) {
  Scalar result{};
  REQUIRE(evaluate(op, type, scalarOf(a), scalarOf(b), result));
  return result.real;
}
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
} // namespace

TEST_CASE("integers wrap among each other") {
  CHECK(cast(DType::I64, DType::I8, 200) == -56);
  CHECK(cast(DType::I64, DType::U8, -1) == 255);
  CHECK(cast(DType::U64, DType::I32, int64_t(0xffffffff00000001)) == 1);
  CHECK(cast(DType::I8, DType::U64, -1) == -1); // all ones
  CHECK(cast(DType::I32, DType::Bool, -5) == 1);
  CHECK(cast(DType::I32, DType::Bool, 0) == 0);
}

TEST_CASE("floats become integers by truncation and saturation") {
  CHECK(truncated(DType::I32, 2.9) == 2);
  CHECK(truncated(DType::I32, -2.9) == -2);
  CHECK(truncated(DType::I8, 300) == 127);
  CHECK(truncated(DType::I8, -300) == -128);
  CHECK(truncated(DType::U8, -1) == 0);
  CHECK(truncated(DType::U8, 255.9) == 255);
  CHECK(truncated(DType::U8, 256) == 255);
  CHECK(truncated(DType::I64, 1e300) == std::numeric_limits<int64_t>::max());
  CHECK(truncated(DType::I64, -1e300) == std::numeric_limits<int64_t>::min());
  CHECK(truncated(DType::I64, 0x1p63) == std::numeric_limits<int64_t>::max());
  CHECK(truncated(DType::U64, 0x1p63) == std::numeric_limits<int64_t>::min());
  CHECK(truncated(DType::U64, infinity) == -1);
  CHECK(truncated(DType::I64, notANumber) == 0);
  CHECK(truncated(DType::Bool, notANumber) == 1);
  CHECK(truncated(DType::Bool, -0.0) == 0);
}

TEST_CASE("integers become floats with one rounding") {
  const auto to = [](DType from, DType type, int64_t value) {
    return convert(from, type, scalarOf(value)).real;
  };
  // Halfway between two floats but for its last bit, which a double loses.
  const int64_t value = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  CHECK(to(DType::I64, DType::F32, value) == 0x1p60 + 0x1p37);
  CHECK(to(DType::I64, DType::F64, value) == 0x1p60 + 0x1p36);
  const int64_t half = (int64_t(1) << 60) + (int64_t(1) << 52) + 1;
  CHECK(to(DType::I64, DType::BF16, half) == 0x1p60 + 0x1p53);
  CHECK(to(DType::I64, DType::BF16, -half) == -(0x1p60 + 0x1p53));
  CHECK(to(DType::U64, DType::F64, -1) == 0x1p64);
  CHECK(to(DType::I64, DType::F16, 1 << 20) == infinity);
}

TEST_CASE("16-bit floats are rounded once") {
  // 1 + 2^-11 is halfway between two halves; what lies beyond, below f32's
  // reach, decides.
  CHECK(roundTo(DType::F16, 1 + 0x1p-11) == 1);
  CHECK(roundTo(DType::F16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10);
  CHECK(roundTo(DType::F16, 1 + 0x3p-11 - 0x1p-40) == 1 + 0x1p-10);
  CHECK(roundTo(DType::BF16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7);
  CHECK(roundTo(DType::BF16, -1 - 0x1p-8 - 0x1p-40) == -1 - 0x1p-7);
  CHECK(roundTo(DType::F16, 65519.9) == 65504);
  CHECK(roundTo(DType::F16, 65520) == infinity);
  CHECK(roundTo(DType::F16, 1e300) == infinity);
  CHECK(roundTo(DType::F16, 0x1p-25 + 0x1p-60) == 0x1p-24);
  CHECK(std::signbit(roundTo(DType::F16, -1e-300)));
  CHECK(std::isnan(roundTo(DType::BF16, notANumber)));
}

TEST_CASE("integer division and its rests") {
  struct Row {
    int64_t a, b, quotient, floor, mod, rem;
  };
  for (const Row &r : {Row{7, 2, 3, 3, 1, 1}, Row{-7, 2, -3, -4, 1, -1},
                       Row{7, -2, -3, -4, -1, 1}, Row{-7, -2, 3, 3, -1, -1},
                       Row{6, 3, 2, 2, 0, 0}, Row{-6, 3, -2, -2, 0, 0}}) {
    CAPTURE(r.a, r.b);
    CHECK(integer(BinaryOp::Div, DType::I32, r.a, r.b) == r.quotient);
    CHECK(integer(BinaryOp::FloorDiv, DType::I32, r.a, r.b) == r.floor);
    CHECK(integer(BinaryOp::Mod, DType::I32, r.a, r.b) == r.mod);
    CHECK(integer(BinaryOp::Rem, DType::I32, r.a, r.b) == r.rem);
    CHECK(real(BinaryOp::FloorDiv, DType::F32, double(r.a), double(r.b)) ==
          r.floor);
    CHECK(real(BinaryOp::Mod, DType::F32, double(r.a), double(r.b)) == r.mod);
    CHECK(real(BinaryOp::Rem, DType::F32, double(r.a), double(r.b)) == r.rem);
  }
  const int64_t least = std::numeric_limits<int64_t>::min();
  CHECK(integer(BinaryOp::Div, DType::I64, least, -1) == least);
  CHECK(integer(BinaryOp::Mod, DType::I64, least, -1) == 0);
  CHECK(integer(BinaryOp::Div, DType::I8, -128, -1) == -128);
  CHECK(integer(BinaryOp::Div, DType::U64, -1, 2) ==
        std::numeric_limits<int64_t>::max());
  CHECK(integer(BinaryOp::Mod, DType::U64, -1, 10) == 5);
  Scalar result{};
  for (BinaryOp op :
       {BinaryOp::Div, BinaryOp::FloorDiv, BinaryOp::Mod, BinaryOp::Rem})
    for (DType type : {DType::I64, DType::U64, DType::U8})
      CHECK_FALSE(evaluate(op, type, scalarOf(int64_t(1)), scalarOf(int64_t(0)),
                           result));
  CHECK(real(BinaryOp::Div, DType::F32, 1, 0) == infinity);
  CHECK(std::isnan(real(BinaryOp::Mod, DType::F32, 1, 0)));
  CHECK(real(BinaryOp::FloorDiv, DType::F32, 1, 0) == infinity);
}

TEST_CASE("integer powers, shifts and order are exact") {
  CHECK(integer(BinaryOp::Pow, DType::I64, 3, 39) == 4052555153018976267);
  CHECK(integer(BinaryOp::Pow, DType::U64, 2, 63) ==
        std::numeric_limits<int64_t>::min());
  CHECK(integer(BinaryOp::Pow, DType::I32, 2, 32) == 0);
  CHECK(integer(BinaryOp::Pow, DType::I64, -1, -3) == -1);
  CHECK(integer(BinaryOp::Pow, DType::I64, 5, -1) == 0);
  Scalar result{};
  CHECK_FALSE(evaluate(BinaryOp::Pow, DType::I64, scalarOf(int64_t(0)),
                       scalarOf(int64_t(-1)), result));
  CHECK(integer(BinaryOp::Shl, DType::U8, 0x81, 1) == 2);
  CHECK(integer(BinaryOp::Shl, DType::I32, 1, 32) == 0);
  CHECK(integer(BinaryOp::Shl, DType::I32, 1, -1) == 0);
  CHECK(integer(BinaryOp::Shr, DType::I8, -128, 1) == -64);
  CHECK(integer(BinaryOp::Shr, DType::I8, -128, 100) == -1);
  CHECK(integer(BinaryOp::Shr, DType::U64, -1, 63) == 1);
  CHECK(integer(BinaryOp::Lt, DType::U64, -1, 1) == 0);
  CHECK(integer(BinaryOp::Lt, DType::I64, -1, 1) == 1);
  CHECK(integer(BinaryOp::Max, DType::U64, -1, 1) == -1);
  CHECK(integer(BinaryOp::Min, DType::Bool, 0, 1) == 0);
}

TEST_CASE("NaN goes through Min and Max") {
  for (BinaryOp op : {BinaryOp::Min, BinaryOp::Max}) {
    CHECK(std::isnan(real(op, DType::F32, notANumber, 1)));
    CHECK(std::isnan(real(op, DType::F32, 1, notANumber)));
  }
  CHECK(real(BinaryOp::Max, DType::F32, -infinity, 1) == 1);
}

TEST_CASE("unary operations") {
  const auto of = [](UnaryOp op, double a) {
    return evaluate(op, DType::F32, scalarOf(a)).real;
  };
  CHECK(of(UnaryOp::Round, 2.5) == 2);
  CHECK(of(UnaryOp::Round, 3.5) == 4);
  CHECK(of(UnaryOp::Round, -0.5) == 0);
  CHECK(of(UnaryOp::Sign, -3) == -1);
  CHECK(std::isnan(of(UnaryOp::Sign, notANumber)));
  CHECK(of(UnaryOp::Trunc, -1.5) == -1);
  CHECK(of(UnaryOp::Exp, 1) == double(float(std::exp(1.0))));
  CHECK(evaluate(UnaryOp::IsInf, DType::F32, scalarOf(-infinity)).integer == 1);
  CHECK(evaluate(UnaryOp::Neg, DType::I8, scalarOf(int64_t(-128))).integer ==
        -128);
  CHECK(evaluate(UnaryOp::Abs, DType::I8, scalarOf(int64_t(-128))).integer ==
        -128);
  CHECK(evaluate(UnaryOp::Abs, DType::U64, scalarOf(int64_t(-1))).integer ==
        -1);
  CHECK(evaluate(UnaryOp::Neg, DType::U8, scalarOf(int64_t(1))).integer == 255);
  CHECK(evaluate(UnaryOp::BitNot, DType::U16, scalarOf(int64_t(0))).integer ==
        65535);
  CHECK(evaluate(UnaryOp::Sign, DType::U64, scalarOf(int64_t(-1))).integer ==
        1);
}

TEST_CASE("values survive memory") {
  std::byte bytes[8];
  for (int t = 0; t <= int(DType::F64); ++t) {
    const DType type = DType(t);
    for (double value : {0.0, 1.0, -1.0, 100.0}) {
      const Scalar there = convert(DType::F64, type, scalarOf(value));
      store(type, there, bytes);
      const Scalar back = load(type, bytes);
      if (isFloat(type))
        CHECK(back.real == there.real);
      else
        CHECK(back.integer == there.integer);
    }
  }
  bytes[0] = std::byte(7); // any other byte than 0 is true
  CHECK(load(DType::Bool, bytes).integer == 1);
}
