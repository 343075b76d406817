#include "test/conformance/Rows.h"

#include "compiler/codegen/cpu/Codegen.h"
#include "runtime/plan/Target.h"
#include "runtime/transports/Local.h"
#include "runtime/transports/mpi/MpiTransport.h"
#include "runtime/transports/mpi/Parcel.h"
#include "runtime/transports/mpi/Status.h"
#include "test/conformance/Delayed.h"
#include "test/runtime/backends/cuda/OnGpus.h"

#include <cstdlib>
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

/// What mpirun is to be told: root may run it, in containers too; more
/// processes than cores; on this machine alone.
std::map<std::string, std::string>
together(std::map<std::string, std::string> environment = {}) {
  for (const char *name :
       {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "OMPI_MCA_rmaps_base_oversubscribe"})
    environment[name] = "1";
  environment["OMPI_MCA_hwloc_base_binding_policy"] = "none";
  environment["OMPI_MCA_plm_rsh_agent"] = "/bin/false";
  environment["OMPI_MCA_plm"] = "isolated";
  return environment;
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

/// Which process has each worker: the first and the last one are in two, each
/// has one, and the rest are anywhere.
std::vector<int> processesOf(int workers, int processes, uint64_t seed) {
  std::vector<int> all;
  for (int w = 0; w < workers; ++w)
    all.push_back(w + 1 == workers ? processes - 1
                  : w + 1 < processes
                      ? w
                      : int((seed >> (w % 64)) % uint64_t(processes)));
  return all;
}

std::vector<std::vector<int>> deal(int workers, size_t processes,
                                   uint64_t seed) {
  std::vector<std::vector<int>> dealt(processes);
  const std::vector<int> all = processesOf(workers, int(processes), seed);
  for (int w = 0; w < workers; ++w)
    dealt[size_t(all[size_t(w)])].push_back(w);
  return dealt;
}

/// What a process knows at the end, or its error, in bytes that are the same in
/// all processes.
mpi::Bytes encode(const Result<RunResult> &result) {
  mpi::Parcel parcel;
  if (!result) {
    const std::vector<std::byte> error =
        mpi::encode(Status(Error(result.error())));
    parcel.put(error.data(), error.size());
    return parcel.take();
  }
  for (const Tensor &output : result->outputs)
    parcel.put(output.bytes.data(), output.bytes.size());
  parcel.put(result->communicationBytes);
  for (int64_t bytes : result->peakBytes)
    parcel.put(bytes);
  for (double loss : result->losses)
    parcel.put(&loss, sizeof loss);
  return parcel.take();
}

bool areEqual(const RunResult &a, const RunResult &b) {
  for (size_t o = 0; o < a.outputs.size(); ++o)
    if (a.outputs[o].bytes != b.outputs[o].bytes)
      return false;
  return a.communicationBytes == b.communicationBytes &&
         a.peakBytes == b.peakBytes && a.losses == b.losses;
}

/// Tells the emulated driver what the next run may launch, if that is by one
/// backend with these workers: offsets are in a GPU's first allocation, and of
/// several backends in a process, only one has that.
Status tellLaunches(const Row &row, const plan::Plan &plan,
                    const std::vector<int> &workers, size_t backends) {
  if (!row.isOnGpus())
    return {};
  const auto gpus =
      size_t(std::atoi(row.environment.at("SMEX_EMULATED_DEVICES").c_str()));
  bool isTold = backends > 1 && test::forgetLaunches();
  for (const plan::Artifact &artifact : plan.code)
    if (backends == 1 && plan::capabilityOf(artifact.target))
      isTold = test::knowLaunches(plan.partitioned, artifact, gpus, workers);
  if (!isTold)
    return fail("the emulated driver does not take what a plan launches");
  return {};
}

} // namespace

