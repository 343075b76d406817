// No text is too broken to be refused, and whatever is not refused makes
// lambdas that are valid and read back.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex;
using namespace smex::tdl;

namespace {
const std::string operators[] = {
    "f(x[N, C, S...], w[M, G, K...]; strides..., pads... = repeat(0, "
    "len(S...))..., k = 1):\n"
    "    lambda n < N, m < M, o... < S...: Sum(lambda c < G, q... < K...:\n"
    "        (x[n, m // (M // (C // G)) * G + c, (o*strides + q*2 - pads)...] "
    "else 0) * w[m, c, q...])\n",
    "f(x[a...{k}, c, b...], w[d...]; k, strides...):\n"
    "    m = lambda i... < a..., v... < b...: Max(lambda j < c: x[i..., j, "
    "v...])\n"
    "    n = prod(d...) * 2\n"
    "    return lambda i... < a..., j < c, v... < b...: exp(x[i..., j, v...] - "
    "m[i..., v...]) / n, m\n",
    "f(x[d...], w[e...]; k, strides...): lambda i... < reverse(d...)...: "
    "x[split(join(i..., reverse(d...)...), d...)...]\n"
    "    if d[0] > 2 and all((d == insert(erase(d..., 0)..., k, 3))...) else "
    "@topk_values(x[0, :, 0], k, 1)[0] else lowest(x)\n",
};
const std::string parts[] = {"(",        ")",       "[",
                             "]",        "{",       "}",
                             ":",        "...",     "lambda ",
                             "Sum(",     " else ",  " if ",
                             "-",        "1",       "x",
                             "i",        "d...",    ",",
                             " where ",  "\n",      "\n ",
                             "**",       "@det(",   " = ",
                             "range(",   "9999999", ".",
                             "not ",     "\"",      "#",
                             " return ", "join(",   "broadcast_shape(",
                             "0",        "(d)...",  "x[",
                             "prod("};
} // namespace

TEST_CASE("broken operators") {
  std::mt19937_64 random(5);
  const auto below = [&](size_t n) { return size_t(random() % n); };
  int made = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = operators[below(std::size(operators))];
    for (size_t edits = below(3); edits > 0; --edits) {
      const size_t at = below(text.size());
      switch (below(4)) {
      case 0:
        text.erase(at, 1 + below(8));
        break;
      case 1:
        text[at] = char(below(256));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(30)));
        break;
      default:
        text.insert(at, parts[below(std::size(parts))]);
        break;
      }
      text += " ";
    }
    Library library;
    const Status added = library.add("t.tdl", text);
    if (!added) {
      INFO(text);
      REQUIRE(added.error().message.find("t.tdl:") == 0);
      continue;
    }
    if (!library.contains("f"))
      continue;
    const std::vector<int64_t> dims = {int64_t(below(4)), int64_t(below(4)),
                                       int64_t(below(4))};
    const TensorType x{DType::F32, dims};
    const TensorType w{below(8) ? DType::F32 : DType::I32,
                       {dims[0], dims[1], int64_t(below(3))}};
    const auto instance = library.instantiate(
        "f", {x, w},
        {{"strides", std::vector<int64_t>{1 + int64_t(below(2))}},
         {"k", int64_t(below(3))}});
    INFO(text);
    if (!instance) {
      REQUIRE(instance.error().message.find("t.tdl:") == 0);
      continue;
    }
    ++made;
    bool isSmall = true;
    for (const Application &application : instance->applications) {
      const std::string printed = toString(application.lambda);
      INFO(printed);
      REQUIRE(verify(application.lambda));
      const auto back = parseLambda(printed);
      REQUIRE(back);
      REQUIRE(toString(*back) == printed);
      isSmall &= *elementCount(application.extents) < 10000;
    }
    // What it computes may be an error, but nothing worse.
    if (isSmall)
      (void)evaluate(*instance, {makeTensor(x), makeTensor(w)});
  }
  CHECK(made > 500);
}
