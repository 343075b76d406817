#ifndef SMEX_TEST_EMULATED_CUDA_DRIVER_H
#define SMEX_TEST_EMULATED_CUDA_DRIVER_H

#include "test/emulated/cuda/Capture.h"
#include "test/emulated/cuda/Citations.h"
#include "test/emulated/cuda/DeviceMemory.h"
#include "test/emulated/cuda/KnownLaunches.h"
#include "test/emulated/cuda/Results.h"
#include "test/emulated/cuda/Settings.h"
#include "test/emulated/cuda/Work.h"
#include "test/emulated/ptx/Launch.h"

#include <set>
#include <stdexcept>

namespace smex::emulated {

namespace cites = cuda::cites;

struct Device;

struct Context {
  Device *device;
  unsigned retained = 0;
  std::set<unsigned> peers; // devices whose memory kernels may access
};

struct Stream {
  uint64_t id;
  Device *device;
  bool isBlocking; // orders with the legacy default stream
  uint64_t count = 0;
  WorkPointer last;
  CapturePlace place = {};
};

struct Event {
  Device *device;
  bool isTimed;
  WorkPointer recorded;    // null before cuEventRecord
  CapturePlace place = {}; // if it was recorded last in a capture
};

struct Kernel {
  const ptx::Program *program;
  struct LoadedModule *module;
  int dynamicShared; // what cuFuncSetAttribute allows
};

struct LoadedModule {
  Device *device;
  std::shared_ptr<ptx::LoadedModule> code; // launches that are over keep it
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

struct Device {
  Device(unsigned number, unsigned physical, const Settings &settings)
      : number(number), physical(physical),
        architecture(settings.architecture(physical)),
        bytes(number, settings.memory(physical), settings.used) {
    context.device = this;
  }
  unsigned number;   // among those that the process sees
  unsigned physical; // among all of the machine
  int architecture;  // 90 for sm_90
  DeviceMemory bytes;
  Context context;
  Stream legacy{number, this, false, 0, nullptr};
  uint64_t arena = 0; // the first allocation
  int sticky = 0;     // an error that all later calls return
};

/// A call that is refused: why, and where NVIDIA says so.
struct Refusal : std::runtime_error {
  Refusal(int result, const std::string &text)
      : std::runtime_error(text), result(result) {}
  int result;
};
[[noreturn]] inline void refuse(int result, const std::string &why,
                                const Citation &citation) {
  throw Refusal(result, cited(why, citation));
}

/// A result other than 0 of a call that nothing is wrong with: there is no
/// device, what is asked for is not ready, or something earlier has failed.
struct Answer {
  int result;
};
[[noreturn]] inline void answer(int result) { throw Answer{result}; }

/// What a pointer argument points to.
template <class T> T &wanted(T *pointer) {
  if (!pointer)
    refuse(ERROR_INVALID_VALUE, "an argument is NULL", cites::value);
  return *pointer;
}

/// The state of the process's driver. All functions need its lock.
class Driver {
public:
  static Driver &get();
  static constexpr unsigned maximalDevices = 64;

  /// What every entry point does: takes the lock, fails where the environment
  /// says so, refuses what comes before cuInit, reports refusals, and turns
  /// them into results.
  enum Needs { Nothing, Initialized, Current };
  /// `evenSo`: what the call does though it fails as the environment says.
  int call(const char *name, Needs needs, const std::function<void()> &body,
           const std::function<void()> &evenSo = nullptr);

  void initialize();
  // These refuse what is none.
  Device &device(int number);
  Device &current();
  Context *context(void *handle);
  Stream &stream(void *handle);
  Event &event(void *handle);
  LoadedModule &module(void *handle);
  Kernel &kernel(void *handle);
  GraphExec &graphExec(void *handle);

  /// Adds work to a stream, after what the stream has and what the rules of
  /// the legacy default stream say. Where the stream is captured, it becomes a
  /// node of a graph, and what is returned is what the graph's launches do.
  WorkPointer submit(Stream &stream, const std::string &description,
                     std::function<std::vector<Span>()> run,
                     std::vector<WorkPointer> after = {},
                     decltype(Work::placeOf) placeOf = nullptr);
  /// Waits, and then reports an error of the device, as a synchronization does.
  void finish(const WorkPointer &work);
  void finishStream(Stream &stream);
  void finishAll();
  /// The allocation that holds all of it, or a refusal.
  ptx::Allocation &allocation(uint64_t address, uint64_t bytes);
  /// Whether all of it is pinned memory of the host.
  bool isPinned(const void *memory, size_t bytes) const;

  /// The capture of a blocking stream with which this one, the legacy stream,
  /// is in order; null: none, or this is another stream.
  std::shared_ptr<Capture> orderedCapture(const Stream &stream) const;
  void wantNoOrderedCapture(Stream &stream);
  /// Refuses what waits for a stream that is captured, or asks after it.
  void wantNoCapture(Stream &stream);
  void wantNoCapture(Event &event);
  void wantNoCapture(Device &device);
  /// Refuses a call that is unsafe beside a capture of this thread, or of
  /// another one whose mode is global.
  void wantSafe(const Citation &citation);
  /// Refuses what belongs to a capture that was invalidated.
  void wantValid(const Capture &capture);
  /// A stream that waits for an event, where one of them is in a capture;
  /// false: neither is.
  bool waitInCapture(Stream &stream, Event &event);
  /// "When an invalid operation is attempted during stream capture, any
  /// associated capture graphs are invalidated" (programming guide).
  [[noreturn]] void invalidate(Capture &capture, int result,
                               const std::string &why,
                               const Citation &citation);

  Settings settings;
  KnownLaunches knownLaunches;
  std::vector<std::unique_ptr<Device>> devices;
  ptx::Memory memory; // of all devices
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<LoadedModule *> modules;
  std::set<Kernel *> kernels;
  std::set<std::shared_ptr<Capture>> captures; // that are not over
  std::map<void *, std::shared_ptr<Graph>> graphs;
  std::map<void *, std::shared_ptr<GraphExec>> graphExecs;
  std::map<char *, size_t> hostMemory; // pinned
  std::unique_ptr<Scheduler> scheduler;
  static thread_local std::unique_lock<std::mutex> *lock; // of this call
  bool isInitialized = false;
  uint64_t nextStream = 64; // below: the default streams of the devices

private:
  Driver();
  void onError(const Work &work, std::exception_ptr error);
  /// Every later call in the device's context returns the result, and nothing
  /// is done there any more.
  void lose(Device &device, int result);
  void wantSafe(const std::string &name);
  WorkPointer captured(Stream &stream, const WorkPointer &work);
  std::mutex mutex;
  std::map<std::string, uint64_t> calls;
};

/// The context of this thread.
extern thread_local Context *currentContext;
/// A driver entry point by its name in the library, or null.
void *entryPoint(const std::string &name);

} // namespace smex::emulated

#endif