/// One more backend or transport is one more line, beside others of its kind of
/// device: they share plans.
const std::vector<Row> &conformance::rows() {
  static const std::vector<Row> all = {
      {"cpu", {"cpu"}},
      {"cpu, delayed", {"cpu"}, "delayed"},
      {"reference", {"reference"}},
      {"reference beside cpu", {"reference", "cpu"}},
      {"cpu beside cpu, delayed", {"cpu", "cpu"}, "delayed"},
      {"cpu, MPI, 2 processes", {"cpu"}, "local", together(), 2},
      {"cpu, MPI, 3 processes, delayed", {"cpu"}, "delayed", together(), 3},
      {"cuda, one GPU", {"cuda"}, "local", gpus(1, 1)},
      {"cuda, 3 GPUs, delayed", {"cuda"}, "delayed", gpus(3, 2)},
      {"cuda, 8 GPUs", {"cuda"}, "local", gpus(8, 3)},
      {"cuda, 8 GPUs, NCCL", {"cuda"}, "local", apart(gpus(8, 4))},
      {"cuda beside cuda, 4 GPUs, NCCL, delayed",
       {"cuda", "cuda"},
       "delayed",
       apart(gpus(4, 5))},
      // Each process has a machine of its own, with one GPU.
      {"cuda, MPI and NCCL, 2 processes",
       {"cuda"},
       "local",
       together(apart(gpus(1, 6))),
       2},
  };
  return all;
}

const Row &conformance::keptRow() {
  static const Row row = {"cpu, kept", {"cpu"}, "local", {}, 0, true};
  return row;
}

Result<Runner> Runner::open(const Row &row) {
  Runner runner;
  runner.row = &row;
  if (row.processes > 0) {
    auto world = mpi::World::join();
    if (!world)
      return world.takeError();
    runner.world = std::move(*world);
    if (runner.world->size() != row.processes)
      return fail(runner.world->size(), " processes instead of ",
                  row.processes);
  }
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
  if (row->isOnGpus())
    return {"sm_80"};
  std::vector<std::string> all = {codegen::CodegenOptions().cpuArch};
  if (row->alsoForGpus)
    all.push_back("sm_80");
  return all;
}

Status Runner::accepts(const plan::Plan &plan) const {
  if (int(plan.partitioned.workers.size()) < row->processes)
    return fail("plan: it has fewer workers than there are processes");
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
  if (world)
    return runTogether(plan, parameters, feeds, std::move(options));
  const int workers = int(plan.partitioned.workers.size());
  auto transport = makeTransport(row->transport, workers, options.device.seed);
  if (!transport)
    return transport.takeError();
  const size_t processes = std::min(backends.size(), size_t(workers));
  const auto dealt = deal(workers, processes, options.device.seed);
  if (Status told = tellLaunches(*row, plan, dealt[0], processes); !told)
    return told.takeError();
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

Result<RunResult>
Runner::runTogether(const plan::Plan &plan,
                    const runtime::ParameterSource &parameters,
                    const std::vector<runtime::Feed> &feeds,
                    runtime::RunOptions options) const {
  const int workers = int(plan.partitioned.workers.size());
  const uint64_t seed = options.device.seed;
  std::optional<Result<RunResult>> result;
  {
    auto mpi = std::make_unique<mpi::MpiTransport>(
        *world, workers, queueCount, mpi::MpiTransport::Names(),
        processesOf(workers, row->processes, seed));
    const std::vector<int> own = mpi->workers();
    std::unique_ptr<runtime::Transport> transport = std::move(mpi);
    if (row->transport == "delayed")
      transport.reset(new Delayed(std::move(transport), seed));
    options.process = runtime::Process{transport.get(), own};
    if (Status told = tellLaunches(*row, plan, own, 1); !told)
      return told.takeError();
    result = runtime::execute(plan.partitioned, plan.code, *backends.front(),
                              parameters, feeds, options);
  }
  const auto all = world->gather(encode(*result));
  if (!all)
    return all.error();
  for (size_t p = 0; *result && p < all->size(); ++p)
    if ((*all)[p] != (*all)[size_t(rank())])
      return fail("process ", p, " has another result than process ", rank());
  return std::move(*result);
}

int Runner::finish(bool isGood) const {
  if (!world)
    return isGood ? 0 : 1;
  return world->finish(
      isGood ? Status() : Status(Error{"the row failed", Fault::Difference}));
}
