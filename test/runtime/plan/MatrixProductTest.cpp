// Contractions as products of matrices: the calls of a product, done by plain
// loops, give what the contraction is.
#include "runtime/plan/MatrixProduct.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

using namespace smex;
using plan::matrixProduct;
using plan::MatrixProduct;
using plan::ProductIndex;

namespace {

using Numbers = std::vector<int64_t>;

/// Index variables on dense arrays whose dimensions are in any order, maybe
/// with more room than is used.
class Case {
public:
  explicit Case(unsigned seed) : random(seed) {
    for (char role : {'b', 'm', 'n', 'k'})
      for (int64_t i = draw(role == 'k', 2); i > 0; --i)
        indices.push_back({draw(1, 4), role});
    std::shuffle(indices.begin(), indices.end(), random);
    const auto strides = [&](int64_t ProductIndex::*member, char without) {
      std::vector<size_t> order(indices.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      int64_t size = 1;
      for (size_t i : order) {
        if (indices[i].role == without)
          continue;
        indices[i].*member = size;
        size *= indices[i].extent + draw(0, 3) / 3;
      }
      return size;
    };
    Numbers sizes = {strides(&ProductIndex::result, 'k'),
                     strides(&ProductIndex::left, 'n'),
                     strides(&ProductIndex::right, 'm')};
    result.assign(size_t(sizes[0]), -1);
    for (int64_t i = 0; i < sizes[1]; ++i)
      left.push_back(draw(-9, 9));
    for (int64_t i = 0; i < sizes[2]; ++i)
      right.push_back(draw(-9, 9));
  }

  Numbers expected() const {
    Numbers made = result;
    // First all results, and then all terms.
    for (bool adds : {false, true})
      walk(0, 0, 0, 0, [&](int64_t to, int64_t a, int64_t b) {
        int64_t &value = made[size_t(to)];
        value = adds ? value + left[size_t(a)] * right[size_t(b)] : 0;
      });
    return made;
  }

  Numbers byCalls(const MatrixProduct &product) const {
    Numbers made = result;
    struct At {
      int64_t result, left, right;
      bool adds;
    };
    std::vector<At> calls = {{0, 0, 0, false}};
    const auto repeat = [&](const MatrixProduct::Loop &loop, bool adds) {
      std::vector<At> all;
      for (const At &from : calls)
        for (int64_t i = 0; i < loop.extent; ++i)
          all.push_back({from.result + i * loop.result,
                         from.left + i * loop.left, from.right + i * loop.right,
                         from.adds || (adds && i > 0)});
      calls = all;
    };
    for (const auto &loop : product.outer)
      repeat(loop, false);
    for (const auto &loop : product.inner)
      repeat(loop, true);
    REQUIRE(int64_t(calls.size()) == product.calls());
    for (const At &at : calls)
      call(product, made, at.result, product.swapped ? at.right : at.left,
           product.swapped ? at.left : at.right, at.adds);
    return made;
  }

  int64_t draw(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }

  std::vector<ProductIndex> indices;
  Numbers result, left, right;

private:
  template <typename Visit>
  void walk(size_t index, int64_t to, int64_t a, int64_t b,
            const Visit &visit) const {
    if (index == indices.size())
      return visit(to, a, b);
    const ProductIndex &own = indices[index];
    for (int64_t i = 0; i < own.extent; ++i)
      walk(index + 1, to + i * own.result, a + i * own.left, b + i * own.right,
           visit);
  }

  void call(const MatrixProduct &product, Numbers &d, int64_t atD, int64_t atA,
            int64_t atB, bool adds) const {
    const Numbers &a = product.swapped ? right : left;
    const Numbers &b = product.swapped ? left : right;
    const auto at = [](const MatrixProduct::Matrix &matrix, int64_t row,
                       int64_t column, int64_t batch) {
      if (matrix.transposed)
        std::swap(row, column);
      return size_t(row + column * matrix.leading + batch * matrix.batchStride);
    };
    for (int64_t s = 0; s < product.batch; ++s)
      for (int64_t i = 0; i < product.m; ++i)
        for (int64_t j = 0; j < product.n; ++j) {
          int64_t sum = 0;
          for (int64_t l = 0; l < product.k; ++l)
            sum += a.at(size_t(atA) + at(product.a, i, l, s)) *
                   b.at(size_t(atB) + at(product.b, l, j, s));
          int64_t &value = d.at(size_t(atD) + at(product.d, i, j, s));
          value = adds ? value + sum : sum;
        }
  }

  std::mt19937 random;
};

/// Whether a library takes it: leading dimensions hold a column.
void requireValid(const MatrixProduct &product) {
  const auto holds = [](const MatrixProduct::Matrix &matrix, int64_t rows,
                        int64_t columns) {
    return matrix.leading >= (matrix.transposed ? columns : rows);
  };
  REQUIRE(holds(product.a, product.m, product.k));
  REQUIRE(holds(product.b, product.k, product.n));
  REQUIRE(holds(product.d, product.m, product.n));
  REQUIRE_FALSE(product.d.transposed);
}

} // namespace

TEST_CASE("the calls of a product give the contraction") {
  int found = 0, single = 0, swapped = 0, inner = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Case each(seed);
    const bool addsUp = seed % 3 > 0;
    const auto product = matrixProduct(each.indices, addsUp);
    if (!product)
      continue;
    CAPTURE(seed);
    requireValid(*product);
    REQUIRE((addsUp || product->inner.empty()));
    REQUIRE(each.byCalls(*product) == each.expected());
    ++found;
    single += product->calls() == 1;
    swapped += product->swapped;
    inner += !product->inner.empty();
  }
  CHECK(found > 2500);
  CHECK(single > 1000);
  CHECK(swapped > 500);
  CHECK(inner > 100);
}

