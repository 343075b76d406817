#include "dialects/support/File.h"
#include "test/runtime/backends/KernelCase.h"

#include <cstdlib>

using namespace smex;
using namespace smex::runtime;

namespace {
KernelObject testKernels() {
  // Where Bazel puts it, or beside the test.
  const char *path = std::getenv("TEST_KERNELS");
  const auto bytes =
      readFile(path ? path : "test/runtime/backends/libTestKernels.so");
  INFO((bytes ? "" : bytes.error().message));
  REQUIRE(bytes);
  auto object = KernelObject::load({"test", *bytes});
  INFO((object ? "" : object.error().message));
  REQUIRE(object);
  return std::move(*object);
}
} // namespace

TEST_CASE("generated kernels get the numbers that the plan's README gives") {
  const KernelObject object = testKernels();
  CHECK_FALSE(object.find("add_two"));
  const auto lambda =
      tdl::parseLambda("(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + 1");
  REQUIRE(lambda);
  plan::Kernel kernel;
  kernel.lambda = tdl::toString(*lambda);
  kernel.symbol = "add_one";
  for (unsigned seed = 0; seed < 60; ++seed) {
    KernelCase test(seed);
    // Some large enough to be cut among threads.
    const bool large = seed % 3 == 0;
    const std::vector<int64_t> shape = {test.draw(1, large ? 900 : 9),
                                        test.draw(1, large ? 300 : 9)};
    const Box indices = {test.part(shape[0]), test.part(shape[1])};
    const BufferView operand =
        test.buffer(DType::F32, shape, test.holding(indices, shape));
    const BufferView result =
        test.buffer(DType::F32, shape, test.holding(indices, shape));
    test.check(bindGenerated, kernel, *lambda, indices, result, {operand}, 0,
               int(test.draw(1, 4)), 1, &object);
  }
}

TEST_CASE("wide rows are summed a slice after the other") {
  const KernelObject object = testKernels();
  const auto lambda = tdl::parseLambda(
      "(x: f32[2], s: i64[1]) -> f32: lambda f: Sum(lambda k: x[s[k], f])");
  REQUIRE(lambda);
  plan::Kernel kernel;
  kernel.lambda = tdl::toString(*lambda);
  kernel.symbol = "sum_rows";
  // Slices of 16 elements, with a narrower one at the end; or of 32.
  const int64_t rows = 4096, terms = 8 * rows;
  const int64_t workspace = GENERATE(4096 * 100, 4096 * 128);
  KernelCase test(1);
  const Box indices = {{20, 157}, {0, terms}};
  const BufferView x =
      test.buffer(DType::F32, {rows, 160}, {{0, rows}, {9, 158}});
  const BufferView list = test.buffer(DType::I64, {terms}, {{0, terms}});
  for (int64_t k = 0; k < terms; ++k)
    reinterpret_cast<int64_t *>(list.data)[k] = test.draw(0, rows - 1);
  const BufferView result = test.buffer(DType::F32, {160}, {{15, 160}});
  test.check(bindRowSlices, kernel, *lambda, indices, result, {x, list},
             workspace, 3, 1, &object);
}

TEST_CASE("objects that are none are errors") {
  CHECK_FALSE(KernelObject::load({"test", "junk"}));
  const auto none = KernelObject::load({});
  REQUIRE(none);
  CHECK_FALSE(none->find("add_one"));
}
