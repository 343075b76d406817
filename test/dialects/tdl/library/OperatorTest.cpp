// Operators as one would write them, run on small numbers.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int64_t>;

Numbers result(const std::string &text, const std::vector<Tensor> &operands,
               const Attributes &attributes = {}) {
  const auto results = run(text, operands, attributes);
  INFO((results ? "" : results.error().message));
  REQUIRE(results);
  return values(results->at(0));
}

const std::string conv =
    "conv(x[N, C, S...], w[M, G, K...]; strides..., dilations..., pads..., "
    "out...):\n"
    "    lambda n < N, m < M, o... < out...:\n"
    "        Sum(lambda c < G, k... < K...:\n"
    "            (x[n, m // (M // (C // G)) * G + c, (o*strides + k*dilations "
    "- pads)...] else 0) * w[m, c, k...])\n";

/// The same convolution as loops over two dimensions.
Numbers convolved(const Tensor &x, const Tensor &w, Integers strides,
                  Integers dilations, Integers pads, Integers out) {
  const auto &xs = x.type.shape, &ws = w.type.shape;
  const float *xd = x.data<float>(), *wd = w.data<float>();
  Numbers result;
  for (int64_t n = 0; n < xs[0]; ++n)
    for (int64_t m = 0; m < ws[0]; ++m)
      for (int64_t oy = 0; oy < out[0]; ++oy)
        for (int64_t ox = 0; ox < out[1]; ++ox) {
          double sum = 0;
          for (int64_t c = 0; c < ws[1]; ++c)
            for (int64_t ky = 0; ky < ws[2]; ++ky)
              for (int64_t kx = 0; kx < ws[3]; ++kx) {
                const int64_t group = m / (ws[0] / (xs[1] / ws[1]));
                const int64_t y = oy * strides[0] + ky * dilations[0] - pads[0];
                const int64_t xx =
                    ox * strides[1] + kx * dilations[1] - pads[1];
                if (y < 0 || y >= xs[2] || xx < 0 || xx >= xs[3])
                  continue;
                sum += double(xd[((n * xs[1] + group * ws[1] + c) * xs[2] + y) *
                                     xs[3] +
                                 xx]) *
                       double(wd[((m * ws[1] + c) * ws[2] + ky) * ws[3] + kx]);
              }
          result.push_back(sum);
        }
  return result;
}

} // namespace

TEST_CASE("matrix product of batches") {
  const std::string text =
      "matmul(a[p..., m, k], b[q..., k, n]):\n"
      "    lambda i... < broadcast_shape(p..., q...)..., r < m, c < n:\n"
      "        Sum(lambda t < k: a[broadcast(i..., p...)..., r, t] * "
      "b[broadcast(i..., q...)..., t, c])\n";
  CHECK(result(text, {counting(DType::F32, {2, 1, 2}), f32({2, 1}, {1, 10})}) ==
        Numbers{10, 32});
  CHECK(result(text, {f32({1, 2}, {1, 2}), f32({2, 1}, {3, 4})}) ==
        Numbers{11});
}

