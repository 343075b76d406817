#include "runtime/backends/cuda/CudaWorker.h"

#include "runtime/backends/cuda/Exchanger.h"
#include "runtime/backends/cuda/GpuWatchdog.h"
#include "runtime/plan/Regions.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace smex;
using namespace smex::cuda;
using runtime::Activity;
using runtime::ArenaBytes;

CudaWorker::~CudaWorker() {
  if (shared->watchdog)
    shared->watchdog->forgetInstructions(); // it looks at their events
  if (!place().gpu || !gpu().enter())
    return;
  const Driver &driver = shared->driver;
  for (const std::vector<Event> *list : {&events, &spare})
    for (Event event : *list)
      if (event)
        driver.eventDestroy(event);
  for (const Timed &each : timed)
    for (Event event : {each.start, each.end})
      driver.eventDestroy(event);
  if (began)
    driver.eventDestroy(began);
  for (Stream stream : streams)
    if (stream)
      driver.streamDestroy(stream);
}

Status CudaWorker::failed(Code code, const char *what) {
  return shared->driver.check(code, "GPU " + std::to_string(gpu().number) +
                                        ": " + what);
}

Status CudaWorker::start() {
  if (Status entered = gpu().enter(); !entered)
    return entered;
  for (Stream &stream : streams)
    if (Status made =
            check(shared->driver.streamCreate(&stream, streamNonBlocking),
                  "making a stream");
        !made)
      return made;
  if (Status made = makeEvents(); !made)
    return made;
  StepGraph::Worker &step = shared->steps[size_t(number)];
  step.gpu = place().gpu;
  step.isWaitedFor = &shared->isWaitedFor;
  step.launch = [this](int instruction, Stream stream) {
    return launch(place().prepared.instructions[size_t(instruction)], stream);
  };
  if (leads())
    if (Status started = exchanger()->start(); !started)
      return started;
  // Other workers of this process find it in the program.
  shared->transport.offer(number, {nullptr, {}});
  return {};
}

Status CudaWorker::makeEvents() {
  const size_t count = shared->program().instructions.size();
  events.assign(count, nullptr);
  for (size_t i = 0; i < count; ++i)
    if (shared->isWaitedFor[i] ||
        (shared->isWatched() &&
         plan::written(shared->partitioned, number, int(i))))
      if (Status made =
              check(shared->driver.eventCreate(&events[i], eventDisableTiming),
                    "making an event");
          !made)
        return made;
  shared->recorder.setEvents(number, events);
  return {};
}

Status CudaWorker::write(const ArenaBytes &to,
                         const std::function<Status(std::byte *)> &fill) {
  if (to.space == plan::Space::Host)
    return fill(place().host->data() + to.offset);
  std::vector<std::byte> values(static_cast<size_t>(to.bytes));
  if (Status filled = fill(values.data()); !filled)
    return filled;
  return gpu().write(place().arena + Address(to.offset), values.data(),
                     values.size(), streams[0],
                     {"writing to its memory", number});
}

Status CudaWorker::read(const ArenaBytes &from,
                        const std::function<void(const std::byte *)> &use) {
  if (from.space == plan::Space::Host) {
    use(place().host->data() + from.offset);
    return {};
  }
  std::vector<std::byte> values(static_cast<size_t>(from.bytes));
  if (Status done = gpu().read(
          values.data(), place().arena + Address(from.offset), values.size(),
          streams[0], {"reading from its memory", number});
      !done)
    return done;
  use(values.data());
  return {};
}

Status CudaWorker::copy(const ArenaBytes &to, int64_t from) {
  if (to.space == plan::Space::Host) {
    std::byte *const arena = place().host->data();
    std::memcpy(arena + to.offset, arena + from, size_t(to.bytes));
    return {};
  }
  Stream stream = streams[0];
  if (Status copied =
          check(shared->driver.copyOnDevice(place().arena + Address(to.offset),
                                            place().arena + Address(from),
                                            size_t(to.bytes), stream),
                "copying in its memory");
      !copied)
    return copied;
  return gpu().synchronize(stream, {"copying in its memory", number});
}

/// Whether it is the one that puts its GPU's exchanges on their stream.
bool CudaWorker::leads() {
  return exchanger() && exchanger()->leader() == number;
}

Status CudaWorker::bind() {
  if (leads())
    if (Status bound = exchanger()->bind(); !bound)
      return bound;
  if (Status settled = settle(*shared, number, place().prepared); !settled)
    return settled;
  const std::vector<std::byte> &contents = place().prepared.tables.contents();
  if (contents.empty())
    return {};
  return gpu().write(place().tables, contents.data(), contents.size(),
                     streams[0], {"writing to its memory", number});
}

Result<Event> CudaWorker::timingEvent() {
  if (!spare.empty()) {
    Event event = spare.back();
    spare.pop_back();
    return event;
  }
  Event event = nullptr;
  if (Status made =
          check(shared->driver.eventCreate(&event, 0), "making an event");
      !made)
    return made.takeError();
  return event;
}

