// Capture of streams, and graphs.
#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Functions.h"

#include <algorithm>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

using namespace smex::emulated;

namespace {

Driver &driver() { return Driver::get(); }

constexpr int relaxed = 2; // CU_STREAM_CAPTURE_MODE_RELAXED

/// The nodes that are not before what `after` names.
std::vector<size_t> unjoined(const Graph &graph,
                             const std::vector<size_t> &after) {
  std::vector<bool> isBefore(graph.nodes.size());
  for (size_t node : after)
    isBefore[node] = true;
  // A node's number is greater than those that it is after.
  for (size_t node = graph.nodes.size(); node-- > 0;)
    if (isBefore[node])
      for (size_t each : graph.nodes[node].after)
        isBefore[each] = true;
  std::vector<size_t> others;
  for (size_t node = 0; node < isBefore.size(); ++node)
    if (!isBefore[node])
      others.push_back(node);
  return others;
}

/// "This call will take the associated streams out of capture mode"
/// (programming guide, "Invalidation"), though it returns an error; so does one
/// of another thread, as was seen of driver 580.159.
void end(std::shared_ptr<Capture> capture) {
  capture->isOver = true;
  for (Stream *each : capture->streams)
    each->place = {};
  driver().captures.erase(capture);
}

std::shared_ptr<Graph> ended(Stream &stream) {
  const std::shared_ptr<Capture> capture = stream.place.capture;
  if (!capture)
    refuse(ERROR_ILLEGAL_STATE, "the stream is not captured",
           cites::notInitiated);
  if (capture->origin != &stream)
    driver().invalidate(*capture, ERROR_STREAM_CAPTURE_UNMATCHED,
                        "the capture began in another stream", cites::origin);
  const std::vector<size_t> after = stream.place.after;
  end(capture);
  if (capture->mode != relaxed && capture->thread != std::this_thread::get_id())
    refuse(ERROR_STREAM_CAPTURE_WRONG_THREAD,
           "another thread began the capture, whose mode is not relaxed",
           cites::thread);
  if (capture->isInvalid)
    refuse(ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated",
           cites::noGraph);
  const std::vector<size_t> others = unjoined(capture->graph, after);
  const bool isWork =
      std::any_of(others.begin(), others.end(), [&](size_t node) {
        return capture->graph.nodes[node].work != nullptr;
      });
  if (!others.empty())
    refuse(ERROR_STREAM_CAPTURE_UNJOINED,
           "a stream that joined the capture by an event was not joined to the "
           "origin again",
           isWork ? cites::unjoined : cites::unjoinedIdle);
  return std::make_shared<Graph>(std::move(capture->graph));
}

void launch(GraphExec &exec, Stream &stream) {
  Driver &state = driver();
  if (stream.place.isActive())
    refuse(ERROR_NOT_SUPPORTED, "the stream is captured", cites::graphInGraph);
  if (!exec.wasLaunched)
    note(state.settings, "a graph of " +
                             std::to_string(exec.graph.nodes.size()) +
                             " nodes is launched for the first time");
  exec.wasLaunched = true;
  // "Each launch is ordered behind both any previous work in hStream and any
  // previous launches of hGraphExec" (cuda.h, cuGraphLaunch).
  std::vector<WorkPointer> before;
  if (exec.last)
    before.push_back(exec.last);
  const WorkPointer begin =
      state.submit(stream, "the begin of a graph", nullptr, before);
  std::vector<WorkPointer> made;
  for (const Graph::Node &node : exec.graph.nodes) {
    auto work = node.work ? std::make_shared<Work>(*node.work)
                          : std::make_shared<Work>();
    work->description =
        (node.work ? work->description : "a fork or join") + " of a graph";
    work->device = node.work ? work->device : stream.device->number;
    work->stream = exec.lanes[node.lane];
    work->number = ++exec.counts[node.lane];
    work->after = {begin};
    for (size_t each : node.after)
      work->after.push_back(made[each]);
    state.scheduler->submit(work);
    made.push_back(work);
  }
  exec.last = state.submit(stream, "the end of a graph", nullptr, made);
}

} // namespace