TEST_CASE("products of the usual layouts are one call") {
  const int64_t b = 6, m = 5, n = 4, k = 3;
  const auto one = [](const std::vector<ProductIndex> &indices) {
    const auto product = matrixProduct(indices, false);
    REQUIRE(product);
    CHECK(product->calls() == 1);
    return *product;
  };
  // Row-major all: the result's columns are its rows, so operands change.
  const auto rows =
      one({{m, 'm', n, k, 0}, {n, 'n', 1, 0, 1}, {k, 'k', 0, 1, n}});
  CHECK(rows.swapped);
  CHECK((rows.m == n && rows.n == m && rows.k == k));
  CHECK((!rows.a.transposed && !rows.b.transposed));
  CHECK((rows.a.leading == n && rows.b.leading == k && rows.d.leading == n));
  // A weight's gradient: the sum is over two indices that are one in memory.
  const auto gradient = one({{m, 'm', n, 1, 0},
                             {n, 'n', 1, 0, 1},
                             {b, 'k', 0, k * m, k * n},
                             {k, 'k', 0, m, n}});
  CHECK(gradient.k == b * k);
  // Heads of attention between rows and columns: the batch is strided.
  const auto heads = one({{b, 'b', m * n, k, k},
                          {m, 'm', n, b * k, 0},
                          {n, 'n', 1, 0, b * k},
                          {k, 'k', 0, 1, 1}});
  CHECK(heads.batch == b);
  CHECK(heads.b.batchStride == k);
}

TEST_CASE("what is not one product of matrices") {
  // The batch is innermost: only vectors lie in memory as a library wants them.
  const auto vectors = matrixProduct({{4, 'b', 1, 1, 1},
                                      {4, 'm', 16, 16, 0},
                                      {4, 'n', 4, 0, 4},
                                      {4, 'k', 0, 4, 16}},
                                     false);
  REQUIRE(vectors);
  CHECK(vectors->calls() == 16);
  // Nothing to add up.
  CHECK_FALSE(matrixProduct({{4, 'm', 1, 1, 0}, {0, 'k', 0, 4, 1}}, true));
  // More rows than an int counts: they would be as many calls.
  const int64_t many = int64_t(1) << 32;
  const auto rows = matrixProduct(
      {{many, 'm', 2, 2, 0}, {2, 'n', 1, 0, 1}, {2, 'k', 0, 1, 2}}, true);
  REQUIRE(rows);
  CHECK(rows->calls() == many);
  // Sums that are two indices and cannot be added to.
  const std::vector<ProductIndex> apart = {
      {3, 'm', 1, 4, 0}, {2, 'k', 0, 2, 3}, {2, 'k', 0, 1, 1}};
  CHECK_FALSE(matrixProduct(apart, false));
  CHECK(matrixProduct(apart, true)->inner.size() == 1);
}