Status CudaWorker::begin() {
  // Code is loaded when it is first launched, so that the first step is none.
  if (++begun == 2 && isFirst() && shared->wantsGraph())
    if (Status captured = captureStep(); !captured)
      return captured;
  if (leads())
    if (Status ready = exchanger()->begin(begun - 1); !ready)
      return ready;
  if (!shared->options.trace)
    return {};
  for (const Timed &each : timed)
    spare.insert(spare.end(), {each.start, each.end});
  timed.clear();
  if (!began) {
    auto event = timingEvent();
    if (!event)
      return event.takeError();
    began = *event;
  }
  beganAt = runtime::clockSeconds();
  return check(shared->driver.eventRecord(began, streams[0]),
               "recording an event");
}

Status CudaWorker::launch(const Prepared &what, Stream stream) {
  const Driver &driver = shared->driver;
  switch (what.kind) {
  case Prepared::Kind::Nothing:
    return {};
  case Prepared::Kind::Library:
    return what.call->submit(stream);
  case Prepared::Kind::ToHost:
    return check(
        driver.copyToHost(what.host, what.device, size_t(what.bytes), stream),
        "copying to the host");
  case Prepared::Kind::FromHost:
    return check(
        driver.copyToDevice(what.device, what.host, size_t(what.bytes), stream),
        "copying from the host");
  case Prepared::Kind::Launch:
    break;
  }
  return check(driver.launchKernel(what.function, what.gridX, what.gridY, 1,
                                   what.threads, 1, 1, 0, stream,
                                   what.parameters, nullptr),
               "launching a kernel");
}

Result<Event> CudaWorker::recordTime(Stream stream) {
  auto event = timingEvent();
  if (event)
    if (Status recorded = record(*event, stream); !recorded)
      return recorded.takeError();
  return event;
}

/// The instruction, after its events; they have been recorded.
Status CudaWorker::put(const runtime::Submission &submission, Stream stream) {
  for (const runtime::Event &event : *submission.after)
    if (Status waits = check(shared->driver.streamWaitEvent(
                                 stream, shared->recorder.eventOf(event), 0),
                             "waiting for an event");
        !waits)
      return waits;
  return putHere(submission, stream);
}

/// The instruction itself, and its events.
Status CudaWorker::putHere(const runtime::Submission &submission,
                           Stream stream) {
  const size_t instruction = size_t(submission.instruction);
  const bool isTimed = shared->options.trace;
  Timed ends{submission.instruction, nullptr, nullptr};
  if (isTimed) {
    auto start = recordTime(stream);
    if (!start)
      return start.takeError();
    ends.start = *start;
  }
  if (!submission.isSkipped) {
    const Prepared &what = place().prepared.instructions[instruction];
    if (Status launched = launch(what, stream); !launched)
      return launched;
    activity.receivedBytes += what.receivedBytes;
    if (what.kind == Prepared::Kind::ToHost)
      activity.hostTraffic.toHost += what.bytes;
    if (what.kind == Prepared::Kind::FromHost)
      activity.hostTraffic.fromHost += what.bytes;
  }
  if (isTimed) {
    auto end = recordTime(stream);
    if (!end)
      return end.takeError();
    ends.end = *end;
    timed.push_back(ends);
  }
  // In the first step all are recorded, so that it is known which instruction
  // is not completed; a kernel that does not end is likely to show there.
  if (Event event = events[instruction];
      event && (shared->isWaitedFor[instruction] || begun == 1))
    return record(event, stream);
  return {};
}

/// Where transfers are exchanges, no worker waits for another GPU's: what is to
/// be waited for is on this one (nccl/LocalWaits.h).
Status
CudaWorker::submitBesideExchanges(const runtime::Submission &submission) {
  const int instruction = submission.instruction;
  const Queue queue = Queue(submission.done.queue);
  if (leads())
    if (Status submitted =
            exchanger()->submitBelow(instruction + (queue == Queue::Transfers));
        !submitted)
      return submitted;
  if (queue == Queue::Transfers) {
    if (!submission.isSkipped)
      activity.receivedBytes +=
          place().prepared.instructions[size_t(instruction)].receivedBytes;
    submitted[size_t(queue)] = submission.done;
    return {};
  }
  Stream stream = streams[size_t(queue)];
  const auto &waits =
      shared->exchanging->waits[size_t(number)][size_t(instruction)];
  for (const nccl::LocalWait &wait : waits) {
    Event event = events[size_t(wait.instruction)];
    if (wait.queue == Queue::Transfers) {
      event = exchanger()->eventOf(wait.instruction);
      if (!event)
        continue; // nothing of it is to be done
      if (!exchanger()->wait(wait.instruction, begun - 1))
        return {};
    }
    if (Status waited = check(shared->driver.streamWaitEvent(stream, event, 0),
                              "waiting for an event");
        !waited)
      return waited;
  }
  if (Status done = putHere(submission, stream); !done)
    return done;
  shared->recorder.recorded(submission.done);
  submitted[size_t(queue)] = submission.done;
  return {};
}

