// Our optimum of every step against toulbar2's, a solver that shares no code.
#include "compiler/partition/Cfn.h"
#include "compiler/partition/Recursive.h"
#include "dialects/support/File.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <sstream>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

/// -1 if it did not prove one.
int64_t optimumOf(const std::string &problem) {
  const char *folder = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(folder ? folder : "/tmp") + "/problem.cfn";
  REQUIRE(writeFile(path, problem));
  FILE *pipe = popen(("toulbar2 " + path + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  char line[4096];
  long long optimum = -1;
  while (std::fgets(line, sizeof line, pipe))
    std::sscanf(line, "Optimum: %lld", &optimum);
  pclose(pipe);
  return optimum;
}

void compare(const OperatorGraph &graph, int64_t workers,
             const Params &params = {}) {
  Params separate = params;
  separate.shareAlikeReaders = false;
  separate.lowerBound = false;
  const auto plan = partitionRecursively(graph, workers, separate);
  REQUIRE(plan);
  const auto problems = stepProblems(graph, *plan, separate);
  REQUIRE(problems);
  std::istringstream lines(*problems);
  std::string problem;
  for (const Step &step : plan->steps) {
    REQUIRE(std::getline(lines, problem));
    REQUIRE(step.optimal);
    CHECK(optimumOf(problem) == step.bytes);
  }
  CHECK(!std::getline(lines, problem));
}

} // namespace

TEST_CASE("random graphs") {
  for (uint64_t seed = 0; seed < 25; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    RandomSizes sizes;
    sizes.maxOperators = 8;
    const Model model = randomGraph(random, sizes);
    CAPTURE(describe(model));
    compare(model, 6, randomParams(random));
  }
}

TEST_CASE("a training graph") { compare(trainedMlp(4, 512, 1024), 8); }

TEST_CASE("a residual chain") { compare(chainWithSkips(20, 64, 128), 8); }

TEST_CASE("an unrolled recurrent network") {
  compare(recurrent(1, 4, 256, 64), 4);
}

TEST_CASE("the format") {
  network::Problem problem;
  problem.domains = {2, 1};
  problem.unaries.push_back({0, {{1, 7}, {2, 0}}});
  problem.tables.push_back({2, 1, {{3, 0}, {0, 5}}});
  problem.binaries.push_back({0, 1, 0});
  CHECK(toCfn("a b", problem, {"t0_x:\"1\"", "o0_y"},
              {{"d0", "d1"}, {"whole"}}) ==
        "{\"problem\":{\"name\":\"a_b\",\"mustbe\":\"<6\"},\"variables\":{"
        "\"t0_x__1_\":[\"d0\",\"d1\"],\"o0_y\":[\"whole\"]},\"functions\":{"
        "\"f0\":{\"scope\":[\"t0_x__1_\"],\"costs\":[1,2]},"
        "\"f1\":{\"scope\":[\"t0_x__1_\",\"o0_y\"],\"costs\":[3,0]}}}\n");
}
