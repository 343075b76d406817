// Packs, their functions, mixed radix and broadcasting.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

namespace {

TensorType f32(std::vector<int64_t> shape) {
  return {DType::F32, std::move(shape)};
}
const std::vector<TensorType> operands = {f32({2, 3, 4})};

/// The extents that a pack expression gives, over d = 2 3 4 and p = 1 0 2.
std::string extentsOf(const std::string &pack) {
  const std::string text = "f(x[d...]; p...): lambda i... < " + pack + ": 1";
  const auto instance =
      use(text, operands, {{"p", std::vector<int64_t>{1, 0, 2}}});
  if (!instance)
    return instance.error().message;
  std::string result;
  for (int64_t extent : instance->applications[0].extents)
    result += (result.empty() ? "" : " ") + std::to_string(extent);
  return result;
}

/// The value of a scalar expression over the same.
std::string valueOf(const std::string &value) {
  return body("f(x[d...]; p...): lambda: " + value, operands,
              {{"p", std::vector<int64_t>{1, 0, 2}}});
}

/// How x is read under i... < d....
std::string readWith(const std::string &index,
                     const std::string &extents = "d...") {
  return body("f(x[d...]; p...): lambda i... < " + extents + ": x[" + index +
                  "]",
              operands, {{"p", std::vector<int64_t>{1, 0, 2}}});
}

} // namespace

TEST_CASE("packs are spread, zipped, sliced") {
  CHECK(extentsOf("d...") == "2 3 4");
  CHECK(extentsOf("(d + 1)...") == "3 4 5");
  CHECK(extentsOf("(d * 10 + p)...") == "21 30 42");
  CHECK(extentsOf("(d * 10 + reverse(p...))...") == "22 30 41");
  CHECK(extentsOf("(d - p + len(d...))...") == "4 6 5");
  CHECK(extentsOf("(d[p])...") == "3 2 4");
  CHECK(extentsOf("(9 if d == 3 else d)...") == "2 9 4");
  CHECK(extentsOf("(sum(d...) - d)...") == "7 6 5");
  CHECK(extentsOf("d[1:]...") == "3 4");
  CHECK(extentsOf("d[:-1]...") == "2 3");
  CHECK(extentsOf("d[1:2]...") == "3");
  CHECK(extentsOf("d[:0]...") == "");
  CHECK(extentsOf("d[1:][1:]...") == "4");
  CHECK(extentsOf("[7, d..., 8]...") == "7 2 3 4 8");
  CHECK(extentsOf("[]...") == "");
}

TEST_CASE("functions of packs") {
  CHECK(extentsOf("reverse(d...)...") == "4 3 2");
  CHECK(extentsOf("insert(d..., 0, 9)...") == "9 2 3 4");
  CHECK(extentsOf("insert(d..., -1, 9)...") == "2 3 4 9");
  CHECK(extentsOf("erase(d..., 1)...") == "2 4");
  CHECK(extentsOf("erase(d..., -1)...") == "2 3");
  CHECK(extentsOf("replace(d..., -3, 9)...") == "9 3 4");
  CHECK(extentsOf("permute(d..., p...)...") == "3 2 4");
  CHECK(extentsOf("permute(d..., [2]...)...") == "4");
  CHECK(extentsOf("inverse([1, 2, 0]...)...") == "2 0 1");
  CHECK(extentsOf("range(3)...") == "0 1 2");
  CHECK(extentsOf("repeat(7, 2)...") == "7 7");
  CHECK(extentsOf("concat(d..., p..., 5)...") == "2 3 4 1 0 2 5");
  CHECK(extentsOf("select((d > 2)..., d..., p...)...") == "1 3 4");
  CHECK(extentsOf("select((d > 2)..., 1, d...)...") == "2 1 1");
  CHECK(extentsOf("split(17, d...)...") == "1 1 1");
  CHECK(extentsOf("broadcast_shape(d..., [1, 1]..., [5, 1, 1, 1]...)...") ==
        "5 2 3 4");
  CHECK(extentsOf("reverse(reverse((d + p)...)...)...") == "3 3 6");
}

