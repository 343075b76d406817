#include "dialects/tdl/analysis/Access.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

namespace {

/// The regions of all operands, as text: "[0:4, 8:16] [..]".
std::string regions(const std::string &lambda, const Box &indices,
                    const std::vector<std::vector<int64_t>> &shapes) {
  const std::vector<Access> read = accesses(parse(lambda), shapes);
  std::string text;
  for (size_t i = 0; i < read.size(); ++i)
    text += (i ? " " : "") + toString(read[i].region(indices, shapes[i]));
  return text;
}

} // namespace

TEST_CASE("shift_two, thesis section 3.4.2") {
  // Closed intervals there: B[0..4] needs A[2..6], B[5..9] needs A[7..11].
  CHECK(regions(kShiftTwo, {{0, 5}}, {{12}}) == "[2:7]");
  CHECK(regions(kShiftTwo, {{5, 10}}, {{12}}) == "[7:12]");
}

TEST_CASE("conv1d, thesis figures 3.2 and 3.3") {
  const std::vector<std::vector<int64_t>> shapes = {{8, 6, 12}, {6, 4, 3}};
  const Box whole = {{0, 8}, {0, 4}, {0, 10}, {0, 6}, {0, 3}};
  const auto cut = [&](int index, Interval part) {
    Box indices = whole;
    indices[index] = part;
    return regions(kConv1d, indices, shapes);
  };
  CHECK(regions(kConv1d, whole, shapes) == "[0:8, 0:6, 0:12] [0:6, 0:4, 0:3]");
  // Figure 3.2 (a): half of the data, all of the filters.
  CHECK(cut(0, {0, 4}) == "[0:4, 0:6, 0:12] [0:6, 0:4, 0:3]");
  CHECK(cut(0, {4, 8}) == "[4:8, 0:6, 0:12] [0:6, 0:4, 0:3]");
  // (b): half of both, and a reduction.
  CHECK(cut(3, {0, 3}) == "[0:8, 0:3, 0:12] [0:3, 0:4, 0:3]");
  CHECK(cut(3, {3, 6}) == "[0:8, 3:6, 0:12] [3:6, 0:4, 0:3]");
  CHECK(cut(1, {2, 4}) == "[0:8, 0:6, 0:12] [0:6, 2:4, 0:3]");
  // Halo exchange.
  CHECK(cut(2, {0, 5}) == "[0:8, 0:6, 0:7] [0:6, 0:4, 0:3]");
  CHECK(cut(2, {5, 10}) == "[0:8, 0:6, 5:12] [0:6, 0:4, 0:3]");
  CHECK(cut(4, {1, 2}) == "[0:8, 0:6, 1:11] [0:6, 0:4, 1:2]");
}

TEST_CASE("uneven cuts are exact") {
  const std::vector<std::vector<int64_t>> shapes = {{12}};
  CHECK(regions(kShiftTwo, {cut({0, 10}, 4, 0)}, shapes) == "[2:4]");
  CHECK(regions(kShiftTwo, {cut({0, 10}, 4, 1)}, shapes) == "[4:7]");
}

TEST_CASE("figure 3.4 is unsound where this is not") {
  const char *const reversed = "(x: f32[1]) -> f32: lambda i: x[9 - i]";
  CHECK(regions(reversed, {{0, 3}}, {{10}}) == "[7:10]");
  CHECK(regions("(x: f32[1]) -> f32: lambda i: x[18 - 2 * i]", {{2, 5}},
                {{20}}) == "[10:15]");
  // i - k: the figure gives [l - l', u - u'].
  CHECK(regions("(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[i - k + 2])",
                {{4, 6}, {0, 3}}, {{10}}) == "[4:8]");
}

TEST_CASE("padding clamps") {
  const char *const pad = "(x: f32[1]) -> f32: lambda i: (x[i - 2] else 0)";
  CHECK(regions(pad, {{0, 4}}, {{5}}) == "[0:2]");
  CHECK(regions(pad, {{4, 9}}, {{5}}) == "[2:5]");
  CHECK(regions(pad, {{0, 2}}, {{5}}) == "nothing");
  CHECK(regions(pad, {{7, 9}}, {{5}}) == "nothing");
}

