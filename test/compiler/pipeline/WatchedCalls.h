// A backend whose workers say what they call of emulated libraries inside
// steps: the emulated driver tells which of its functions, and of NCCL's and
// others, each thread called.
#ifndef SMEX_TEST_COMPILER_PIPELINE_WATCHEDCALLS_H
#define SMEX_TEST_COMPILER_PIPELINE_WATCHEDCALLS_H

#include "test/compiler/pipeline/RandomExample.h"

#include <catch2/catch.hpp>

#include <dlfcn.h>
#include <mutex>
#include <set>
#include <sstream>

namespace smex::test {

using Names = std::multiset<std::string>;

/// What this thread has called since it last asked.
inline Names calls() {
  static const auto ask = reinterpret_cast<const char *(*)()>(dlsym(
      dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "smexEmulatedCalls"));
  std::istringstream text(ask());
  Names names;
  // Emulated libraries put their work on streams by calls that NVIDIA has not.
  for (std::string name; std::getline(text, name);)
    if (name.rfind("smexEmulated", 0) != 0)
      names.insert(name);
  return names;
}

/// Of all workers.
struct Seen {
  std::mutex mutex;
  Names bind, submit, finish;
  int repeated = 0; // steps of a worker that was handed nothing
  void add(Names &to) {
    const Names all = calls();
    std::lock_guard<std::mutex> lock(mutex);
    to.insert(all.begin(), all.end());
  }
};

/// A worker of the backend, and what it calls.
class Watched : public runtime::DeviceWorker {
public:
  Watched(std::unique_ptr<DeviceWorker> worker, Seen &seen)
      : worker(std::move(worker)), seen(seen) {}

  Status start() override {
    calls();
    return worker->start();
  }
  Status write(const runtime::ArenaBytes &to,
               const std::function<Status(std::byte *)> &fill) override {
    return worker->write(to, fill);
  }
  Status read(const runtime::ArenaBytes &from,
              const std::function<void(const std::byte *)> &use) override {
    return worker->read(from, use);
  }
  Status copy(const runtime::ArenaBytes &to, int64_t from) override {
    return worker->copy(to, from);
  }
  Status bind() override {
    Status bound = worker->bind();
    seen.add(seen.bind); // all that came before the first step
    return bound;
  }
  Status begin() override {
    Status begun = worker->begin();
    calls(); // between two steps there may be anything
    return begun;
  }
  bool repeats() const override { return worker->repeats(); }
  Status submit(const runtime::Submission &submission) override {
    Status submitted = worker->submit(submission);
    seen.add(seen.submit);
    return submitted;
  }
  Result<runtime::Activity> finish() override {
    auto activity = worker->finish();
    seen.add(seen.finish);
    std::lock_guard<std::mutex> lock(seen.mutex);
    seen.repeated += worker->repeats();
    return activity;
  }

private:
  std::unique_ptr<DeviceWorker> worker;
  Seen &seen;
};

class WatchedBackend : public runtime::Backend {
public:
  explicit WatchedBackend(Seen &seen) : seen(seen) {
    auto made = runtime::makeBackend("cuda");
    if (!made)
      FAIL(made.error().message);
    backend = std::move(*made);
  }
  std::string name() const override { return backend->name(); }
  Status accepts(const plan::Plan &plan) const override {
    return backend->accepts(plan);
  }
  Result<std::vector<std::unique_ptr<runtime::DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const plan::Code &code,
       const std::vector<int> &workers, runtime::Transport &transport,
       const runtime::DeviceOptions &options) override {
    auto devices =
        backend->open(partitioned, code, workers, transport, options);
    if (!devices)
      return devices;
    for (auto &each : *devices)
      each = std::make_unique<Watched>(std::move(each), seen);
    return devices;
  }

private:
  std::unique_ptr<Backend> backend;
  Seen &seen;
};

inline std::set<std::string> distinct(const Names &names) {
  return {names.begin(), names.end()};
}

/// Those that are not among the others.
inline std::set<std::string> without(std::set<std::string> names,
                                     const std::set<std::string> &others) {
  for (const std::string &each : others)
    names.erase(each);
  return names;
}

/// Three steps of several examples.
inline void run(Seen &seen, bool graphs) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  WatchedBackend backend(seen);
  for (uint64_t seed = 7000; seed < 7010; ++seed) {
    const RandomExample example = randomExample(context, seed, Kernels::Cuda);
    INFO("seed " << seed);
    runtime::RunOptions options;
    options.steps = 3;
    options.device.graphs = graphs;
    requireRight(example, runtime::execute(
                              example.plan.partitioned, example.plan.code,
                              backend, NoParameters(), example.feeds, options));
  }
}

} // namespace smex::test

#endif
