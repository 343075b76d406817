#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/backends/cpu/ConvolutionTiles.h"
#include "runtime/backends/cpu/LibraryConvolution.h"
#include "test/runtime/backends/ConvolutionCase.h"

using namespace smex;
using namespace smex::runtime;

namespace {
using Problem = ConvolutionCase;

void check(KernelCase &test, const Problem &p, DType type, const Box &indices,
           int64_t workspace, int threads, bool exclusive,
           bool isPartial = false) {
  const size_t rank = p.info.strides.size();
  plan::Kernel kernel;
  kernel.kind = plan::KernelKind::Convolution;
  const auto parsed = tdl::parseLambda(p.lambda(type));
  INFO(p.lambda(type) << (parsed ? "" : parsed.error().message));
  REQUIRE(parsed);
  const tdl::Lambda lambda = isPartial ? tdl::accumulated(*parsed) : *parsed;
  kernel.lambda = tdl::toString(lambda);
  kernel.convolution = p.info;

  Box filter{indices[1]}, part;
  for (size_t i = 2 + rank; i < indices.size(); ++i)
    filter.push_back(indices[i]);
  part = front(indices, 2 + rank);
  const Box data = p.dataBox(indices);
  std::vector<BufferView> operands = {
      test.buffer(type, p.data, test.holding(data, p.data)),
      test.buffer(type, p.filter, test.holding(filter, p.filter))};
  operands[1].exclusive = exclusive;
  const BufferView result =
      test.buffer(lambda.result, p.result, test.holding(part, p.result));
  test.check(bindConvolution, kernel, lambda, indices, result, operands,
             workspace, threads);
}

void checkRandom(unsigned seed, DType type, int64_t channels, int64_t extent,
                 bool isPartial = false) {
  KernelCase test(seed);
  const Problem p =
      randomConvolution(test, size_t(test.draw(1, 3)), channels, extent);
  Box indices;
  for (int64_t size : p.result)
    indices.push_back(test.part(size));
  for (size_t d = 1; d < p.filter.size(); ++d)
    indices.push_back(test.part(p.filter[d]));
  const int64_t workspaces[] = {0, 1 << 12, 1 << 16, 1 << 22};
  check(test, p, type, indices, workspaces[test.draw(0, 3)],
        int(test.draw(1, 3)), test.draw(0, 1), isPartial);
}
} // namespace

TEST_CASE("convolutions of random shapes and parts") {
  for (unsigned seed = 0; seed < 400; ++seed)
    checkRandom(seed, DType::F32, 4, 8);
}

TEST_CASE("convolutions with channels enough for the library's fast kernels") {
  for (unsigned seed = 0; seed < 60; ++seed)
    checkRandom(5000 + seed, DType::F32, 20, 7);
}