TEST_CASE("strided convolution with groups and padding") {
  const std::vector<std::vector<int64_t>> shapes = {{2, 6, 9, 9}, {4, 3, 3, 3}};
  CHECK(regions(kGroupedConv2d,
                {{0, 1}, {0, 2}, {0, 3}, {0, 5}, {0, 3}, {0, 3}, {0, 3}},
                shapes) == "[0:1, 0:3, 0:6, 0:9] [0:2, 0:3, 0:3, 0:3]");
  CHECK(regions(kGroupedConv2d,
                {{0, 1}, {2, 4}, {3, 5}, {0, 5}, {1, 2}, {0, 3}, {0, 3}},
                shapes) == "[0:1, 4:5, 5:9, 0:9] [2:4, 1:2, 0:3, 0:3]");
  // Half of the filters of each group: channels of both groups.
  CHECK(regions(kGroupedConv2d,
                {{0, 1}, {1, 3}, {0, 5}, {0, 5}, {0, 3}, {0, 3}, {0, 3}},
                shapes) == "[0:1, 0:6, 0:9, 0:9] [1:3, 0:3, 0:3, 0:3]");
}

TEST_CASE("concat: the part under a condition that does not hold is empty") {
  for (const char *concat :
       {"(a: f32[1], b: f32[1]) -> f32: lambda i: a[i] if i < 4 else b[i - 4]",
        "(a: f32[1], b: f32[1]) -> f32: lambda i: (a[i] else b[i - 4])",
        "(a: f32[1], b: f32[1]) -> f32: lambda i: b[i - 4] if not i < 4 else "
        "a[i]"}) {
    const std::vector<std::vector<int64_t>> shapes = {{4}, {6}};
    CHECK(regions(concat, {{0, 2}}, shapes) == "[0:2] nothing");
    CHECK(regions(concat, {{2, 7}}, shapes) == "[2:4] [0:3]");
    CHECK(regions(concat, {{5, 10}}, shapes) == "nothing [1:6]");
  }
}

TEST_CASE("concat of three, along the last of two dimensions") {
  const std::vector<std::vector<int64_t>> shapes = {{5, 4}, {5, 2}, {5, 3}};
  for (const char *concat :
       {"(a: f32[2], b: f32[2], c: f32[2]) -> f32: lambda i, j: "
        "a[i, j] if j < 4 else b[i, j - 4] if j < 6 else c[i, j - 6]",
        "(a: f32[2], b: f32[2], c: f32[2]) -> f32: lambda i, j: "
        "(a[i, j] else (b[i, j - 4] else c[i, j - 6]))"}) {
    CHECK(regions(concat, {{1, 3}, {0, 4}}, shapes) ==
          "[1:3, 0:4] nothing nothing");
    CHECK(regions(concat, {{1, 3}, {3, 5}}, shapes) ==
          "[1:3, 3:4] [1:3, 0:1] nothing");
    CHECK(regions(concat, {{0, 5}, {6, 8}}, shapes) ==
          "nothing nothing [0:5, 0:2]");
  }
}

TEST_CASE("the programs of a concat stay short") {
  const tdl::Lambda lambda =
      parse("(a: f32[4], b: f32[4]) -> f32: lambda i, j, k, l: "
            "(a[i, j, k, l] else b[i, j - 4, k, l])");
  const std::vector<Access> read =
      accesses(lambda, {{2, 4, 6, 6}, {2, 3, 6, 6}});
  CHECK(read[1].dims[0].code.size() == 1);
  CHECK(read[1].dims[1].code.size() <= 6);
  CHECK(read[1].dims[2].code.size() == 1);
}

TEST_CASE("a condition on one index empties a read of others") {
  const char *const text =
      "(a: f32[1], b: f32[1]) -> f32: lambda i, j: a[j] if i < 4 else b[j]";
  const std::vector<std::vector<int64_t>> shapes = {{8}, {8}};
  CHECK(regions(text, {{0, 4}, {2, 5}}, shapes) == "[2:5] nothing");
  CHECK(regions(text, {{4, 9}, {2, 5}}, shapes) == "nothing [2:5]");
  CHECK(regions(text, {{3, 5}, {2, 5}}, shapes) == "[2:5] [2:5]");
}

