#include "runtime/executor/Executor.h"

#include "kernels/cpu/Boxes.h"
#include "runtime/executor/Peak.h"
#include "runtime/executor/Ranges.h"
#include "runtime/plan/Regions.h"
#include "runtime/transports/Local.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The only element of a tensor of floats.
double numberOf(const Tensor &tensor) {
  switch (tensor.type.dtype) {
  case DType::F16:
    return halfToFloat(*tensor.data<uint16_t>());
  case DType::BF16:
    return bfloatToFloat(*tensor.data<uint16_t>());
  case DType::F64:
    return *tensor.data<double>();
  default:
    return *tensor.data<float>();
  }
}

/// A box of an output that a worker is to bring.
struct Share {
  int output;
  Box box;
};

/// An instruction that a worker does, and those of other workers that must have
/// completed before.
struct Task {
  int instruction;
  std::vector<std::pair<int, int>> waits; // worker, instruction
};

class Execution {
public:
  Execution(const plan::Partitioned &partitioned,
            const ParameterSource &parameters, const std::vector<Feed> &feeds,
            const RunOptions &options)
      : partitioned(partitioned), program(partitioned.program),
        parameters(parameters), feeds(feeds), options(options),
        transport(int(partitioned.workers.size())),
        snapshot(partitioned, parameters), shares(partitioned.workers.size()),
        measured(partitioned.workers.size()) {}

  Result<RunResult> run(std::vector<std::unique_ptr<DeviceWorker>> devices) {
    if (Status planned = planOutputs(); !planned)
      return planned.takeError();
    if (!options.sinks.empty())
      if (Status prepared = snapshot.prepare(); !prepared)
        return prepared.takeError();
    std::vector<std::thread> threads;
    try {
      for (size_t w = 0; w < devices.size(); ++w)
        threads.emplace_back(
            [this, w, &devices] { work(int(w), *devices[w]); });
    } catch (const std::exception &) {
      Error error = fail("cannot start a thread for worker ", threads.size());
      error.fault = Fault::Environment;
      stop(std::move(error));
    }
    for (std::thread &thread : threads)
      thread.join();
    if (problem)
      return std::move(*problem);
    return collect();
  }

private:
  struct Measured {
    int64_t communication = 0, peak = 0, scattered = 0, gathered = 0;
    std::vector<TraceEvent> trace;
  };