Status CudaWorker::submit(const runtime::Submission &submission) {
  if (exchanger())
    return submitBesideExchanges(submission);
  const runtime::Event &done = submission.done;
  for (const runtime::Event &event : *submission.after)
    if (event.worker != number &&
        !shared->recorder.wait(event, shared->transport))
      return {};
  if (Status submits = put(submission, streams[size_t(done.queue)]); !submits)
    return runtime::atNode(
        shared->program().instructions[size_t(submission.instruction)],
        submits.takeError());
  shared->recorder.recorded(done);
  submitted[size_t(done.queue)] = done;
  if (begun == 1 && shared->wantsGraph())
    remember(submission);
  return {};
}

void CudaWorker::remember(const runtime::Submission &submission) {
  const int64_t count = int64_t(shared->program().instructions.size());
  StepTask task{
      submission.instruction, submission.done.queue, submission.isSkipped, {}};
  for (const runtime::Event &event : *submission.after)
    task.after.push_back({event.worker, int((event.count - 1) % count)});
  shared->steps[size_t(number)].tasks.push_back(std::move(task));
}

/// All workers have done the first step, and wait for this one at the step's
/// barrier: what they were handed is there to be read.
Status CudaWorker::captureStep() {
  auto graph = StepGraph::capture(shared->steps);
  if (graph)
    shared->ownedGraph = std::move(*graph);
  // A refusal leaves the GPUs as they were. A fault of theirs does not: nothing
  // would be done right any more.
  for (const auto &each : shared->gpus)
    if (!graph && !each->answers())
      return graph.takeError();
  if (Status entered = gpu().enter(); !entered)
    return entered;
  if (!graph && shared->options.note)
    shared->options.note("steps are submitted instruction by instruction, and "
                         "not as a CUDA graph: " +
                         graph.error().message);
  shared->graph = shared->ownedGraph.get();
  shared->steps.clear();
  return {};
}

Status CudaWorker::repeat() {
  ++repeated;
  if (isFirst()) {
    if (Status done = shared->ownedGraph->run(); !done)
      return done;
  } else if (!shared->ownedGraph->wait(repeated, shared->transport)) {
    return {};
  }
  // What went wrong on this worker's GPU is seen here, and not on the first's.
  if (Status fine = check(shared->driver.streamQuery(streams[0]),
                          "doing the graph of a step");
      !fine)
    return fine;
  for (runtime::Event &last : submitted)
    if (last.count > 0) {
      last.count += int64_t(shared->program().instructions.size());
      shared->transport.signal(last);
    }
  activity.receivedBytes = receivedBytes;
  activity.hostTraffic = hostTraffic;
  return {};
}

/// The leader waits for the exchanges, so that whoever waits for a stream
/// afterwards need not wait for other ranks. Nothing is waited for once the run
/// was stopped: it might never come.
Status CudaWorker::finishExchanges() {
  if (leads()) {
    const int count = int(shared->program().instructions.size());
    if (Status submitted = exchanger()->submitBelow(count); !submitted)
      return submitted;
    if (shared->transport.isStopped())
      return {};
    if (Status done = exchanger()->finish(); !done)
      return done;
    exchanger()->tell(begun - 1);
  }
  while (!exchanger()->isTold(begun - 1) && !shared->transport.isStopped())
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (shared->transport.isStopped() || !shared->options.trace)
    return {};
  auto executed = exchanger()->executed(number);
  if (!executed)
    return executed.takeError();
  activity.executed = std::move(*executed);
  return {};
}

Result<Activity> CudaWorker::finish() {
  activity.epilogues = place().prepared.epilogues;
  if (repeats()) {
    if (Status done = repeat(); !done)
      return done.takeError();
    return std::exchange(activity, {});
  }
  if (exchanger()) {
    if (Status done = finishExchanges(); !done)
      return done.takeError();
    if (shared->transport.isStopped())
      return std::exchange(activity, {});
  }
  for (const runtime::Event &last : submitted) {
    if (last.count == 0)
      continue;
    // The leader has waited for exchanges.
    if (!exchanger() || Queue(last.queue) != Queue::Transfers)
      if (Status done = synchronize(streams[size_t(last.queue)]); !done)
        return done.takeError();
    shared->transport.signal(last);
  }
  receivedBytes = activity.receivedBytes;
  hostTraffic = activity.hostTraffic;
  for (const Timed &each : timed) {
    float start = 0, seconds = 0;
    if (Status known =
            check(shared->driver.eventElapsedTime(&start, began, each.start),
                  "reading the time");
        !known)
      return known.takeError();
    if (Status known = check(
            shared->driver.eventElapsedTime(&seconds, each.start, each.end),
            "reading the time");
        !known)
      return known.takeError();
    activity.executed.push_back(
        {each.instruction, beganAt + start / 1e3, seconds / 1e3});
  }
  return std::exchange(activity, {});
}