TEST_CASE("guards bound what they compare") {
  const char *const prefix =
      "(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)";
  CHECK(regions(prefix, {{2, 4}, {0, 10}}, {{10}}) == "[0:4]");
  CHECK(regions(prefix, {{2, 4}, {3, 10}}, {{10}}) == "[3:4]");
  CHECK(regions(prefix, {{2, 4}, {4, 10}}, {{10}}) == "nothing");
  const char *const band = "(x: f32[1]) -> f32: lambda i: "
                           "Max(lambda k: x[k] where i <= 2 * k and k < i + 2)";
  CHECK(regions(band, {{6, 8}, {0, 20}}, {{20}}) == "[3:9]");
  // Data decides: all of it.
  const char *const rows =
      "(row: i64[1], x: f32[2]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
      "where row[v] <= e and e < row[v + 1])";
  CHECK(regions(rows, {{2, 4}, {1, 2}, {0, 7}}, {{6}, {7, 3}}) ==
        "[2:5] [0:7, 1:2]");
}

TEST_CASE("the shape of a reshape: a split of a join") {
  // [6, 4] to [3, 8]: row i of the result is rows 2i and 2i + 1.
  const char *const reshape =
      "(x: f32[2]) -> f32: lambda i, j: x[(i * 8 + j) // 4, (i * 8 + j) % 4]";
  CHECK(regions(reshape, {{1, 2}, {0, 8}}, {{6, 4}}) == "[2:4, 0:4]");
  CHECK(regions(reshape, {{0, 3}, {0, 4}}, {{6, 4}}) == "[0:5, 0:4]");
  CHECK(regions(reshape, {{1, 2}, {4, 6}}, {{6, 4}}) == "[3:4, 0:2]");
  // Heads of attention: [B, S, 12] to [B, S, 3, 4].
  const char *const heads = "(x: f32[3]) -> f32: lambda b, s, h, d: "
                            "x[(((b * 5 + s) * 3 + h) * 4 + d) // 60, "
                            "(((b * 5 + s) * 3 + h) * 4 + d) // 12 % 5, "
                            "(((b * 5 + s) * 3 + h) * 4 + d) % 12]";
  CHECK(regions(heads, {{1, 2}, {2, 4}, {1, 2}, {0, 4}}, {{2, 5, 12}}) ==
        "[1:2, 2:4, 4:8]");
  // And back: rows of 12 are 3 heads of 4.
  const char *const merged = "(x: f32[4]) -> f32: lambda b, s, c: "
                             "x[b, s, c // 4, c % 4]";
  CHECK(regions(merged, {{0, 2}, {1, 3}, {4, 8}}, {{2, 5, 3, 4}}) ==
        "[0:2, 1:3, 1:2, 0:4]");
  CHECK(regions(merged, {{0, 2}, {1, 3}, {5, 7}}, {{2, 5, 3, 4}}) ==
        "[0:2, 1:3, 1:2, 1:3]");
  CHECK(regions(merged, {{0, 2}, {1, 3}, {3, 5}}, {{2, 5, 3, 4}}) ==
        "[0:2, 1:3, 0:2, 0:4]");
}

TEST_CASE("data-dependent and opaque reads are whole") {
  const char *const gather = "(x: f32[2], src: i64[1]) -> f32: "
                             "lambda e, f: x[src[e], f]";
  CHECK(regions(gather, {{3, 5}, {1, 4}}, {{10, 4}, {7}}) ==
        "[0:10, 1:4] [3:5]");
  const char *const topk = "(x: f32[2]) -> f32: lambda i, j: "
                           "@topk_values(x[i, :], 2, 1)[j]";
  CHECK(regions(topk, {{3, 5}, {0, 1}}, {{10, 4}}) == "[3:5, 0:4]");
}

