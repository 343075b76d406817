#include "runtime/backends/cuda/CudaBackend.h"

#include "kernels/cuda/Kernels.h"
#include "runtime/backends/cuda/CudaWorker.h"
#include "runtime/backends/cuda/Exchanger.h"
#include "runtime/backends/cuda/Exchangers.h"
#include "runtime/backends/cuda/GpuWatchdog.h"
#include "runtime/backends/cuda/Library.h"
#include "runtime/backends/cuda/Place.h"
#include "runtime/plan/Files.h"
#include "runtime/plan/PtxEntries.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"

using namespace smex;
using namespace smex::cuda;
using namespace smex::runtime;

namespace {

/// Of smex's own kernels, and the least that smexc --cuda-arch takes.
constexpr int leastCapability = 80;

class CudaBackend : public Backend {
public:
  explicit CudaBackend(const Driver &driver) : driver(driver) {}

  std::string name() const override { return "cuda"; }

  std::vector<std::string> devices(int workers) const override {
    std::vector<std::string> names;
    for (int g = 0; g < gpusFor(workers); ++g)
      if (auto info = gpuInfo(driver, g))
        names.push_back(info->name);
    return names;
  }

  Status accepts(const plan::Plan &plan) const override {
    const int gpus = gpusFor(int(plan.partitioned.workers.size()));
    for (int g = 0; g < gpus; ++g) {
      auto artifact = codeFor(plan.code, g);
      if (!artifact)
        return artifact.takeError();
      for (const plan::Instruction &each :
           plan.partitioned.program.instructions) {
        if (each.op != plan::Opcode::Compute)
          continue;
        const plan::Kernel &kernel =
            plan.partitioned.program.kernels[size_t(each.kernel)];
        if (*artifact && plan::isGenerated(kernel, (*artifact)->target))
          continue;
        if (kernel.kind == plan::KernelKind::Reference ||
            kernel.kind == plan::KernelKind::Generated)
          return atNode(each, {"there is no kernel for GPUs that computes it; "
                               "use --backend cpu",
                               Fault::Environment});
        if (Status loaded = loadLibraryFor(kernel.kind, driver); !loaded)
          return atNode(each, loaded.takeError());
      }
    }
    return {};
  }

  Result<std::vector<std::unique_ptr<DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const plan::Code &code,
       const std::vector<int> &workers, Transport &transport,
       const DeviceOptions &options) override {
    auto ranks =
        ranksOf(driver, partitioned.workers.size(), workers, transport);
    if (!ranks)
      return ranks.takeError();
    auto lambdas = plan::lambdasOf(partitioned.program);
    if (!lambdas)
      return lambdas.takeError();
    const std::vector<int> &numbers = gpusOf(*ranks, workers);
    const size_t count = partitioned.workers.size();
    std::shared_ptr<CudaProgram> shared(
        new CudaProgram{partitioned,
                        transport,
                        options,
                        driver,
                        std::make_shared<HostWaits>(),
                        nullptr,
                        std::move(*lambdas),
                        {},
                        std::vector<CudaProgram::Place>(count),
                        isWaitedFor(partitioned.program),
                        {int(count), partitioned.program.instructions.size()},
                        workers});
    shared->steps.resize(count);
    shared->choices =
        std::make_unique<Choices>(options.choicesFile, options.note);
    if (Status ready = openGpus(*shared, code, numbers, *ranks); !ready)
      return ready.takeError();
    if (Status joined = joinExchangers(shared); !joined)
      return joined.takeError();
    if (!shared->exchangers.empty() && options.note)
      options.note("what moves between GPUs goes by NCCL; its own memory comes "
                   "on top of the plan's peak");
    if (shared->isWatched())
      shared->watchdog = std::make_shared<GpuWatchdog>(*shared);
    std::vector<std::unique_ptr<DeviceWorker>> devices;
    for (int worker : workers)
      devices.push_back(std::make_unique<CudaWorker>(shared, worker));
    return devices;
  }

private:
  /// With fewer GPUs than workers, neighbours share one.
  int gpusFor(int workers) const { return std::min(workers, driver.gpus()); }

