// Streams, events and host functions.
#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Functions.h"

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

using namespace smex::emulated;

namespace {

Driver &driver() { return Driver::get(); }

/// A device that polling finds busy: one work is done, then the answer given.
void query(const WorkPointer &work) {
  if (!work)
    return;
  if (!work->isDone) {
    driver().scheduler->step(*driver().lock);
    if (driver().current().sticky)
      fail(driver().current().sticky);
    if (!work->isDone)
      fail(ERROR_NOT_READY);
  }
  driver().scheduler->learn(*work);
}

int elapsed(const char *name, float *milliseconds, void *start, void *end) {
  return driver().call(name, Driver::Current, [&] {
    Event &from = driver().event(start), &to = driver().event(end);
    if (!from.isTimed || !to.isTimed || !from.recorded || !to.recorded)
      fail(ERROR_INVALID_HANDLE);
    if (!from.recorded->isDone || !to.recorded->isDone)
      fail(ERROR_NOT_READY);
    wanted(milliseconds) = static_cast<float>(
        (to.recorded->seconds - from.recorded->seconds) * 1e3);
  });
}

} // namespace

extern "C" {

int cuStreamCreate(void **stream, unsigned flags) {
  return driver().call("cuStreamCreate", Driver::Current, [&] {
    if (flags > 1)
      fail(ERROR_INVALID_VALUE);
    wanted(stream) = nullptr;
    auto *result = new Stream{driver().nextStream++, &driver().current(),
                              flags == 0, 0, nullptr};
    driver().streams.insert(result);
    *stream = result;
  });
}

/// "In case the device is still doing work in the stream, the function returns
/// immediately" (CUDA driver API, cuStreamDestroy).
int cuStreamDestroy_v2(void *handle) {
  return driver().call("cuStreamDestroy_v2", Driver::Current, [&] {
    Stream &stream = driver().stream(handle);
    if (&stream == &driver().current().legacy)
      fail(ERROR_INVALID_HANDLE);
    driver().wantNoCapture(stream);
    driver().streams.erase(&stream);
    delete &stream;
  });
}

int cuStreamSynchronize(void *stream) {
  return driver().call("cuStreamSynchronize", Driver::Current,
                       [&] { driver().finishStream(driver().stream(stream)); });
}

int cuStreamQuery(void *stream) {
  return driver().call("cuStreamQuery", Driver::Current, [&] {
    Stream &asked = driver().stream(stream);
    driver().wantNoCapture(asked);
    query(asked.last);
  });
}

/// Waits for what the event recorded last; for nothing if it never did.
int cuStreamWaitEvent(void *handle, void *event, unsigned flags) {
  return driver().call("cuStreamWaitEvent", Driver::Current, [&] {
    if (flags > 1) // CU_EVENT_WAIT_EXTERNAL matters to graphs only
      fail(ERROR_INVALID_VALUE);
    Stream &stream = driver().stream(handle);
    if (driver().waitInCapture(stream, driver().event(event)))
      return;
    if (WorkPointer recorded = driver().event(event).recorded)
      driver().submit(stream, "a wait for an event", nullptr, {recorded});
  });
}

int cuEventCreate(void **event, unsigned flags) {
  return driver().call("cuEventCreate", Driver::Current, [&] {
    // CU_EVENT_BLOCKING_SYNC and CU_EVENT_DISABLE_TIMING.
    if (flags & ~3u)
      fail(ERROR_INVALID_VALUE);
    wanted(event) = nullptr;
    auto *result = new Event{&driver().current(), !(flags & 2), nullptr};
    driver().events.insert(result);
    *event = result;
  });
}

int cuEventDestroy_v2(void *handle) {
  return driver().call("cuEventDestroy_v2", Driver::Current, [&] {
    Event &event = driver().event(handle);
    driver().events.erase(&event);
    delete &event;
  });
}

int cuEventRecord(void *handle, void *stream) {
  return driver().call("cuEventRecord", Driver::Current, [&] {
    Event &event = driver().event(handle);
    Stream &in = driver().stream(stream);
    if (event.device != in.device)
      driver().refuse(ERROR_INVALID_HANDLE,
                      "cuEventRecord: event and stream are of two devices");
    event.place = {};
    event.recorded = nullptr;
    if (!in.place.capture)
      event.recorded = driver().submit(in, "an event", nullptr);
    else if (in.place.capture->isInvalid)
      fail(ERROR_STREAM_CAPTURE_INVALIDATED);
    else
      event.place = in.place;
  });
}

int cuEventQuery(void *event) {
  return driver().call("cuEventQuery", Driver::Current, [&] {
    Event &asked = driver().event(event);
    driver().wantNoCapture(asked);
    query(asked.recorded);
  });
}

int cuEventSynchronize(void *event) {
  return driver().call("cuEventSynchronize", Driver::Current, [&] {
    Event &waited = driver().event(event);
    driver().wantNoCapture(waited);
    driver().finish(waited.recorded);
  });
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  return elapsed("cuEventElapsedTime", milliseconds, start, end);
}

int cuEventElapsedTime_v2(float *milliseconds, void *start, void *end) {
  return elapsed("cuEventElapsedTime_v2", milliseconds, start, end);
}

/// The function runs when its turn comes; it must not call the driver.
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *argument) {
  return driver().call("cuLaunchHostFunc", Driver::Current, [&] {
    if (!function)
      fail(ERROR_INVALID_VALUE);
    driver()
        .submit(driver().stream(stream), "a host function",
                [=]() -> std::vector<Span> {
                  function(argument);
                  return {};
                })
        ->callsHost = true;
  });
}
}
