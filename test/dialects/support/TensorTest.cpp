#include "dialects/support/Tensor.h"

#include <catch2/catch.hpp>
#include <climits>

using namespace smex;

namespace {
constexpr int64_t two(int power) { return int64_t(1) << power; }
} // namespace

TEST_CASE("elements are counted, or there are too many") {
  CHECK(elementCount({}) == 1);
  CHECK(elementCount({2, 3, 4}) == 24);
  CHECK(elementCount({5, 0, 3}) == 0);
  CHECK(elementCount({LLONG_MAX}) == LLONG_MAX);
  CHECK(elementCount({two(31), two(31)}) == two(62));
  CHECK_FALSE(elementCount({two(32), two(31)}));
  CHECK_FALSE(elementCount({two(62), 2}));
  CHECK_FALSE(elementCount({two(32), two(32)})); // 0 if it wrapped around
  CHECK_FALSE(elementCount({-1}));
  CHECK_FALSE(elementCount({LLONG_MIN, -1}));
  CHECK_FALSE(elementCount({-2, -3}));
}

TEST_CASE("a zero extent hides nothing") {
  // Strides and partial products are computed from the others.
  CHECK_FALSE(elementCount({0, two(62), 2}));
  CHECK_FALSE(elementCount({two(62), 2, 0}));
  CHECK_FALSE(elementCount({0, -1}));
  CHECK(elementCount({0, two(62)}) == 0);
}

TEST_CASE("bytes overflow before elements do") {
  CHECK(byteCount({DType::F32, {2, 3}}) == 24);
  CHECK(byteCount({DType::F64, {}}) == 8);
  CHECK(byteCount({DType::U8, {LLONG_MAX}}) == LLONG_MAX);
  CHECK(byteCount({DType::F32, {two(60)}}) == two(62));
  CHECK_FALSE(byteCount({DType::F32, {two(61)}}));
  CHECK_FALSE(byteCount({DType::F16, {LLONG_MAX}}));
  CHECK_FALSE(byteCount({DType::F32, {-4}}));
}

TEST_CASE("a new tensor holds zeros of its type") {
  const Tensor tensor = makeTensor({DType::I32, {2, 3}});
  CHECK(tensor.type == TensorType{DType::I32, {2, 3}});
  REQUIRE(tensor.bytes.size() == 24);
  for (int i = 0; i < 6; ++i)
    CHECK(tensor.data<int32_t>()[i] == 0);
  CHECK(makeTensor({DType::F32, {0, 5}}).bytes.empty());
}

TEST_CASE("types have text, and differ by element type and shape") {
  CHECK(toString(TensorType{DType::F32, {4, 3, 224, 224}}) ==
        "f32[4, 3, 224, 224]");
  CHECK(toString(TensorType{DType::Bool, {}}) == "bool[]");
  CHECK(TensorType{DType::F32, {2}} != TensorType{DType::F64, {2}});
  CHECK(TensorType{DType::F32, {2}} != TensorType{DType::F32, {2, 1}});
}

TEST_CASE("row-major strides") {
  CHECK(rowMajorStrides({2, 3, 4}) == std::vector<int64_t>{12, 4, 1});
  CHECK(rowMajorStrides({7}) == std::vector<int64_t>{1});
  CHECK(rowMajorStrides({}).empty());
}
