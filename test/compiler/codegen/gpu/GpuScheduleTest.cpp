// Which lambda gets which schedule on a GPU, in words.
#include "compiler/codegen/gpu/Schedule.h"
#include "test/compiler/codegen/Harness.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::codegen;

namespace {

void check(const std::string &text, const std::string &schedule) {
  INFO(text);
  CHECK(toString(chooseGpuSchedule(lambdaOf(text))) == schedule);
}

} // namespace

TEST_CASE("maps take as many neighbours as fit an access") {
  check("(x: f32[2], b: f32[1]) -> f32: lambda i, j: x[i, j] * b[i]",
        "map vector 4 threads 256");
  check("(x: f16[1], y: f32[1]) -> f16: lambda i: x[i] * f16(y[i])",
        "map vector 4 threads 256");
  check("(x: f16[1]) -> f16: lambda i: x[i] * x[i]",
        "map vector 8 threads 256");
  check("(x: f64[1]) -> f64: lambda i: exp(x[i])", "map vector 2 threads 256");
  check("() -> f32: lambda i: f32(i)", "map vector 4 threads 256");
  // Data decides, but all of it may be read.
  check("(g: f32[1], x: f32[1]) -> f32: lambda i: g[i] if x[i] > 0.0 else "
        "f32(0)",
        "map vector 4 threads 256");
  check("(x: f32[2], k: i64[1]) -> f32: lambda i, j: x[k[i], j]",
        "map vector 4 threads 256");
  // Data and coordinates decide on what all neighbours share.
  check("(k: i64[1], g: f32[1], x: bf16[2]) -> bf16: lambda i, j: "
        "bf16((g[i] if k[i] == j else f32(0)) + f32(x[i, j])) if j < 203 else "
        "bf16(0)",
        "map vector 8 threads 256");
  // Coordinates decide, but of most neighbours in the same way.
  check("(x: f32[1]) -> f32: lambda i: x[i - 1] else f32(0)",
        "map vector 4 threads 256");
  check("(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] if i < 5 else y[i - 5]",
        "map vector 4 threads 256");
}

TEST_CASE("maps whose reads go anywhere, or not always, take one at a time") {
  check("(x: f32[2]) -> f32: lambda i, j: x[j, i]", "map threads 256");
  check("(x: f32[1]) -> f32: lambda i: x[i * 2]", "map threads 256");
  check("(x: f32[1], k: i64[1]) -> f32: lambda i: x[k[i]]", "map threads 256");
  check("(x: f32[1]) -> f32: lambda i: x[i] if i % 2 == 0 else f32(0)",
        "map threads 256");
  check("(x: f32[2], k: i64[1]) -> f32: lambda i, j: x[i, j] if k[i] == j "
        "else f32(0)",
        "map threads 256");
  check("(x: f32[0]) -> f32: lambda: x[] * x[]", "map threads 256");
}

TEST_CASE("reductions go along what is contiguous") {
  check("(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
        "warp order [1] vector 4 threads 512 many 4096");
  check("(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
        "thread order [1] threads 512 many 1024 columns 8");
  check("(x: f32[4]) -> f32: lambda n, c, y, z: Max(lambda k, l: "
        "x[n, c, y * 2 + k - 1, z * 2 + l - 1] else -inf)",
        "thread order [4, 5] threads 256");
}

TEST_CASE("products go through shared memory") {
  const char *const product =
      "product order [2] threads 256 tile 64 part 4 depth 16";
  check("(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * "
        "b[k, j])",
        product);
  check("(a: f16[2], b: f16[2]) -> f16: lambda i, j: Sum(lambda k: a[i, k] * "
        "b[j, k])",
        product);
  check("(x: f32[3], w: f32[3]) -> f32: lambda n, m, y: Sum(lambda c, k: "
        "(x[n, c, y + k - 1] else f32(0)) * w[m, c, k])",
        "product order [3, 4] threads 256 tile 64 part 4 depth 16");
  // Products of the same elements only.
  check("(x: f32[2], y: f32[2]) -> f32: lambda i: Sum(lambda k: x[i, k] * "
        "y[i, k])",
        "warp order [1] vector 4 threads 512 many 4096");
}

TEST_CASE("guards make other loops") {
  check("(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
        "scan along 0 order [1] threads 256");
  check("(x: f32[2], key: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
        "where key[e] == v)",
        "scatter order [2] threads 256 lanes 32 tile 256");
  check("(x: f32[1], key: i64[1]) -> f32: lambda v: Sum(lambda e: x[e] "
        "where key[e] == v)",
        "scatter order [1] threads 256 lanes 1 tile 8192");
  check("(x: f32[2], row: i64[1], src: i64[1]) -> f32: lambda v, f: Sum(lambda "
        "e: x[src[e], f] where row[v] <= e and e < row[v + 1])",
        "segments order [2] threads 1024 many 512 hub 32768 hub-part 16384");
}
