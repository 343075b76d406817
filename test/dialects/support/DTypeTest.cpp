#include "dialects/support/DType.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace smex;

namespace {
struct Known {
  DType type;
  const char *name;
  int64_t bytes;
  char kind; // b(ool), s(igned), u(nsigned), f(loat)
};
const Known known[] = {
    {DType::Bool, "bool", 1, 'b'}, {DType::I8, "i8", 1, 's'},
    {DType::I16, "i16", 2, 's'},   {DType::I32, "i32", 4, 's'},
    {DType::I64, "i64", 8, 's'},   {DType::U8, "u8", 1, 'u'},
    {DType::U16, "u16", 2, 'u'},   {DType::U32, "u32", 4, 'u'},
    {DType::U64, "u64", 8, 'u'},   {DType::F16, "f16", 2, 'f'},
    {DType::BF16, "bf16", 2, 'f'}, {DType::F32, "f32", 4, 'f'},
    {DType::F64, "f64", 8, 'f'},
};
} // namespace

TEST_CASE("names, sizes and kinds") {
  for (const Known &each : known) {
    INFO(each.name);
    CHECK(name(each.type) == each.name);
    CHECK(parseDType(each.name) == each.type);
    CHECK(byteSize(each.type) == each.bytes);
    CHECK(isFloat(each.type) == (each.kind == 'f'));
    CHECK(isSigned(each.type) == (each.kind == 's'));
    CHECK(isUnsigned(each.type) == (each.kind == 'u'));
    CHECK(isInteger(each.type) == (each.kind == 's' || each.kind == 'u'));
  }
  for (const char *wrong : {"", "f", "F32", "f32 ", "f8", "float", "i1"})
    CHECK_FALSE(parseDType(wrong));
}

namespace {
/// Every finite value of the format comes back from f32, and what lies between
/// two neighbours goes to the nearer one, from the middle to the even one.
void checkRounding(uint16_t infinity, float (*widen)(uint16_t),
                   uint16_t (*narrow)(float)) {
  int wrong = 0;
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    const float value = widen(bits);
    const uint16_t minus = bits | 0x8000;
    wrong += narrow(value) != bits || narrow(-value) != minus ||
             widen(minus) != -value || !std::isfinite(value);
    if (bits + 1 == infinity)
      break;
    const float next = widen(bits + 1);
    const float middle = float((double(value) + double(next)) / 2);
    wrong += next <= value;
    wrong += narrow(middle) != (bits & 1 ? bits + 1 : bits);
    wrong += narrow(std::nextafter(middle, value)) != bits;
    wrong += narrow(std::nextafter(middle, next)) != bits + 1;
  }
  CHECK(wrong == 0);
  CHECK(narrow(INFINITY) == infinity);
  CHECK(narrow(-INFINITY) == (infinity | 0x8000));
  CHECK(widen(infinity) == INFINITY);
  CHECK(std::isnan(widen(narrow(NAN))));
  CHECK(std::isnan(widen(infinity | 1)));
  CHECK(std::signbit(widen(0x8000)));
}
} // namespace

TEST_CASE("f16 rounds to nearest even, subnormals too") {
  checkRounding(0x7c00, halfToFloat, floatToHalf);
  CHECK(halfToFloat(0x3c00) == 1);
  CHECK(halfToFloat(0x7bff) == 65504);
  CHECK(halfToFloat(0x0001) == 0x1p-24f);
  CHECK(floatToHalf(65519.996f) == 0x7bff);
  CHECK(floatToHalf(65520) == 0x7c00);
  CHECK(floatToHalf(1e-30f) == 0);
}

TEST_CASE("bf16 rounds to nearest even") {
  checkRounding(0x7f80, bfloatToFloat, floatToBfloat);
  CHECK(bfloatToFloat(0x3f80) == 1);
  CHECK(floatToBfloat(3.4028235e38f) == 0x7f80);
  // A NaN whose payload lies in the lower half is still one.
  uint32_t bits = 0x7f800001;
  float odd;
  static_assert(sizeof odd == sizeof bits);
  __builtin_memcpy(&odd, &bits, sizeof odd);
  CHECK(std::isnan(bfloatToFloat(floatToBfloat(odd))));
}
