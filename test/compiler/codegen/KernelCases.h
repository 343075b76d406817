// Lambdas of many shapes, for KernelTest.
#ifndef SMEX_TEST_COMPILER_CODEGEN_KERNELCASES_H
#define SMEX_TEST_COMPILER_CODEGEN_KERNELCASES_H

#include <cstdint>
#include <vector>

namespace smex::codegen {

/// A lambda, and how the shapes go with the index variables.
struct Case {
  const char *text;
  /// Per index variable its extent: a number, or -n for random from 1 to n.
  std::vector<int64_t> indices;
  /// Per operand its shape: a number; `v` + 1000 * (1 + variable) is the
  /// variable's extent plus v.
  std::vector<std::vector<int64_t>> operands;
  int lo = -4, hi = 4; // values
};

constexpr int64_t at(int variable, int64_t plus = 0) {
  return 1000 * (1 + variable) + plus;
}

inline const Case cases[] = {
    // Maps.
    {"(x: f32[2], b: f32[1]) -> f32: lambda i, j: max(x[i, j] + b[j], f32(0))",
     {-40, -70},
     {{at(0), at(1)}, {at(1)}}},
    {"(x: f32[0]) -> f32: lambda: x[] * x[]", {}, {{}}},
    {"(x: f32[0]) -> f32: lambda i: x[]", {-100}, {{}}},
    {"(x: i32[3]) -> i32: lambda i, j, k: x[k, i, j]",
     {-9, -9, -9},
     {{at(2), at(0), at(1)}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, 2 * j + 1]",
     {-9, -40},
     {{at(0), 81}}},
    {"(x: f32[1]) -> f32: lambda i: x[99 - i]", {-100}, {{100}}},
    {"(x: f32[1]) -> f32: lambda i: x[i // 2]", {-100}, {{100}}},
    {"(x: f32[2]) -> f32: lambda i: x[i // 7, i % 7]", {-70}, {{10, 7}}},
    {"(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] if i < 5 else y[i - 5]",
     {-40},
     {{5}, {60}}},
    {"(x: f32[2], y: f32[2], z: f32[2]) -> f32: lambda i, j: "
     "x[i, j] if i < 3 else (y[i - 3, j] if i < 7 else z[i - 7, j])",
     {-20, -20},
     {{3, at(1)}, {4, at(1)}, {20, at(1)}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, j] if j <= i else -inf",
     {-40, -40},
     {{at(0), at(1)}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i - 2, j - 3] else f32(7)",
     {-20, -40},
     {{11, 17}}},
    {"(x: f32[1]) -> f32: lambda i: (x[i - 1] else f32(0)) + 2.0 * x[i] + "
     "(x[i + 1] else f32(0))",
     {-50},
     {{50}}},
    {"(x: f32[2], k: i64[1]) -> f32: lambda i, j: x[k[i], j]",
     {-20, -40},
     {{9, at(1)}, {at(0)}},
     0,
     8},
    {"(x: f32[2], k: i32[1]) -> f32: lambda i, j: x[i64(k[i]), j] else f32(-1)",
     {-20, -40},
     {{4, at(1)}, {at(0)}}},
    {"(x: f32[1], k: i64[1]) -> f32: lambda i: x[k[i]]",
     {-100},
     {{9}, {at(0)}},
     0,
     8},
    {"(x: bool[1], y: bool[1]) -> bool: lambda i: (x[i] and y[i]) or not x[i]",
     {-100},
     {{at(0)}, {at(0)}}},
    {"() -> i64: lambda i, j: i * 10 + j % 3", {-20, -20}, {}},
    {"(x: f32[1]) -> f32: lambda i: f32(i) * x[i]", {-100}, {{at(0)}}},
    {"(x: u8[1]) -> i16: lambda i: i16(x[i]) - i16(3)",
     {-100},
     {{at(0)}},
     0,
     9},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, j] if x[i, 0] > 0.0 else x[i, j] * "
     "2.0",
     {-20, -20},
     {{at(0), at(1)}}},
    // Reductions along the row, along the column, and of everything.
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
     {-20, -700},
     {{at(0), at(1)}}},
    {"(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
     {-1500, -30},
     {{at(1), at(0)}}},
    {"(x: f32[2]) -> f32: lambda: Sum(lambda i, j: x[i, j])",
     {-30, -300},
     {{at(0), at(1)}}},
    {"(x: f32[1]) -> f32: lambda i: Max(lambda j: x[i * 3 + j])",
     {-30, 3},
     {{100}}},
    {"(x: f32[2]) -> f32: lambda i: Max(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: i32[2]) -> i32: lambda i: Min(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: bool[2]) -> bool: lambda i: Max(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: bool[2]) -> bool: lambda j: Min(lambda i: x[i, j])",
     {-20, -5},
     {{at(1), at(0)}}},
    {"(x: f32[2]) -> f32: lambda i: Prod(lambda j: x[i, j])",
     {-20, -9},
     {{at(0), at(1)}},
     1,
     2},
    {"(x: f64[2]) -> f64: lambda i: Sum(lambda j: x[i, j] * x[i, j])",
     {-20, -700},
     {{at(0), at(1)}}},
    {"(x: f16[2]) -> f16: lambda i: Sum(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: bf16[2]) -> bf16: lambda j: Sum(lambda i: x[i, j])",
     {-90, -12},
     {{at(1), at(0)}}},
    {"(a: f16[2], b: f16[2]) -> f16: lambda i, j: Sum(lambda k: a[i, k] * b[k, "
     "j])",
     {-9, -40, -30},
     {{at(0), at(2)}, {at(2), at(1)}}},
    {"(a: bf16[2], b: bf16[2]) -> f32: lambda i, j: Sum(lambda k: f32(a[i, k]) "
     "* "
     "f32(b[j, k]))",
     {-9, -40, -30},
     {{at(0), at(2)}, {at(1), at(2)}}},
    {"(x: bf16[2], k: i64[1]) -> bf16: lambda i, j: Max(lambda e: x[k[e], j] "
     "where e <= i)",
     {-9, -40, -30},
     {{9, at(1)}, {at(2)}},
     0,
     8},
    // Values of 16 bits that are chosen, not computed.
    {"(x: bf16[1], y: bf16[1]) -> bf16: lambda i: x[i] if i64(y[i]) == 3 else "
     "bf16(1.5)",
     {-100},
     {{at(0)}, {at(0)}}},
    {"(x: f16[1], y: f16[1]) -> f16: lambda i: x[i] if i64(y[i]) == 3 else "
     "f16(1.5)",
     {-100},
     {{at(0)}, {at(0)}}},
    {"(c: bool[1], x: bf16[1], y: bf16[1]) -> bf16: lambda i: x[i] if c[i] "
     "else y[i]",
     {-100},
     {{at(0)}, {at(0)}, {at(0)}}},
    {"(c: bool[1], x: bf16[1]) -> bf16: lambda i: x[i] if c[i] else bf16(-1)",
     {-100},
     {{at(0)}, {at(0)}}},
    {"(c: bool[1], x: f16[1], y: f16[1]) -> f16: lambda i: x[i] if c[i] else "
     "y[i]",
     {-100},
     {{at(0)}, {at(0)}, {at(0)}}},
    {"(x: bf16[1]) -> bf16: lambda i: x[i] if i < 9 else (x[i - 3] else "
     "bf16(2))",
     {-100},
     {{at(0)}}},
    {"(x: i8[2]) -> i8: lambda i: Sum(lambda j: x[i, j])",
     {-20, -700},
     {{at(0), at(1)}}},
    {"(x: f32[2], y: f32[1]) -> f32: lambda i: Sum(lambda j: x[i, j] * y[j])",
     {-20, -700},
     {{at(0), at(1)}, {at(1)}}},
    {"(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * b[k, "
     "j])",
     {-20, -40, -30},
     {{at(0), at(2)}, {at(2), at(1)}}},
    {"(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * b[j, "
     "k])",
     {-20, -20, -70},
     {{at(0), at(2)}, {at(1), at(2)}}},
    {"(x: f32[4]) -> f32: lambda n, c: Sum(lambda y, x_: x[n, c, y, x_])",
     {-3, -5, -9, -9},
     {{at(0), at(1), at(2), at(3)}}},
    {"(x: f32[4], w: f32[4]) -> f32: lambda n, m, y, z: Sum(lambda c, k, l: "
     "(x[n, c, y * 2 + k - 1, z * 2 + l - 1] else f32(0)) * w[m, c, k, l])",
     {-2, -4, -6, -6, -3, 3, 3},
     {{at(0), at(4), 11, 11}, {at(1), at(4), 3, 3}}},
    {"(x: f32[4]) -> f32: lambda n, c, y, z: Max(lambda k, l: "
     "x[n, c, y * 2 + k - 1, z * 2 + l - 1] else -inf)",
     {-2, -4, -12, -40, 3, 3},
     {{at(0), at(1), 23, 79}}},
    {"(x: f32[4]) -> f32: lambda n, c, y, z: Sum(lambda k, l: "
     "x[n, c, y + k * 2 - 2, z + l * 2 - 2] else f32(0))",
     {-2, -4, -12, -40, 3, 3},
     {{at(0), at(1), 12, 40}}},
    // A transposed convolution, as a gradient: conditions on divisibility.
    {"(g: f32[1], w: f32[1]) -> f32: lambda x: Sum(lambda k: "
     "(g[(x + 1 - k) // 2] else f32(0)) * w[k] where (x + 1 - k) % 2 == 0)",
     {-60, 3},
     {{30}, {3}}},
    {"(g: f32[1], w: f32[1]) -> f32: lambda x: Sum(lambda o, k: g[o] * w[k] "
     "where o * 2 + k - 1 == x)",
     {-60, 30, 3},
     {{30}, {3}}},
    // Guards.
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j] where j < i + 3)",
     {-20, -30},
     {{at(0), at(1)}}},
    {"(x: f32[2], m: bool[1]) -> f32: lambda i: Sum(lambda j: x[i, j] where "
     "m[j])",
     {-20, -300},
     {{at(0), at(1)}, {at(1)}}},
    {"(x: f32[1]) -> f32: lambda i: Max(lambda k: x[k] where k >= i - 2 and k "
     "<= i + 2)",
     {-90, 100},
     {{100}}},
    // Prefixes.
    {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
     {-200, 200},
     {{200}}},
    {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k < i)",
     {-200, 200},
     {{200}}},
    {"(x: f32[2]) -> f32: lambda i, j: Sum(lambda k: x[k, j] where k >= i)",
     {-50, -70, 50},
     {{50, at(1)}}},
    {"(x: f32[2]) -> f32: lambda j, i: Max(lambda k: x[j, k] where i < k)",
     {-9, -50, 50},
     {{at(0), 50}}},
    {"(x: i64[2]) -> i64: lambda i, j: Prod(lambda k: x[k, j] where k <= 49 - "
     "i)",
     {-50, -7, 50},
     {{50, at(1)}},
     1,
     3},
    {"(x: f16[1]) -> f16: lambda i: Sum(lambda k: x[k] where k <= i * 2)",
     {-40, 90},
     {{90}}},
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda k, j: x[k, j] where k <= i)",
     {-40, 40, -9},
     {{40, at(2)}}},
    // Preimages.
    {"(x: f32[1], key: i64[1]) -> f32: lambda i: Sum(lambda e: x[e] where "
     "key[e] == i)",
     {9, -200},
     {{at(1)}, {at(1)}},
     0,
     8},
    {"(x: f32[2], key: i32[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
     "where "
     "i64(key[e]) == v)",
     {-12, -40, -90},
     {{at(2), at(1)}, {at(2)}},
     -2,
     12},
    {"(x: f32[2], key: i64[2]) -> f32: lambda n, i: Max(lambda e: x[n, e] "
     "where "
     "i == key[n, e])",
     {-7, 9, -60},
     {{at(0), at(2)}, {at(0), at(2)}},
     0,
     8},
    {"(x: f16[2], key: i64[1]) -> f16: lambda v, f: Sum(lambda e: x[e, f] "
     "where "
     "key[e] == v)",
     {-12, -20, -60},
     {{at(2), at(1)}, {at(2)}},
     -2,
     12},
    {"(x: f32[1], a: i64[1], b: i64[1]) -> f32: lambda i, j: Sum(lambda e: "
     "x[e] "
     "where a[e] == i and b[e] == j)",
     {-9, -9, -90},
     {{at(2)}, {at(2)}, {at(2)}},
     0,
     8},
    {"(x: bf16[1], a: i64[1], b: i64[1]) -> bf16: lambda i, j: Sum(lambda e: "
     "x[e] "
     "where a[e] == i and b[e] + 1 == j)",
     {-9, -9, -90},
     {{at(2)}, {at(2)}, {at(2)}},
     0,
     8},
    {"(x: f32[1], key: i64[1]) -> f32: lambda i: Sum(lambda e: x[e] where e < "
     "50 "
     "and key[e] == i)",
     {9, -90},
     {{at(1)}, {50}},
     0,
     8},
    // The gradient of a loss by classes: rows are cut at the label.
    {"(k: i64[1], x: f32[1], y: f32[2]) -> f32: lambda i, j: "
     "(x[i] if k[i] - j == 0 else f32(0)) + y[i, j] * f32(3)",
     {-9, -40},
     {{at(0)}, {at(0)}, {at(0), at(1)}}},
    {"(k: i64[1], x: f32[1], y: f32[2]) -> f32: lambda i, j: "
     "y[i, j] * (x[i] if j + 2 == k[i] * 2 else y[i, j])",
     {-9, -40},
     {{at(0)}, {at(0)}, {at(0), at(1)}}},
    // Gradients of strided windows: conditions on quotients and remainders.
    {"(x: f32[2]) -> f32: lambda i, j: Sum(lambda p, q: "
     "x[(i - p + 1) // 2, (j - q + 1) // 2] where (j - q + 1) // 2 < 9 and "
     "((j - q + 1) // 2 >= 0 and ((j - q + 1) % 2 == 0 and "
     "((i - p + 1) // 2 <= 6 and ((i - p + 1) // 2 > -1 and (i - p + 1) % 2 == "
     "0)))))",
     {-20, -20, -5, -5},
     {{7, 9}}},
    {"(x: f32[2], y: i64[2]) -> f32: lambda i, j: Sum(lambda p, q: "
     "x[(i - p + 1) // 2, (j - q + 2) // 3] where (j - q + 2) // 3 < 9 and "
     "((j - q + 2) // 3 >= 0 and ((j - q + 2) % 3 == 0 and "
     "((i - p + 1) // 2 < 7 and ((i - p + 1) // 2 >= 0 and ((i - p + 1) % 2 == "
     "0 and p * 3 + q == y[(i - p + 1) // 2, (j - q + 2) // 3]))))))",
     {-20, -40, -3, -3},
     {{7, 9}, {7, 9}}},
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda p, q: x[p, q] where "
     "(p + q + 4) % 3 == 2 and (i - p) % 2 == 1)",
     {-9, -20, -40},
     {{at(1), at(2)}}},
    {"(x: f32[1]) -> f32: lambda i: Max(lambda p: x[p] where (p * 2 + i) % 4 "
     "== 1 or p < 3)",
     {-9, -40},
     {{at(1)}}},
    // Digits of the last variable, more than one, and none that are loops.
    {"(x: f32[4]) -> f32: lambda i, j: x[i, j // 96, j // 32 % 3, j % 32]",
     {-5, -480},
     {{at(0), 5, 3, 32}}},
    {"(x: f32[3], y: f32[1]) -> f32: lambda i, j: x[j // 16, i, j % 16] + y[j]",
     {-9, -80},
     {{5, at(0), 16}, {at(1)}}},
    {"(x: f32[3]) -> f32: lambda i, j: x[i, j % 16, j // 16]",
     {-9, -80},
     {{at(0), 16, 5}}},
    {"(x: f32[2], y: f32[2]) -> f32: lambda i: "
     "x[i // 24, i % 24] + y[i // 36, i % 36]",
     {-300},
     {{13, 24}, {9, 36}}},
    {"(x: f32[2]) -> f32: lambda i: "
     "x[i // 20, i % 20] if i >= 33 and i % 20 < 11 else f32(2)",
     {-100},
     {{5, 20}}},
    // One output that no term depends on.
    {"(x: f32[2], y: f32[2]) -> f32: lambda i, j: Sum(lambda k: x[i, k] * "
     "y[i, k])",
     {-9, -3, -90},
     {{at(0), at(2)}, {at(0), at(2)}}},
    // Gradients of extrema in windows: keys within the window, and others.
    {"(x: f32[3], y: i64[3]) -> f32: lambda n, i, j: Sum(lambda p, q: "
     "x[n, (i - p + 1) // 2, (j - q + 2) // 3] where (j - q + 2) // 3 < 9 and "
     "((j - q + 2) // 3 >= 0 and ((j - q + 2) % 3 == 0 and "
     "((i - p + 1) // 2 < 7 and ((i - p + 1) // 2 >= 0 and ((i - p + 1) % 2 == "
     "0 and p * 4 + q == y[n, (i - p + 1) // 2, (j - q + 2) // 3]))))))",
     {-3, -20, -40, -3, -4},
     {{at(0), 7, 9}, {at(0), 7, 9}},
     -2,
     13},
    // Digits that are longer than their weight: two solutions for a key.
    {"(x: f32[2], y: i64[2]) -> f32: lambda i, j: Sum(lambda p, q: "
     "x[(i - p + 1) // 2, j - q + 2] where j - q + 2 < 9 and "
     "(j - q + 2 >= 0 and ((i - p + 1) // 2 < 7 and ((i - p + 1) // 2 >= 0 "
     "and ((i - p + 1) % 2 == 0 and "
     "p * 2 + q == y[(i - p + 1) // 2, j - q + 2])))))",
     {-20, -20, -3, -5},
     {{7, 9}, {7, 9}},
     -1,
     9},
    {"(x: i32[1], y: i64[1]) -> i32: lambda i: Max(lambda p: x[(i - p) // 4] * "
     "3 where (i - p) % 4 == 0 and ((i - p) // 4 >= 0 and ((i - p) // 4 < 5 "
     "and p + 1 "
     "== y[(i - p) // 4])))",
     {-24, -5},
     {{5}, {5}}},
};

} // namespace smex::codegen

#endif
