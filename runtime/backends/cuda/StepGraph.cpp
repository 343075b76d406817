#include "runtime/backends/cuda/StepGraph.h"

#include <algorithm>
#include <chrono>

using namespace smex;
using namespace smex::cuda;

namespace {

/// The streams and events of one worker while its tasks are captured.
struct Lane {
  std::array<Stream, size_t(queueCount)> streams{}; // of queues that are used
  std::vector<Event> events; // per instruction that is waited for
  Event joined = nullptr;
};

class Capturing {
public:
  explicit Capturing(const std::vector<StepGraph::Worker> &workers)
      : workers(workers), driver(workers.front().gpu->driver),
        lanes(workers.size()) {}
  ~Capturing() {
    // Streams first leave the capture, whatever became of it.
    if (isCapturing) {
      Graph rest = nullptr;
      driver.streamEndCapture(origin, &rest);
      if (rest)
        driver.graphDestroy(rest);
    }
    for (size_t w = 0; w < lanes.size(); ++w) {
      if (!workers[w].gpu->enter())
        continue;
      for (Stream stream : lanes[w].streams)
        if (stream)
          driver.streamDestroy(stream);
      lanes[w].events.push_back(lanes[w].joined);
      for (Event event : lanes[w].events)
        if (event)
          driver.eventDestroy(event);
    }
    if (!workers.front().gpu->enter())
      return;
    if (forked)
      driver.eventDestroy(forked);
    if (origin)
      driver.streamDestroy(origin);
    if (graph)
      driver.graphDestroy(graph);
  }
  Capturing(const Capturing &) = delete;

  /// The graph belongs to this.
  Result<Graph> capture() {
    if (Status made = makeLanes(); !made)
      return made.takeError();
    // Other threads go on meanwhile: they must not be kept from waiting for
    // their own streams.
    if (Status begun =
            check(driver.streamBeginCapture(origin, captureModeThreadLocal),
                  "beginning the capture of a step");
        !begun)
      return begun.takeError();
    isCapturing = true;
    for (Status (Capturing::*part)() :
         {&Capturing::fork, &Capturing::tasks, &Capturing::join})
      if (Status done = (this->*part)(); !done)
        return done.takeError();
    isCapturing = false;
    if (Status ended = check(driver.streamEndCapture(origin, &graph),
                             "ending the capture of a step");
        !ended)
      return ended.takeError();
    return graph;
  }
  /// A stream that the graph may keep.
  Stream takeOrigin() { return std::exchange(origin, nullptr); }

private:
  Status check(Code code, const char *what) const {
    return driver.check(code, what);
  }
  Status makeEvent(Event &event) const {
    return check(driver.eventCreate(&event, eventDisableTiming),
                 "making an event");
  }
  Status makeStream(Stream &stream) const {
    return check(driver.streamCreate(&stream, streamNonBlocking),
                 "making a stream");
  }

  Status makeLanes() {
    for (size_t w = 0; w < workers.size(); ++w) {
      const StepGraph::Worker &worker = workers[w];
      Lane &lane = lanes[w];
      if (Status entered = worker.gpu->enter(); !entered)
        return entered;
      lane.events.resize(worker.isWaitedFor->size());
      for (const StepTask &task : worker.tasks) {
        Stream &stream = lane.streams[size_t(task.queue)];
        if (!stream)
          if (Status made = makeStream(stream); !made)
            return made;
        const size_t instruction = size_t(task.instruction);
        if ((*worker.isWaitedFor)[instruction])
          if (Status made = makeEvent(lane.events[instruction]); !made)
            return made;
      }
      if (Status made = makeEvent(lane.joined); !made)
        return made;
    }
    if (Status entered = workers.front().gpu->enter(); !entered)
      return entered;
    if (Status made = makeEvent(forked); !made)
      return made;
    return makeStream(origin);
  }

  Status record(Event event, Stream stream) const {
    return check(driver.eventRecord(event, stream), "recording an event");
  }
  Status wait(Stream stream, Event event) const {
    return check(driver.streamWaitEvent(stream, event, 0),
                 "waiting for an event");
  }

  /// All streams join the capture,
  Status fork() {
    if (Status recorded = record(forked, origin); !recorded)
      return recorded;
    for (const Lane &lane : lanes)
      for (Stream stream : lane.streams)
        if (stream)
          if (Status waits = wait(stream, forked); !waits)
            return waits;
    return {};
  }

