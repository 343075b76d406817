// Lists derived from a key, against their definitions.
#include "dialects/smex/lists/Derived.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace smex;
using graph::Derivation;

static Tensor list(DType type, const std::vector<int64_t> &values) {
  Tensor tensor = makeTensor({type, {int64_t(values.size())}});
  for (size_t i = 0; i < values.size(); ++i)
    if (type == DType::I32)
      tensor.data<int32_t>()[i] = int32_t(values[i]);
    else
      tensor.data<int64_t>()[i] = values[i];
  return tensor;
}

static std::vector<int64_t> values(const Tensor &tensor) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < tensor.type.shape[0]; ++i)
    all.push_back(tensor.type.dtype == DType::I32 ? tensor.data<int32_t>()[i]
                                                  : tensor.data<int64_t>()[i]);
  return all;
}

static std::vector<int64_t> derived(Derivation derivation,
                                    const std::vector<Tensor> &of, DType type,
                                    int64_t size,
                                    const std::vector<int64_t> &wraps = {},
                                    const std::vector<int64_t> &rows = {}) {
  const auto tensor =
      graph::derive({derivation, {}, wraps, rows}, of, {type, {size}});
  REQUIRE(tensor);
  return values(*tensor);
}

TEST_CASE("lists derived from a key are what they say") {
  const unsigned seed = GENERATE(range(1u, 33u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const int64_t size = random() % 40, results = random() % 12;
  const DType type = seed % 2 ? DType::I32 : DType::I64;
  std::vector<int64_t> key, other;
  for (int64_t i = 0; i < size; ++i) {
    // Some are no result: below, just above, and far away.
    key.push_back(int64_t(random() % (results + 4)) - 2);
    if (seed % 3 == 0 && random() % 5 == 0)
      key.back() = 1000000000;
    other.push_back(int64_t(random() % 100));
  }
  if (seed % 4 == 0)
    std::sort(key.begin(), key.end());

  std::vector<int64_t> order(size_t(size), 0);
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = int64_t(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::max<int64_t>(key[a], -1) < std::max<int64_t>(key[b], -1);
  });
  std::vector<int64_t> offsets, gathered;
  for (int64_t v = 0; v <= results; ++v)
    offsets.push_back(std::count_if(key.begin(), key.end(),
                                    [&](int64_t k) { return k < v; }));
  for (int64_t i : order)
    gathered.push_back(other[i]);

  const Tensor keys = list(type, key);
  CHECK(derived(Derivation::Offsets, {keys}, type, results + 1) == offsets);
  CHECK(derived(Derivation::Order, {keys}, type, size) == order);
  CHECK(derived(Derivation::Gathered, {list(DType::I64, other), keys}, type,
                size) == gathered);
}

TEST_CASE("numbers below 0 count from the end, where a list says so") {
  const unsigned seed = GENERATE(range(1u, 17u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const int64_t size = random() % 40, results = 1 + random() % 12;
  const auto drawn = [&] { // some are none even so
    std::vector<int64_t> list;
    for (int64_t i = 0; i < size; ++i)
      list.push_back(int64_t(random() % (2 * results + 3)) - results - 2);
    return list;
  };
  const auto forward = [&](std::vector<int64_t> list, int64_t wrap) {
    for (int64_t &number : list)
      number += number < 0 ? wrap : 0;
    return list;
  };
  const auto key = drawn(), other = drawn();
  const Tensor keys = list(DType::I64, key), others = list(DType::I32, other);
  const Tensor plain = list(DType::I64, forward(key, results));
  const Tensor plainOthers = list(DType::I64, forward(other, 5));
  CHECK(derived(Derivation::Offsets, {keys}, DType::I32, results + 1,
                {results}) ==
        derived(Derivation::Offsets, {plain}, DType::I32, results + 1));
  CHECK(derived(Derivation::Order, {keys}, DType::I32, size, {results}) ==
        derived(Derivation::Order, {plain}, DType::I32, size));
  CHECK(derived(Derivation::Gathered, {others, keys}, DType::I64, size,
                {5, results}) ==
        derived(Derivation::Gathered, {plainOthers, plain}, DType::I64, size));
}

TEST_CASE("values that do not fit are no number of a node") {
  CHECK(derived(
            Derivation::Gathered,
            {list(DType::I64, {int64_t(1) << 40, 3}), list(DType::I64, {0, 0})},
            DType::I32, 2) == std::vector<int64_t>{-1, 3});
}

TEST_CASE("a list may be a row of a matrix") {
  const unsigned seed = GENERATE(range(1u, 17u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const int64_t size = random() % 30, results = 1 + random() % 12;
  Tensor ends = makeTensor({seed % 2 ? DType::I32 : DType::I64, {2, size}});
  std::vector<int64_t> sources, destinations;
  for (auto *list : {&sources, &destinations})
    for (int64_t i = 0; i < size; ++i) {
      list->push_back(int64_t(random() % results) - (i % 3 == 0 ? results : 0));
      const int64_t place = list == &sources ? i : size + i;
      if (seed % 2)
        ends.data<int32_t>()[place] = int32_t(list->back());
      else
        ends.data<int64_t>()[place] = list->back();
    }
  const Tensor from = list(DType::I64, sources);
  const Tensor to = list(DType::I64, destinations);
  CHECK(derived(Derivation::Offsets, {ends}, DType::I32, results + 1, {results},
                {1}) ==
        derived(Derivation::Offsets, {to}, DType::I32, results + 1, {results}));
  CHECK(derived(Derivation::Order, {ends}, DType::I32, size, {}, {1}) ==
        derived(Derivation::Order, {to}, DType::I32, size));
  CHECK(derived(Derivation::Gathered, {ends, ends}, DType::I64, size, {0, 3},
                {0, 1}) ==
        derived(Derivation::Gathered, {from, to}, DType::I64, size, {0, 3}));
}

TEST_CASE("tensors that are no such lists are refused") {
  const Tensor key = list(DType::I64, {0, 1, 2});
  const auto fails = [](Derivation derivation, const std::vector<Tensor> &of,
                        const TensorType &type,
                        const std::vector<int64_t> &rows = {}) {
    return !graph::derive({derivation, {}, {}, rows}, of, type);
  };
  CHECK(fails(Derivation::Offsets, {key}, {DType::I32, {0}}));
  CHECK(fails(Derivation::Offsets, {key, key}, {DType::I32, {4}}));
  CHECK(fails(Derivation::Order, {key}, {DType::I32, {4}}));
  CHECK(fails(Derivation::Order, {key}, {DType::F32, {3}}));
  CHECK(fails(Derivation::Gathered, {key}, {DType::I32, {3}}));
  CHECK(fails(Derivation::Offsets, {makeTensor({DType::F32, {3}})},
              {DType::I32, {4}}));
  CHECK(fails(Derivation::Order, {key}, {DType::I32, {3}}, {1}));
  const Tensor ends = makeTensor({DType::I64, {2, 3}});
  CHECK_FALSE(fails(Derivation::Order, {ends}, {DType::I32, {3}}, {1}));
  CHECK(fails(Derivation::Order, {ends}, {DType::I32, {3}}, {2}));
  CHECK(fails(Derivation::Order, {ends}, {DType::I32, {3}}, {-1}));
  CHECK(fails(Derivation::Order, {ends}, {DType::I32, {2}}, {1}));
  CHECK(fails(Derivation::Order, {makeTensor({DType::I64, {2, 3, 3}})},
              {DType::I32, {3}}));
}
