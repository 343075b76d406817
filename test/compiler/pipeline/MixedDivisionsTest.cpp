// Every kind of division, mixed at random over tensors and operators that the
// search would never cut so: the plan is sound, its outputs are those of the
// lambdas on whole tensors, to the bit, and the bytes that a run counts are
// those of the definition (compiler/partition/CommunicationBytes.h): on the
// CPU, by the reference backend, and with some of the workers on each.
#include "runtime/plan/Check.h"
#include "runtime/plan/Totals.h"
#include "runtime/transports/Local.h"
#include "test/compiler/pipeline/RandomExample.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace smex;
using test::Kernels;
using test::RandomExample;
using test::requireRight;

namespace {

Result<runtime::RunResult> run(const RandomExample &example,
                               const std::string &device,
                               const runtime::RunOptions &options) {
  auto backend = runtime::makeBackend(device);
  if (!backend)
    return backend.takeError();
  return runtime::execute(example.plan.partitioned, example.plan.code,
                          **backend, test::NoParameters(), example.feeds,
                          options);
}

/// As two processes, each with some of the workers and with a backend of its
/// own, which reaches what the other has through the transport alone.
void compareInParts(const RandomExample &example,
                    const runtime::RunOptions &options, uint64_t seed) {
  const int workers = int(example.plan.partitioned.workers.size());
  runtime::LocalTransport transport(workers, queueCount);
  runtime::RunOptions parts[2] = {options, options};
  for (runtime::RunOptions &part : parts)
    part.process = runtime::Process{&transport, {}};
  for (int w = 0; w < workers; ++w) // the first and the last are in two
    parts[w == 0             ? 0
          : w + 1 == workers ? 1
                             : seed >> w & 1]
        .process->workers.push_back(w);
  const char *const devices[2] = {"reference", seed % 3 ? "cpu" : "reference"};
  std::optional<Result<runtime::RunResult>> results[2];
  std::vector<std::thread> threads;
  for (size_t p = 0; p < 2; ++p)
    threads.emplace_back(
        [&, p] { results[p] = run(example, devices[p], parts[p]); });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &result : results)
    requireRight(example, *result);
}

} // namespace

TEST_CASE("divisions of every kind, mixed: sound, right, and as counted") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomExample example =
        randomExample(context, seed, Kernels::Generated);
    INFO("seed " << seed << "\n" << example.decided);
    REQUIRE(plan::totals(example.plan.partitioned).communicationBytes ==
            example.communicationBytes);
    for (const plan::Finding &finding : plan::check(example.plan))
      if (finding.kind != plan::FindingKind::Totals) // this plan has none
        FAIL(finding.message);
    runtime::RunOptions options;
    options.device.threads = 1;
    options.device.seed = seed;
    requireRight(example, run(example, "cpu", options));
    options.steps = 3; // of which each has an order of its own
    requireRight(example, run(example, "reference", options));
    compareInParts(example, options, seed);
  }
}
