#include "test/conformance/Rows.h"

#include "compiler/codegen/cpu/Codegen.h"
#include "runtime/transports/Local.h"
#include "test/conformance/Delayed.h"

#include <thread>

using namespace smex;
using namespace smex::conformance;
using runtime::RunResult;

namespace {

std::map<std::string, std::string> gpus(int count, int seed) {
  return {{"SMEX_EMULATED_DEVICES", std::to_string(count)},
          {"SMEX_EMULATED_SEED", std::to_string(seed)}};
}

/// GPUs that do not reach each other's memory: what moves goes by NCCL.
std::map<std::string, std::string>
apart(std::map<std::string, std::string> gpus) {
  gpus["SMEX_EMULATED_PEER"] = "0";
  gpus["SMEX_NCCL_TIMEOUT"] = "60";
  return gpus;
}

Result<std::unique_ptr<runtime::Transport>>
makeTransport(const std::string &name, int workers, uint64_t seed) {
  std::unique_ptr<runtime::Transport> local(
      new runtime::LocalTransport(workers, queueCount));
  if (name == "local")
    return local;
  if (name == "delayed")
    return std::unique_ptr<runtime::Transport>(
        new Delayed(std::move(local), seed));
  return fail("there is no transport \"", name, "\"");
}

/// The first and the last worker are in two processes, wherever the rest are.
std::vector<std::vector<int>> deal(int workers, size_t processes,
                                   uint64_t seed) {
  std::vector<std::vector<int>> dealt(processes);
  for (int w = 0; w < workers; ++w)
    dealt[w == 0             ? 0
          : w + 1 == workers ? processes - 1
                             : size_t(seed >> (w % 64)) % processes]
        .push_back(w);
  return dealt;
}

bool areEqual(const RunResult &a, const RunResult &b) {
  for (size_t o = 0; o < a.outputs.size(); ++o)
    if (a.outputs[o].bytes != b.outputs[o].bytes)
      return false;
  return a.communicationBytes == b.communicationBytes &&
         a.peakBytes == b.peakBytes && a.losses == b.losses;
}

} // namespace

/// One more backend or transport is one more line.
const std::vector<Row> &conformance::rows() {
  static const std::vector<Row> all = {
      {"cpu", {"cpu"}},
      {"cpu, delayed", {"cpu"}, "delayed"},
      {"reference", {"reference"}},
      {"reference beside cpu", {"reference", "cpu"}},
      {"cpu beside cpu, delayed", {"cpu", "cpu"}, "delayed"},
      {"cuda, one GPU", {"cuda"}, "local", gpus(1, 1)},
      {"cuda, 3 GPUs, delayed", {"cuda"}, "delayed", gpus(3, 2)},
      {"cuda, 8 GPUs", {"cuda"}, "local", gpus(8, 3)},
      {"cuda, 8 GPUs, NCCL", {"cuda"}, "local", apart(gpus(8, 4))},
      {"cuda beside cuda, 4 GPUs, NCCL, delayed",
       {"cuda", "cuda"},
       "delayed",
       apart(gpus(4, 5))},
  };
  return all;
}

Result<Runner> Runner::open(const Row &row) {
  Runner runner;
  runner.row = &row;
  for (const std::string &name : row.backends) {
    auto backend = runtime::makeBackend(name);
    if (!backend)
      return backend.takeError();
    runner.backends.push_back(std::move(*backend));
  }
  // A suite for emulated devices that ran on something else would show nothing.
  if (row.isOnGpus()) {
    const auto devices = runner.backends.front()->devices(8);
    if (devices.empty() ||
        devices.front().find("emulated") == std::string::npos)
      return fail("the devices of the row are not emulated ones");
  }
  return runner;
}

std::vector<std::string> Runner::targets() const {
  return {row->isOnGpus() ? "sm_80" : codegen::CodegenOptions().cpuArch};
}

Status Runner::accepts(const plan::Plan &plan) const {
  for (const auto &backend : backends)
    if (Status accepted = backend->accepts(plan); !accepted)
      return accepted;
  return {};
}

Result<RunResult> Runner::run(const plan::Plan &plan,
                              const runtime::ParameterSource &parameters,
                              const std::vector<runtime::Feed> &feeds,
                              runtime::RunOptions options) const {
  options.device.threads = 1;
  const int workers = int(plan.partitioned.workers.size());
  auto transport = makeTransport(row->transport, workers, options.device.seed);
  if (!transport)
    return transport.takeError();
  const size_t processes = std::min(backends.size(), size_t(workers));
  const auto dealt = deal(workers, processes, options.device.seed);
  std::vector<std::optional<Result<RunResult>>> results(processes);
  const auto runOne = [&](size_t p) {
    runtime::RunOptions own = options;
    own.process = runtime::Process{transport->get(), dealt[p]};
    results[p] = runtime::execute(plan.partitioned, plan.code, *backends[p],
                                  parameters, feeds, own);
  };
  std::vector<std::thread> threads;
  for (size_t p = 1; p < processes; ++p)
    threads.emplace_back(runOne, p);
  runOne(0);
  for (std::thread &thread : threads)
    thread.join();
  for (size_t p = 1; p < processes; ++p)
    if (!*results[p])
      return results[p]->takeError();
    else if (*results[0] && !areEqual(**results[0], **results[p]))
      return fail("process ", p, " has another result than process 0");
  return std::move(*results[0]);
}