TEST_CASE("convolutions of other types") {
  for (DType type : {DType::F64, DType::I32, DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 60; ++seed)
      checkRandom(9000 + seed, type, 3, 6);
}

TEST_CASE("convolutions of 16-bit floats, rounded and partial") {
  for (DType type : {DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 40; ++seed) {
      checkRandom(10000 + seed, type, 20, 7);
      checkRandom(11000 + seed, type, 4, 8, /*isPartial=*/true);
    }
}

TEST_CASE("whole convolutions: depthwise, strided, pointwise") {
  struct Case {
    int64_t groups, c, m, in, k, stride, pad;
  };
  for (Case c : {Case{1, 16, 32, 14, 3, 1, 1}, Case{1, 16, 32, 14, 3, 2, 1},
                 Case{32, 1, 1, 14, 3, 1, 1}, Case{32, 1, 1, 13, 3, 2, 1},
                 Case{1, 32, 48, 9, 1, 1, 0}, Case{1, 32, 48, 9, 1, 2, 0},
                 Case{4, 8, 8, 9, 1, 1, 0}, Case{1, 3, 16, 32, 7, 2, 3}})
    for (int threads : {1, 2})
      for (bool exclusive : {false, true}) {
        KernelCase test(1);
        Problem p;
        const int64_t out = (c.in + 2 * c.pad - c.k) / c.stride + 1;
        p.info = {{c.stride, c.stride}, {1, 1}, {c.pad, c.pad}, c.groups};
        p.data = {2, c.groups * c.c, c.in, c.in};
        p.filter = {c.groups * c.m, c.c, c.k, c.k};
        p.result = {2, c.groups * c.m, out, out};
        Box indices = wholeBox(p.result);
        for (size_t d = 1; d < 4; ++d)
          indices.push_back({0, p.filter[d]});
        check(test, p, DType::F32, indices, 1 << 22, threads, exclusive);
      }
}

TEST_CASE("usual windows go to the library, in a workspace that is enough") {
  const auto bound = [](int64_t workspace) {
    KernelCase test(1);
    const std::vector<int64_t> data{1, 64, 28, 28}, filter{64, 64, 3, 3};
    const ConvolutionSite site{
        {{1, 1}, {1, 1}, {1, 1}, 1},
        DType::F32,
        test.buffer(DType::F32, data, wholeBox(data)),
        test.buffer(DType::F32, data, wholeBox(data)),
        test.buffer(DType::F32, filter, wholeBox(filter))};
    std::vector<std::byte> scratch(size_t(workspace) + 64);
    const ThreadGroup threads(1);
    const auto kernel = bindLibraryConvolution(
        site, {wholeBox({1, 64, 28, 28, 64, 3, 3})},
        {scratch.data() + 64 - uintptr_t(scratch.data()) % 64, workspace},
        threads);
    REQUIRE(kernel);
    return *kernel != nullptr;
  };
  CHECK(bound(1 << 20));
  CHECK(bound(1 << 18)); // the packed filter takes 144 KiB of it
  CHECK_FALSE(bound(1 << 14));
}

TEST_CASE("a strided window of one point goes to the library on odd extents") {
  // Every second row and column of 13 x 13: the last step of a view would lead
  // into the next channel.
  KernelCase test(1);
  const std::vector<int64_t> data{1, 32, 13, 13}, filter{64, 32, 1, 1},
      result{1, 64, 7, 7};
  const ConvolutionSite site{{{2, 2}, {1, 1}, {0, 0}, 1},
                             DType::F32,
                             test.buffer(DType::F32, result, wholeBox(result)),
                             test.buffer(DType::F32, data, wholeBox(data)),
                             test.buffer(DType::F32, filter, wholeBox(filter))};
  std::vector<std::byte> scratch((1 << 20) + 64);
  const ThreadGroup threads(1);
  const auto kernel = bindLibraryConvolution(
      site, {wholeBox({1, 64, 7, 7, 32, 1, 1})},
      {scratch.data() + 64 - uintptr_t(scratch.data()) % 64, 1 << 20}, threads);
  REQUIRE(kernel);
  CHECK(*kernel);
}

TEST_CASE("tiles are disjoint, complete, and small enough") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    KernelCase test(seed);
    const Problem p = randomConvolution(test, 2, 40, 60);
    ConvolutionSite site;
    site.info = p.info;
    site.type = DType::F32;
    site.result.type = {DType::F32, p.result};
    site.data.type = {DType::F32, p.data};
    site.filter.type = {DType::F32, p.filter};
    site.result.box = wholeBox(p.result);
    site.data.box = wholeBox(p.data);
    site.filter.box = wholeBox(p.filter);
    Box indices;
    for (int64_t size : p.result)
      indices.push_back(test.part(size));
    for (size_t d = 1; d < p.filter.size(); ++d)
      indices.push_back(test.part(p.filter[d]));
    int64_t total = 0;
    for (const Box &piece : cutGroups(site, indices)) {
      const int64_t groups = piece[1].size() / site.mPerGroup();
      const bool oneGroup = piece[1].lo / site.mPerGroup() ==
                            (piece[1].hi - 1) / site.mPerGroup();
      CHECK((oneGroup || groups * site.mPerGroup() == piece[1].size()));
      std::vector<Box> tiles =
          cutTiles(site, piece, int64_t(1) << test.draw(8, 20));
      for (size_t i = 0; i < tiles.size(); ++i) {
        CHECK(contains(piece, tiles[i]));
        total += volume(tiles[i]);
        for (size_t j = 0; j < i; ++j)
          CHECK(isEmpty(intersect(tiles[i], tiles[j])));
      }
    }
    CHECK(total == volume(indices));
  }
}
