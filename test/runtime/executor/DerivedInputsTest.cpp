// Inputs that follow from others: nobody is asked for them.
#include "runtime/executor/DerivedInputs.h"
#include "runtime/io/Npy.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::runtime;

namespace {
/// An input of numbers, and its offsets for 3 results and its order; derived
/// ones come first, as nothing forbids.
plan::Program program() {
  ProgramBuilder b(1);
  b.tensor("k.offsets", {4});
  b.tensor("k.order", {5});
  b.tensor("k", {5});
  plan::Program program = b.result.program;
  program.tensors[0].type.dtype = DType::I32;
  program.tensors[1].type.dtype = program.tensors[2].type.dtype = DType::I64;
  program.buffers = {{0}, {1}, {2}};
  using graph::Derivation;
  program.inputs = {{"k.offsets",
                     0,
                     {},
                     {},
                     {},
                     {},
                     graph::Recipe{Derivation::Offsets, {"k"}, {3}, {}}},
                    {"k.order",
                     1,
                     {},
                     {},
                     {},
                     {},
                     graph::Recipe{Derivation::Order, {"k"}, {3}, {}}},
                    {"k", 2, -3, 2}};
  return program;
}

/// k for as many steps as there are rows.
Tensor keys(const std::vector<std::vector<int64_t>> &rows) {
  Tensor tensor = makeTensor({DType::I64, {int64_t(rows.size()), 5}});
  for (size_t r = 0; r < rows.size(); ++r)
    std::copy(rows[r].begin(), rows[r].end(), tensor.data<int64_t>() + 5 * r);
  return tensor;
}

template <typename T> std::vector<T> valuesOf(const Feed &feed) {
  const auto *first = feed.value.data<T>();
  return {first, first + feed.value.bytes.size() / sizeof(T)};
}

std::string inputError(const std::vector<std::string> &arguments) {
  const auto feeds = readInputs(program(), arguments, 1, 0);
  return feeds ? "" : feeds.error().message;
}
} // namespace

TEST_CASE("derived inputs follow from a file, once or for each step") {
  Tensor one = keys({{2, 0, -3, 2, 1}});
  one.type.shape = {5};
  REQUIRE(io::writeNpy("one.npy", one));
  auto feeds = readInputs(program(), {"k=one.npy"}, 2, 0);
  REQUIRE(feeds);
  CHECK_FALSE((*feeds)[0].perStep);
  CHECK(valuesOf<int32_t>((*feeds)[0]) == std::vector<int32_t>{0, 2, 3, 5});
  CHECK(valuesOf<int64_t>((*feeds)[1]) == std::vector<int64_t>{1, 2, 4, 0, 3});

  REQUIRE(io::writeNpy(
      "steps.npy",
      keys({{2, 0, -3, 2, 1}, {0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}})));
  feeds = readInputs(program(), {"k=steps.npy"}, 2, 0); // of three
  REQUIRE(feeds);
  CHECK((*feeds)[0].perStep);
  CHECK(valuesOf<int32_t>((*feeds)[0]) ==
        std::vector<int32_t>{0, 2, 3, 5, 0, 5, 5, 5});
  CHECK(valuesOf<int64_t>((*feeds)[1]) ==
        std::vector<int64_t>{1, 2, 4, 0, 3, 0, 1, 2, 3, 4});
}

TEST_CASE("derived inputs follow from drawn ones") {
  const auto feeds = readInputs(program(), {}, 1, 7);
  REQUIRE(feeds);
  const auto key = valuesOf<int64_t>((*feeds)[2]);
  const auto order = valuesOf<int64_t>((*feeds)[1]);
  const auto numberAt = [&](size_t i) {
    const int64_t number = key[size_t(order[i])];
    return number < 0 ? number + 3 : number;
  };
  for (size_t i = 1; i < order.size(); ++i)
    CHECK(numberAt(i - 1) <= numberAt(i));
}

TEST_CASE("nobody gives, or is asked for, a derived input") {
  CHECK(inputError({"k.order=one.npy"}) ==
        "input \"k.order\" is not to be given: it follows from \"k\"");
  CHECK(inputError({"x=one.npy"}) == "input \"x\": the plan has no such input; "
                                     "it has \"k\" (i64[5])");
}
