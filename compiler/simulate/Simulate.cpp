#include "compiler/simulate/Simulate.h"

#include "compiler/machine/Routes.h"
#include "compiler/simulate/Cost.h"
#include "compiler/simulate/Flows.h"
#include "runtime/plan/Totals.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

using namespace smex;
using namespace smex::simulate;
using machines::Route;
using machines::Routes;
using plan::Opcode;

namespace {

class Run {
public:
  Run(const plan::Partitioned &partitioned, const Machine &machine,
      const Options &options)
      : partitioned(partitioned), program(partitioned.program),
        machine(machine), options(options),
        cost(partitioned, machine, options.lists), routes(machine),
        flows(ratesOf(machine)),
        lanes(partitioned.workers.size() * queueCount) {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      lists[queueAt(int(i))].push_back(int(i));
    result.gpus.resize(partitioned.workers.size());
    result.links.resize(machine.links.size());
    for (size_t w = 0; w < partitioned.workers.size(); ++w)
      memories.push_back({memoryOf(machine.gpus[w])});
    findIssued();
  }

  Simulation run() {
    for (size_t lane = 0; lane < lanes.size(); ++lane)
      ready.push_back(int(lane));
    goOn();
    std::vector<int> ended;
    while (true) {
      const double timed = due.empty() ? std::numeric_limits<double>::infinity()
                                       : due.top().time;
      const double flowing = flows.nextEnd();
      const double next = std::min(timed, flowing);
      if (next == std::numeric_limits<double>::infinity())
        break;
      now = std::max(now, next);
      ended.clear();
      flows.advance(now, ended);
      for (int lane : ended)
        finishPart(lane);
      for (; !due.empty() && due.top().time <= now; due.pop())
        happen(due.top());
      std::sort(ready.begin(), ready.end());
      goOn();
    }
    finish();
    return std::move(result);
  }

private:
  /// A queue of a worker.
  struct Lane {
    size_t done = 0; // instructions of its list that have completed
    int parts = 0;   // of the next one that are under way
    size_t event = 0;
    /// Who waits for an instruction of this lane: (instruction, who).
    std::vector<std::pair<int, int>> sleepers;
  };
  /// Sources of Due that are no worker.
  enum { partDone = -1, fromSpace = -2, fromMemory = -3, issued = -4 };
  /// Something that happens at a known time: a flow to the lane's worker
  /// starts, or one between it and the host, or between a kernel and its
  /// memory; or a part of the lane's instruction is done; or the host has
  /// issued the next one.
  struct Due {
    double time;
    int lane, source;
    double bytes = 0;
    const std::vector<int> *resources = nullptr; // of the flow that starts
    double most = std::numeric_limits<double>::infinity();
    bool operator>(const Due &other) const {
      if (time != other.time)
        return time > other.time;
      return std::pair(lane, source) > std::pair(other.lane, other.source);
    }
  };

  size_t queueAt(int instruction) const {
    if (options.inOrder)
      return 0; // one for all
    return size_t(plan::queueOf(program.instructions[size_t(instruction)].op));
  }
  static int workerOf(int lane) { return lane / queueCount; }
  int laneOf(int worker, int instruction) const {
    return worker * queueCount + int(queueAt(instruction));
  }
  /// The lane's first instruction that has not completed.
  int next(int lane) const {
    const std::vector<int> &list = lists[size_t(lane) % queueCount];
    const size_t done = lanes[size_t(lane)].done;
    return done < list.size() ? list[done] : int(program.instructions.size());
  }

  void happen(const Due &what) {
    if (what.source == partDone)
      return finishPart(what.lane);
    if (what.source == issued)
      return ready.push_back(what.lane);
    flows.start(what.lane, *what.resources, what.bytes, what.most);
  }

  double launchOf(int lane) const {
    return machine.deviceOf(workerOf(lane)).launchSeconds;
  }

  /// A node's resource (machines::capacities) is its memory where it is a GPU,
  /// since no GPU passes anything on.
  static std::vector<double> ratesOf(const Machine &machine) {
    std::vector<double> rates = machines::capacities(machine);
    for (int gpu : machine.gpus)
      rates[2 * machine.links.size() + size_t(gpu)] =
          machine.devices[size_t(machine.nodes[size_t(gpu)].device)]
              .memoryRate();
    return rates;
  }
  int memoryOf(int gpu) const { return int(2 * machine.links.size()) + gpu; }

  /// From one node to another, with the memories of those that are GPUs.
  const Route &routeOf(int from, int to) {
    const auto [place, isNew] = ways.try_emplace({from, to});
    Route &way = place->second;
    if (isNew) {
      way = routes.between(from, to);
      for (int end : {from, to})
        if (machine.nodes[size_t(end)].kind == machines::NodeKind::Gpu)
          way.resources.push_back(memoryOf(end));
    }
    return way;
  }

