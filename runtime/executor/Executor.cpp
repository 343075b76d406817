#include "runtime/executor/Executor.h"

#include "kernels/cpu/Boxes.h"
#include "runtime/executor/KeptInputs.h"
#include "runtime/executor/Peak.h"
#include "runtime/executor/StepOutputs.h"
#include "runtime/executor/Tasks.h"
#include "runtime/transports/Local.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
class Execution {
public:
  Execution(const plan::Partitioned &partitioned,
            const ParameterSource &parameters, const std::vector<Feed> &feeds,
            const RunOptions &options, const Process &process)
      : partitioned(partitioned), program(partitioned.program),
        parameters(parameters), feeds(feeds), options(options),
        transport(*process.transport), workers(process.workers),
        gathering(partitioned, transport, workers),
        snapshot(partitioned, parameters, gathering),
        outputs(partitioned, options), measured(partitioned.workers.size()) {}

  Result<RunResult> run(std::vector<std::unique_ptr<DeviceWorker>> devices) {
    if (Status prepared = prepare(); !prepared) {
      transport.stop(prepared.error());
      return prepared.takeError();
    }
    std::vector<std::thread> threads;
    try {
      for (size_t w = 0; w < workers.size(); ++w)
        threads.emplace_back(
            [this, w, &devices] { work(workers[w], *devices[w]); });
    } catch (const std::exception &) {
      Error error =
          fail("cannot start a thread for worker ", workers[threads.size()]);
      error.fault = Fault::Environment;
      transport.stop(std::move(error));
    }
    for (std::thread &thread : threads)
      thread.join();
    if (transport.isStopped())
      return transport.reason();
    return collect();
  }

private:
  /// Of one worker.
  struct Counts {
    int64_t communication = 0, peak = 0, hostPeak = 0;
    int64_t scattered = 0, gathered = 0;
    int64_t epilogues = 0;
    plan::HostTraffic host;
  };
  struct Measured {
    Counts counts;
    std::vector<TraceEvent> trace;
    int64_t seen = 0; // of it, by RunOptions::stepped
  };

