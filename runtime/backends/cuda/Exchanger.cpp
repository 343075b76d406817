#include "runtime/backends/cuda/Exchanger.h"

#include "runtime/plan/Regions.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace smex;
using namespace smex::cuda;

namespace {

/// What the watchdog is told where no instruction is at hand.
constexpr int joining = -1, leaving = -2;

void *pointer(Address address) { return reinterpret_cast<void *>(address); }

} // namespace

Exchanger::Exchanger(CudaProgram &shared, size_t gpu, int leader)
    : shared(shared), gpu(gpu), leading(leader),
      rank(shared.exchanging->ranks.ofWorker[size_t(leader)]),
      watchdog([this](int what) { return whatHangs(what); },
               [this] { this->shared.transport.doubt(); },
               [this](const std::string &why) { end(why); }) {}

Exchanger::~Exchanger() {
  if (!shared.gpus[gpu]->enter())
    return;
  const Driver &driver = shared.driver;
  const nccl::Library &nccl = shared.exchanging->library;
  {
    nccl::Watchdog::Guard guard(watchdog, leaving);
    // Where not all ranks have come so far, or some have stopped, to destroy
    // would be to wait for them. What hangs ends so, or the watchdog ends it.
    const bool areAllThere = isBound && !shared.transport.isStopped();
    const auto leave = areAllThere ? nccl.destroy : nccl.abort;
    for (const auto &[steps, group] : groups)
      if (group)
        leave(group);
    if (world)
      leave(world);
  }
  for (Event event : events)
    if (event)
      driver.eventDestroy(event);
  for (const Timed &each : timed)
    for (Event event : {each.start, each.end})
      if (event)
        driver.eventDestroy(event);
  if (began)
    driver.eventDestroy(began);
  if (stream)
    driver.streamDestroy(stream);
}

Status Exchanger::check(Code code, const char *what) const {
  if (code == success)
    return {};
  return shared.driver.check(
      code, "GPU " + std::to_string(shared.gpus[gpu]->number) + ": " + what);
}

Status Exchanger::checkNccl(nccl::Code code, const char *what) const {
  if (code == nccl::success)
    return {};
  return shared.exchanging->library.check(
      code, "rank " + std::to_string(rank) + ": " + what, world);
}

void Exchanger::end(const std::string &why) const {
  // Where there are other processes, they end together.
  if (!shared.transport.abandon(why))
    nccl::endProcess(why);
}

std::string Exchanger::whatHangs(int instruction) const {
  std::string what = "rank " + std::to_string(rank) + " (worker " +
                     std::to_string(leading) + "): no progress for " +
                     std::to_string(int(nccl::timeoutSeconds())) + " s ";
  if (instruction == joining)
    what += "in making NCCL's communicators";
  else if (instruction == leaving)
    what += "in leaving NCCL's communicators";
  else
    what += "in instruction " + std::to_string(instruction) + " (node \"" +
            shared.program().instructions[size_t(instruction)].node + "\")";
  what += ": another rank has died, or hangs";
  if (shared.transport.isStopped())
    what += "; the run was stopped: " + shared.transport.reason().message;
  return what;
}

Status Exchanger::place(const std::function<Address(size_t, int64_t)> &take) {
  auto made = exchangesOf(shared, gpu, take(gpu, 0));
  if (!made)
    return made.takeError();
  sizes = std::move(*made);
  tables = take(gpu, int64_t(sizes.tables.size()));
  return {};
}

Status Exchanger::join() {
  if (Status entered = shared.gpus[gpu]->enter(); !entered)
    return entered;
  const Exchanging &exchanging = *shared.exchanging;
  // Nothing of the plan is looked at once NCCL has been called: whoever waits
  // for this thread may have given up, and the plan be gone.
  std::vector<std::pair<StepSet, int>> leasts;
  for (StepSet steps : exchanging.groups)
    leasts.emplace_back(steps,
                        groupOf(shared.program().ways, leading, steps).front());
  nccl::Watchdog::Guard guard(watchdog, joining);
  if (Status made =
          checkNccl(exchanging.library.initRank(&world, exchanging.ranks.count,
                                                exchanging.id, rank),
                    "making a communicator");
      !made)
    return made;
  for (const auto &[steps, least] : leasts) {
    nccl::Communicator &group = groups[steps];
    // Each worker is a rank of its own here, so that the least member names the
    // group; its ranks are in the order of the workers.
    if (Status made = checkNccl(
            exchanging.library.split(world, least, leading, &group, nullptr),
            "making the communicator of a group");
        !made)
      return made;
  }
  return {};
}