TEST_CASE("functions of packs to one value") {
  CHECK(valueOf("len(d...)") == "lambda: 3");
  CHECK(valueOf("prod(d...)") == "lambda: 24");
  CHECK(valueOf("prod([]...)") == "lambda: 1");
  CHECK(valueOf("sum(d..., 10)") == "lambda: 19");
  CHECK(valueOf("all((d > 1)...)") == "lambda: true");
  CHECK(valueOf("any((d > 4)...)") == "lambda: false");
  CHECK(valueOf("all(p...)") == "lambda: false"); // numbers as conditions
  CHECK(valueOf("d[0] * 10 + d[-1]") == "lambda: 24");
  CHECK(valueOf("join([1, 2, 3]..., d...)") == "lambda: 23");
  CHECK(valueOf("join(1, 2, 3, d...)") == "lambda: 23");
  CHECK(valueOf("find(p..., 2)") == "lambda: 2");
  CHECK(valueOf("find(p..., 7)") == "lambda: -1");
  CHECK(valueOf("contains(p..., 0)") == "lambda: true");
  CHECK(valueOf("rank(x)") == "lambda: 3");
  CHECK(valueOf("1 if type(x) == f32 else 2") == "lambda: 1");
  CHECK(valueOf("cast(2.5, i8)") == "lambda: 2");
  CHECK(valueOf("cast(2, x) / 4") == "lambda: 0.5");
  CHECK(valueOf("lowest(x)") == "lambda: -inf");
  CHECK(valueOf("highest(i8)") == "lambda: 127");
  CHECK(valueOf("cast(2 * pi, f64)") == "lambda: 6.283185307179586");
  CHECK(valueOf("floor(len(d...) / 2) + 2 ** 3") == "lambda: 9");
}

TEST_CASE("index packs") {
  CHECK(readWith("i...") == "lambda i0, i1, i2: x0[i0, i1, i2]");
  CHECK(readWith("permute(i..., inverse(p...)...)...",
                 "permute(d..., p...)...") ==
        "lambda i0, i1, i2: x0[i1, i0, i2]");
  CHECK(readWith("(i * 2 + p)...") ==
        "lambda i0, i1, i2: x0[i0 * 2 + 1, i1 * 2, i2 * 2 + 2]");
  CHECK(readWith("i[0], i[-1], 0") == "lambda i0, i1, i2: x0[i0, i2, 0]");
  CHECK(readWith("(d - 1 - i)...") ==
        "lambda i0, i1, i2: x0[1 - i0, 2 - i1, 3 - i2]");
  CHECK(readWith("extent(x, -1) - 1, 0, 0") ==
        "lambda i0, i1, i2: x0[extent(x0, 2) - 1, 0, 0]");
}

TEST_CASE("reshaping joins and splits what fits") {
  const auto reshape = [](std::vector<int64_t> from, std::vector<int64_t> to) {
    return body("f(x[d...]; out...): lambda i... < out...: x[split(join(i..., "
                "out...), d...)...]",
                {f32(from)}, {{"out", to}});
  };
  CHECK(reshape({2, 3, 4}, {6, 4}) == "lambda i0, i1: x0[i0 // 3, i0 % 3, i1]");
  CHECK(reshape({6, 4}, {2, 3, 4}) == "lambda i0, i1, i2: x0[i0 * 3 + i1, i2]");
  CHECK(reshape({2, 3, 4}, {2, 3, 4}) == "lambda i0, i1, i2: x0[i0, i1, i2]");
  CHECK(reshape({2, 3, 4}, {2, 12}) ==
        "lambda i0, i1: x0[i0, i1 // 4, i1 % 4]");
  CHECK(reshape({2, 3, 4}, {24}) ==
        "lambda i0: x0[i0 // 12, i0 // 4 % 3, i0 % 4]");
  CHECK(reshape({24}, {2, 3, 4}) ==
        "lambda i0, i1, i2: x0[i0 * 12 + i1 * 4 + i2]");
  CHECK(reshape({8, 12, 64}, {8, 3, 4, 64}) ==
        "lambda i0, i1, i2, i3: x0[i0, i1 * 4 + i2, i3]");
  CHECK(reshape({4, 6}, {3, 8}) ==
        "lambda i0, i1: x0[(i0 * 8 + i1) // 6, (i0 * 8 + i1) % 6]");
  CHECK(reshape({1, 5}, {5, 1}) == "lambda i0, i1: x0[0, i0 + i1]");
  CHECK(reshape({}, {1, 1}) == "lambda i0, i1: x0[]");
  CHECK(reshape({1, 1}, {}) == "lambda: x0[0, 0]");
  CHECK(reshape({0, 3}, {3, 0}).find("lambda i0, i1: x0[") == 0);
}

