// What a captured stream takes, and what it refuses.
#include "test/emulated/cuda/Driver.h"

#include <algorithm>

namespace smex::emulated {
namespace {

/// Calls that are "potentially unsafe" (cuda.h,
/// cuThreadExchangeStreamCaptureMode): what is not put on a stream and so would
/// not be done at a launch. What waits is unsafe, too, but is looked at first
/// for whether it waits for what is captured.
bool isUnsafe(const std::string &name) {
  static const std::set<std::string> all = {
      "cuMemAlloc_v2",      "cuMemFree_v2",         "cuMemHostAlloc",
      "cuMemAllocHost_v2",  "cuMemFreeHost",        "cuMemcpyHtoD_v2",
      "cuMemcpyDtoH_v2",    "cuModuleUnload",       "cuModuleLoadData",
      "cuModuleLoadDataEx", "cuCtxEnablePeerAccess"};
  return all.count(name) > 0;
}

constexpr int global = 0, relaxed = 2; // CUstreamCaptureMode

} // namespace

void Driver::invalidate(Capture &capture, int result, const std::string &why,
                        const Citation &citation) {
  capture.isInvalid = true;
  refuse(result, why, citation);
}

void Driver::wantSafe(const std::string &name) {
  if (isUnsafe(name))
    wantSafe(name == "cuMemAlloc_v2" ? cites::unsafe : cites::unsafeToo);
}

void Driver::wantSafe(const Citation &citation) {
  for (const auto &each : captures) {
    const bool isOwn = each->thread == std::this_thread::get_id();
    if (each->mode == global || (each->mode != relaxed && isOwn))
      invalidate(*each, ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 isOwn ? "this thread captures a stream"
                       : "another thread captures a stream, in global mode",
                 citation);
  }
}

std::shared_ptr<Capture> Driver::orderedCapture(const Stream &stream) const {
  if (&stream == &stream.device->legacy)
    for (Stream *each : streams)
      if (each->isBlocking && each->device == stream.device &&
          each->place.isActive())
        return each->place.capture;
  return nullptr;
}

void Driver::wantNoOrderedCapture(Stream &stream) {
  if (const auto capture = orderedCapture(stream))
    invalidate(*capture, ERROR_STREAM_CAPTURE_IMPLICIT,
               "a blocking stream of the legacy stream's context is captured",
               cites::useLegacy);
}

void Driver::wantNoCapture(Stream &stream) {
  if (stream.place.isActive())
    invalidate(*stream.place.capture, ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "the stream is captured", cites::ask);
  wantNoOrderedCapture(stream);
  wantSafe(cites::unsafeToo);
}

void Driver::wantNoCapture(Event &event) {
  if (event.place.isActive())
    invalidate(*event.place.capture, ERROR_CAPTURED_EVENT,
               "the event was recorded in a capture", cites::ask);
  if (event.place.capture)
    refuse(ERROR_CAPTURED_EVENT,
           "the event was recorded in a capture that is over",
           cites::capturedEvent);
}

void Driver::wantNoCapture(Device &device) {
  for (const auto &each : captures)
    for (Stream *stream : each->streams)
      if (stream->device == &device)
        invalidate(*each, ERROR_STREAM_CAPTURE_UNSUPPORTED,
                   "a stream of the context is captured", cites::askContext);
  wantSafe(cites::unsafeToo);
}

void Driver::wantValid(const Capture &capture) {
  if (capture.isInvalid)
    refuse(ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated",
           cites::invalidated);
}

WorkPointer Driver::captured(Stream &stream, const WorkPointer &work) {
  Capture &capture = *stream.place.capture;
  wantValid(capture);
  capture.graph.nodes.push_back(
      {work, std::move(stream.place.after), stream.place.lane});
  stream.place.after = {capture.graph.nodes.size() - 1};
  return work;
}

bool Driver::waitInCapture(Stream &stream, Event &event) {
  CapturePlace &place = stream.place;
  const CapturePlace &other = event.place;
  if (!place.capture && !other.capture)
    return false;
  if (place.capture)
    wantValid(*place.capture);
  if (place.capture && !other.capture)
    invalidate(*place.capture, ERROR_STREAM_CAPTURE_ISOLATION,
               "the stream is captured, and the event was recorded elsewhere",
               cites::waitOutside);
  if (!other.isActive())
    refuse(ERROR_CAPTURED_EVENT,
           "the event was recorded in a capture that is over",
           cites::capturedEvent);
  wantValid(*other.capture);
  if (place.capture && place.capture != other.capture) {
    other.capture->isInvalid = true;
    invalidate(*place.capture, ERROR_STREAM_CAPTURE_MERGE,
               "stream and event are in two captures", cites::merge);
  }
  if (!place.capture) {
    // The stream joins the capture. An empty node keeps in mind that it did.
    Graph &graph = other.capture->graph;
    place = {other.capture, {}, graph.lanes++};
    other.capture->streams.insert(&stream);
    graph.nodes.push_back({nullptr, other.after, place.lane});
    place.after = {graph.nodes.size() - 1};
    return true;
  }
  for (size_t node : other.after)
    if (!std::count(place.after.begin(), place.after.end(), node))
      place.after.push_back(node);
  return true;
}

GraphExec &Driver::graphExec(void *handle) {
  auto found = graphExecs.find(handle);
  if (found == graphExecs.end())
    refuse(ERROR_INVALID_VALUE, "this is no executable graph",
           cites::graphExec);
  return *found->second;
}

} // namespace smex::emulated
