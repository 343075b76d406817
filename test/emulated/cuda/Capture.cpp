// What a captured stream takes, and what it refuses.
#include "test/emulated/cuda/Driver.h"

#include <algorithm>

namespace smex::emulated {
namespace {

/// "Some actions, such as a call to cudaMalloc, may be unsafe" (cuda.h,
/// cuThreadExchangeStreamCaptureMode): what is not put on a stream and so would
/// not be done at a launch, and what waits.
bool isUnsafe(const std::string &name) {
  static const std::set<std::string> all = {
      "cuMemAlloc_v2",        "cuMemFree_v2",       "cuMemHostAlloc",
      "cuMemAllocHost_v2",    "cuMemFreeHost",      "cuMemcpyHtoD_v2",
      "cuMemcpyDtoH_v2",      "cuModuleLoadData",   "cuModuleLoadDataEx",
      "cuModuleUnload",       "cuCtxSynchronize",   "cuStreamSynchronize",
      "cuStreamQuery",        "cuEventSynchronize", "cuEventQuery",
      "cuCtxEnablePeerAccess"};
  return all.count(name) > 0;
}

constexpr int global = 0, relaxed = 2; // CUstreamCaptureMode

} // namespace

void Driver::invalidate(Capture &capture, int result, const std::string &why) {
  capture.isInvalid = true;
  report(settings, why);
  fail(result);
}

void Driver::wantSafe(const char *name) {
  if (captures.empty() || !isUnsafe(name))
    return;
  for (const auto &each : captures)
    if (each->mode == global ||
        (each->mode != relaxed && each->thread == std::this_thread::get_id()))
      invalidate(*each, ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 std::string(name) +
                     " is unsafe beside a capture of this thread, or of any "
                     "one whose mode is global (cuda.h, "
                     "cuThreadExchangeStreamCaptureMode)");
}

static const char *const invalidToAsk =
    "\"it is invalid to synchronize or query the execution status of a stream "
    "which is being captured or a captured event\" (CUDA programming guide, "
    "\"Prohibited and Unhandled Operations\")";

void Driver::wantNoCapture(Stream &stream) {
  if (stream.place.isActive())
    invalidate(*stream.place.capture, ERROR_STREAM_CAPTURE_UNSUPPORTED,
               invalidToAsk);
}

void Driver::wantNoCapture(Event &event) {
  if (event.place.isActive())
    invalidate(*event.place.capture, ERROR_CAPTURED_EVENT, invalidToAsk);
  if (event.place.capture)
    refuse(ERROR_CAPTURED_EVENT, invalidToAsk);
}

/// "It is also invalid to query the execution status of or synchronize a
/// broader handle which encompasses an active stream capture, such as a device
/// or context handle" (programming guide).
void Driver::wantNoCapture(Device &device) {
  for (const auto &each : captures)
    for (Stream *stream : each->streams)
      if (stream->device == &device)
        invalidate(*each, ERROR_STREAM_CAPTURE_UNSUPPORTED,
                   "a context is synchronized while a stream of it is captured "
                   "(CUDA programming guide, \"Prohibited and Unhandled "
                   "Operations\")");
}

WorkPointer Driver::captured(Stream &stream, const WorkPointer &work) {
  Capture &capture = *stream.place.capture;
  if (capture.isInvalid)
    fail(ERROR_STREAM_CAPTURE_INVALIDATED);
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
  if (place.capture && place.capture->isInvalid)
    fail(ERROR_STREAM_CAPTURE_INVALIDATED);
  if (place.capture && !other.capture)
    invalidate(*place.capture, ERROR_STREAM_CAPTURE_ISOLATION,
               "\"it is invalid to wait on a non-captured event from a stream "
               "which is being captured\" (CUDA programming guide; cuda.h, "
               "905)");
  if (!other.isActive())
    refuse(ERROR_CAPTURED_EVENT,
           "cuStreamWaitEvent: the event was last recorded in a capture that "
           "is over (cuda.h, 907)");
  if (other.capture->isInvalid)
    fail(ERROR_STREAM_CAPTURE_INVALIDATED);
  if (place.capture && place.capture != other.capture) {
    other.capture->isInvalid = true;
    invalidate(
        *place.capture, ERROR_STREAM_CAPTURE_MERGE,
        "\"it is invalid to merge two separate capture graphs by waiting "
        "on a captured event\" (CUDA programming guide; cuda.h, 902)");
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
    fail(ERROR_INVALID_VALUE);
  return *found->second;
}

} // namespace smex::emulated
