#include "dialects/tdl/analysis/Affine.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

namespace {

/// The normal form of an index expression of i, j, k, as text.
std::string normal(const std::string &index) {
  const tdl::Lambda lambda =
      parse("(x: f32[1]) -> f32: lambda i, j, k: x[" + index + "]");
  const Shapes shapes = {{12}};
  const auto sum = affine(lambda.body->children[0], &shapes);
  return sum ? toString(toExpr(*sum), lambda) : "too large";
}

} // namespace

TEST_CASE("sums of multiples") {
  CHECK(normal("4 * (i + 1) - i + j // 2") == "i * 3 + j // 2 + 4");
  CHECK(normal("j + i - j") == "i");
  CHECK(normal("extent(x, 0) - 1 - i") == "11 - i");
  CHECK(normal("i * j * 2 + j * i") == "i * j * 2 + j * i");
}

TEST_CASE("quotients and rests") {
  CHECK(normal("(8 * i + 2 * j + 4) // 4") == "i * 2 + j // 2 + 1");
  CHECK(normal("(2 * j + 5) // 4") == "j // 2 + 1");
  CHECK(normal("(8 * i + j) % 8") == "j % 8");
  CHECK(normal("(8 * i + j - 3) // 8") == "i + (j + 5) // 8 - 1");
  CHECK(normal("(i // 3 + 1) // 4") == "(i + 3) // 12");
  CHECK(normal("i % 12 // 4") == "i // 4 % 3");
  CHECK(normal("i % 12 % 4") == "i % 4");
  CHECK(normal("i % 4 % 12") == "i % 4");
  CHECK(normal("i % 4 // 8") == "0");
  CHECK(normal("(6 * i + 4 * j + 3) % 8") == "(i * 3 + j * 2 + 1) % 4 * 2 + 1");
  CHECK(normal("(7 * i + j) // 4") == "i + (i * 3 + j) // 4");
  CHECK(normal("-i % 4") == "-i % 4");
}

TEST_CASE("a join of a split is the number itself") {
  CHECK(normal("i // 4 * 4 + i % 4") == "i");
  CHECK(normal("i // 6 * 6 + i // 2 % 3 * 2 + i % 2") == "i");
  CHECK(normal("((i * 7 + j) // 4 * 4 + (i * 7 + j) % 4) * 2") ==
        "i * 14 + j * 2");
}

TEST_CASE("beyond 62 bits there is no normal form") {
  CHECK(normal("i * 4611686018427387903 + i * 4611686018427387903") ==
        "too large");
}

TEST_CASE("deep expressions take no time") {
  tdl::ExprRef e = tdl::indexVar(0);
  for (int n = 0; n < 90; ++n)
    e = tdl::binary(
        tdl::BinaryOp::Add, tdl::indexVar(n % 3),
        tdl::binary(n % 2 ? tdl::BinaryOp::Mod : tdl::BinaryOp::FloorDiv, e,
                    tdl::constant(int64_t(n + 7))));
  CHECK(affine(e, nullptr));
}
