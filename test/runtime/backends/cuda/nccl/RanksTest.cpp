#include "runtime/backends/cuda/nccl/Ranks.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::nccl;
using Gpus = std::vector<std::vector<int>>;

TEST_CASE("workers of one process share its GPUs evenly") {
  const auto ranks = ranksOf({{{0, 1, 2, 3, 4}, {"a", "b"}}});
  REQUIRE(ranks);
  CHECK(ranks->count == 2);
  CHECK(ranks->ofWorker == std::vector<int>{0, 0, 0, 1, 1});
  CHECK(ranks->gpus == Gpus{{0, 1}});
}

TEST_CASE("with more GPUs than workers some are not used") {
  const auto ranks = ranksOf({{{0, 1}, {"a", "b", "c"}}});
  REQUIRE(ranks);
  CHECK(ranks->count == 2);
  CHECK(ranks->gpus == Gpus{{0, 1}});
}

TEST_CASE("processes of one machine share its GPUs, those of others do not") {
  const std::vector<std::string> here = {"a", "b", "c"}, there = {"d"};
  const auto ranks = ranksOf({{{0, 1}, here}, {{2}, there}, {{3, 4, 5}, here}});
  REQUIRE(ranks);
  CHECK(ranks->count == 4);
  CHECK(ranks->gpus == Gpus{{0}, {0}, {1, 2}});
  CHECK(ranks->ofWorker == std::vector<int>{0, 0, 1, 2, 2, 3});
}

TEST_CASE("two ranks on one GPU are refused") {
  const auto few = ranksOf({{{0}, {"a"}}, {{1}, {"a"}}});
  REQUIRE_FALSE(few);
  CHECK(few.error().fault == Fault::Environment);
  CHECK(few.error().message.find("2 processes share 1 GPU,") == 0);
  const auto unlike = ranksOf({{{0, 1}, {"a", "b"}}, {{2}, {"b"}}});
  REQUIRE_FALSE(unlike);
  CHECK(unlike.error().message ==
        "the process of worker 0 and the process of worker 2 would both use "
        "GPU b, which NCCL refuses; let processes of a machine see the same "
        "GPUs, or different ones");
  const auto twice = ranksOf({{{0, 1}, {"a", "a"}}, {{2}, {"b"}}});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().message ==
        "the process of worker 0 sees GPU a twice; let CUDA_VISIBLE_DEVICES "
        "name each once");
}