TEST_CASE("broadcasting") {
  const auto add = [](std::vector<int64_t> a, std::vector<int64_t> b) {
    return body(
        "f(x[a...], y[b...]): lambda i... < broadcast_shape(a..., b...)...:\n"
        "  x[broadcast(i..., a...)...] + y[broadcast(i..., b...)...]",
        {f32(a), f32(b)});
  };
  CHECK(add({2, 3}, {2, 3}) == "lambda i0, i1: x0[i0, i1] + x1[i0, i1]");
  CHECK(add({2, 3}, {3}) == "lambda i0, i1: x0[i0, i1] + x1[i1]");
  CHECK(add({2, 1}, {1, 3}) == "lambda i0, i1: x0[i0, 0] + x1[0, i1]");
  CHECK(add({}, {2}) == "lambda i0: x0[] + x1[i0]");
  CHECK(add({2, 1, 4}, {3, 1}) ==
        "lambda i0, i1, i2: x0[i0, 0, i2] + x1[i1, 0]");
  // A batch of one is read like any other.
  CHECK(add({1, 3}, {1, 3}) == "lambda i0, i1: x0[i0, i1] + x1[i0, i1]");
  CHECK(add({2}, {3}) == "t.tdl:1:36: f: extents 2 and 3 do not broadcast");
}

