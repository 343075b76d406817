#include "runtime/backends/cuda/GpuWatchdog.h"

#include "runtime/backends/cuda/Exchanger.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <chrono>
#include <sstream>

using namespace smex;
using namespace smex::cuda;

namespace {
/// Seconds that a GPU may do nothing once the run was stopped.
constexpr double stoppedAfter = 5;
} // namespace

GpuWatchdog::GpuWatchdog(const CudaProgram &shared)
    : shared(shared), exchanged(shared.exchangers.size()) {
  const plan::Program &program = shared.program();
  for (size_t w = 0; w < shared.places.size(); ++w)
    for (int q = 0; q < int(queueCount); ++q) {
      Lane lane{int(w), q, {}};
      for (size_t i = 0; i < program.instructions.size(); ++i)
        if (int(plan::queueOf(program.instructions[i].op)) == q &&
            plan::written(shared.partitioned, int(w), int(i)))
          lane.instructions.push_back(int(i));
      if (!lane.instructions.empty())
        lanes.push_back(std::move(lane));
    }
  thread = std::thread([this] { watch(); });
  if (shared.exchanging)
    shared.transport.setSelfExamination([this] { return examine(); });
}

GpuWatchdog::~GpuWatchdog() {
  if (shared.exchanging)
    shared.transport.setSelfExamination({});
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  thread.join();
}

void GpuWatchdog::watch() {
  const double hungAfter = shared.options.hungAfter;
  double interval = std::min(1.0, hungAfter / 4);
  if (shared.exchanging) // others wait no longer than NCCL's watchdog
    interval = std::min(interval, nccl::hungSeconds() / 12);
  bool isStopped = false;
  // Looks are counted, and not time: while the whole process is stopped, or the
  // machine asleep, nothing goes on, and that is no GPU's fault.
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver) {
    changed.wait_for(lock, std::chrono::duration<double>(interval));
    if (isOver)
      return;
    lock.unlock();
    // A run that has failed has nothing to come to any more. From when it is
    // seen to have, it has some time to end by itself.
    const bool isStop = shared.transport.isStopped() && !isStopped;
    isStopped |= isStop;
    idle = goesOn() || isStop ? 0 : idle.load() + interval;
    const double limit =
        isStopped ? std::min(hungAfter, stoppedAfter) : hungAfter;
    if (idle >= limit && shared.options.hung) {
      shared.options.hung(whatHangs());
      return;
    }
    lock.lock();
  }
}

void GpuWatchdog::forgetInstructions() {
  const std::lock_guard<std::mutex> lock(looking);
  areForgotten = true;
  for (Lane &lane : lanes)
    lane.isBusy = false;
  isGraphBusy = isExchangeBusy = false;
}

bool GpuWatchdog::goesOn() {
  bool goesOn = false, isBusy = false;
  {
    const std::lock_guard<std::mutex> lock(looking);
    if (!areForgotten)
      goesOn = instructionsGoOn();
    for (const Lane &lane : lanes)
      isBusy |= lane.isBusy;
    isBusy |= isGraphBusy || isExchangeBusy;
  }
  const std::lock_guard<std::mutex> lock(looking);
  const int64_t before = waits.over;
  waits = shared.waits->look();
  goesOn |= waits.over != before;
  isBusy |= !waits.oldest.empty();
  return goesOn || !isBusy;
}

/// Follows the instructions of all lanes, and the graph.
bool GpuWatchdog::instructionsGoOn() {
  bool goesOn = false;
  for (Lane &lane : lanes)
    goesOn |= advance(lane);
  isExchangeBusy = false;
  for (size_t g = 0; g < shared.exchangers.size(); ++g)
    if (shared.gpus[g]->enter()) {
      const Exchanger::State state = shared.exchangers[g]->look();
      goesOn |= state.place != std::exchange(exchanged[g], state.place);
      isExchangeBusy |= state.waitsForKernel();
    }
  isGraphBusy = false;
  if (const StepGraph *graph = shared.graph.load()) {
    const auto [launched, done] = graph->progress();
    goesOn |= done != graphSteps;
    graphSteps = done;
    isGraphBusy = launched > done;
  }
  return goesOn;
}

/// Follows a lane's events as far as they have happened.
bool GpuWatchdog::advance(Lane &lane) {
  const int64_t recorded = shared.recorder.countOf(lane.worker, lane.queue);
  lane.isBusy = false;
  if (recorded == 0)
    return false;
  const int64_t count = int64_t(shared.program().instructions.size());
  const int64_t step = (recorded - 1) / count;
  const int last = int((recorded - 1) % count);
  const size_t before = lane.completed;
  const bool isNext = step != lane.step;
  if (isNext)
    lane.completed = 0;
  lane.step = step;
  const Gpu &gpu = *shared.places[size_t(lane.worker)].gpu;
  if (!gpu.enter())
    return false; // the worker's own thread meets the error
  for (; lane.completed < lane.instructions.size() &&
         lane.instructions[lane.completed] <= last;
       ++lane.completed) {
    const int instruction = lane.instructions[lane.completed];
    // Later steps record the events that are waited for; the others are as the
    // first step left them.
    Event event = shared.recorder.eventOf(lane.worker, instruction);
    if (event && gpu.driver.eventQuery(event) == errorNotReady) {
      lane.isBusy = true;
      break;
    }
  }
  return isNext || lane.completed != before;
}

bool GpuWatchdog::isCompleted(int worker, int instruction, int64_t step) const {
  for (const Lane &lane : lanes)
    if (lane.worker == worker &&
        std::binary_search(lane.instructions.begin(), lane.instructions.end(),
                           instruction)) {
      const size_t place =
          size_t(std::lower_bound(lane.instructions.begin(),
                                  lane.instructions.end(), instruction) -
                 lane.instructions.begin());
      return lane.step > step || (lane.step == step && place < lane.completed);
    }
  return true; // it does not do it
}

