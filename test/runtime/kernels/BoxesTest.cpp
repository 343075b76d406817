#include "kernels/cpu/Boxes.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

using namespace smex;

namespace {
std::mt19937 random_(7);
int64_t upTo(int64_t n) { return int64_t(random_() % uint64_t(n + 1)); }

/// A random box around `inner`.
Box around(const Box &inner) {
  Box box = inner;
  for (Interval &side : box)
    side = {side.lo - upTo(2), side.hi + upTo(2)};
  return box;
}

Box randomBox(size_t rank) {
  Box box(rank);
  for (Interval &side : box) {
    side.lo = 5 + upTo(10);
    side.hi = side.lo + upTo(4);
  }
  return box;
}

/// Offset of a point in a dense buffer.
int64_t at(const Box &box, const std::vector<int64_t> &point) {
  int64_t offset = 0;
  for (size_t d = 0; d < box.size(); ++d)
    offset = offset * box[d].size() + point[d] - box[d].lo;
  return offset;
}

template <typename F> void eachPoint(const Box &box, F f) {
  std::vector<int64_t> point(box.size());
  for (int64_t i = 0; i < volume(box); ++i) {
    int64_t rest = i;
    for (size_t d = box.size(); d-- > 0; rest /= box[d].size())
      point[d] = box[d].lo + rest % box[d].size();
    f(point);
  }
}

std::vector<std::byte> randomBytes(int64_t size) {
  std::vector<std::byte> bytes(size_t(size) + 1);
  for (std::byte &byte : bytes)
    byte = std::byte(random_());
  return bytes;
}
} // namespace

TEST_CASE("copies agree with a loop over the points") {
  for (int round = 0; round < 2000; ++round) {
    const int64_t size = int64_t(1) << upTo(3);
    const Box box = randomBox(size_t(upTo(4)));
    const Box toBox = around(box), fromBox = around(box);
    auto to = randomBytes(volume(toBox) * size);
    const auto from = randomBytes(volume(fromBox) * size);
    auto expected = to;
    eachPoint(box, [&](const std::vector<int64_t> &point) {
      std::memcpy(&expected[size_t(at(toBox, point) * size)],
                  &from[size_t(at(fromBox, point) * size)], size_t(size));
    });
    cpu::copyBox(to.data(), toBox, from.data(), fromBox, box, size);
    REQUIRE(to == expected);
  }
}

TEST_CASE("combining agrees with the reference, for every type and reducer") {
  const std::pair<cpu::Reduction, tdl::Reducer> reductions[] = {
      {cpu::Reduction::Sum, tdl::Reducer::Sum},
      {cpu::Reduction::Max, tdl::Reducer::Max},
      {cpu::Reduction::Min, tdl::Reducer::Min},
      {cpu::Reduction::Prod, tdl::Reducer::Prod}};
  for (DType type : {DType::I8, DType::I16, DType::I32, DType::I64, DType::U8,
                     DType::U16, DType::U32, DType::U64, DType::F16,
                     DType::BF16, DType::F32, DType::F64})
    for (const auto &[reduction, reducer] : reductions)
      for (int round = 0; round < 20; ++round) {
        const Box box = randomBox(size_t(upTo(3)));
        Tensor to = makeTensor({type, extents(box)}), from = to;
        for (std::byte &byte : to.bytes)
          byte = std::byte(random_());
        for (std::byte &byte : from.bytes)
          byte = std::byte(random_());
        Tensor expected = to;
        tdl::combine(reducer, expected, from);
        cpu::combineBox(reduction, type, to.bytes.data(), box,
                        from.bytes.data(), box, box);
        for (int64_t i = 0; i < volume(box); ++i) {
          const int64_t size = byteSize(type);
          const auto value = [&](const Tensor &tensor) {
            return type == DType::F16
                       ? double(halfToFloat(tensor.data<uint16_t>()[i]))
                   : type == DType::BF16
                       ? double(bfloatToFloat(tensor.data<uint16_t>()[i]))
                   : type == DType::F32 ? double(tensor.data<float>()[i])
                                        : tensor.data<double>()[i];
          };
          if (isFloat(type) && std::isnan(value(expected)))
            CHECK(std::isnan(value(to)));
          else
            CHECK(std::memcmp(&to.bytes[size_t(i * size)],
                              &expected.bytes[size_t(i * size)],
                              size_t(size)) == 0);
        }
      }
}

TEST_CASE("combining touches the box only") {
  const Box box{{2, 4}, {1, 3}}, toBox{{0, 5}, {0, 4}}, fromBox{{2, 5}, {1, 3}};
  std::vector<float> to(20, 1), from(6, 2);
  cpu::combineBox(
      cpu::Reduction::Sum, DType::F32, reinterpret_cast<std::byte *>(to.data()),
      toBox, reinterpret_cast<const std::byte *>(from.data()), fromBox, box);
  std::vector<float> expected(20, 1);
  for (int i : {9, 10, 13, 14})
    expected[size_t(i)] = 3;
  CHECK(to == expected);
}

TEST_CASE("rounding fills the box only, to nearest even") {
  for (DType type : {DType::F16, DType::BF16})
    for (int round = 0; round < 200; ++round) {
      const Box box = randomBox(size_t(upTo(4))), toBox = around(box);
      std::vector<float> from(size_t(volume(box)));
      for (float &value : from)
        value = std::ldexp(float(random_()), int(upTo(60)) - 60);
      Tensor to = makeTensor({type, extents(toBox)});
      std::vector<uint16_t> expected(size_t(volume(toBox)));
      eachPoint(box, [&](const std::vector<int64_t> &point) {
        const float value = from[size_t(at(box, point))];
        expected[size_t(at(toBox, point))] =
            type == DType::F16 ? floatToHalf(value) : floatToBfloat(value);
      });
      cpu::roundBox(type, to.bytes.data(), toBox, from.data(), box);
      CHECK(std::equal(expected.begin(), expected.end(), to.data<uint16_t>()));
    }
}

TEST_CASE("tiles are small, disjoint and make up the box") {
  for (int round = 0; round < 300; ++round) {
    const Box box = randomBox(size_t(upTo(4)));
    const int64_t elements = 1 + upTo(20);
    const auto tiles = cpu::tiles(box, elements);
    int64_t total = 0;
    for (size_t i = 0; i < tiles.size(); ++i) {
      CHECK(contains(box, tiles[i]));
      CHECK(volume(tiles[i]) <= elements);
      total += volume(tiles[i]);
      for (size_t j = 0; j < i && box.size() > 0; ++j)
        CHECK(isEmpty(intersect(tiles[i], tiles[j])));
    }
    CHECK(total == volume(box));
  }
}

TEST_CASE("slabs are disjoint and make up the box") {
  for (int round = 0; round < 300; ++round) {
    Box box = randomBox(size_t(upTo(3)));
    const auto slabs = cpu::slabs(box, 1 + upTo(10));
    int64_t total = 0;
    for (size_t i = 0; i < slabs.size(); ++i) {
      CHECK(contains(box, slabs[i]));
      total += volume(slabs[i]);
      for (size_t j = 0; j < i && box.size() > 0; ++j)
        CHECK(isEmpty(intersect(slabs[i], slabs[j])));
    }
    CHECK(total == volume(box));
  }
}