  /// When the host has issued each instruction of each worker, if that takes
  /// time at all.
  void findIssued() {
    issuedAt.resize(partitioned.workers.size());
    for (size_t w = 0; w < issuedAt.size(); ++w) {
      const double seconds = machine.deviceOf(int(w)).issueSeconds;
      double clock = 0;
      for (size_t i = 0; seconds > 0 && i < program.instructions.size(); ++i) {
        if (cost.hasWork(int(w), int(i)) && !cost.isDoneBefore(int(w), int(i)))
          clock += seconds;
        issuedAt[w].push_back(clock);
      }
    }
  }

  void finishPart(int number) {
    Lane &lane = lanes[size_t(number)];
    if (--lane.parts > 0)
      return;
    Event &event = result.events[lane.event];
    event.end = now;
    GpuUse &use = result.gpus[size_t(event.worker)];
    const bool compute =
        program.instructions[size_t(event.instruction)].op == Opcode::Compute;
    (compute ? use.computeSeconds : use.transferSeconds) += now - event.start;
    complete(number);
    ready.push_back(number);
  }

  void complete(int number) {
    const int done = next(number);
    Lane &lane = lanes[size_t(number)];
    ++lane.done;
    auto &sleepers = lane.sleepers;
    const auto woken = std::partition(
        sleepers.begin(), sleepers.end(),
        [&](const auto &sleeper) { return sleeper.first > done; });
    for (auto sleeper = woken; sleeper != sleepers.end(); ++sleeper)
      ready.push_back(sleeper->second);
    sleepers.erase(woken, sleepers.end());
  }

  /// Whether the instruction has to wait; if so, its lane is woken in time.
  bool mustWait(int lane, int instruction) {
    const int w = workerOf(lane);
    if (!cost.hasWork(w, instruction))
      return false;
    for (const Wait wait : program.instructions[size_t(instruction)].waits)
      for (int worker : groupOf(program.ways, w, wait.steps)) {
        const int other = laneOf(worker, wait.instruction);
        if (next(other) > wait.instruction ||
            !cost.hasWork(worker, wait.instruction))
          continue;
        lanes[size_t(other)].sleepers.emplace_back(wait.instruction, lane);
        return true;
      }
    const std::vector<double> &times = issuedAt[size_t(w)];
    if (times.empty() || times[size_t(instruction)] <= now)
      return false;
    due.push({times[size_t(instruction)], lane, issued});
    return true;
  }

  /// Starts what can start; who has nothing to do completes at once, which may
  /// wake others.
  void goOn() {
    for (size_t i = 0; i < ready.size(); ++i) {
      const int lane = ready[i];
      while (next(lane) < int(program.instructions.size()) &&
             !mustWait(lane, next(lane)) && !start(lane, next(lane)))
        complete(lane);
    }
    ready.clear();
  }

  /// False if there is nothing to do.
  bool start(int number, int instruction) {
    const int w = workerOf(number);
    if (!cost.hasWork(w, instruction))
      return false;
    Lane &lane = lanes[size_t(number)];
    lane.event = result.events.size();
    result.events.push_back({w, instruction, now, now});
    lane.parts = 1;
    if (program.instructions[size_t(instruction)].op == Opcode::Compute) {
      if (cost.isDoneBefore(w, instruction))
        due.push({now, number, partDone});
      else
        useMemory(number, measured(cost.compute(w, instruction), instruction));
      return true;
    }
    if (plan::isMove(program.instructions[size_t(instruction)].op)) {
      moveBetweenSpaces(number, instruction);
      return true;
    }
    useMemory(number, cost.local(w, instruction));
    if (!options.skipCopies)
      startFlows(number, instruction);
    return true;
  }

  Demand measured(Demand counted, int instruction) const {
    const int buffer = program.instructions[size_t(instruction)].to;
    if (!options.slowdowns.empty())
      counted.seconds *=
          options.slowdowns[size_t(program.buffers[size_t(buffer)].tensor)];
    return counted;
  }

  /// After a launch, a kernel asks for its bytes evenly, over the time that it
  /// takes alone: it takes longer if copies leave it less than that.
  void useMemory(int lane, const Demand &demand) {
    const double start = now + launchOf(lane);
    if (demand.bytes > 0 && demand.seconds > 0)
      due.push({start, lane, fromMemory, demand.bytes,
                &memories[size_t(workerOf(lane))],
                demand.bytes / demand.seconds});
    else
      due.push({start + demand.seconds, lane, partDone});
  }