extern "C" {

int cuStreamBeginCapture_v2(void *handle, int mode) {
  return driver().call("cuStreamBeginCapture_v2", Driver::Current, [&] {
    if (mode < 0 || mode > relaxed)
      refuse(ERROR_INVALID_VALUE, "mode " + std::to_string(mode), cites::value);
    Stream &stream = driver().stream(handle);
    if (&stream == &stream.device->legacy)
      refuse(ERROR_STREAM_CAPTURE_UNSUPPORTED, "this is the legacy stream",
             cites::legacyCapture);
    if (stream.place.capture)
      refuse(ERROR_ILLEGAL_STATE, "the stream is captured already",
             cites::captureTwice);
    auto capture = std::make_shared<Capture>();
    capture->origin = &stream;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->streams.insert(&stream);
    stream.place = {capture, {}, capture->graph.lanes++};
    driver().captures.insert(capture);
  });
}

int cuStreamEndCapture(void *stream, void **graph) {
  return driver().call(
      "cuStreamEndCapture", Driver::Current,
      [&] {
        wanted(graph) = nullptr;
        const std::shared_ptr<Graph> made = ended(driver().stream(stream));
        driver().graphs[made.get()] = made;
        *graph = made.get();
      },
      [&] {
        if (graph)
          *graph = nullptr;
        for (Stream *each : driver().streams)
          if (each == stream && each->place.isActive())
            return end(each->place.capture);
      });
}

/// NONE, ACTIVE, INVALIDATED.
int cuStreamIsCapturing(void *stream, int *status) {
  return driver().call("cuStreamIsCapturing", Driver::Current, [&] {
    Stream &asked = driver().stream(stream);
    if (driver().orderedCapture(asked))
      refuse(ERROR_STREAM_CAPTURE_IMPLICIT,
             "a blocking stream of the legacy stream's context is captured",
             cites::askLegacy);
    const auto &capture = asked.place.capture;
    wanted(status) = !capture ? 0 : capture->isInvalid ? 2 : 1;
  });
}

int cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags) {
  return driver().call("cuGraphInstantiateWithFlags", Driver::Current, [&] {
    wanted(exec) = nullptr;
    auto found = driver().graphs.find(graph);
    if (found == driver().graphs.end())
      refuse(ERROR_INVALID_VALUE, "this is no graph", cites::graph);
    if (flags)
      refuse(ERROR_NOT_SUPPORTED, "flags " + std::to_string(flags),
             cites::graphFlags);
    auto made = std::make_shared<GraphExec>();
    made->graph = *found->second;
    made->counts.resize(made->graph.lanes);
    for (size_t lane = 0; lane < made->graph.lanes; ++lane)
      made->lanes.push_back(driver().nextStream++);
    driver().graphExecs[made.get()] = made;
    *exec = made.get();
  });
}

int cuGraphUpload(void *exec, void *stream) {
  return driver().call("cuGraphUpload", Driver::Current, [&] {
    driver().graphExec(exec);
    driver().submit(driver().stream(stream), "the upload of a graph", nullptr);
  });
}

int cuGraphLaunch(void *exec, void *stream) {
  return driver().call("cuGraphLaunch", Driver::Current, [&] {
    launch(driver().graphExec(exec), driver().stream(stream));
  });
}

/// "If the executable graph is in-flight, it will not be terminated, but rather
/// freed asynchronously on completion" (cuda.h): its works hold what they need.
int cuGraphExecDestroy(void *exec) {
  return driver().call("cuGraphExecDestroy", Driver::Current, [&] {
    driver().graphExec(exec);
    driver().graphExecs.erase(exec);
  });
}

int cuGraphDestroy(void *graph) {
  return driver().call("cuGraphDestroy", Driver::Current, [&] {
    if (!driver().graphs.erase(graph))
      refuse(ERROR_INVALID_VALUE, "this is no graph", cites::graph);
  });
}
}
