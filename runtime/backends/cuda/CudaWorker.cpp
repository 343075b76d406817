#include "runtime/backends/cuda/CudaWorker.h"

#include "runtime/backends/cuda/Exchanger.h"
#include "runtime/backends/cuda/GpuWatchdog.h"
#include "runtime/plan/Regions.h"

#include <cstring>

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
  if (what.parts)
    if (Status launched = check(
            driver.launchKernel(what.parts, what.partsX, 1, 1, what.threads, 1,
                                1, 0, stream, what.parameters, nullptr),
            "launching a kernel");
        !launched)
      return launched;
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