  /// The newest that the GPU runs; null where the plan has no code at all.
  Result<const plan::Artifact *> codeFor(const plan::Code &code,
                                         int gpu) const {
    const auto info = gpuInfo(driver, gpu);
    if (!info)
      return info.error();
    const std::string itself = "GPU " + std::to_string(gpu) + " (" +
                               info->name + ") is sm_" +
                               std::to_string(info->capability());
    if (info->capability() < leastCapability)
      return Error{
          itself + ", and GPUs before Ampere (sm_80) are not supported; run "
                   "with --backend cpu",
          Fault::Environment};
    const plan::Artifact *best = nullptr, *tooNew = nullptr;
    std::string targets;
    for (const plan::Artifact &each : code) {
      targets += (targets.empty() ? "" : ", ") + each.target;
      const auto needs = plan::capabilityOf(each.target);
      if (!needs || *needs > info->capability())
        continue;
      const plan::Artifact *&place =
          driverFor(each) > driver.version() ? tooNew : best;
      if (!place || *needs > *plan::capabilityOf(place->target))
        place = &each;
    }
    if (!best && tooNew)
      return Error{"the plan's " + plan::codeFile(tooNew->target) +
                       " needs a driver of CUDA " +
                       driverVersionText(driverFor(*tooNew)) +
                       ", and this one is of " +
                       driverVersionText(driver.version()) +
                       "; install a newer driver, or compile the model with "
                       "smexc --cuda-arch sm_80",
                   Fault::Environment};
    if (!best && !code.empty())
      return Error{"the plan's kernels are for " + targets + ", and " + itself +
                       "; compile the model with smexc --cuda-arch",
                   Fault::Environment};
    return best;
  }

  /// 0: any; text that does not say its version is for the driver to refuse.
  static int driverFor(const plan::Artifact &code) {
    const auto version = plan::ptxVersion(code.bytes);
    return version ? plan::leastDriverFor(*version) : 0;
  }

  static std::vector<bool> isWaitedFor(const plan::Program &program) {
    std::vector<bool> flags(program.instructions.size());
    for (const plan::Instruction &each : program.instructions)
      for (const Wait &wait : each.waits)
        flags[size_t(wait.instruction)] = true;
    return flags;
  }

  Status openGpus(CudaProgram &shared, const plan::Code &code,
                  const std::vector<int> &numbers, const nccl::Ranks &ranks) {
    for (int g : numbers) {
      auto artifact = codeFor(code, g);
      if (!artifact)
        return artifact.takeError();
      auto gpu = Gpu::open(driver, g, shared.waits);
      if (!gpu)
        return gpu.takeError();
      (*gpu)->artifact = *artifact;
      shared.gpus.push_back(std::move(*gpu));
    }
    auto reached = allReach(shared, ranks);
    if (!reached)
      return reached.takeError();
    const Transfers transfers = shared.options.transfers;
    if (!*reached && transfers == Transfers::Peer)
      return Error{size_t(ranks.count) > shared.gpus.size()
                       ? "--transfers peer: other processes have GPUs, too, "
                         "whose memory is out of reach; use nccl or auto"
                       : "--transfers peer: the GPUs do not reach each other's "
                         "memory; use nccl or auto",
                   Fault::Environment};
    if (!*reached || transfers == Transfers::Nccl)
      if (Status made = makeExchangers(shared, ranks); !made)
        return made;
    if (Status placed = placeWorkers(shared); !placed)
      return placed;
    const std::string own(cudaKernels().front().second); // the only file
    for (const auto &gpu : shared.gpus)
      if (Status loaded = load(*gpu, own, shared.options.planFolder); !loaded)
        return loaded;
    return {};
  }

  /// Whether each GPU of the program reaches the memory of all others.
  Result<bool> allReach(const CudaProgram &shared, const nccl::Ranks &ranks) {
    if (size_t(ranks.count) > shared.gpus.size())
      return false; // others are in other processes
    for (const auto &gpu : shared.gpus)
      for (const auto &other : shared.gpus) {
        auto reached = gpu->reach(*other);
        if (!reached || !*reached)
          return reached;
      }
    return true;
  }

  Status load(Gpu &gpu, const std::string &own, const std::string &folder) {
    if (Status entered = gpu.enter(); !entered)
      return entered;
    auto loaded = LoadedCode::load(driver, own, "smex-run's own kernels");
    if (!loaded)
      return loaded.takeError();
    gpu.own = std::move(*loaded);
    if (!gpu.artifact || gpu.artifact->bytes.empty())
      return {};
    const std::string file = plan::codeFile(gpu.artifact->target);
    return gpu.load(gpu.artifact->bytes,
                    folder.empty() ? file : folder + "/" + file);
  }

  const Driver &driver;
};

} // namespace

bool runtime::isGpuAbsent() { return Driver::isAbsent(); }

Result<std::unique_ptr<Backend>> runtime::makeCudaBackend() {
  const auto driver = Driver::get();
  if (!driver)
    return driver.error();
  return std::unique_ptr<Backend>(new CudaBackend(**driver));
}
