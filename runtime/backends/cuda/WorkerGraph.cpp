// A worker's part of a step that is one CUDA graph (StepGraph.h).
#include "runtime/backends/cuda/CudaWorker.h"

using namespace smex;
using namespace smex::cuda;

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