Status Exchanger::start() {
  const Driver &driver = shared.driver;
  tables = shared.settled(tables);
  if (Status made = check(driver.streamCreate(&stream, streamNonBlocking),
                          "making a stream");
      !made)
    return made;
  events.assign(shared.program().instructions.size(), nullptr);
  for (const Exchange &each : sizes.list)
    if (Status made =
            check(driver.eventCreate(&events[size_t(each.instruction)],
                                     eventDisableTiming),
                  "making an event");
        !made)
      return made;
  if (!shared.options.trace)
    return {};
  timed.resize(sizes.list.size());
  std::vector<Event *> wanted = {&began};
  for (Timed &each : timed)
    wanted.insert(wanted.end(), {&each.start, &each.end});
  for (Event *event : wanted)
    if (Status made = check(driver.eventCreate(event, 0), "making an event");
        !made)
      return made;
  return {};
}

Status Exchanger::bind() {
  auto made = exchangesOf(shared, gpu, tables);
  if (!made)
    return made.takeError();
  isBound = true;
  all = std::move(*made);
  for (Exchange &each : all.list)
    for (ExchangeRound &round : each.rounds)
      for (auto *launches : {&round.packs, &round.unpacks})
        for (OwnLaunch &launch : *launches) {
          auto function = shared.gpus[gpu]->own->find(launch.symbol);
          if (!function)
            return function.takeError();
          launch.function = *function;
          for (uint64_t &argument : launch.arguments)
            launch.parameters.push_back(&argument);
        }
  if (all.tables.empty())
    return {};
  return shared.gpus[gpu]->write(tables, all.tables.data(), all.tables.size(),
                                 stream, {"writing to its memory", leading});
}

Status Exchanger::begin(int64_t step) {
  base = step * int64_t(shared.program().instructions.size());
  next = over = 0;
  if (!shared.options.trace)
    return {};
  beganAt = runtime::clockSeconds();
  return check(shared.driver.eventRecord(began, stream), "recording an event");
}

/// All ranks must come to the same answer, also where the worker has nothing to
/// do but send.
bool Exchanger::isSkipped(int instruction) const {
  const plan::Program &program = shared.program();
  const plan::Instruction &what = program.instructions[size_t(instruction)];
  const int tensor = program.buffers[size_t(what.to)].tensor;
  return shared.options.skipCopies &&
         isFloat(program.tensors[size_t(tensor)].type.dtype);
}

Status Exchanger::submitBelow(int instruction) {
  for (; next < all.list.size() && all.list[next].instruction < instruction;
       ++next) {
    const Exchange &exchange = all.list[next];
    for (runtime::Event event : exchange.waits) {
      event.count += base;
      if (event.worker != leading &&
          !shared.recorder.wait(event, shared.transport))
        return {};
    }
    if (Status done = put(exchange); !done)
      return runtime::atNode(
          shared.program().instructions[size_t(exchange.instruction)],
          done.takeError());
    shared.recorder.recorded(
        {leading, int(Queue::Transfers), base + exchange.instruction + 1});
  }
  return {};
}

Status Exchanger::put(const Exchange &exchange) {
  const Driver &driver = shared.driver;
  for (const runtime::Event &event : exchange.waits)
    if (Status waits = check(
            driver.streamWaitEvent(stream, shared.recorder.eventOf(event), 0),
            "waiting for an event");
        !waits)
      return waits;
  const bool isTimed = shared.options.trace;
  const auto record = [&](Event event) {
    return check(driver.eventRecord(event, stream), "recording an event");
  };
  if (isTimed)
    if (Status recorded = record(timed[next].start); !recorded)
      return recorded;
  if (!isSkipped(exchange.instruction))
    for (const ExchangeRound &round : exchange.rounds)
      if (Status done = put(round, exchange.instruction); !done)
        return done;
  if (isTimed)
    if (Status recorded = record(timed[next].end); !recorded)
      return recorded;
  return record(events[size_t(exchange.instruction)]);
}

/// The stream orders rounds: what one has unpacked, the next one may pack over.
Status Exchanger::put(const ExchangeRound &round, int instruction) {
  for (const OwnLaunch &each : round.packs)
    if (Status launched = launch(each); !launched)
      return launched;
  if (Status moved = transfer(round, instruction); !moved)
    return moved;
  for (const OwnLaunch &each : round.unpacks)
    if (Status launched = launch(each); !launched)
      return launched;
  return {};
}

