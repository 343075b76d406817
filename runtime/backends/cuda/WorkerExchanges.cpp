// What a worker does where transfers are exchanges by NCCL (Exchanger.h).
#include "runtime/backends/cuda/CudaWorker.h"
#include "runtime/backends/cuda/Exchanger.h"

#include <chrono>
#include <thread>

using namespace smex;
using namespace smex::cuda;

/// Whether it is the one that puts its GPU's exchanges on their stream.
bool CudaWorker::leads() {
  return exchanger() && exchanger()->leader() == number;
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