  const TensorType &typeOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
  }
  int64_t bytesOf(int worker, int buffer) const {
    return volume(partitioned.box(worker, buffer)) *
           byteSize(typeOf(buffer).dtype);
  }

  Status planOutputs() {
    fedBy.assign(program.inputs.size(), -1);
    everyStep.assign(program.outputs.size(), false);
    for (const NextInput &next : options.next) {
      fedBy[size_t(next.input)] = next.output;
      everyStep[size_t(next.output)] = true;
    }
    for (size_t o = 0; o < program.outputs.size(); ++o) {
      const plan::Port &port = program.outputs[o];
      const TensorType &type = typeOf(port.buffer);
      if (port.low) // is checked
        everyStep[o] = true;
      if (port.loss)
        lossOutput = int(o), everyStep[o] = true;
      result.outputs.push_back(makeTensor(type));
      Holders holders = holdersOf(partitioned, port.buffer);
      if (!holders.missing.empty())
        return fail("output \"", port.name, "\": no worker has ",
                    toString(holders.missing.front()));
      for (size_t w = 0; w < shares.size(); ++w)
        for (Box &box : holders.boxes[w])
          shares[w].push_back({int(o), std::move(box)});
    }
    return {};
  }

  void stop(Error error) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!problem)
        problem = std::move(error);
    }
    transport.abort();
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
    stop(std::move(error));
  }

  Status steps(int worker, DeviceWorker &device) {
    Peak peak(partitioned, worker);
    const std::vector<Task> tasks = tasksOf(worker);
    if (Status started = device.start(); !started)
      return started;
    if (Status loaded = loadParameters(worker, device, peak); !loaded)
      return loaded;
    if (Status bound = device.bind(); !bound)
      return bound;
    for (int step = options.firstStep; step < options.steps; ++step) {
      if (Status scattered = scatter(worker, device, step, peak); !scattered)
        return scattered;
      if (!transport.barrier())
        return {};
      if (worker == 0)
        started.push_back(now());
      if (!transport.barrier()) // nobody begins before the clock does
        return {};
      if (Status done = instructions(worker, device, tasks, step, peak); !done)
        return done;
      if (!transport.barrier())
        return {};
      if (worker == 0)
        result.seconds.push_back(now() - started.back());
      if (Status carried = carry(worker, device); !carried)
        return carried;
      const bool isLast = step + 1 == options.steps;
      if (isLast || std::count(everyStep.begin(), everyStep.end(), true)) {
        if (Status gathered = gather(worker, device, isLast, peak); !gathered)
          return gathered;
        if (!transport.barrier())
          return {};
        if (worker == 0)
          if (Status valid = checkRanges(step + 1); !valid) {
            stop(valid.takeError()); // it is nothing of this worker's
            return {};
          }
      }
      if (worker == 0) {
        tell(step + 1);
        if (Status finite = checkLoss(step + 1); !finite) {
          stop(finite.takeError()); // of all workers, not of this one
          return {};
        }
      }
      if (Status stored = store(worker, device, step + 1); !stored)
        return stored;
    }
    if (options.firstStep >= options.steps)
      if (Status stored = store(worker, device, options.firstStep); !stored)
        return stored;
    measured[size_t(worker)].peak = peak.value();
    return {};
  }

  /// Of outputs that have one, and of what they feed.
  Status checkRanges(int completed) const {
    const auto check = [&](const plan::Port &port, const std::string &what,
                           size_t output) {
      const Tensor &tensor = result.outputs[output];
      return checkRange(port, what, tensor, *elementCount(tensor.type.shape));
    };
    for (size_t o = 0; o < program.outputs.size(); ++o)
      if (Status valid = check(program.outputs[o],
                               "output \"" + program.outputs[o].name + "\"", o);
          !valid)
        return fail(valid.error().message,
                    ": the plan has no room for more (smexc --bound)");
    if (completed == options.steps)
      return {};
    for (const NextInput &next : options.next) {
      const plan::Port &input = program.inputs[size_t(next.input)];
      const std::string what = "input \"" + input.name + "\": output \"" +
                               program.outputs[size_t(next.output)].name +
                               "\" of step " + std::to_string(completed);
      if (Status valid = check(input, what, size_t(next.output)); !valid)
        return valid;
    }
    return {};
  }

  void tell(int completed) {
    Progress progress{completed, result.seconds.back(), {}};
    if (lossOutput >= 0) {
      progress.loss = numberOf(result.outputs[size_t(lossOutput)]);
      result.losses.push_back(*progress.loss);
    }
    if (options.progress)
      options.progress(progress);
  }

  /// Training does not come back from a loss that is no number.
  Status checkLoss(int completed) const {
    if (lossOutput < 0 || options.allowNonfiniteLoss || options.skipCopies ||
        std::isfinite(result.losses.back()))
      return {};
    const double loss = result.losses.back();
    const DType type = result.outputs[size_t(lossOutput)].type.dtype;
    return fail(
        "step ", completed, ": the loss is ",
        std::isnan(loss) ? "no number (NaN)" : "infinite",
        ", and training can't go on from there; parameters and inputs may hold "
        "NaN, or the learning rate may be too large",
        type == DType::F16 ? ", or numbers beyond what f16 holds, 65504" : "",
        "; --allow-nonfinite-loss goes on all the same");
  }

  /// Brings the parameters to whoever wants them after so many steps.
  Status store(int worker, DeviceWorker &device, int completed) {
    for (ParameterSink *sink : options.sinks) {
      if (!sink->wants(completed))
        continue;
      if (worker == 0)
        if (Status begun = sink->begin(completed); !begun)
          return begun;
      if (!transport.barrier())
        return {};
      if (Status written = snapshot.write(worker, device, *sink); !written)
        return written;
      if (!transport.barrier())
        return {};
      if (worker == 0)
        if (Status committed = sink->commit(); !committed)
          return committed;
    }
    return {};
  }

  Status loadParameters(int worker, DeviceWorker &device, Peak &peak) {
    for (size_t p = 0; p < program.parameters.size(); ++p) {
      const int buffer = program.parameters[p].buffer;
      const int64_t bytes = bytesOf(worker, buffer);
      if (bytes == 0)
        continue;
      peak.buffer(buffer);
      Status filled = device.write(
          partitioned.offset(worker, buffer), bytes,
          [&](std::byte *to) { return parameters.fill(worker, int(p), to); });
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
      const int64_t from = partitioned.offset(worker, parameter.next);
      const int64_t to = partitioned.offset(worker, parameter.buffer);
      const int64_t bytes = bytesOf(worker, parameter.buffer);
      if (from == to || bytes == 0)
        continue;
      Status copied = device.write(to, bytes, [&](std::byte *target) {
        return device.read(from, bytes, [&](const std::byte *source) {
          std::memcpy(target, source, size_t(bytes));
        });
      });
      if (!copied)
        return copied;
    }
    return {};
  }

  Status scatter(int worker, DeviceWorker &device, int step, Peak &peak) {
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const int buffer = program.inputs[i].buffer;
      const TensorType &type = typeOf(buffer);
      const Box &own = partitioned.box(worker, buffer);
      const int64_t bytes = bytesOf(worker, buffer);
      if (bytes == 0)
        continue;
      peak.buffer(buffer);
      measured[size_t(worker)].scattered +=
          step == options.firstStep ? bytes : 0;
      const int output = step == options.firstStep ? -1 : fedBy[i];
      const auto values =
          output >= 0 ? Result<std::shared_ptr<const std::byte>>(
                            std::shared_ptr<const std::byte>(
                                std::shared_ptr<void>(), // the output stays
                                result.outputs[size_t(output)].bytes.data()))
                      : feeds[i].at(step, byteCount(type).value());
      if (!values)
        return values.error();
      const int64_t at = partitioned.offset(worker, buffer);
      Status filled = device.write(at, bytes, [&](std::byte *to) {
        cpu::copyBox(to, own, values->get(), wholeBox(type.shape), own,
                     byteSize(type.dtype));
        return Status();
      });
      if (!filled)
        return filled;
    }
    return {};
  }

  Status instructions(int worker, DeviceWorker &device,
                      const std::vector<Task> &tasks, int step, Peak &peak) {
    Measured &own = measured[size_t(worker)];
    own.communication = 0;
    const int64_t rounds = step - options.firstStep; // before this one
    const int64_t count = int64_t(program.instructions.size());
    for (const Task &task : tasks) {
      const size_t i = size_t(task.instruction);
      for (const auto &[other, what] : task.waits)
        if (!transport.wait(other, rounds * count + what + 1))
          return {};
      if (transport.aborted())
        return {};
      const double begin = options.trace ? now() : 0;
      auto moved = isSkipped(program.instructions[i]) ? Result<int64_t>(0)
                                                      : device.run(int(i));
      if (!moved) {
        Error error = moved.takeError();
        error.message =
            "node \"" + program.instructions[i].node + "\": " + error.message;
        return error;
      }
      own.communication += *moved;
      if (rounds == 0)
        peak.instruction(i);
      if (options.trace)
        own.trace.push_back({worker, int(i), begin, now() - begin});
      transport.complete(worker, rounds * count + task.instruction + 1);
    }
    return {};
  }

  /// What a worker does. Its own instructions are done in the order of the
  /// list, so it waits for those of others alone.
  std::vector<Task> tasksOf(int worker) const {
    std::vector<Task> tasks;
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      if (!plan::written(partitioned, worker, int(i)))
        continue;
      Task &task = tasks.emplace_back();
      task.instruction = int(i);
      for (const Wait wait : program.instructions[i].waits)
        for (int other : groupOf(program.ways, worker, wait.steps))
          if (other != worker &&
              plan::written(partitioned, other, wait.instruction))
            task.waits.push_back({other, wait.instruction});
    }
    return tasks;
  }

  /// Integers are moved even so: kernels index by them.
  bool isSkipped(const plan::Instruction &what) const {
    return options.skipCopies && what.op != plan::Opcode::Compute &&
           isFloat(typeOf(what.to).dtype);
  }

  /// All outputs of the last step; of others, what is wanted of every step.
  Status gather(int worker, DeviceWorker &device, bool isLast, Peak &peak) {
    measured[size_t(worker)].gathered = 0;
    for (const plan::Port &port : program.outputs)
      peak.buffer(port.buffer);
    for (const Share &share : shares[size_t(worker)]) {
      if (!isLast && !everyStep[size_t(share.output)])
        continue;
      const int buffer = program.outputs[size_t(share.output)].buffer;
      Tensor &whole = result.outputs[size_t(share.output)];
      const int64_t element = byteSize(whole.type.dtype);
      Status read = device.read(
          partitioned.offset(worker, buffer), bytesOf(worker, buffer),
          [&](const std::byte *from) {
            cpu::copyBox(whole.bytes.data(), wholeBox(whole.type.shape), from,
                         partitioned.box(worker, buffer), share.box, element);
          });
      if (!read)
        return read;
      measured[size_t(worker)].gathered += volume(share.box) * element;
    }
    return {};
  }

  RunResult collect() {
    for (Measured &own : measured) {
      result.communicationBytes += own.communication;
      result.receivedBytes.push_back(own.communication);
      result.peakBytes.push_back(own.peak);
      result.scatteredBytes += own.scattered;
      result.gatheredBytes += own.gathered;
      for (TraceEvent &event : own.trace) {
        event.start -= started.front();
        result.trace.push_back(event);
      }
    }
    return std::move(result);
  }

  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const ParameterSource &parameters;
  const std::vector<Feed> &feeds;
  const RunOptions &options;
  LocalTransport transport;
  Snapshot snapshot;
  std::vector<std::vector<Share>> shares; // per worker
  std::vector<Measured> measured;         // per worker
  std::vector<double> started;            // per step; worker 0's
  int lossOutput = -1;                    // of a training plan
  std::vector<int> fedBy;      // per input: an output, or -1; see NextInput
  std::vector<bool> everyStep; // per output: wanted after each step
  RunResult result;
  std::mutex mutex;
  std::optional<Error> problem;
};
} // namespace

Result<RunResult> runtime::execute(const plan::Partitioned &partitioned,
                                   const std::string &kernels, Backend &backend,
                                   const ParameterSource &parameters,
                                   const std::vector<Feed> &feeds,
                                   const RunOptions &options) {
  auto devices = backend.open(partitioned, kernels, options.threads);
  if (!devices)
    return devices.takeError();
  return Execution(partitioned, parameters, feeds, options)
      .run(std::move(*devices));
}
