#include "test/runtime/backends/cuda/OnGpus.h"

#include "runtime/transports/Local.h"
#include "test/runtime/backends/cuda/KnownLaunches.h"

#include <dlfcn.h>
#include <thread>

using namespace smex;

std::vector<Result<runtime::RunResult>>
test::runOnGpus(const plan::Partitioned &partitioned, const plan::Code &code,
                const runtime::ParameterSource &parameters,
                const std::vector<runtime::Feed> &feeds,
                const runtime::RunOptions &options, size_t processes) {
  const size_t workers = partitioned.workers.size();
  processes = std::min(processes, workers);
  runtime::LocalTransport transport(int(workers), queueCount);
  std::vector<Result<runtime::RunResult>> results(processes, fail("not run"));
  std::vector<std::thread> threads;
  for (size_t p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      runtime::RunOptions own = options;
      if (processes > 1) {
        runtime::Process process{&transport, {}};
        for (size_t w = 0; w < workers; ++w)
          if (w * processes / workers == p)
            process.workers.push_back(int(w));
        own.process = std::move(process);
      }
      auto backend = runtime::makeBackend("cuda");
      results[p] = backend ? runtime::execute(partitioned, code, **backend,
                                              parameters, feeds, own)
                           : Result<runtime::RunResult>(backend.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

static bool tell(const std::string &launches) {
  static const auto know = reinterpret_cast<int (*)(const char *)>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW), "smexEmulatedKnowLaunches"));
  return know && know(launches.c_str()) == 0;
}

bool test::knowLaunches(const plan::Partitioned &partitioned,
                        const plan::Artifact &artifact, size_t gpus) {
  return tell(knownLaunches(partitioned, artifact, int(gpus)));
}

bool test::knowLaunches(const plan::Partitioned &partitioned,
                        const plan::Artifact &artifact, size_t gpus,
                        const std::vector<int> &workers) {
  return tell(knownLaunches(partitioned, artifact, int(gpus), workers));
}

bool test::forgetLaunches() { return tell(""); }