TEST_CASE("errors of packs") {
  CHECK(extentsOf("(d + [1, 2])...") ==
        "t.tdl:1:38: f: packs of different lengths, 3 and 2, are expanded "
        "together");
  CHECK(extentsOf("(1 + 2)...") ==
        "t.tdl:1:40: f: there is no pack to expand before '...'");
  CHECK(extentsOf("d[1:4]...") == "t.tdl:1:35: f: slice 1:4 of a pack of 3");
  CHECK(extentsOf("d[2:1]...") == "t.tdl:1:35: f: slice 2:1 of a pack of 3");
  CHECK(valueOf("d[3]") == "t.tdl:1:27: f: element 3 of a pack of 3");
  CHECK(valueOf("d[0, 1]") ==
        "t.tdl:1:27: f: an element of a pack takes one number");
  CHECK(valueOf("d[0.5]") == "t.tdl:1:29: f: the number of an element must be "
                             "a known integer, got 0.5");
  CHECK(valueOf("d[0:1]") ==
        "t.tdl:1:27: f: a slice gives several values where one is needed");
  CHECK(valueOf("(d[0] else 1)") ==
        "t.tdl:1:38: f: 'else' follows reads of tensors only");
  CHECK(extentsOf("erase(d..., 3)...") ==
        "t.tdl:1:33: f: position 3 in 'erase' of 3");
  CHECK(extentsOf("erase(d...)...") ==
        "t.tdl:1:33: f: expected erase(pack..., position)");
  CHECK(extentsOf("insert(d..., 1)...") ==
        "t.tdl:1:33: f: expected insert(pack..., position, value)");
  CHECK(extentsOf("permute(d..., [3]...)...") ==
        "t.tdl:1:33: f: position 3 in 'permute' of 3");
  CHECK(extentsOf("permute(d...)...") ==
        "t.tdl:1:33: f: expected permute(pack..., positions...)");
  CHECK(extentsOf("inverse([0, 0]...)...") ==
        "t.tdl:1:33: f: not a permutation: 0 occurs twice");
  CHECK(extentsOf("inverse(d..., p...)...") ==
        "t.tdl:1:33: f: expected inverse(permutation...)");
  CHECK(extentsOf("reverse(d..., p...)...") ==
        "t.tdl:1:33: f: expected reverse(pack...)");
  CHECK(extentsOf("range(-1)...") ==
        "t.tdl:1:33: f: 'range' needs a count from 0 to 65536, got -1");
  CHECK(extentsOf("range(10**9)...") ==
        "t.tdl:1:33: f: 'range' needs a count from 0 to 65536, got 1000000000");
  CHECK(extentsOf("range()...") == "t.tdl:1:33: f: expected range(count)");
  CHECK(extentsOf("repeat(1)...") ==
        "t.tdl:1:33: f: expected repeat(value, count)");
  CHECK(extentsOf("select(d..., p...)...") ==
        "t.tdl:1:33: f: expected select(conditions..., values..., others...)");
  CHECK(extentsOf("select((d > 1)..., [1]..., d...)...") ==
        "t.tdl:1:33: f: 'select' needs packs of the same length, got 3 and 1");
  CHECK(extentsOf("split(d..., d...)...") ==
        "t.tdl:1:33: f: expected split(number, shape...)");
  CHECK(extentsOf("split(1, [2**40, 2**40]...)...") ==
        "t.tdl:1:33: f: the extents in 'split' overflow");
  CHECK(extentsOf("split(1, [0 - 1]...)...") ==
        "t.tdl:1:33: f: an extent in 'split' must be known and not negative, "
        "got -1");
  CHECK(extentsOf("broadcast(d..., [1, 1, 1, 1]...)...") ==
        "t.tdl:1:33: f: expected broadcast(index..., shape...), the shape no "
        "longer than the index");
  CHECK(extentsOf("broadcast_shape([0.5]...)...") ==
        "t.tdl:1:33: f: extents in 'broadcast_shape' must be known integers");
  CHECK(valueOf("join(d..., p..., 1)") ==
        "t.tdl:1:27: f: expected join(index..., shape...), both of the same "
        "length, got 7 values");
  CHECK(valueOf("join(d..., [1]...)") ==
        "t.tdl:1:27: f: expected join(index..., shape...), both of the same "
        "length, got 4 values");
  CHECK(valueOf("find(d...)") ==
        "t.tdl:1:27: f: expected find(pack..., number)");
  CHECK(valueOf("find([0.5]..., 1)") ==
        "t.tdl:1:27: f: 'find' needs known integers, got 0.5");
  CHECK(valueOf("find(d..., 0.5)") ==
        "t.tdl:1:27: f: 'find' needs a known integer, got 0.5");
  CHECK(valueOf("rank(d...)") == "t.tdl:1:27: f: expected rank(tensor)");
  CHECK(valueOf("extent(x)") ==
        "t.tdl:1:27: f: expected extent(tensor, dimension)");
  CHECK(valueOf("extent(x, 3)") ==
        "t.tdl:1:27: f: position 3 in 'extent' of 3");
  CHECK(valueOf("cast(1)") ==
        "t.tdl:1:27: f: expected cast(value, type or tensor)");
  CHECK(valueOf("cast(1, 2)") ==
        "t.tdl:1:35: f: expected a type or a tensor, got 2");
  CHECK(valueOf("lowest(x, x)") ==
        "t.tdl:1:27: f: expected lowest(tensor or type)");
  CHECK(valueOf("all(0.5)") == "t.tdl:1:27: f: expected bool, got 0.5");
}

TEST_CASE("what would take forever is refused") {
  const std::string many = "range(65536)";
  CHECK(valueOf("sum((sum((" + many + " + 1)...) + " + many + ")...)") != "");
  CHECK(valueOf("len((len((" + many + " * len(d...))...) + " + many +
                " + len((" + many + " * 2)...))...)")
            .find("expanding this takes too long") != std::string::npos);
  // Each level of splitting and joining multiplies the expression.
  std::string e = "x[0, 0, 0]";
  for (int n = 0; n < 30; ++n)
    e = "join(split(i64(" + e + "), d...)..., p...)";
  const std::string answer = valueOf(e);
  CHECK((answer.find("grows too large") != std::string::npos ||
         answer.find("takes too long") != std::string::npos ||
         answer.find("nesting deeper") != std::string::npos));
  // A rank that no tensor has.
  CHECK(
      body(
          "f(x[d...]): lambda i... < d...: x[split(join(i..., d...), d...)...]",
          {f32(std::vector<int64_t>(300, 1))})
          .find("grows too large") != std::string::npos);
  CHECK(body("f(; p...): lambda i... < p...: join(i..., p...)", {},
             {{"p", std::vector<int64_t>(300, 1)}})
            .find("grows too large") != std::string::npos);
}