  /// take what the workers do,
  Status tasks() {
    const int instructions = int(workers.front().isWaitedFor->size());
    std::vector<size_t> next(workers.size());
    for (int i = 0; i < instructions; ++i)
      for (size_t w = 0; w < workers.size(); ++w) {
        const std::vector<StepTask> &own = workers[w].tasks;
        if (next[w] == own.size() || own[next[w]].instruction != i)
          continue;
        if (Status done = task(w, own[next[w]++]); !done)
          return done;
      }
    return {};
  }

  Status task(size_t worker, const StepTask &task) {
    if (Status entered = enter(worker); !entered)
      return entered;
    Stream stream = lanes[worker].streams[size_t(task.queue)];
    for (const StepTask::Wait &each : task.after)
      if (Status waits =
              wait(stream,
                   lanes[size_t(each.worker)].events[size_t(each.instruction)]);
          !waits)
        return waits;
    if (!task.isSkipped)
      if (Status launched = workers[worker].launch(task.instruction, stream);
          !launched)
        return launched;
    if (Event event = lanes[worker].events[size_t(task.instruction)])
      return record(event, stream);
    return {};
  }

  /// and are joined to the first again.
  Status join() {
    for (size_t w = 0; w < lanes.size(); ++w)
      for (Stream stream : lanes[w].streams) {
        if (!stream)
          continue;
        if (Status entered = enter(w); !entered)
          return entered;
        if (Status recorded = record(lanes[w].joined, stream); !recorded)
          return recorded;
        if (Status waits = wait(origin, lanes[w].joined); !waits)
          return waits;
      }
    current = nullptr;
    return enter(0);
  }

  /// Neighbours share GPUs, so that there is little to switch.
  Status enter(size_t worker) {
    const Gpu *gpu = workers[worker].gpu;
    if (gpu == current)
      return {};
    current = gpu;
    return gpu->enter();
  }

  const std::vector<StepGraph::Worker> &workers;
  const Driver &driver;
  std::vector<Lane> lanes;
  const Gpu *current = nullptr;
  Stream origin = nullptr;
  Event forked = nullptr;
  Graph graph = nullptr;
  bool isCapturing = false;
};

} // namespace

Result<std::unique_ptr<StepGraph>>
StepGraph::capture(const std::vector<Worker> &workers) {
  Capturing capturing(workers);
  const auto graph = capturing.capture();
  if (!graph)
    return graph.error();
  const Gpu &gpu = *workers.front().gpu;
  const Driver &driver = gpu.driver;
  GraphExec exec = nullptr;
  if (Status made = driver.check(driver.graphInstantiate(&exec, *graph, 0),
                                 "making a graph of a step");
      !made)
    return made.takeError();
  std::unique_ptr<StepGraph> made(
      new StepGraph(gpu, capturing.takeOrigin(), exec));
  // What the launches need on the GPUs is taken now, and not in a step.
  if (Status uploaded = driver.check(driver.graphUpload(exec, made->stream),
                                     "uploading the graph of a step");
      !uploaded)
    return uploaded.takeError();
  if (Status done =
          gpu.synchronize(made->stream, {"uploading the graph of a step"});
      !done)
    return done.takeError();
  return made;
}

StepGraph::~StepGraph() {
  if (!gpu.enter())
    return;
  gpu.driver.graphExecDestroy(exec);
  gpu.driver.streamDestroy(stream);
}

Status StepGraph::run() {
  if (const Code code = gpu.driver.graphLaunch(exec, stream); code != success)
    return gpu.driver.check(code, "GPU " + std::to_string(gpu.number) +
                                      ": launching the graph of a step");
  ++launched;
  if (Status waited =
          gpu.synchronize(stream, {"waiting for the graph of a step"});
      !waited)
    return waited;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++done;
  }
  changed.notify_all();
  return {};
}

bool StepGraph::wait(int64_t steps, const runtime::Transport &transport) {
  std::unique_lock<std::mutex> lock(mutex);
  // A stop wakes nobody here, so it is looked for.
  while (done < steps && !transport.isStopped())
    changed.wait_for(lock, std::chrono::milliseconds(20));
  return !transport.isStopped();
}