Status Exchanger::transfer(const ExchangeRound &round, int instruction) {
  if (!round.moves())
    return {};
  const nccl::Library &nccl = shared.exchanging->library;
  nccl::Watchdog::Guard guard(watchdog, instruction);
  if (round.gather)
    return checkNccl(nccl.allGather(pointer(round.gather->from),
                                    pointer(round.gather->to),
                                    size_t(round.gather->bytes), nccl::typeInt8,
                                    groups.at(round.gather->over), stream),
                     "ncclAllGather");
  if (Status begun = checkNccl(nccl.groupStart(), "ncclGroupStart"); !begun)
    return begun;
  Status done;
  for (const ExchangeRound::Transfer &each : round.sends)
    if (done)
      done = checkNccl(nccl.send(pointer(each.at), size_t(each.bytes),
                                 nccl::typeInt8, each.rank, world, stream),
                       "ncclSend");
  for (const ExchangeRound::Transfer &each : round.receives)
    if (done)
      done = checkNccl(nccl.receive(pointer(each.at), size_t(each.bytes),
                                    nccl::typeInt8, each.rank, world, stream),
                       "ncclRecv");
  Status ended = checkNccl(nccl.groupEnd(), "ncclGroupEnd");
  return done ? std::move(ended) : std::move(done);
}

Status Exchanger::launch(const OwnLaunch &what) {
  return check(shared.driver.launchKernel(
                   what.function, what.gridX, what.gridY, 1, what.threads, 1, 1,
                   0, stream, const_cast<void **>(what.parameters.data()),
                   nullptr),
               "launching a kernel");
}

bool Exchanger::wait(int instruction, int64_t step) {
  const int64_t count = int64_t(shared.program().instructions.size());
  return shared.recorder.wait(
      {leading, int(Queue::Transfers), step * count + instruction + 1},
      shared.transport);
}

/// Whether all that the exchange waits for on this GPU is over, so that only
/// other ranks may keep it from going on.
bool Exchanger::hasBegun(const Exchange &exchange) const {
  return std::all_of(exchange.waits.begin(), exchange.waits.end(),
                     [&](const runtime::Event &event) {
                       return shared.driver.eventQuery(
                                  shared.recorder.eventOf(event)) == success;
                     });
}

bool Exchanger::waitsForOthers() const {
  for (size_t i = 0; i < next; ++i)
    if (shared.driver.eventQuery(events[size_t(all.list[i].instruction)]) ==
        errorNotReady)
      return hasBegun(all.list[i]);
  return false;
}

Status Exchanger::finish() {
  const Driver &driver = shared.driver;
  double since = runtime::clockSeconds();
  for (int round = 0;; ++round) {
    const Code code = driver.streamQuery(stream);
    if (code == success)
      return {};
    if (code != errorNotReady)
      return check(code, "waiting for its stream");
    if (shared.transport.isStopped())
      return {};
    const size_t before = over;
    while (over < all.list.size() &&
           driver.eventQuery(events[size_t(all.list[over].instruction)]) ==
               success)
      ++over;
    const int at =
        over < all.list.size() ? all.list[over].instruction : joining;
    nccl::Code error = nccl::success;
    if (Status asked =
            checkNccl(shared.exchanging->library.getAsyncError(world, &error),
                      "ncclCommGetAsyncError");
        !asked)
      return asked;
    if (error != nccl::success && error != nccl::inProgress)
      return runtime::atNode(
          shared.program().instructions[size_t(std::max(at, 0))],
          checkNccl(error, "an exchange").takeError());
    const double now = runtime::clockSeconds();
    if (over > before || at < 0 || !hasBegun(all.list[over]))
      since = now;
    else if (now - since > nccl::timeoutSeconds())
      end(whatHangs(at));
    else if (now - since > nccl::doubtSeconds())
      shared.transport.doubt();
    std::this_thread::sleep_for(
        std::chrono::microseconds(round < 1000 ? 20 : 500));
  }
}

Result<std::vector<runtime::Executed>> Exchanger::executed(int worker) {
  std::vector<runtime::Executed> list;
  for (size_t i = 0; i < timed.size() && i < next; ++i) {
    const int instruction = all.list[i].instruction;
    if (!plan::written(shared.partitioned, worker, instruction))
      continue;
    float start = 0, seconds = 0;
    for (const auto &[to, from, until] :
         {std::tuple(&start, began, timed[i].start),
          std::tuple(&seconds, timed[i].start, timed[i].end)})
      if (Status known = check(shared.driver.eventElapsedTime(to, from, until),
                               "reading the time");
          !known)
        return known.takeError();
    list.push_back({instruction, beganAt + start / 1e3, seconds / 1e3});
  }
  return list;
}
