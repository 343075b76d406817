#include "runtime/backends/cpu/ConvolutionTiles.h"
#include "runtime/backends/cpu/LibraryConvolution.h"
#include "test/runtime/backends/KernelCase.h"

using namespace smex;
using namespace smex::runtime;

namespace {
/// Extents of a convolution, and its lambda.
struct Problem {
  std::vector<int64_t> data, filter, result;
  plan::ConvolutionInfo info;

  std::string lambda(DType type) const {
    const size_t rank = info.strides.size();
    const std::string t(name(type)), r = "[" + std::to_string(rank + 2) + "]";
    const int64_t m = filter[0] / info.groups, c = filter[1];
    std::string outputs = "i0, i1", sums = "r0", reads = "i0, ", filters;
    reads += info.groups == 1 ? "r0"
                              : "i1 // " + std::to_string(m) + " * " +
                                    std::to_string(c) + " + r0";
    for (size_t d = 0; d < rank; ++d) {
      const std::string i = "i" + std::to_string(d + 2),
                        k = "r" + std::to_string(d + 1);
      outputs += ", " + i;
      sums += ", " + k;
      filters += ", " + k;
      reads += ", " + i + " * " + std::to_string(info.strides[d]) + " + " + k +
               " * " + std::to_string(info.dilations[d]) +
               (info.pads[d] < 0 ? " + " : " - ") +
               std::to_string(std::abs(info.pads[d]));
    }
    return "(x0: " + t + r + ", x1: " + t + r + ") -> " + t + ": lambda " +
           outputs + ": Sum(lambda " + sums + ": (x0[" + reads +
           "] else 0) * x1[i1, r0" + filters + "])";
  }

  /// What of the data is read for this part of the indices.
  Box dataBox(const Box &indices) const {
    const size_t rank = info.strides.size();
    const int64_t m = filter[0] / info.groups, c = filter[1];
    const Interval parts = indices[1];
    Box box{indices[0],
            {parts.lo / m * c + indices[2 + rank].lo,
             (parts.hi - 1) / m * c + indices[2 + rank].hi}};
    for (size_t d = 0; d < rank; ++d) {
      const Interval o = indices[2 + d], k = indices[3 + rank + d];
      const int64_t lo =
          o.lo * info.strides[d] + k.lo * info.dilations[d] - info.pads[d];
      const int64_t hi = (o.hi - 1) * info.strides[d] +
                         (k.hi - 1) * info.dilations[d] - info.pads[d] + 1;
      box.push_back(intersect(Interval{lo, hi}, Interval{0, data[2 + d]}));
      if (box.back().empty())
        box.back() = {0, 0};
    }
    return box;
  }
};

Problem randomProblem(KernelCase &test, size_t rank, int64_t channels,
                      int64_t extent) {
  Problem p;
  p.info.groups = test.draw(0, 2) ? 1 : test.draw(1, channels);
  const int64_t c = test.draw(1, channels), m = test.draw(1, channels);
  const int64_t images = test.draw(1, 3);
  p.data = {images, p.info.groups * c};
  p.filter = {p.info.groups * m, c};
  p.result = {images, p.info.groups * m};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t k = test.draw(1, 4), dilation = test.draw(1, 3);
    const int64_t reach = (k - 1) * dilation + 1;
    const int64_t least = std::max<int64_t>(1, reach - 3);
    const int64_t in = test.draw(least, std::max(least, extent));
    const int64_t pad = test.draw(-1, 2), end = test.draw(-1, 3);
    const int64_t stride = test.draw(1, 3);
    const int64_t room = in + pad + end - reach;
    p.info.strides.push_back(stride);
    p.info.dilations.push_back(dilation);
    p.info.pads.push_back(pad);
    p.data.push_back(in);
    p.filter.push_back(k);
    p.result.push_back(room < 0 ? 1 : room / stride + 1);
  }
  return p;
}

void check(KernelCase &test, const Problem &p, DType type, const Box &indices,
           int64_t workspace, int threads, bool exclusive) {
  const size_t rank = p.info.strides.size();
  plan::Kernel kernel;
  kernel.kind = plan::KernelKind::Convolution;
  kernel.lambda = p.lambda(type);
  kernel.convolution = p.info;
  const auto lambda = tdl::parseLambda(kernel.lambda);
  INFO(kernel.lambda << (lambda ? "" : lambda.error().message));
  REQUIRE(lambda);

  Box filter{indices[1]}, part;
  for (size_t i = 2 + rank; i < indices.size(); ++i)
    filter.push_back(indices[i]);
  part.assign(indices.begin(), indices.begin() + std::ptrdiff_t(2 + rank));
  const Box data = p.dataBox(indices);
  std::vector<BufferView> operands = {
      test.buffer(type, p.data, test.holding(data, p.data)),
      test.buffer(type, p.filter, test.holding(filter, p.filter))};
  operands[1].exclusive = exclusive;
  const BufferView result =
      test.buffer(type, p.result, test.holding(part, p.result));
  test.check(bindConvolution, kernel, *lambda, indices, result, operands,
             workspace, threads);
}

void randomConvolution(unsigned seed, DType type, int64_t channels,
                       int64_t extent) {
  KernelCase test(seed);
  const Problem p =
      randomProblem(test, size_t(test.draw(1, 3)), channels, extent);
  Box indices;
  for (int64_t size : p.result)
    indices.push_back(test.part(size));
  for (size_t d = 1; d < p.filter.size(); ++d)
    indices.push_back(test.part(p.filter[d]));
  const int64_t workspaces[] = {0, 1 << 12, 1 << 16, 1 << 22};
  check(test, p, type, indices, workspaces[test.draw(0, 3)],
        int(test.draw(1, 3)), test.draw(0, 1));
}
} // namespace

TEST_CASE("convolutions of random shapes and parts") {
  for (unsigned seed = 0; seed < 400; ++seed)
    randomConvolution(seed, DType::F32, 4, 8);
}

TEST_CASE("convolutions with channels enough for the library's fast kernels") {
  for (unsigned seed = 0; seed < 60; ++seed)
    randomConvolution(5000 + seed, DType::F32, 20, 7);
}

TEST_CASE("convolutions of other types") {
  for (DType type : {DType::F64, DType::I32, DType::F16, DType::BF16})
    for (unsigned seed = 0; seed < 60; ++seed)
      randomConvolution(9000 + seed, type, 3, 6);
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
    const Problem p = randomProblem(test, 2, 40, 60);
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
