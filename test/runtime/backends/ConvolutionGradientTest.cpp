// Gradients as the compiler derives and binds them, on parts of random shapes.
#include "runtime/backends/cpu/LibraryConvolution.h"
#include "runtime/backends/cpu/LibraryFilterGradient.h"
#include "test/runtime/backends/GradientCase.h"

using namespace smex;
using namespace smex::runtime;

namespace {
void check(KernelCase &test, const Gradient &g, DType type, const Box &indices,
           int64_t workspace, int threads) {
  checkGradient(test, bindConvolution, g, type, indices, workspace, threads);
}

/// False if the gradient is not one for the library.
bool checkRandom(unsigned seed, DType type, int64_t channels, int64_t extent) {
  KernelCase test(seed);
  const ConvolutionCase p =
      randomConvolution(test, size_t(test.draw(1, 3)), channels, extent);
  const Gradient g = gradientOf(p, type, int(test.draw(0, 1)));
  INFO("roles " << g.kernel.roles);
  if (!plan::isGradient(g.kernel.kind))
    return false;
  Box indices;
  for (int64_t size : g.extents)
    indices.push_back(test.part(size));
  const int64_t workspaces[] = {0, 1 << 12, 1 << 16, 1 << 22};
  check(test, g, type, indices, workspaces[test.draw(0, 3)],
        int(test.draw(1, 3)));
  return true;
}
} // namespace

TEST_CASE("gradients of convolutions of random shapes and parts") {
  int bound = 0;
  for (unsigned seed = 0; seed < 800; ++seed)
    bound += checkRandom(seed, DType::F32, 4, 8);
  CHECK(bound > 700);
}

TEST_CASE("gradients with channels enough for the library's fast kernels") {
  for (unsigned seed = 0; seed < 120; ++seed)
    checkRandom(5000 + seed, DType::F32, 20, 7);
}

TEST_CASE("gradients of 16-bit convolutions, of several blocks") {
  for (DType type : {DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 40; ++seed)
      checkRandom(12000 + seed, type, 20, 7);
}

TEST_CASE("gradients of convolutions of other types") {
  for (DType type : {DType::F64, DType::I32, DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 60; ++seed)
      checkRandom(9000 + seed, type, 3, 6);
}

namespace {
ConvolutionCase square(int64_t images, int64_t groups, int64_t c, int64_t m,
                       int64_t in, int64_t k, int64_t stride, int64_t pad) {
  const int64_t out = (in + 2 * pad - k) / stride + 1;
  ConvolutionCase p;
  p.info = {{stride, stride}, {1, 1}, {pad, pad}, groups};
  p.data = {images, groups * c, in, in};
  p.filter = {groups * m, c, k, k};
  p.result = {images, groups * m, out, out};
  return p;
}
} // namespace

TEST_CASE("whole gradients: depthwise, strided, pointwise") {
  for (const ConvolutionCase &p :
       {square(2, 1, 16, 32, 14, 3, 1, 1), square(2, 1, 16, 32, 14, 3, 2, 1),
        square(2, 32, 1, 1, 14, 3, 1, 1), square(2, 32, 1, 1, 13, 3, 2, 1),
        square(2, 1, 32, 48, 9, 1, 1, 0), square(2, 1, 32, 48, 9, 1, 2, 0),
        square(2, 1, 32, 48, 10, 1, 2, 0), square(2, 4, 8, 8, 9, 1, 1, 0),
        square(2, 1, 3, 16, 32, 7, 2, 3), square(1, 1, 40, 70, 2, 3, 1, 1),
        square(5, 1, 3, 16, 16, 4, 4, 0)})
    for (int operand : {0, 1})
      for (int64_t workspace : {1 << 15, 1 << 22})
        for (int threads : {1, 2}) {
          KernelCase test(1);
          const Gradient g = gradientOf(p, DType::F32, operand);
          REQUIRE(plan::isGradient(g.kernel.kind));
          check(test, g, DType::F32, wholeBox(g.extents), workspace, threads);
        }
}

TEST_CASE("usual windows go to the library, in a workspace that is enough") {
  const auto bound = [](Wanted wanted, const Box &box, int64_t workspace) {
    KernelCase test(1);
    const Shape data{2, 64, 28, 28}, filter{64, 64, 3, 3};
    const ConvolutionSite site{
        {{1, 1}, {1, 1}, {1, 1}, 1},
        DType::F32,
        test.buffer(DType::F32, data, wholeBox(data)),
        test.buffer(DType::F32, data, wholeBox(data)),
        test.buffer(DType::F32, filter, wholeBox(filter)),
        wanted};
    std::vector<std::byte> scratch(size_t(workspace) + 64);
    const ThreadGroup threads(1);
    const Workspace given{scratch.data() + 64 - uintptr_t(scratch.data()) % 64,
                          workspace};
    const auto kernel =
        wanted == Wanted::Data
            ? bindLibraryConvolution(site, {box}, given, threads)
            : bindLibraryFilterGradient(site, {box}, given, threads);
    REQUIRE(kernel);
    return *kernel != nullptr;
  };
  const Box byData = wholeBox({2, 64, 28, 28, 64, 3, 3, 28, 28});
  const Box byFilter = wholeBox({2, 64, 28, 28, 64, 3, 3});
  CHECK(bound(Wanted::Data, byData, 1 << 20));
  CHECK(bound(Wanted::Filter, byFilter, 1 << 20));
  CHECK(bound(Wanted::Filter, byFilter, 1 << 18));
  CHECK_FALSE(bound(Wanted::Data, byData, 1 << 12));
  CHECK_FALSE(bound(Wanted::Filter, byFilter, 1 << 12));
}