/// Whether what the lane has come to waits for nothing.
bool GpuWatchdog::isReady(const Lane &lane) const {
  if (shared.exchanging)
    return isReadyBesideExchanges(lane);
  const plan::Program &program = shared.program();
  const int instruction = lane.instructions[lane.completed];
  for (const Wait &wait : program.instructions[size_t(instruction)].waits)
    for (int other : groupOf(program.ways, lane.worker, wait.steps))
      if (!isCompleted(other, wait.instruction, lane.step))
        return false;
  return true;
}

/// Where transfers are exchanges, a worker waits for nothing of other GPUs.
bool GpuWatchdog::isReadyBesideExchanges(const Lane &lane) const {
  const size_t worker = size_t(lane.worker);
  const size_t instruction = size_t(lane.instructions[lane.completed]);
  const CudaProgram::Place &place = shared.places[worker];
  if (!place.gpu->enter())
    return false;
  for (const nccl::LocalWait &wait :
       shared.exchanging->waits[worker][instruction]) {
    if (wait.queue != Queue::Transfers) {
      if (!isCompleted(lane.worker, wait.instruction, lane.step))
        return false;
    } else if (Event event = place.exchanger->eventOf(wait.instruction);
               event && shared.driver.eventQuery(event) == errorNotReady) {
      return false;
    }
  }
  return true;
}

/// Whether no GPU of this process keeps others from going on.
bool GpuWatchdog::waitsForOthers() {
  const std::lock_guard<std::mutex> lock(looking);
  if (areForgotten)
    return true;
  bool areAllFree = true;
  for (size_t g = 0; g < shared.exchangers.size(); ++g) {
    const Gpu *gpu = shared.gpus[g].get();
    if (!gpu->enter())
      continue;
    const Exchanger::State state = shared.exchangers[g]->look();
    if (state.waitsForKernel())
      return false;
    const bool isFree = state.waitsForOthers();
    areAllFree &= isFree;
    for (const Lane &lane : lanes)
      if (!isFree && lane.isBusy &&
          shared.places[size_t(lane.worker)].gpu == gpu)
        return false;
  }
  return areAllFree || waits.oldest.empty();
}

std::string GpuWatchdog::examine() {
  const double seconds = idle;
  return seconds < nccl::hungSeconds() || waitsForOthers()
             ? ""
             : notCompleted(seconds, "SMEX_NCCL_TIMEOUT");
}

std::string GpuWatchdog::textOf(int worker, int instruction) const {
  return "worker " + std::to_string(worker) + ": node \"" +
         shared.program().instructions[size_t(instruction)].node +
         "\": instruction " + std::to_string(instruction);
}

std::string GpuWatchdog::gpuOf(int worker) const {
  return " (GPU " + std::to_string(shared.places[size_t(worker)].gpu->number) +
         ")";
}

/// Of the kernels that an exchange has beside NCCL.
std::string GpuWatchdog::whereExchangeHangs() const {
  for (size_t g = 0; g < shared.exchangers.size(); ++g) {
    const Exchanger &exchanger = *shared.exchangers[g];
    if (!shared.gpus[g]->enter())
      continue;
    if (const auto state = exchanger.look(); state.waitsForKernel())
      return textOf(exchanger.leader(), *state.instruction) +
             ", a kernel that packs, unpacks or combines" +
             gpuOf(exchanger.leader());
  }
  return "";
}

std::string GpuWatchdog::textOf(const Lane &lane) const {
  const int instruction = lane.instructions[lane.completed];
  // Between two events of later steps there may be others.
  size_t first = lane.completed;
  while (lane.step > 0 && first > 0 &&
         !shared.isWaitedFor[size_t(lane.instructions[first - 1])])
    --first;
  std::string text = textOf(lane.worker, instruction);
  if (first < lane.completed)
    text += ", or one of the " + std::to_string(lane.completed - first) +
            " before it";
  return text + gpuOf(lane.worker);
}

std::string GpuWatchdog::whereItHangs() {
  const std::lock_guard<std::mutex> lock(looking);
  std::string text = areForgotten ? "" : whereExchangeHangs();
  // What others wait for, if it can be told, and not those who wait.
  for (bool readyOnly : {true, false}) {
    for (const Lane &lane : lanes)
      if (text.empty() && lane.isBusy && (!readyOnly || isReady(lane)))
        text = textOf(lane);
  }
  if (!text.empty())
    return text;
  if (isGraphBusy)
    return "a step, which is one CUDA graph (--no-cuda-graphs tells at which "
           "instruction)";
  // Nobody waits for what comes last on a stream, so that it has no event.
  for (const Lane &lane : lanes)
    if (lane.worker == waits.worker && lane.step > 0 &&
        lane.completed == lane.instructions.size() &&
        !shared.isWaitedFor[size_t(lane.instructions.back())]) {
      Lane last = lane;
      --last.completed;
      return waits.oldest + ", where the last one is " + textOf(last);
    }
  return waits.oldest;
}

std::string GpuWatchdog::notCompleted(double seconds, const char *option) {
  std::ostringstream text;
  text << whereItHangs() << " has not completed, and nothing else has for "
       << seconds << " s (" << option
       << "): the GPU hangs, or a kernel does not end";
  return text.str();
}

Error GpuWatchdog::whatHangs() {
  if (shared.transport.isStopped())
    return shared.transport.reason();
  return {notCompleted(shared.options.hungAfter, "--watchdog"),
          Fault::Environment};
}
