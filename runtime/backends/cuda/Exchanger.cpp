#include "runtime/backends/cuda/Exchanger.h"

#include "runtime/plan/Regions.h"

using namespace smex;
using namespace smex::cuda;

namespace {

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
  parts = nullptr;
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
  if (shared.isWatched()) {
    parts = std::make_unique<ExchangeParts>(driver);
    if (Status made = check(parts->start(sizes.list), "making an event"); !made)
      return made;
  }
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
  if (parts)
    parts->begin(next);
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
  if (Status launched = launch(round.packs); !launched)
    return launched;
  if (Status moved = transfer(round, instruction); !moved)
    return moved;
  return launch(round.unpacks);
}

Status Exchanger::enter(ExchangeParts::Part part) {
  return parts ? check(parts->enter(part, stream), "recording an event")
               : Status();
}

Status Exchanger::transfer(const ExchangeRound &round, int instruction) {
  if (!round.moves())
    return {};
  if (Status entered = enter(ExchangeParts::Part::Others); !entered)
    return entered;
  const nccl::Library &nccl = shared.exchanging->library;
  nccl::Watchdog::Guard guard(watchdog, instruction);
  if (round.gather)
    return checkNccl(nccl.allGather(pointer(round.gather->from),
                                    pointer(round.gather->to),
                                    size_t(round.gather->bytes), nccl::typeInt8,
                                    groups.at(round.gather->over), stream),
                     "ncclAllGather");
  if (round.sum) {
    const ExchangeRound::Sum &sum = *round.sum;
    return checkNccl((sum.isScattered ? nccl.reduceScatter : nccl.allReduce)(
                         pointer(sum.from), pointer(sum.to),
                         size_t(sum.elements), sum.type, nccl::operationSum,
                         groups.at(sum.over), stream),
                     sum.isScattered ? "ncclReduceScatter" : "ncclAllReduce");
  }
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

Status Exchanger::launch(const std::vector<OwnLaunch> &all) {
  if (all.empty())
    return {};
  if (Status entered = enter(ExchangeParts::Part::Own); !entered)
    return entered;
  for (const OwnLaunch &what : all)
    if (Status launched = check(
            shared.driver.launchKernel(
                what.function, what.gridX, what.gridY, 1, what.threads, 1, 1, 0,
                stream, const_cast<void **>(what.parameters.data()), nullptr),
            "launching a kernel");
        !launched)
      return launched;
  return {};
}
