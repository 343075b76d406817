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
      answer(driver().current().sticky);
    if (!work->isDone)
      answer(ERROR_NOT_READY);
  }
  driver().scheduler->learn(*work);
}

int elapsed(const char *name, float *milliseconds, void *start, void *end) {
  return driver().call(name, Driver::Current, [&] {
    Event &from = driver().event(start), &to = driver().event(end);
    for (Event *each : {&from, &to}) {
      if (each->place.capture)
        refuse(ERROR_CAPTURED_EVENT, "the event was recorded in a capture",
               cites::timeCaptured);
      if (!each->isTimed)
        refuse(ERROR_INVALID_HANDLE, "an event without timing", cites::untimed);
      if (!each->recorded)
        refuse(ERROR_INVALID_HANDLE, "an event that was never recorded",
               cites::neverRecorded);
    }
    if (!from.recorded->isDone || !to.recorded->isDone)
      answer(ERROR_NOT_READY);
    wanted(milliseconds) = static_cast<float>(
        (to.recorded->seconds - from.recorded->seconds) * 1e3);
  });
}

} // namespace

extern "C" {

int cuStreamCreate(void **stream, unsigned flags) {
  return driver().call("cuStreamCreate", Driver::Current, [&] {
    if (flags > 1)
      refuse(ERROR_INVALID_VALUE, "flags " + std::to_string(flags),
             cites::streamFlags);
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
      refuse(ERROR_INVALID_HANDLE, "the default stream", cites::legacyStays);
    if (stream.place.isActive())
      driver().invalidate(*stream.place.capture,
                          ERROR_STREAM_CAPTURE_UNSUPPORTED,
                          "the stream is captured", cites::captureDestroyed);
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
    if (flags > 1)
      refuse(ERROR_INVALID_VALUE, "flags " + std::to_string(flags),
             cites::value);
    Stream &stream = driver().stream(handle);
    if (flags && !stream.place.capture) // CU_EVENT_WAIT_EXTERNAL
      refuse(ERROR_ILLEGAL_STATE, "the stream is not captured",
             cites::waitExternal);
    if (flags)
      driver().invalidate(*stream.place.capture, ERROR_NOT_SUPPORTED,
                          "CU_EVENT_WAIT_EXTERNAL", cites::externalNode);
    if (driver().waitInCapture(stream, driver().event(event)))
      return;
    if (WorkPointer recorded = driver().event(event).recorded)
      driver().submit(stream, "a wait for an event", nullptr, {recorded});
  });
}

int cuEventCreate(void **event, unsigned flags) {
  return driver().call("cuEventCreate", Driver::Current, [&] {
    // CU_EVENT_BLOCKING_SYNC, _DISABLE_TIMING and _INTERPROCESS
    if (flags & ~7u)
      refuse(ERROR_INVALID_VALUE, "flags " + std::to_string(flags),
             cites::eventFlags);
    if ((flags & 4) && !(flags & 2))
      refuse(ERROR_INVALID_VALUE, "CU_EVENT_INTERPROCESS with timing",
             cites::interprocessTimed);
    if (flags & 4)
      refuse(ERROR_NOT_SUPPORTED, "CU_EVENT_INTERPROCESS", cites::interprocess);
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
      refuse(ERROR_INVALID_HANDLE, "event and stream are of two devices",
             cites::record);
    event.place = {};
    event.recorded = nullptr;
    if (!in.place.capture)
      event.recorded = driver().submit(in, "an event", nullptr);
    else {
      driver().wantValid(*in.place.capture);
      event.place = in.place;
    }
  });
}

int cuEventQuery(void *event) {
  return driver().call("cuEventQuery", Driver::Current, [&] {
    Event &asked = driver().event(event);
    driver().wantNoCapture(asked);
    driver().wantSafe(cites::unsafeToo);
    query(asked.recorded);
  });
}

int cuEventSynchronize(void *event) {
  return driver().call("cuEventSynchronize", Driver::Current, [&] {
    Event &waited = driver().event(event);
    driver().wantNoCapture(waited);
    driver().wantSafe(cites::unsafeToo);
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
      refuse(ERROR_INVALID_VALUE, "the function is NULL", cites::value);
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
