#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/backends/cpu/Gemm.h"
#include "runtime/backends/cpu/HalfProduct.h"
#include "test/runtime/backends/KernelCase.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
/// Sum(x0[..] * x1[..]) with up to two indices of each role, in any order.
/// Partial results of 16-bit floats are f32.
void randomContraction(unsigned seed, DType type, int64_t largest,
                       bool isPartial = false) {
  KernelCase test(seed);
  std::string roles;
  for (char role : {'b', 'm', 'n'})
    roles += std::string(size_t(test.draw(0, 2)), role);
  std::shuffle(roles.begin(), roles.end(), test.random);
  const size_t rank = roles.size();
  roles += std::string(size_t(test.draw(1, 2)), 'k');

  std::vector<int64_t> sizes;
  Box indices;
  for (size_t i = 0; i < roles.size(); ++i) {
    sizes.push_back(test.draw(1, largest));
    indices.push_back(test.part(sizes.back()));
  }
  const auto nameOf = [&](size_t i) {
    return i < rank ? "i" + std::to_string(i) : "r" + std::to_string(i - rank);
  };
  std::string text = "(";
  std::string reads[2];
  std::vector<BufferView> operands;
  for (int side = 0; side < 2; ++side) {
    std::vector<size_t> dims;
    for (size_t i = 0; i < roles.size(); ++i)
      if (roles[i] != (side ? 'm' : 'n'))
        dims.push_back(i);
    std::shuffle(dims.begin(), dims.end(), test.random);
    std::vector<int64_t> shape;
    Box needed;
    for (size_t i : dims) {
      shape.push_back(sizes[i]);
      needed.push_back(indices[i]);
      reads[side] += (reads[side].empty() ? "" : ", ") + nameOf(i);
    }
    operands.push_back(test.buffer(type, shape, test.holding(needed, shape)));
    text += (side ? ", x1: " : "x0: ") + std::string(name(type)) + "[" +
            std::to_string(shape.size()) + "]";
  }
  text += ") -> " + std::string(name(type)) + ": lambda";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : " ") + nameOf(i);
  text += ": Sum(lambda ";
  for (size_t i = rank; i < roles.size(); ++i)
    text += (i > rank ? ", " : "") + nameOf(i);
  const bool exchanged = test.draw(0, 1);
  text += ": x" + std::to_string(exchanged) + "[" + reads[exchanged] + "] * x" +
          std::to_string(!exchanged) + "[" + reads[!exchanged] + "])";

  const auto parsed = tdl::parseLambda(text);
  INFO(text << (parsed ? "" : parsed.error().message));
  REQUIRE(parsed);
  const tdl::Lambda lambda = isPartial ? tdl::accumulated(*parsed) : *parsed;
  plan::Kernel kernel;
  kernel.kind = plan::KernelKind::Contraction;
  kernel.lambda = tdl::toString(lambda);
  kernel.roles = roles;
  const std::vector<int64_t> shape(sizes.begin(), sizes.begin() + rank);
  const Box part(indices.begin(), indices.begin() + rank);
  const BufferView result =
      test.buffer(lambda.result, shape, test.holding(part, shape));
  test.check(bindContraction, kernel, lambda, indices, result, operands,
             test.draw(0, 2) ? 1 << 20 : 0, int(test.draw(1, 3)));
}
} // namespace

TEST_CASE("small contractions of every type") {
  for (DType type : {DType::F32, DType::F64, DType::I32, DType::I64, DType::U8,
                     DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 150; ++seed)
      randomContraction(seed, type, 4);
}

TEST_CASE("partial results of 16-bit contractions are f32") {
  for (DType type : {DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 100; ++seed)
      randomContraction(3000 + seed, type, 5, /*isPartial=*/true);
}

TEST_CASE("16-bit products of several blocks, whatever the number of threads") {
  std::mt19937 random(3);
  const int64_t m = 103, n = 211, k = 195;
  const std::vector<cpu::ContractionIndex> indices = {
      {2, false, m * n, m * k, 0},
      {m, false, n, k, 0},
      {n, false, 1, 0, 1},
      {k, true, 0, 1, n}};
  for (DType type : {DType::F16, DType::BF16}) {
    std::vector<uint16_t> left(size_t(2 * m * k)), right(size_t(k * n));
    for (auto *side : {&left, &right})
      for (uint16_t &value : *side) {
        const float number = float(int(random() % 5) - 2);
        value =
            type == DType::F16 ? floatToHalf(number) : floatToBfloat(number);
      }
    const auto bytes = [](auto &list) {
      return reinterpret_cast<std::byte *>(list.data());
    };
    std::vector<uint16_t> expected(size_t(2 * m * n));
    cpu::contract(type, indices, bytes(expected), bytes(left), bytes(right));
    for (int number : {1, 3}) {
      const ThreadGroup threads(number);
      std::vector<uint16_t> result(expected.size());
      HalfProduct(type, type, HalfProblem::of(indices), threads)
          .run(bytes(result), bytes(left), bytes(right));
      CHECK(result == expected);
      std::vector<float> sums(expected.size());
      HalfProduct(type, DType::F32, HalfProblem::of(indices), threads)
          .run(bytes(sums), bytes(left), bytes(right));
      for (size_t i = 0; i < sums.size(); ++i)
        result[i] =
            type == DType::F16 ? floatToHalf(sums[i]) : floatToBfloat(sums[i]);
      CHECK(result == expected);
    }
  }
}

TEST_CASE("larger contractions, for the library") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    randomContraction(1000 + seed, DType::F32, 9);
    randomContraction(2000 + seed, DType::BF16, 7);
  }
}

