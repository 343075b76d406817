// Lambdas along edges, for KernelTest: rows that data gives the place of,
// summed over segments, multiplied, or read by maps.
#ifndef SMEX_TEST_COMPILER_CODEGEN_ROWCASES_H
#define SMEX_TEST_COMPILER_CODEGEN_ROWCASES_H

#include "test/compiler/codegen/KernelCases.h"

namespace smex::codegen {

inline const Case rowCases[] = {
    // Rows of a sparse matrix.
    {"(x: f32[2], row: i64[1], src: i64[1]) -> f32: lambda v, f: Sum(lambda e: "
     "x[src[e], f] where row[v] <= e and e < row[v + 1])",
     {8, -40, 40},
     {{5, at(1)}, {9}, {40}},
     0,
     4},
    {"(w: f32[1], row: i32[1]) -> f32: lambda v: Max(lambda e: w[e] where "
     "i64(row[v]) <= e and e < i64(row[v + 1]))",
     {8, 40},
     {{40}, {9}},
     0,
     4},
    // The same in tiles of all widths, with what else a term may have.
    {"(x: f32[2], row: i32[1], src: i32[1], w: f32[1]) -> f32: lambda v, f: "
     "Sum(lambda e: x[i64(src[e]), f] * (w[e] - f32(1)) - x[v, f] where "
     "i64(row[v]) <= e and e < i64(row[v + 1]))",
     {8, -150, 40},
     {{8, at(1)}, {9}, {40}, {40}},
     0,
     4},
    {"(x: f64[2], row: i64[1], src: i64[1]) -> f64: lambda v, f: "
     "Max(lambda e: -x[src[e], f + 1] where row[v] <= e and "
     "(e < row[v + 1] and src[e] != 2))",
     {8, -40, 40},
     {{5, at(1, 1)}, {9}, {40}},
     0,
     4},
    {"(x: f32[2], src: i64[2]) -> f32: lambda v, f: "
     "Sum(lambda k: x[src[v, k], f])",
     {-8, -90, 7},
     {{5, at(1)}, {at(0), 7}},
     0,
     4},
    // Narrow rows, several of them in a tile; the weight is the row's.
    {"(x: f32[3], row: i64[1], src: i64[1], w: f32[2]) -> f32: lambda v, h, f: "
     "Sum(lambda e: x[src[e], h, f] * w[e, h] where row[v] <= e and "
     "e < row[v + 1])",
     {8, -9, -20, 40},
     {{5, at(1), at(2)}, {9}, {40}, {40, at(1)}},
     0,
     4},
    // Wide rows, asked for ahead, whose weights are somewhere, too.
    {"(x: f32[3], row: i64[1], src: i32[1], w: f32[2], at: i64[1]) -> f32: "
     "lambda v, h, f: Sum(lambda e: x[i64(src[e]), h, f] * w[at[e], h] where "
     "row[v] <= e and e < row[v + 1])",
     {8, -9, -40, 40},
     {{5, at(1), at(2)}, {9}, {40}, {5, at(1)}, {40}},
     0,
     4},
    // Rows of one vector: together in memory, or with others in between.
    {"(x: f32[3], row: i64[1], src: i32[1], w: f32[2]) -> f32: lambda v, h, f: "
     "Sum(lambda e: x[i64(src[e]), h, f] * w[e, h] where row[v] <= e and "
     "e < row[v + 1])",
     {8, -30, 8, 40},
     {{5, at(1), 8}, {9}, {40}, {40, at(1)}},
     0,
     4},
    {"(x: f32[3], y: f32[3], src: i64[1]) -> f32: lambda v, h, f: "
     "Sum(lambda e: x[src[e], h, f] * y[v, h, f])",
     {5, -30, 8, 40},
     {{5, at(1), 8}, {5, at(1), 11}, {40}},
     0,
     4},
    {"(x: f32[3], b: f32[1], src: i64[1]) -> f32: lambda v, h, f: "
     "Sum(lambda e: x[src[e], h, f] + b[f])",
     {3, -30, 8, 40},
     {{5, at(1), 8}, {8}, {40}},
     0,
     4},
    // What rows are multiplied by is slow to compute: for some terms ahead, in
    // rows of one vector, of a few, of half a one, and without rows before.
    {"(x: f32[3], row: i64[1], src: i64[1], a: f32[2], m: f32[2]) -> f32: "
     "lambda v, h, f: Sum(lambda e: a[src[e], h] / 4.0 * x[src[e], h, f] - "
     "m[v, h] / 2.0 where row[v] <= e and e < row[v + 1])",
     {8, -30, 8, 40},
     {{5, at(1), 8}, {9}, {40}, {5, at(1)}, {8, at(1)}},
     0,
     4},
    {"(x: f32[3], src: i64[1], a: f32[2]) -> f32: lambda v, h, f: "
     "Sum(lambda e: a[src[e], h] / 4.0 * x[src[e], h, f])",
     {2, -30, 8, 150},
     {{5, at(1), 8}, {150}, {5, at(1)}},
     0,
     4},
    {"(x: f32[3], src: i64[1], a: f32[2], b: f32[2]) -> f32: "
     "lambda v, h, f: Sum(lambda e: (a[src[e], h] / 4.0 if a[src[e], h] >= "
     "b[v, h] else 0.5) * x[src[e], h, f])",
     {3, -9, -90, 150},
     {{5, at(1), at(2)}, {150}, {5, at(1)}, {3, at(1)}},
     0,
     4},
    {"(x: f32[2], src: i64[2], a: f32[1]) -> f32: lambda v, f: "
     "Sum(lambda k: x[src[v, k], f] * (a[src[v, k]] / 8.0))",
     {-8, -150, -150},
     {{5, at(1)}, {at(0), at(2)}, {5}},
     0,
     4},
    {"(x: f64[2], src: i64[1], a: f64[1]) -> f64: lambda v, f: "
     "Max(lambda e: x[src[e], f] - a[src[e]] / 8.0 where src[e] != v)",
     {-8, -70, 100},
     {{5, at(1)}, {100}, {5}},
     0,
     4},
    // The same without rows: as many results side by side as a vector has, or
    // some terms of one.
    {"(a: f32[2], m: f32[2], src: i64[1]) -> f32: lambda v, h: "
     "Sum(lambda e: a[src[e], h] / 4.0 - m[v, h])",
     {3, -30, 150},
     {{5, at(1)}, {3, at(1)}, {150}},
     0,
     4},
    {"(a: f32[2], row: i64[1], src: i64[1]) -> f32: lambda v, h: "
     "Max(lambda e: a[src[e], h] / 4.0 where row[v] <= e and "
     "(e < row[v + 1] and src[e] != 2))",
     {8, -12, 40},
     {{5, at(1)}, {9}, {40}},
     0,
     4},
    // Products of short rows, eight at a time: along heads, or edges.
    {"(x: f32[3], y: f32[3], s: i64[1], d: i32[1]) -> f32: lambda e, h: "
     "Sum(lambda f: x[s[e], h, f] * y[i64(d[e]), h, f])",
     {-40, -30, -20},
     {{5, at(1), at(2)}, {5, at(1), at(2)}, {at(0)}, {at(0)}},
     0,
     4},
    {"(x: f32[3], y: f32[3], s: i64[1]) -> f32: lambda e, h: "
     "Sum(lambda f: x[s[e], h, f] * y[e, h, f])",
     {-40, -3, 16},
     {{5, at(1), at(2)}, {at(0), at(1), at(2)}, {at(0)}},
     0,
     4},
    {"(x: f64[3], y: f64[3], s: i64[1]) -> f64: lambda e, h: "
     "Max(lambda f: x[s[e], h, f] - y[e, h, f])",
     {-40, -30, 8},
     {{5, at(1), at(2)}, {at(0), at(1), at(2)}, {at(0)}},
     0,
     4},
    {"(x: f32[1], y: f32[2], k: i64[1]) -> f32: lambda i: "
     "Sum(lambda f: x[f] * y[k[i], f])",
     {-40, -20},
     {{at(1)}, {5, at(1)}, {at(0)}},
     0,
     4},
    {"(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
     "Sum(lambda f: x[i, f] * y[j, f])",
     {-20, -20, 0},
     {{at(0), 0}, {at(1), 0}}},
    // What edges read of their ends, in short rows and shorter ones.
    {"(a: f32[2], b: f32[2], s: i64[1], d: i32[1], p: f32[2]) -> f32: "
     "lambda e, h: p[e, h] * (a[s[e], h] + b[i64(d[e]), h] if a[s[e], h] + "
     "b[i64(d[e]), h] >= 0.0 else -a[s[e], h])",
     {-60, -30},
     {{5, at(1)}, {5, at(1)}, {at(0)}, {at(0)}, {at(0), at(1)}},
     0,
     4},
    {"(a: f64[3], s: i64[1], p: f64[3]) -> f64: lambda g, e, h: "
     "max(a[s[e], g, h], p[g, e, h])",
     {-3, -60, -9},
     {{5, at(0), at(2)}, {at(1)}, {at(0), at(1), at(2)}},
     0,
     4},
    {"(a: f16[2], s: i64[1]) -> f16: lambda e, h: a[s[e], h] * f16(2)",
     {-60, -90},
     {{5, at(1)}, {at(0)}},
     0,
     4},
    // Short products, and such with a condition of their own.
    {"(x: f32[2], y: f32[2], src: i64[1]) -> f32: lambda e, h: Sum(lambda f: "
     "x[src[e], f] * y[h, f] where src[e] < 3)",
     {-30, -5, -150},
     {{5, at(2)}, {at(1), at(2)}, {at(0)}},
     0,
     4},
    {"(x: f64[1], y: f64[1]) -> f64: lambda e: "
     "Max(lambda f: x[e * 3 + f] - y[f])",
     {-30, -70},
     {{160}, {at(1)}}},
};

} // namespace smex::codegen

#endif