TEST_CASE("convolutions: padding, stride, dilation, groups") {
  struct Case {
    Integers x, w, strides, dilations, pads, out;
  };
  const std::vector<Case> cases = {
      {{1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1}, {1, 1}, {0, 0}, {2, 2}},
      {{2, 3, 5, 4}, {2, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {5, 4}},
      {{1, 2, 7, 6}, {3, 2, 3, 2}, {2, 3}, {1, 2}, {1, 2}, {4, 3}},
      {{1, 4, 4, 4}, {6, 2, 3, 3}, {1, 2}, {1, 1}, {1, 0}, {4, 1}},
      {{1, 4, 4, 4}, {4, 1, 3, 3}, {1, 1}, {2, 1}, {2, 1}, {4, 4}},
  };
  for (const Case &c : cases) {
    const Tensor x = counting(DType::F32, c.x), w = counting(DType::F32, c.w);
    CHECK(result(conv, {x, w},
                 {{"strides", c.strides},
                  {"dilations", c.dilations},
                  {"pads", c.pads},
                  {"out", c.out}}) ==
          convolved(x, w, c.strides, c.dilations, c.pads, c.out));
  }
  // The same text in one dimension.
  CHECK(result(conv,
               {f32({1, 1, 4}, {1, 2, 3, 4}), f32({1, 1, 3}, {1, 10, 100})},
               {{"strides", Integers{1}},
                {"dilations", Integers{1}},
                {"pads", Integers{1}},
                {"out", Integers{4}}}) == Numbers{210, 321, 432, 43});
}

TEST_CASE("softmax over any dimension") {
  const std::string text = "softmax(x[a...{axis}, c, b...]; axis):\n"
                           "    m = lambda i... < a..., k... < b...: "
                           "Max(lambda j < c: x[i..., j, k...])\n"
                           "    e = lambda i... < a..., j < c, k... < b...: "
                           "exp(x[i..., j, k...] - m[i..., k...])\n"
                           "    s = lambda i... < a..., k... < b...: "
                           "Sum(lambda j < c: e[i..., j, k...])\n"
                           "    return lambda i... < a..., j < c, k... < b...: "
                           "e[i..., j, k...] / s[i..., k...]\n";
  const Tensor x = f32({2, 2}, {0, 1000, 0, 1000});
  CHECK(result(text, {x}, {{"axis", 0}}) == Numbers{0.5, 0.5, 0.5, 0.5});
  CHECK(result(text, {x}, {{"axis", 1}}) == Numbers{0, 1, 0, 1});
  const Numbers some = result(text, {f32({3}, {1, 2, 3})}, {{"axis", 0}});
  CHECK(some[2] == Approx(0.66524096));
  CHECK(some[0] + some[1] + some[2] == Approx(1));
}

TEST_CASE("gather and scatter") {
  const Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  const std::string gather = "gather(x[n, b...], at[q...]):\n"
                             "    lambda j... < q..., k... < b...: x[at[j...] "
                             "+ n if at[j...] < 0 else at[j...], k...]\n";
  CHECK(result(gather, {x, tensor(DType::I32, {2, 2}, {2, 0, -1, -3})}) ==
        Numbers{5, 6, 1, 2, 5, 6, 1, 2});
  const std::string scatter =
      "scatter(x[n, b...], at[m], u[m, b...]):\n"
      "    lambda j < n, k... < b...: x[j, k...] + Sum(lambda e < m: u[e, "
      "k...] where at[e] == j)\n";
  CHECK(result(scatter, {x, i64({3}, {0, 2, 0}),
                         f32({3, 2}, {10, 20, 30, 40, 50, 60})}) ==
        Numbers{61, 82, 3, 4, 35, 46});
  // The last one wins: -1 reads nothing.
  const std::string put =
      "put(x[n], at[m], u[m]):\n"
      "    l = lambda j < n: Max(lambda e < m: e where at[e] == j)\n"
      "    return lambda j < n: (u[l[j]] else x[j])\n";
  CHECK(result(put, {f32({3}, {1, 2, 3}), i64({3}, {0, 2, 0}),
                     f32({3}, {10, 20, 30})}) == Numbers{30, 2, 20});
}

TEST_CASE("prefix sums, both ways") {
  const std::string text =
      "cumsum(x[a...{axis}, n, b...]; axis, exclusive = 0, reverse = 0):\n"
      "    lambda i... < a..., j < n, k... < b...: Sum(lambda t < n: x[i..., "
      "t, k...]\n"
      "        where (t > j if reverse else t < j) if exclusive else (t >= j "
      "if reverse else t <= j))\n";
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(result(text, {x}, {{"axis", 1}}) == Numbers{1, 3, 6, 4, 9, 15});
  CHECK(result(text, {x}, {{"axis", 0}}) == Numbers{1, 2, 3, 5, 7, 9});
  CHECK(result(text, {x}, {{"axis", 1}, {"exclusive", 1}}) ==
        Numbers{0, 1, 3, 0, 4, 9});
  CHECK(result(text, {x}, {{"axis", 1}, {"reverse", 1}}) ==
        Numbers{6, 5, 3, 15, 11, 6});
  CHECK(result(text, {x}, {{"axis", 1}, {"reverse", 1}, {"exclusive", 1}}) ==
        Numbers{5, 3, 0, 11, 6, 0});
}

TEST_CASE("reshape keeps the order of elements") {
  const std::string text = "reshape(x[d...]; out...): lambda i... < out...: "
                           "x[split(join(i..., out...), d...)...]";
  const Tensor x = counting(DType::I32, {2, 3, 4});
  for (const Integers &out :
       {Integers{24}, Integers{6, 4}, Integers{4, 6}, Integers{8, 3},
        Integers{2, 2, 3, 2}, Integers{1, 24, 1}, Integers{3, 8}})
    CHECK(result(text, {x}, {{"out", out}}) == values(x));
  CHECK(result(text, {counting(DType::F32, {0, 3})}, {{"out", Integers{3, 0}}})
            .empty());
}

TEST_CASE("transpose, broadcast, tile, pad, concatenate") {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(result("t(x[d...]; perm...): lambda i... < permute(d..., perm...)...: "
               "x[permute(i..., inverse(perm...)...)...]",
               {counting(DType::F32, {2, 1, 3})},
               {{"perm", Integers{2, 0, 1}}}) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK(
      result(
          "a(x[p...], y[q...]): lambda i... < broadcast_shape(p..., q...)...: "
          "x[broadcast(i..., p...)...] + y[broadcast(i..., q...)...]",
          {x, f32({2, 1}, {10, 20})}) == Numbers{11, 12, 13, 24, 25, 26});
  CHECK(result("t(x[d...]; out...): lambda i... < out...: x[(i % d)...]",
               {f32({2}, {1, 2})},
               {{"out", Integers{5}}}) == Numbers{1, 2, 1, 2, 1});
  CHECK(result("p(x[d...], v[]; before..., out...): lambda i... < out...: "
               "(x[(i - before)...] else v[])",
               {f32({2}, {1, 2}), f32({}, {9})},
               {{"before", Integers{1}}, {"out", Integers{4}}}) ==
        Numbers{9, 1, 2, 9});
  CHECK(result("c(x[n, b...], y[m, b...]): lambda j < n + m, k... < b...: "
               "(x[j, k...] else (y[j - n, k...]))",
               {x, f32({1, 3}, {7, 8, 9})}) ==
        Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("several results") {
  const auto results =
      run("topk(x[d..., n]; k): return lambda i... < d..., j < k: "
          "@topk_values(x[i..., :], k, true)[j],\n"
          "  lambda i... < d..., j < k: @topk_indices(x[i..., :], k, true)[j]",
          {f32({2, 3}, {1, 3, 2, 6, 5, 4})}, {{"k", 2}});
  REQUIRE(results);
  REQUIRE(results->size() == 2);
  CHECK(values((*results)[0]) == Numbers{3, 2, 6, 5});
  CHECK(values((*results)[1]) == Numbers{1, 2, 0, 1});
}

TEST_CASE("hashes of places draw the same numbers everywhere") {
  const std::string text =
      "draw(; out..., seed):\n"
      "    a = lambda i... < out...: u32(join(i..., out...)) * 2654435769 + "
      "u32(seed)\n"
      "    return lambda i... < out...: f32(shr(xor(a[i...], shr(a[i...], "
      "16)), 8)) / 16777216\n";
  const Numbers drawn =
      result(text, {}, {{"out", Integers{2, 2}}, {"seed", 7}});
  for (double number : drawn)
    CHECK((number >= 0 && number < 1));
  CHECK(drawn == result(text, {}, {{"out", Integers{4}}, {"seed", 7}}));
}