TEST_CASE("index expressions that are not affine") {
  const auto one = [](const std::string &index, Interval i, int64_t extent) {
    return regions("(x: f32[1]) -> f32: lambda i: x[" + index + "]", {i},
                   {{extent}});
  };
  CHECK(one("min(i, 5)", {3, 9}, 6) == "[3:6]");
  CHECK(one("max(i - 2, 0)", {0, 4}, 9) == "[0:2]");
  CHECK(one("abs(i - 3)", {2, 8}, 9) == "[0:5]");
  CHECK(one("9 - abs(i - 3)", {2, 8}, 10) == "[5:10]");
  CHECK(one("abs(i - 9)", {2, 8}, 9) == "[2:8]");
  CHECK(one("i if i < 3 else 5 - i", {0, 2}, 9) == "[0:2]");
  CHECK(one("i if i < 3 else 8 - i", {4, 6}, 9) == "[3:5]");
  CHECK(one("(i - 5) / 2 + 3", {2, 9}, 9) == "[2:5]"); // truncates
  CHECK(one("(i - 5) // 2 + 3", {2, 9}, 9) == "[1:5]");
  CHECK(one("(i * i) % 9", {2, 4}, 9) == "[0:9]");
  CHECK(one("i * i", {2, 4}, 20) == "[4:10]");
  CHECK(one("i - i // 4 * 4", {5, 7}, 4) == "[1:3]");
}

TEST_CASE("reads that differ are one box; unread operands have none") {
  CHECK(regions("(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + x[i + 3]",
                {{1, 3}}, {{9}, {4}}) == "[1:6] nothing");
  CHECK(regions("(x: f32[1]) -> f32: lambda i: x[i]", {{3, 3}}, {{9}}) ==
        "nothing");
  // An out-of-range read does not widen what the other needs.
  CHECK(regions("(x: f32[2]) -> f32: lambda i, j: "
                "(x[i - 8, j + 4] else 0) + x[i, j]",
                {{1, 3}, {0, 2}}, {{12, 8}}) == "[1:3, 0:2]");
  CHECK(regions("(x: f32[0]) -> f32: lambda i: x[]", {{0, 3}}, {{}}) == "[]");
}

TEST_CASE("numbers that overflow read everything") {
  CHECK(regions("(x: f32[1]) -> f32: lambda i: "
                "x[i * 4611686018427387903 * 3 + i * i * i * i * i]",
                {{70000, 80000}}, {{9}}) == "[0:9]");
  // Deeper than the evaluation's stack: whole, not a crash.
  std::string index = "i % 3";
  for (int n = 0; n < 90; ++n)
    index = "min(i % " + std::to_string(n + 4) + ", " + index + ")";
  CHECK(regions("(x: f32[1]) -> f32: lambda i: x[" + index + "]", {{0, 2}},
                {{9}}) == "[0:9]");
}

TEST_CASE("large lambdas take no time, and read everything") {
  using tdl::BinaryOp;
  const tdl::ExprRef i = tdl::indexVar(0), j = tdl::indexVar(1);
  tdl::Lambda lambda;
  lambda.operands = {{"x", DType::F32, 1}};
  lambda.outputs = {"i", "j"};
  tdl::ExprRef index = i, condition = tdl::binary(BinaryOp::Lt, i, j);
  for (int n = 1; n < 150; ++n) {
    index = tdl::unary(
        tdl::UnaryOp::Abs,
        tdl::binary(BinaryOp::Sub, index,
                    tdl::binary(BinaryOp::FloorDiv, j, tdl::constant(n + 1))));
    condition = tdl::binary(
        n % 2 ? BinaryOp::And : BinaryOp::Or, condition,
        tdl::binary(BinaryOp::Lt,
                    tdl::binary(BinaryOp::Mul, i, tdl::constant(n)),
                    tdl::binary(BinaryOp::Add, j, tdl::constant(n))));
  }
  tdl::ExprRef body = tdl::read(0, DType::F32, {index});
  for (int n = 0; n < 40; ++n) {
    tdl::ExprRef part =
        tdl::read(0, DType::F32,
                  {tdl::binary(BinaryOp::Mod, index, tdl::constant(n + 2))});
    body = tdl::select(condition, part, tdl::binary(BinaryOp::Add, part, body));
  }
  lambda.body = body;
  const std::vector<Access> read = accesses(lambda, {{1000}});
  CHECK(toString(read[0].region({{0, 9}, {0, 9}}, {1000})) == "[0:1000]");
}