  void moveBetweenSpaces(int lane, int instruction) {
    const plan::Instruction &what = program.instructions[size_t(instruction)];
    const int64_t bytes = volume(partitioned.box(workerOf(lane), what.to)) *
                          byteSize(plan::elementType(program, what.to));
    add(result.hostTraffic.of(what.op), bytes);
    const Route &route = hostRouteOf(workerOf(lane), what.op);
    for (Route::Hop hop : route.hops) {
      LinkUse &link = result.links[size_t(hop.link)];
      add(hop.forward ? link.forwardBytes : link.backwardBytes, bytes);
    }
    due.push({now + launchOf(lane) + route.latencySeconds, lane, fromSpace,
              double(bytes), &route.resources});
  }

  /// What a worker's moves take, to the host or from it: simulate() has seen
  /// that there is a way.
  const Route &hostRouteOf(int worker, Opcode op) {
    const int gpu = machine.gpus[size_t(worker)];
    const int host = *nearestHost(machine, routes, gpu);
    return plan::queueOf(op) == Queue::ToHost ? routeOf(gpu, host)
                                              : routeOf(host, gpu);
  }

  /// One flow from each worker that pieces come from.
  void startFlows(int lane, int instruction) {
    const int w = workerOf(lane);
    std::map<int, int64_t> bytes;
    const int64_t size = byteSize(plan::elementType(
        program, program.instructions[size_t(instruction)].from));
    for (const Piece &piece : plan::piecesOf(partitioned, w, instruction))
      if (const int64_t part = volume(piece.box) * size;
          piece.worker != w && part > 0)
        add(bytes[piece.worker], part);
    for (const auto &[source, amount] : bytes) {
      const Route &route =
          routeOf(machine.gpus[size_t(source)], machine.gpus[size_t(w)]);
      for (Route::Hop hop : route.hops) {
        LinkUse &link = result.links[size_t(hop.link)];
        add(hop.forward ? link.forwardBytes : link.backwardBytes, amount);
      }
      add(result.gpus[size_t(w)].receivedBytes, amount);
      ++lanes[size_t(lane)].parts;
      due.push({now + launchOf(lane) + route.latencySeconds, lane, source,
                double(amount), &route.resources});
    }
  }

  void finish() {
    result.stepSeconds = now;
    for (size_t w = 0; w < result.gpus.size(); ++w) {
      GpuUse &use = result.gpus[w];
      use.exposedSeconds = std::max(0.0, now - use.computeSeconds);
      use.peakBytes = partitioned.workers[w].arenaBytes;
      add(result.communicationBytes, use.receivedBytes);
    }
    std::sort(result.events.begin(), result.events.end(),
              [](const Event &a, const Event &b) {
                return std::tuple(a.start, a.worker, a.instruction) <
                       std::tuple(b.start, b.worker, b.instruction);
              });
  }

  static void add(int64_t &sum, int64_t bytes) {
    sum = plan::Traffic::saturatingAdd(sum, bytes);
  }
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const Machine &machine;
  const Options &options;
  Cost cost;
  Routes routes;
  std::map<std::pair<int, int>, Route> ways; // between nodes
  std::vector<std::vector<int>> memories;    // per worker, its only resource
  std::vector<std::vector<double>> issuedAt; // per worker and instruction
  Flows flows;
  Simulation result;
  std::vector<int> lists[queueCount]; // each queue's instructions
  std::vector<Lane> lanes; // of all workers: worker * queueCount + queue
  std::vector<int> ready;  // lanes that may be able to start their next one
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
  double now = 0;
};

double recomputed(const plan::Program &program, const Simulation &simulation) {
  std::vector<bool> isRepeated(program.instructions.size());
  for (int i : plan::repeated(program))
    isRepeated[size_t(i)] = true;
  std::vector<double> seconds(simulation.gpus.size());
  for (const Event &event : simulation.events)
    if (isRepeated[size_t(event.instruction)])
      seconds[size_t(event.worker)] += event.end - event.start;
  return seconds.empty() ? 0
                         : *std::max_element(seconds.begin(), seconds.end());
}

} // namespace

Result<Simulation> simulate::simulate(const plan::Partitioned &partitioned,
                                      const Machine &machine,
                                      const Options &options) {
  if (partitioned.workers.size() > machine.gpus.size())
    return fail("the plan is for ", partitioned.workers.size(), " GPUs, and ",
                machine.name, " has ", machine.gpus.size());
  const auto &instructions = partitioned.program.instructions;
  const bool hasMoves = std::any_of(
      instructions.begin(), instructions.end(),
      [](const plan::Instruction &each) { return plan::isMove(each.op); });
  Routes routes(machine);
  for (size_t w = 0; hasMoves && w < partitioned.workers.size(); ++w)
    if (!nearestHost(machine, routes, machine.gpus[w]))
      return fail("the plan puts data in the host's memory, to which ",
                  machine.name, " has no way from ",
                  machine.nodeOf(int(w)).name);
  Simulation result = Run(partitioned, machine, options).run();
  result.recomputedSeconds = recomputed(partitioned.program, result);
  return result;
}
