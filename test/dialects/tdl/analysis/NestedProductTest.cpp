#include "dialects/tdl/analysis/NestedProduct.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/analysis/WrittenOut.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

#include <cstring>

using namespace smex;
using namespace smex::analysis;

namespace {

/// Sum(lambda c < terms: left[.., c] * right[.., c]), from the last term to the
/// first.
std::string dot(const std::string &left, const std::string &right,
                int terms = 8, int first = 0) {
  std::string text;
  for (int c = terms - 1; c >= 0; --c) {
    const std::string at = ", " + std::to_string(first + c) + "])";
    text += (text.empty() ? "f32(" : " + f32(") + left + at + " * f32(" +
            right + at;
  }
  return "(" + text + ")";
}

const std::string operands =
    "(q: bf16[3], k: bf16[3], v: bf16[3], m: f32[2]) -> ";

std::string found(const std::string &text) {
  const auto product = matchNestedProduct(tdl::accumulated(parse(text)));
  if (!product)
    return "none";
  std::string words = "row " + std::to_string(product->row) + " column " +
                      std::to_string(product->column) + " term " +
                      std::to_string(product->term) + " batch";
  for (int i : product->batch)
    words += " " + std::to_string(i);
  for (const InnerProduct &inner : product->inner)
    words += ", " + std::to_string(inner.left->operand) + " by " +
             std::to_string(inner.right->operand) + " terms " +
             std::to_string(inner.terms);
  return words;
}

std::string weighted(const std::string &score) {
  return operands + "bf16: lambda b, i, d: Sum(lambda r: bf16(exp(" + score +
         " - m[b, i])) * v[b, r, d])";
}

} // namespace

TEST_CASE("sums over products with products inside") {
  CHECK(found(weighted(dot("q[b, i", "k[b, r"))) ==
        "row 1 column 2 term 3 batch 0, 0 by 1 terms 8");
  CHECK(found(weighted(dot("k[b, r", "q[b, i", 13))) ==
        "row 1 column 2 term 3 batch 0, 0 by 1 terms 13");
  CHECK(found(operands + "bf16: lambda d, b, i: Sum(lambda r: v[b, r, d] * " +
              "bf16(" + dot("q[b, i", "k[b, r") + "))") ==
        "row 2 column 0 term 3 batch 1, 0 by 1 terms 8");
  // Two different ones, one of them twice.
  const std::string score = dot("q[b, i", "k[b, r");
  CHECK(found(weighted(score + " * " + score + " + " +
                       dot("k[b, i", "q[b, r"))) ==
        "row 1 column 2 term 3 batch 0, 0 by 1 terms 8, 1 by 0 terms 8");
}

TEST_CASE("reductions of products along rows") {
  CHECK(found(operands + "f32: lambda b, i: Max(lambda r: f32(bf16(" +
              dot("q[b, i", "k[b, r") + ")) if r <= i else -inf)") ==
        "row 1 column -1 term 2 batch 0, 0 by 1 terms 8");
  CHECK(found(operands + "f32: lambda b, i: Sum(lambda r: exp(" +
              dot("q[b, i", "k[b, r") + " - m[b, i]))") ==
        "row 1 column -1 term 2 batch 0, 0 by 1 terms 8");
}

TEST_CASE("what is no product with products inside") {
  // Too few terms; not from 0 on; a product of f32; a variable that the inner
  // ones do not have, for which they would be computed again; a factor that the
  // column is in; a condition.
  CHECK(found(weighted(dot("q[b, i", "k[b, r", 7))) == "none");
  CHECK(found(weighted(dot("q[b, i", "k[b, r", 8, 1))) == "none");
  CHECK(found("(q: f32[2], k: f32[2], v: f32[2]) -> f32: lambda i, d: "
              "Sum(lambda r: (q[i, 0] * k[r, 0] + q[i, 1] * k[r, 1]) * v[r, "
              "d])") == "none");
  CHECK(found(operands + "f32: lambda b, i, d: Sum(lambda r: " +
              dot("q[b, i", "k[b, r") + " * f32(v[b, r, d]))") == "none");
  CHECK(found(operands + "bf16: lambda b, i, d: Sum(lambda r: bf16(" +
              dot("q[b, i", "k[b, r") + " * m[b, d]) * v[b, r, d])") == "none");
  CHECK(found(operands + "f32: lambda b, i: Sum(lambda r: " +
              dot("q[b, i", "k[b, r") + " where r <= i)") == "none");
  CHECK(found(operands + "f32: lambda b, i: Sum(lambda r: " +
              dot("q[b, i", "k[b, i") + ")") == "none");
  CHECK(found(operands + "f32: lambda b, i: Sum(lambda r, s: " +
              dot("q[b, i", "k[s, r") + ")") == "none");
}

TEST_CASE("what the columns of a product share is counted once") {
  // 8 products and 7 sums, a difference and an exponential.
  CHECK(flopsPerPoint(parse(weighted(dot("q[b, i", "k[b, r")))) == 2 + 1);
  CHECK(flopsPerPoint(parse(weighted(dot("q[b, i", "k[b, r", 64)))) == 2 + 3);
}

TEST_CASE("a sum of 16-bit floats, written out, is rounded once") {
  const tdl::Lambda sum =
      parse("(a: bf16[2], b: bf16[2]) -> bf16: lambda i, j: Sum(lambda c: a[i, "
            "c] * b[j, c])");
  const auto map = writtenOut({sum, {2, 3, 5}});
  REQUIRE(map);
  CHECK(isMap(*map));
  CHECK(map->result == DType::BF16);
  // 256 + 1 is no bf16: its half would be lost if each sum were rounded.
  Tensor a{{DType::BF16, {2, 5}}, {}}, b{{DType::BF16, {3, 5}}, {}};
  for (Tensor *tensor : {&a, &b})
    tensor->bytes.resize(size_t(*byteCount(tensor->type)));
  const auto set = [](Tensor &tensor, size_t i, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    tensor.data<uint16_t>()[i] = uint16_t(bits >> 16);
  };
  for (size_t i = 0; i < 10; ++i)
    set(a, i, i % 5 == 0 ? 256 : 1);
  for (size_t i = 0; i < 15; ++i)
    set(b, i, 1);
  const std::vector<tdl::OperandView> views = {
      {a.type.shape, wholeBox(a.type.shape), a.bytes.data()},
      {b.type.shape, wholeBox(b.type.shape), b.bytes.data()}};
  const auto one = tdl::interpret(sum, wholeBox({2, 3, 5}), views),
             other = tdl::interpret(*map, wholeBox({2, 3}), views);
  REQUIRE(one);
  REQUIRE(other);
  CHECK(one->bytes == other->bytes);
  CHECK(one->data<uint16_t>()[0] == 0x4382); // 260
  CHECK_FALSE(writtenOut({sum, {2, 3, 5000}}));
}
