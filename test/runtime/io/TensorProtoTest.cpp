#include "runtime/io/TensorProto.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace smex;

namespace {
std::string varint(uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7)
    bytes += char(value | 128);
  return bytes + char(value);
}
std::string field(int number, uint64_t value) {
  return varint(uint64_t(number) << 3) + varint(value);
}
std::string field(int number, const std::string &bytes) {
  return varint(uint64_t(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
template <typename T> std::string raw(std::vector<T> values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}
std::string packed(const std::vector<uint64_t> &values) {
  std::string bytes;
  for (uint64_t value : values)
    bytes += varint(value);
  return bytes;
}
Tensor parsed(const std::string &bytes) {
  auto tensor = io::parseTensorProto(bytes, "a.pb");
  INFO((tensor ? "" : tensor.error().message));
  REQUIRE(tensor);
  return *tensor;
}
std::string messageOf(const std::string &bytes) {
  const auto tensor = io::parseTensorProto(bytes, "a.pb");
  REQUIRE_FALSE(tensor);
  return tensor.error().message;
}
} // namespace

TEST_CASE("raw data of any type") {
  const Tensor tensor =
      parsed(field(1, 2) + field(1, 3) + field(2, 1) + field(8, "name") +
             field(9, raw<float>({1, 2, 3, 4, 5, 6})));
  CHECK(tensor.type == TensorType{DType::F32, {2, 3}});
  CHECK(tensor.data<float>()[5] == 6);
  CHECK(parsed(field(2, 11) + field(9, raw<double>({2.5}))).type ==
        TensorType{DType::F64, {}});
  CHECK(parsed(field(1, 0) + field(1, 5) + field(2, 16)).type ==
        TensorType{DType::BF16, {0, 5}});
  // A bool is 0 or 1 whatever byte it came as.
  CHECK(parsed(field(1, 1) + field(2, 9) + field(9, "\7")).bytes[0] ==
        std::byte(1));
}

TEST_CASE("typed fields, packed and not") {
  const std::string dims = field(1, packed({3})); // dims may be packed too
  const uint64_t minusOne = uint64_t(-1);
  Tensor t = parsed(dims + field(2, 1) + field(4, raw<float>({1, 2, 3})));
  CHECK(t.data<float>()[2] == 3);
  t = parsed(dims + field(2, 7) + field(7, 4) + field(7, minusOne) +
             field(7, 6));
  CHECK(t.data<int64_t>()[1] == -1);
  t = parsed(dims + field(2, 3) + field(5, packed({1, minusOne, 127})));
  CHECK(t.type.dtype == DType::I8);
  CHECK(t.data<int8_t>()[1] == -1);
  t = parsed(dims + field(2, 10) + field(5, packed({0x3c00, 0xc000, 0x7c00})));
  CHECK(t.type.dtype == DType::F16);
  CHECK(halfToFloat(t.data<uint16_t>()[1]) == -2.f);
  t = parsed(dims + field(2, 9) + field(5, packed({0, 1, 2})));
  CHECK(t.bytes ==
        std::vector<std::byte>{std::byte(0), std::byte(1), std::byte(1)});
  t = parsed(dims + field(2, 12) + field(11, packed({0, 1, 0xffffffff})));
  CHECK(t.data<uint32_t>()[2] == 0xffffffff);
  t = parsed(dims + field(2, 13) + field(11, packed({0, 1, minusOne})));
  CHECK(t.data<uint64_t>()[2] == minusOne);
  t = parsed(dims + field(2, 11) + field(10, raw<double>({1, 2, 3})));
  CHECK(t.data<double>()[0] == 1);
}

TEST_CASE("types that are only stored are a byte per element") {
  const auto values = [](const Tensor &t) {
    std::vector<int> list;
    for (size_t i = 0; i < t.bytes.size(); ++i)
      list.push_back(t.type.dtype == DType::I8 ? int(t.data<int8_t>()[i])
                                               : int(t.data<uint8_t>()[i]));
    return list;
  };
  // Several in a byte, the first in the lowest bits; the last byte is filled
  // up.
  const std::string five = field(1, 5);
  const std::string nibbles = "\x71\xf8\x0e";
  Tensor t = parsed(five + field(2, 22) + field(9, nibbles));
  CHECK(t.type == TensorType{DType::I8, {5}});
  CHECK(values(t) == std::vector<int>{1, 7, -8, -1, -2});
  t = parsed(five + field(2, 21) + field(5, packed({0x71, 0xf8, 0x0e})));
  CHECK(t.type.dtype == DType::U8);
  CHECK(values(t) == std::vector<int>{1, 7, 8, 15, 14});
  t = parsed(five + field(2, 26) + field(9, "\xe4\x01"));
  CHECK(values(t) == std::vector<int>{0, 1, -2, -1, 1});
  t = parsed(five + field(2, 25) + field(9, "\xe4\x01"));
  CHECK(values(t) == std::vector<int>{0, 1, 2, 3, 1});
  t = parsed(field(1, 2) + field(2, 17) + field(9, "\x7f\x80"));
  CHECK(values(t) == std::vector<int>{127, 128});
}

TEST_CASE("what is wrong is named") {
  CHECK(messageOf(field(2, 1) + field(1, 2) + field(9, "abcd")) ==
        "a.pb: f32[2] takes 8 bytes; the file has 4");
  CHECK(messageOf(field(2, 8)) ==
        "a.pb: element type STRING of a TensorProto is not supported");
  CHECK(messageOf(field(2, 99)) ==
        "a.pb: element type 99 of a TensorProto is not supported");
  CHECK(messageOf(field(2, 22) + field(1, 3) + field(9, "abc")) ==
        "a.pb: i8[3] takes 2 bytes; the file has 3");
  CHECK_THAT(messageOf(field(2, 21) + field(1, 3) + field(5, packed({1, 256}))),
             Catch::Contains("does not fit in the bytes of UINT4"));
  CHECK_THAT(messageOf(""), Catch::Contains("element type 0"));
  CHECK_THAT(messageOf(field(2, 1) + field(14, 1)),
             Catch::Contains("data in another file"));
  CHECK_THAT(messageOf(field(2, 1) + field(1, 1) + field(7, 5)),
             Catch::Contains("not where FLOAT values belong"));
  CHECK_THAT(messageOf(field(2, 2) + field(1, 1) + field(5, 300)),
             Catch::Contains("does not fit in UINT8"));
  CHECK_THAT(messageOf(field(2, 1) + field(1, uint64_t(-4))),
             Catch::Contains("too many"));
  CHECK_THAT(messageOf(field(2, 1) + field(1, uint64_t(1) << 62) +
                       field(1, uint64_t(1) << 62)),
             Catch::Contains("too many"));
}

TEST_CASE("no truncation and no random bytes are unsafe") {
  const std::string good = field(1, 3) + field(2, 6) +
                           field(5, packed({1, 2, 3})) + field(8, "name");
  const size_t withoutName = good.size() - field(8, "name").size();
  for (size_t n = 0; n < good.size(); ++n) {
    const auto tensor =
        io::parseTensorProto(std::string_view(good).substr(0, n), "a.pb");
    CHECK(bool(tensor) == (n == withoutName)); // there the message is whole
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i)
      bad[random() % bad.size()] = char(random());
    (void)io::parseTensorProto(bad, "a.pb");
    std::string noise(random() % 40, ' ');
    for (char &c : noise)
      c = char(random());
    (void)io::parseTensorProto(noise, "a.pb");
  }
}