  const TensorType &typeOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
  }
  /// One worker of a process does what is to be done once in it.
  bool isFirst(int worker) const { return worker == workers.front(); }
  Counts &counts(int worker) { return measured[size_t(worker)].counts; }

  Status prepare() {
    if (Status prepared = outputs.prepare(); !prepared)
      return prepared;
    return options.sinks.empty() ? Status() : snapshot.prepare();
  }

  /// A worker's thread.
  void work(int worker, DeviceWorker &device) {
    Status done;
    try {
      done = steps(worker, device);
    } catch (const std::bad_alloc &) {
      done = Error{"out of memory", Fault::Environment};
    } catch (const std::exception &exception) {
      done = Error{exception.what(), Fault::Defect};
    }
    if (done)
      return;
    Error error = done.takeError();
    if (partitioned.workers.size() > 1)
      error.message = "worker " + std::to_string(worker) + ": " + error.message;
    transport.stop(std::move(error));
  }

  Status steps(int worker, DeviceWorker &device) {
    Peak peak(partitioned, worker);
    std::vector<Task> tasks = tasksOf(partitioned, worker);
    const std::vector<bool> kept = keptInputs(partitioned, worker);
    if (Status started = device.start(); !started)
      return started;
    if (Status loaded = loadParameters(worker, device, peak); !loaded)
      return loaded;
    if (!transport.barrier()) // all memory has been offered
      return {};
    if (Status bound = device.bind(); !bound)
      return bound;
    for (int step = options.firstStep; step < options.steps; ++step) {
      if (step == options.firstStep)
        for (const Task &task : tasks)
          peak.instruction(size_t(task.instruction));
      else
        advance(tasks, program);
      if (Status scattered = scatter(worker, device, step, kept, peak);
          !scattered)
        return scattered;
      if (Status begun = device.begin(); !begun)
        return begun;
      if (!transport.barrier())
        return {};
      if (isFirst(worker))
        started.push_back(clockSeconds());
      if (!transport.barrier()) // nobody begins before the clock does
        return {};
      if (Status done = instructions(worker, device, tasks); !done)
        return done;
      if (!transport.barrier())
        return {};
      if (isFirst(worker))
        result.seconds.push_back(clockSeconds() - started.back());
      if (Status finished = finishStep(worker, device, step + 1, peak);
          !finished || transport.isStopped())
        return finished;
      if (isEnded)
        break;
    }
    if (options.firstStep >= options.steps)
      if (Status stored = store(worker, device, options.firstStep); !stored)
        return stored;
    counts(worker).peak = peak.onDevice();
    counts(worker).hostPeak = peak.onHost();
    shareCounts(worker);
    return {};
  }

  /// What is left to do of a step when its instructions are done.
  Status finishStep(int worker, DeviceWorker &device, int completed,
                    Peak &peak) {
    if (Status carried = carry(worker, device); !carried)
      return carried;
    const std::vector<Whole> wanted =
        outputs.wanted(/*isLast=*/completed == options.steps);
    if (!wanted.empty()) {
      if (Status gathered = gather(worker, device, wanted, peak); !gathered)
        return gathered;
      if (!transport.barrier())
        return {};
    }
    if (isFirst(worker)) {
      // Errors here are the step's, and not this worker's.
      Status valid = outputs.checkRanges(completed);
      if (valid) {
        tell(completed);
        valid = outputs.checkLoss(completed);
      }
      if (!valid) {
        transport.stop(valid.takeError());
        return {};
      }
      askStepped(completed);
    }
    if (options.stepped && !transport.barrier()) // all know whether it ends
      return {};
    return store(worker, device, completed);
  }

  void tell(int completed) {
    const Progress progress{completed, result.seconds.back(), outputs.loss()};
    if (progress.loss)
      result.losses.push_back(*progress.loss);
    if (options.progress)
      options.progress(progress);
  }

  /// By one worker, before others can begin the next step's instructions.
  void askStepped(int completed) {
    if (!options.stepped)
      return;
    std::vector<TraceEvent> step;
    for (Measured &own : measured) {
      step.insert(step.end(), own.trace.begin() + own.seen, own.trace.end());
      if (!options.keepTrace)
        own.trace.clear();
      own.seen = int64_t(own.trace.size());
    }
    isEnded = options.stepped(completed, step);
  }

  /// Brings the parameters to whoever wants them after so many steps.
  Status store(int worker, DeviceWorker &device, int completed) {
    for (ParameterSink *sink : options.sinks) {
      if (!sink->wants(completed))
        continue;
      if (isFirst(worker))
        if (Status begun = sink->begin(completed); !begun)
          return begun;
      if (!transport.barrier())
        return {};
      if (Status written = snapshot.write(worker, device, *sink); !written)
        return written;
      if (!transport.barrier())
        return {};
      if (isFirst(worker))
        if (Status committed = sink->commit(); !committed)
          return committed;
    }
    return {};
  }

  Status loadParameters(int worker, DeviceWorker &device, Peak &peak) {
    for (size_t p = 0; p < program.parameters.size(); ++p) {
      const int buffer = program.parameters[p].buffer;
      const ArenaBytes to = arenaBytes(partitioned, worker, buffer);
      if (to.bytes == 0)
        continue;
      peak.buffer(buffer);
      Status filled = device.write(to, [&](std::byte *at) {
        return parameters.fill(worker, int(p), at);
      });
      if (!filled)
        return filled;
    }
    return {};
  }

  /// After a step, parameters take their next values, unless those have been
  /// put in their place already.
  Status carry(int worker, DeviceWorker &device) {
    for (const plan::Parameter &parameter : program.parameters) {
      if (parameter.next < 0)
        continue;
      // Both are in one space.
      const int64_t from = partitioned.offset(worker, parameter.next);
      const ArenaBytes to = arenaBytes(partitioned, worker, parameter.buffer);
      if (from == to.offset || to.bytes == 0)
        continue;
      if (Status copied = device.copy(to, from); !copied)
        return copied;
    }
    return {};
  }

  /// `kept`: inputs that steps leave as they were.
  Status scatter(int worker, DeviceWorker &device, int step,
                 const std::vector<bool> &kept, Peak &peak) {
    const bool isFirstStep = step == options.firstStep;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const int buffer = program.inputs[i].buffer;
      const TensorType &type = typeOf(buffer);
      const Box &own = partitioned.box(worker, buffer);
      const ArenaBytes to = arenaBytes(partitioned, worker, buffer);
      if (to.bytes == 0)
        continue;
      peak.buffer(buffer);
      counts(worker).scattered += isFirstStep ? to.bytes : 0;
      const std::byte *fed = isFirstStep ? nullptr : outputs.fedTo(i);
      if (!isFirstStep && !fed && kept[i] && feeds[i].isConstant())
        continue;
      const auto values =
          fed ? Result<std::shared_ptr<const std::byte>>(
                    std::shared_ptr<const std::byte>(std::shared_ptr<void>(),
                                                     fed)) // the output stays
              : feeds[i].at(step, byteCount(type).value());
      if (!values)
        return values.error();
      Status filled = device.write(to, [&](std::byte *at) {
        cpu::copyBox(at, own, values->get(), wholeBox(type.shape), own,
                     byteSize(type.dtype));
        return Status();
      });
      if (!filled)
        return filled;
    }
    return {};
  }

  Status instructions(int worker, DeviceWorker &device,
                      const std::vector<Task> &tasks) {
    if (!device.repeats())
      if (Status submitted = submit(device, tasks);
          !submitted || transport.isStopped())
        return submitted;
    auto activity = device.finish();
    if (!activity)
      return activity.takeError();
    counts(worker).communication = activity->receivedBytes;
    counts(worker).epilogues = activity->epilogues;
    counts(worker).host = activity->hostTraffic;
    for (const Executed &each : activity->executed)
      measured[size_t(worker)].trace.push_back(
          {worker, each.instruction, each.start, each.seconds});
    return {};
  }

  Status submit(DeviceWorker &device, const std::vector<Task> &tasks) {
    for (const Task &task : tasks) {
      const bool skipped =
          isSkipped(program.instructions[size_t(task.instruction)]);
      Status submitted =
          device.submit({task.instruction, &task.after, task.done, skipped});
      if (!submitted || transport.isStopped())
        return submitted;
    }
    return {};
  }

  /// Integers are moved even so: kernels index by them.
  bool isSkipped(const plan::Instruction &what) const {
    return options.skipCopies && what.op != plan::Opcode::Compute &&
           isFloat(typeOf(what.to).dtype);
  }

  Status gather(int worker, DeviceWorker &device,
                const std::vector<Whole> &wanted, Peak &peak) {
    counts(worker).gathered = 0;
    for (const plan::Port &port : program.outputs)
      peak.buffer(port.buffer);
    for (const Whole &whole : wanted)
      for (const Box &box : whole.holders->boxes[size_t(worker)])
        counts(worker).gathered +=
            volume(box) * byteSize(typeOf(whole.buffer).dtype);
    return gathering.bring(
        worker, wanted,
        [&](size_t number, const std::function<void(const std::byte *)> &use) {
          const int buffer = wanted[number].buffer;
          return device.read(arenaBytes(partitioned, worker, buffer), use);
        });
  }

  /// So that the result of every process is of all workers.
  void shareCounts(int worker) {
    if (!gathering.hasOthers())
      return;
    // Clocks of other machines begin at another moment, but steps do not.
    Measured own = measured[size_t(worker)];
    for (TraceEvent &event : own.trace)
      event.start -= started.front();
    const size_t events = own.trace.size() * sizeof(TraceEvent);
    std::vector<std::byte> bytes(sizeof(Counts) + events);
    std::memcpy(bytes.data(), &own.counts, sizeof(Counts));
    if (events > 0)
      std::memcpy(bytes.data() + sizeof(Counts), own.trace.data(), events);
    const Shared all = transport.share(worker, std::move(bytes));
    if (isFirst(worker))
      for (size_t w = 0; w < all.size(); ++w)
        if (!std::count(workers.begin(), workers.end(), int(w)) &&
            all[w]->size() >= sizeof(Counts))
          takeMeasured(measured[w], *all[w]);
  }

  void takeMeasured(Measured &other, const std::vector<std::byte> &bytes) {
    std::memcpy(&other.counts, bytes.data(), sizeof(Counts));
    other.trace.resize((bytes.size() - sizeof(Counts)) / sizeof(TraceEvent));
    if (!other.trace.empty())
      std::memcpy(other.trace.data(), bytes.data() + sizeof(Counts),
                  bytes.size() - sizeof(Counts));
    for (TraceEvent &event : other.trace)
      event.start += started.front();
  }

  RunResult collect() {
    for (Measured &own : measured) {
      result.communicationBytes += own.counts.communication;
      result.receivedBytes.push_back(own.counts.communication);
      result.epilogues += own.counts.epilogues;
      result.hostTraffic += own.counts.host;
      result.peakBytes.push_back(own.counts.peak);
      result.hostPeakBytes.push_back(own.counts.hostPeak);
      result.scatteredBytes += own.counts.scattered;
      result.gatheredBytes += own.counts.gathered;
      for (TraceEvent &event : own.trace) {
        event.start -= started.front();
        result.trace.push_back(event);
      }
    }
    result.outputs = outputs.take();
    return std::move(result);
  }

  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const ParameterSource &parameters;
  const std::vector<Feed> &feeds;
  const RunOptions &options;
  Transport &transport;
  const std::vector<int> &workers; // of this process
  const Gathering gathering;
  Snapshot snapshot;
  StepOutputs outputs;
  std::vector<Measured> measured; // per worker
  std::vector<double> started;    // per step; by the first worker's clock
  bool isEnded = false;           // by RunOptions::stepped
  RunResult result;
};
} // namespace

Result<RunResult> runtime::execute(const plan::Partitioned &partitioned,
                                   const plan::Code &code, Backend &backend,
                                   const ParameterSource &parameters,
                                   const std::vector<Feed> &feeds,
                                   const RunOptions &options) {
  const int count = int(partitioned.workers.size());
  LocalTransport local(count, queueCount);
  Process process{&local, std::vector<int>(size_t(count))};
  std::iota(process.workers.begin(), process.workers.end(), 0);
  if (options.process)
    process = *options.process;
  DeviceOptions device = options.device;
  device.skipCopies = options.skipCopies;
  auto devices = backend.open(partitioned, code, process.workers,
                              *process.transport, device);
  if (!devices) {
    // Without words for other processes: it is this one's to say.
    process.transport->stop({"", devices.error().fault});
    return devices.takeError();
  }
  return Execution(partitioned, parameters, feeds, options, process)
      .run(std::move(*devices));
}
