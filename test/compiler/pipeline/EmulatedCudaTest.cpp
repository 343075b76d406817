// Every kind of division, mixed at random, by the cuda backend on GPUs that are
// emulated (test/emulated/cuda): outputs are those of the lambdas on whole
// tensors, to the bit, and the bytes that a run counts are those of the
// definition. The emulated driver takes streams in any order that events allow,
// and stops at what it finds of races, bounds and bytes that nobody has
// written. Where GPUs do not reach each other's memory, what moves between them
// goes by NCCL (test/emulated/nccl); then workers may be in several processes,
// which are executions of this one, each with GPUs of its own.
#include "runtime/plan/Target.h"
#include "test/compiler/pipeline/RandomExample.h"
#include "test/runtime/backends/cuda/OnGpus.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace smex;
using test::Kernels;
using test::RandomExample;

namespace {

/// Changes what workers keep for exchanges: none, all or some of them have as
/// much as collectives need; the others have as little as there may be, so that
/// an exchange goes in many rounds.
void setStaging(RandomExample &example, uint64_t seed) {
  auto &workers = example.plan.partitioned.workers;
  const int64_t least = (16 * int64_t(workers.size() - 1) + 63) / 64 * 64;
  for (size_t w = 0; w < workers.size(); ++w) {
    int64_t &kept = workers[w].stagingBytes;
    if (kept == 0)
      continue;
    const bool isMuch = seed % 3 == 1 || (seed % 3 == 2 && (seed >> w & 1));
    const int64_t wanted = isMuch ? 8192 : least;
    workers[w].arenaBytes += wanted - kept;
    example.plan.peakBytes[w] += wanted - kept;
    kept = wanted;
  }
  REQUIRE(conformance::findingsOf(example.plan) == "");
}

void knowBuffers(const RandomExample &example, size_t gpus) {
  for (const plan::Artifact &each : example.plan.code)
    if (plan::capabilityOf(each.target))
      REQUIRE(test::knowLaunches(example.plan.partitioned, each, gpus));
}

} // namespace

TEST_CASE("divisions of every kind on GPUs: right, and as counted") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto backend = runtime::makeBackend("cuda");
  if (!backend)
    FAIL(backend.error().message);
  const auto devices = (*backend)->devices(4);
  REQUIRE(!devices.empty());
  REQUIRE(devices.front().find("emulated") != std::string::npos);
  const char *several = std::getenv("SMEX_TEST_PROCESSES");
  const size_t processes = several ? std::strtoull(several, nullptr, 10) : 1;
  const char *seeds = std::getenv("SMEX_TEST_SEED");
  const uint64_t begin = std::strtoull(seeds ? seeds : "0", nullptr, 10);
  for (uint64_t seed = begin; seed < begin + 60; ++seed) {
    RandomExample example = randomExample(context, seed, Kernels::Cuda);
    setStaging(example, seed);
    INFO("seed " << seed << "\n" << example.decided);
    if (Status accepted = (*backend)->accepts(example.plan); !accepted)
      FAIL(accepted.error().message);
    runtime::RunOptions options;
    options.steps = 2;
    options.device.trace = seed % 2;
    if (!several)
      knowBuffers(example, (*backend)->devices(64).size());
    for (const auto &result : test::runOnGpus(
             example.plan.partitioned, example.plan.code, test::NoParameters(),
             example.feeds, options, processes))
      requireRight(example, result);
  }
}
