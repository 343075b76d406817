// What the executor asks of a device. A backend holds the arenas of those
// workers of a program that a process has, and runs their instructions. Which
// events an instruction waits for is the executor's business; waiting for them,
// and telling when it is done, the device's.
#ifndef SMEX_RUNTIME_BACKENDS_BACKEND_H
#define SMEX_RUNTIME_BACKENDS_BACKEND_H

#include "runtime/plan/Plan.h"
#include "runtime/transports/Transport.h"

#include <chrono>
#include <functional>

namespace smex::runtime {

/// An instruction that is handed to a device, for the queue of `done`.
struct Submission {
  int instruction = 0;
  /// What must have happened before it starts, on other queues: of the worker
  /// itself, or of others. It lives until the worker's finish().
  const std::vector<Event> *after = nullptr;
  /// What the device signals when it is done.
  Event done;
  /// It is done at once, and does nothing; its events are as usual.
  bool isSkipped = false;
};

/// Seconds since some moment, the same for all threads of this machine.
inline double clockSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// When an instruction ran, by that clock.
struct Executed {
  int instruction = 0;
  double start = 0, seconds = 0;
};

/// What a worker has done between two calls of finish().
struct Activity {
  int64_t receivedBytes = 0; // that it read from other workers
  plan::HostTraffic hostTraffic;
  /// Instructions of a step that a library has done as it wrote the result of
  /// the product before them.
  int64_t epilogues = 0;
  std::vector<Executed> executed; // if DeviceOptions::trace
};

/// Bytes of one of a worker's arenas.
struct ArenaBytes {
  plan::Space space = plan::Space::Device;
  int64_t offset = 0, bytes = 0;
};

/// Those of a buffer.
inline ArenaBytes arenaBytes(const plan::Partitioned &partitioned, int worker,
                             int buffer) {
  const plan::Program &program = partitioned.program;
  return {partitioned.space(worker, buffer), partitioned.offset(worker, buffer),
          volume(partitioned.box(worker, buffer)) *
              byteSize(plan::elementType(program, buffer))};
}

/// One worker of a program on a device. All calls come from one thread, the
/// worker's own, in this order: start; write, as often as needed; bind, after
/// all workers have started; then for each step write, begin, submit (unless
/// repeats()), finish, read and copy. All steps submit the same.
class DeviceWorker {
public:
  virtual ~DeviceWorker() = default;

  /// Offers the worker's memory to the transport.
  virtual Status start() = 0;
  /// Writes bytes of an arena: `fill` stores them at the address that it is
  /// given, of the host's memory.
  virtual Status write(const ArenaBytes &to,
                       const std::function<Status(std::byte *)> &fill) = 0;
  /// Shows `use` bytes of an arena.
  virtual Status read(const ArenaBytes &from,
                      const std::function<void(const std::byte *)> &use) = 0;
  /// Copies bytes of an arena, from this offset, to another place in it, where
  /// they don't overlap.
  virtual Status copy(const ArenaBytes &to, int64_t from) = 0;
  /// Makes every instruction ready to run; parameters are in place by then.
  virtual Status bind() = 0;
  /// A step begins: its inputs are written, and no worker has been given an
  /// instruction yet.
  virtual Status begin() { return {}; }
  /// Asked of a step once all workers have begun it: whether finish() does its
  /// instructions, as those of the step before, without being handed them.
  virtual bool repeats() const { return false; }
  /// Puts an instruction at the end of a queue. A queue does its instructions
  /// in order, each after its events. submit() returns at once, or when the
  /// instruction is done, or when the run was stopped: as the device likes.
  virtual Status submit(const Submission &submission) = 0;
  /// Returns when all that was submitted is done, or the run was stopped.
  virtual Result<Activity> finish() = 0;
};

/// How GPUs bring each other what they need: by kernels that read the other
/// GPU's memory, or by NCCL. Auto: the former where each reaches all others.
enum class Transfers { Auto, Peer, Nccl };

struct DeviceOptions {
  int threads = 0; // host threads per worker; 0: the cores shared evenly
  bool trace = false;
  bool skipCopies = false; // submissions say the same; it is RunOptions' own
  uint64_t seed = 0;       // for backends that leave something to chance
  /// Devices that can may do later steps as a whole.
  bool graphs = true;
  /// If no instruction of this process is completed for so many seconds,
  /// though a device has some to do, `hung` is told, by a thread of its own. It
  /// ends the process: the device's threads wait for ever. 0: nobody looks.
  double hungAfter = 0;
  /// Where the plan's code is, for messages.
  std::string planFolder;
  std::function<void(const Error &)> hung;
  Transfers transfers = Transfers::Auto;
  /// Of libraries, only algorithms whose results are the same each time.
  bool reproducible = false;
  /// Where a device keeps which algorithms libraries have chosen; "": nowhere.
  std::string choicesFile = {};
  /// Of the workers of a process, one at a time computes, where they have
  /// threads for more than the machine's cores: so that what a trace says of
  /// one does not depend on others. Of devices that are the host's processor.
  bool oneAtATime = false;
  /// Is told what a user may want to know, by any thread; may be null.
  std::function<void(const std::string &)> note;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  /// What the devices call themselves that a plan for so many workers would run
  /// on; none, where it is this machine's processor.
  virtual std::vector<std::string> devices(int) const { return {}; }

  /// Whether this machine can run the plan's kernels at all.
  virtual Status accepts(const plan::Plan &plan) const = 0;

  /// A DeviceWorker for each of `workers`, its arena reserved but not touched.
  /// `code` is the plan's. Program and transport must outlive the result.
  virtual Result<std::vector<std::unique_ptr<DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const plan::Code &code,
       const std::vector<int> &workers, Transport &transport,
       const DeviceOptions &options) = 0;
};

/// "cpu", "cuda" or "reference"; one that finds no device is
/// Fault::Environment.
Result<std::unique_ptr<Backend>> makeBackend(const std::string &name);

/// The backend of this name, if it accepts the plan. "auto": cuda where there
/// is a GPU that runs all of the plan, else cpu; `note`, if it is not null, is
/// told why a GPU that is there is not used.
Result<std::unique_ptr<Backend>>
backendFor(const std::string &name, const plan::Plan &plan,
           const std::function<void(const std::string &)> &note);

/// An instruction's error, with the node that it stems from.
inline Error atNode(const plan::Instruction &instruction, Error error) {
  error.message = "node \"" + instruction.node + "\": " + error.message;
  return error;
}

} // namespace smex::runtime

#endif