namespace {
cpu::ContractionIndex index(int64_t extent, bool summed, int64_t result,
                            int64_t left, int64_t right) {
  return {extent, summed, result, left, right};
}
} // namespace

TEST_CASE("a plain product needs no loops around it") {
  // result[i, j] = sum over k of a[i, k] * b[k, j]
  const auto plan =
      planGemm({index(3, false, 5, 7, 0), index(5, false, 1, 0, 1),
                index(7, true, 0, 1, 5)});
  REQUIRE(plan);
  CHECK_FALSE(plan->swapped);
  CHECK((plan->m == 3 && plan->n == 5 && plan->k == 7));
  CHECK((plan->outer.empty() && plan->inner.empty()));
  CHECK((plan->left.leading == 7 && !plan->left.transposed));
  CHECK((plan->right.leading == 5 && !plan->right.transposed));
}

TEST_CASE("a result by columns exchanges the operands") {
  // result[j, i] = sum over k of a[i, k] * b[j, k]
  const auto plan =
      planGemm({index(3, false, 1, 7, 0), index(5, false, 3, 0, 7),
                index(7, true, 0, 1, 1)});
  REQUIRE(plan);
  CHECK(plan->swapped);
  CHECK((plan->m == 5 && plan->n == 3 && plan->k == 7));
  CHECK(plan->right.transposed);
}

TEST_CASE("contiguous indices are merged, others are loops") {
  // result[b, s, t, j] = sum over k of a[b, s, t, k] * w[k, j], where a is a
  // part of a larger buffer along b.
  const auto plan =
      planGemm({index(2, false, 60, 1000, 0), index(3, false, 20, 28, 0),
                index(4, false, 5, 7, 0), index(5, false, 1, 0, 1),
                index(7, true, 0, 1, 5)});
  REQUIRE(plan);
  CHECK((plan->m == 12 && plan->n == 5 && plan->k == 7));
  REQUIRE(plan->outer.size() == 1);
  CHECK(plan->outer[0].extent == 2);
}

TEST_CASE("products of useful sizes go to the library") {
  const ThreadGroup threads(1);
  const std::vector<cpu::ContractionIndex> indices = {
      index(64, false, 64, 64, 0), index(64, false, 1, 0, 1),
      index(64, true, 0, 1, 64)};
  CHECK(Gemm(DType::F32, indices, {}, threads).usesLibrary());
  CHECK_FALSE(Gemm(DType::F64, indices, {}, threads).usesLibrary());
}

TEST_CASE("the tiles of a large product are the whole of it") {
  std::mt19937 random(1);
  const ThreadGroup threads(2);
  // Sides that are no multiples of the library's blocks, and thin ones.
  for (const auto &[m, n, k] : std::vector<std::array<int64_t, 3>>{
           {301, 250, 900}, {97, 1100, 500}, {1, 5000, 300}, {5000, 1, 300}}) {
    INFO(m << " x " << n << " x " << k);
    for (bool transposed : {false, true}) {
      const std::vector<cpu::ContractionIndex> indices = {
          index(m, false, n, transposed ? 1 : k, 0),
          index(n, false, 1, 0, transposed ? k : 1),
          index(k, true, 0, transposed ? m : 1, transposed ? 1 : n)};
      const auto draw = [&](int64_t size) {
        std::vector<float> values(static_cast<size_t>(size));
        for (float &value : values)
          value = float(int(random() % 5) - 2);
        return values;
      };
      const std::vector<float> a = draw(m * k), b = draw(k * n);
      std::vector<float> expected(size_t(m * n)), result(size_t(m * n));
      const auto bytes = [](auto &values) {
        return reinterpret_cast<std::byte *>(
            const_cast<float *>(values.data()));
      };
      cpu::contract(DType::F32, indices, bytes(expected), bytes(a), bytes(b));
      Gemm(DType::F32, indices, {}, threads)
          .run(bytes(result), bytes(a), bytes(b));
      CHECK((result == expected));
    }
  }
}
