#include "compiler/simulate/Simulate.h"

#include "compiler/simulate/Cost.h"
#include "compiler/simulate/Flows.h"
#include "runtime/plan/Totals.h"

#include <algorithm>
#include <limits>
#include <queue>

using namespace smex;
using namespace smex::simulate;
using plan::Opcode;

namespace {

class Run {
public:
  Run(const plan::Partitioned &partitioned, const Machine &machine,
      const Options &options)
      : partitioned(partitioned), program(partitioned.program),
        machine(machine), options(options), cost(partitioned, machine.device),
        routes(machine), flows(capacities(machine)),
        workers(partitioned.workers.size()) {
    result.gpus.resize(workers.size());
    result.links.resize(machine.links.size());
  }

  Simulation run() {
    for (size_t w = 0; w < workers.size(); ++w)
      ready.push_back(int(w));
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
      for (int worker : ended)
        finishPart(worker);
      for (; !due.empty() && due.top().time <= now; due.pop())
        happen(due.top());
      std::sort(ready.begin(), ready.end());
      goOn();
    }
    finish();
    return std::move(result);
  }

private:
  struct Worker {
    int next = 0;  // instruction that has not completed
    int parts = 0; // of it that are under way
    size_t event = 0;
    /// Who waits for an instruction of this worker: (instruction, who).
    std::vector<std::pair<int, int>> sleepers;
  };
  /// Something that happens at a known time: a flow to `worker` starts, or a
  /// part of its instruction is done (source < 0).
  struct Due {
    double time;
    int worker, source;
    double bytes;
    bool operator>(const Due &other) const {
      if (time != other.time)
        return time > other.time;
      return std::pair(worker, source) > std::pair(other.worker, other.source);
    }
  };

  void happen(const Due &what) {
    if (what.source < 0)
      return finishPart(what.worker);
    const Route &route = routeOf(what.source, what.worker);
    flows.start(what.worker, route.resources, what.bytes);
  }

  const Route &routeOf(int from, int to) {
    return routes.between(machine.gpus[size_t(from)], machine.gpus[size_t(to)]);
  }

  void finishPart(int w) {
    Worker &worker = workers[size_t(w)];
    if (--worker.parts > 0)
      return;
    Event &event = result.events[worker.event];
    event.end = now;
    GpuUse &use = result.gpus[size_t(w)];
    const bool compute =
        program.instructions[size_t(worker.next)].op == Opcode::Compute;
    (compute ? use.computeSeconds : use.communicationSeconds) +=
        now - event.start;
    complete(w);
    ready.push_back(w);
  }

  void complete(int w) {
    Worker &worker = workers[size_t(w)];
    const int done = worker.next++;
    auto &sleepers = worker.sleepers;
    const auto woken = std::partition(
        sleepers.begin(), sleepers.end(),
        [&](const auto &sleeper) { return sleeper.first > done; });
    for (auto sleeper = woken; sleeper != sleepers.end(); ++sleeper)
      ready.push_back(sleeper->second);
    sleepers.erase(woken, sleepers.end());
  }

  /// Whether the instruction has to wait; if so, the worker is woken in time.
  bool mustWait(int w, int instruction) {
    for (const plan::Wait &wait : share(w, instruction).waits) {
      Worker &other = workers[size_t(wait.worker)];
      if (other.next <= wait.instruction) {
        other.sleepers.emplace_back(wait.instruction, w);
        return true;
      }
    }
    return false;
  }

  /// Starts what can start; who has nothing to do completes at once, which may
  /// wake others.
  void goOn() {
    for (size_t i = 0; i < ready.size(); ++i) {
      const int w = ready[i];
      Worker &worker = workers[size_t(w)];
      while (worker.next < int(program.instructions.size()) &&
             !mustWait(w, worker.next) && !start(w, worker.next))
        complete(w);
    }
    ready.clear();
  }

  /// False if there is nothing to do.
  bool start(int w, int instruction) {
    if (!cost.hasWork(w, instruction))
      return false;
    Worker &worker = workers[size_t(w)];
    worker.event = result.events.size();
    result.events.push_back({w, instruction, now, now});
    worker.parts = 1;
    if (program.instructions[size_t(instruction)].op == Opcode::Compute) {
      due.push({now + cost.computeSeconds(w, instruction), w, -1, 0});
      return true;
    }
    due.push({now + cost.localSeconds(w, instruction), w, -1, 0});
    if (!options.skipCopies)
      startFlows(w, instruction);
    return true;
  }

  /// One flow from each worker that pieces come from.
  void startFlows(int w, int instruction) {
    std::map<int, int64_t> bytes;
    const int buffer = program.instructions[size_t(instruction)].to;
    const int tensor = program.buffers[size_t(buffer)].tensor;
    const int64_t size = byteSize(program.tensors[size_t(tensor)].type.dtype);
    for (const plan::Piece &piece : share(w, instruction).pieces)
      if (const int64_t part = volume(piece.box) * size;
          piece.worker != w && part > 0)
        add(bytes[piece.worker], part);
    for (const auto &[source, amount] : bytes) {
      const Route &route = routeOf(source, w);
      for (Route::Hop hop : route.hops) {
        LinkUse &link = result.links[size_t(hop.link)];
        add(hop.forward ? link.forwardBytes : link.backwardBytes, amount);
      }
      add(result.gpus[size_t(w)].receivedBytes, amount);
      ++workers[size_t(w)].parts;
      due.push({now + machine.device.launchSeconds + route.latencySeconds, w,
                source, double(amount)});
    }
  }

  void finish() {
    result.stepSeconds = now;
    for (size_t w = 0; w < workers.size(); ++w) {
      GpuUse &use = result.gpus[w];
      use.idleSeconds =
          std::max(0.0, now - use.computeSeconds - use.communicationSeconds);
      use.peakBytes = partitioned.workers[w].arenaBytes;
      add(result.communicationBytes, use.receivedBytes);
    }
    std::stable_sort(result.events.begin(), result.events.end(),
                     [](const Event &a, const Event &b) {
                       return std::pair(a.start, a.worker) <
                              std::pair(b.start, b.worker);
                     });
  }

  static void add(int64_t &sum, int64_t bytes) {
    sum = plan::Traffic::saturatingAdd(sum, bytes);
  }
  const plan::WorkerInstruction &share(int w, int instruction) const {
    return partitioned.workers[size_t(w)].instructions[size_t(instruction)];
  }

  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const Machine &machine;
  const Options &options;
  Cost cost;
  Routes routes;
  Flows flows;
  Simulation result;
  std::vector<Worker> workers;
  std::vector<int> ready; // may be able to start their next instruction
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
  double now = 0;
};

} // namespace

Result<Simulation> simulate::simulate(const plan::Partitioned &partitioned,
                                      const Machine &machine,
                                      const Options &options) {
  if (partitioned.workers.size() > machine.gpus.size())
    return fail("the plan is for ", partitioned.workers.size(), " GPUs, and ",
                machine.name, " has ", machine.gpus.size());
  const plan::Order order(partitioned, plan::Queues::One);
  if (!order.complete()) {
    const plan::Names names{partitioned, ""};
    const auto cycles = order.cycles();
    const plan::Step stuck = cycles.front().front();
    return fail("the plan never ends: ",
                names.instruction(stuck.worker, stuck.instruction),
                " waits, over others, for itself; see smexc check");
  }
  return Run(partitioned, machine, options).run();
}
