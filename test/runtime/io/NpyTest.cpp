#include "runtime/io/Npy.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace smex;

namespace {
Tensor ramp(TensorType type) {
  Tensor tensor = makeTensor(std::move(type));
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    tensor.bytes[i] = std::byte(
        tensor.type.dtype == DType::Bool ? i % 2 : (i * 37 + 11) % 120);
  return tensor;
}

/// A version 1 file with this header text, and these bytes after it.
std::string file(const std::string &header, const std::string &data) {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += char(header.size() & 255);
  bytes += char(header.size() >> 8);
  return bytes + header + data;
}

std::string messageOf(const std::string &bytes) {
  const auto tensor = io::parseNpy(bytes, "a.npy");
  REQUIRE_FALSE(tensor);
  return tensor.error().message;
}
} // namespace

TEST_CASE("every type comes back from its .npy") {
  for (DType type :
       {DType::Bool, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8,
        DType::U16, DType::U32, DType::U64, DType::F16, DType::F32, DType::F64})
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
             {}, {5}, {2, 3}, {4, 0, 2}, {1, 2, 3, 4}}) {
      const Tensor tensor = ramp({type, shape});
      const std::string bytes = io::formatNpy(tensor);
      const auto back = io::parseNpy(bytes, "a.npy");
      REQUIRE(back);
      CHECK(back->type == tensor.type);
      CHECK(back->bytes == tensor.bytes);
      CHECK((bytes.size() - tensor.bytes.size()) % 64 == 0);
    }
}

TEST_CASE("bf16 is written as f32") {
  Tensor tensor = makeTensor({DType::BF16, {2}});
  tensor.data<uint16_t>()[0] = floatToBfloat(1.5f);
  tensor.data<uint16_t>()[1] = floatToBfloat(-3.f);
  const auto back = io::parseNpy(io::formatNpy(tensor), "a.npy");
  REQUIRE(back);
  CHECK(back->type == TensorType{DType::F32, {2}});
  CHECK(back->data<float>()[0] == 1.5f);
  CHECK(back->data<float>()[1] == -3.f);
}

TEST_CASE("Fortran order is transposed") {
  const auto tensor = io::parseNpy(
      file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
           std::string("\0\1\2\3\4\5", 6)),
      "a.npy");
  REQUIRE(tensor);
  const uint8_t expected[] = {0, 2, 4, 1, 3, 5};
  CHECK(std::memcmp(tensor->bytes.data(), expected, 6) == 0);
}

TEST_CASE("headers of other writers are read") {
  for (const char *header :
       {"{\"descr\":\"<u2\",\"fortran_order\":False,\"shape\":(2,)}",
        "  {'shape': (2,),\n 'descr': '<u2' , 'fortran_order': False }   \n"}) {
    const auto tensor = io::parseNpy(file(header, "abcd"), "a.npy");
    REQUIRE(tensor);
    CHECK(tensor->type == TensorType{DType::U16, {2}});
  }
  std::string v2 = io::formatNpy(ramp({DType::F32, {3}}));
  v2[6] = 2; // version 2: four bytes of length
  v2.insert(10, 2, '\0');
  CHECK(io::parseNpy(v2, "a.npy"));
}

TEST_CASE("what is wrong is named") {
  const auto with = [](const char *descr, const char *shape) {
    return file(std::string("{'descr': ") + descr +
                    ", 'fortran_order': False, 'shape': " + shape + ", }",
                "abcdefgh");
  };
  CHECK(messageOf("PK\3\4") == "a.npy: not a .npy file");
  CHECK(messageOf(with("'>f4'", "(2,)")) ==
        "a.npy: big-endian data ('>f4') is not supported; convert it, in NumPy "
        "with .astype('<f4')");
  CHECK(messageOf(with("'<f4'", "(3,)")) ==
        "a.npy: f32[3] takes 12 bytes; the file has 8");
  CHECK(messageOf(with("'<f4'", "(4611686018427387904, 4)")) ==
        "a.npy: f32[4611686018427387904, 4] takes too many bytes; the file "
        "has 8");
  CHECK_THAT(messageOf(with("'<c8'", "(1,)")),
             Catch::Contains("element type '<c8' is not supported"));
  CHECK_THAT(messageOf(with("[('x', '<f4')]", "(1,)")),
             Catch::Contains("structured arrays"));
  for (const char *shape : {"(-2,)", "(99999999999999999999,)", "((2,),)", "2",
                            "(2", "[2]", "(2 2)"})
    CHECK_THAT(messageOf(with("'<f4'", shape)), Catch::Contains(".npy header"));
  CHECK_THAT(messageOf(file("{'descr': '<f4'}", "")), Catch::Contains("lacks"));
}

TEST_CASE("no truncation and no random change is unsafe") {
  const std::string good = io::formatNpy(ramp({DType::F32, {2, 3}}));
  for (size_t n = 0; n < good.size(); ++n)
    CHECK_FALSE(io::parseNpy(std::string_view(good).substr(0, n), "a.npy"));
  CHECK_FALSE(io::parseNpy(good + "x", "a.npy"));
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i)
      bad[random() % 100] = char(round % 2 ? random() : 32 + random() % 95);
    (void)io::parseNpy(bad, "a.npy");
  }
}

TEST_CASE("files are written and read, and missing ones named") {
  const Tensor tensor = ramp({DType::I32, {7}});
  REQUIRE(io::writeNpy("npy_test.npy", tensor));
  const auto back = io::readNpy("npy_test.npy");
  REQUIRE(back);
  CHECK(back->bytes == tensor.bytes);
  const auto missing = io::readNpy("no/such.npy");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message ==
        "no/such.npy: cannot open: No such file or directory");
  const Status unwritable = io::writeNpy("no/such.npy", tensor);
  REQUIRE_FALSE(unwritable);
  CHECK(unwritable.error().fault == Fault::Environment);
}
