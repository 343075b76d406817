#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Functions.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace smex::emulated {

thread_local Context *currentContext = nullptr;
thread_local std::unique_lock<std::mutex> *Driver::lock = nullptr;

namespace {
/// Of these, cuda.h of CUDA 13.0 says "This leaves the process in an
/// inconsistent state and any further CUDA work will return the same error";
/// and of 710 "The context cannot be used anymore, and must be destroyed". It
/// says of 214 and 220 only that such an error was "detected during execution";
/// NVIDIA's "GPU Memory Error Management" says of errors like 214 that "the
/// affected application is terminated", so that it gets no further here,
/// either.
bool isSticky(int result) {
  static const std::set<int> all = {214, 220, 226, 700, 702, 710, 714,
                                    715, 716, 717, 718, 719, 721};
  return all.count(result) > 0;
}

/// Entry points that this thread has called, from when it first asked.
thread_local bool isWatched = false;
thread_local std::vector<std::string> watchedCalls;
} // namespace

Driver &Driver::get() {
  static Driver *driver = new Driver; // outlives everybody's destructors
  return *driver;
}

Driver::Driver() {
  try {
    settings = Settings::fromEnvironment();
    knownLaunches = KnownLaunches(settings.knownLaunches);
  } catch (const std::exception &error) {
    report(settings, error.what());
    std::abort();
  }
  scheduler = std::make_unique<Scheduler>(settings.seed);
  scheduler->onError = [this](const Work &work, std::exception_ptr error) {
    onError(work, error);
  };
  // Asked of each work once, as it begins.
  const auto is = [this](const Settings::NamedWork &named, const char *why) {
    return [this, &named, why, seen = uint64_t(0)](const Work &work) mutable {
      if (named.name.empty() ||
          work.description.find(named.name) == std::string::npos ||
          ++seen != named.number)
        return false;
      note(settings, work.description + why);
      return true;
    };
  };
  scheduler->hangs = is(settings.hang, " hangs as SMEX_EMULATED_HANG says");
  scheduler->fails = is(settings.fault, " fails as SMEX_EMULATED_FAULT says");
  if (!settings.counts.empty())
    std::atexit([] {
      const std::unique_lock<std::mutex> guard(get().mutex);
      std::ofstream file(get().settings.counts);
      for (const auto &[name, count] : get().calls)
        file << name << ' ' << count << '\n';
    });
}

int Driver::call(const char *name, Needs needs,
                 const std::function<void()> &body,
                 const std::function<void()> &evenSo) {
  std::unique_lock<std::mutex> guard(mutex);
  if (isWatched)
    watchedCalls.push_back(name);
  uint64_t number = ++calls[name];
  for (const Settings::Failure &each : settings.failures)
    if (each.function == name && each.call == number) {
      note(settings,
           std::string(name) + " fails as SMEX_EMULATED_FAIL_AT says");
      if (needs == Current && currentContext && isSticky(each.result))
        lose(*currentContext->device, each.result);
      if (evenSo)
        evenSo();
      return each.result;
    }
  const auto said = [&](const std::string &text) {
    report(settings, std::string(name) + ": " + text);
  };
  try {
    if (needs != Nothing && !isInitialized)
      refuse(ERROR_NOT_INITIALIZED, "cuInit was not called", cites::initFirst);
    if (needs == Current) {
      if (!currentContext)
        refuse(ERROR_INVALID_CONTEXT, "no context is current",
               cites::noContext);
      // "The context cannot be used" after such an error (cuda.h, 700).
      if (int sticky = currentContext->device->sticky)
        return sticky;
    }
    auto *outer = lock;
    lock = &guard;
    struct Restore {
      std::unique_lock<std::mutex> *&place, *value;
      ~Restore() { place = value; }
    } restore{lock, outer};
    wantSafe(name);
    body();
    return SUCCESS;
  } catch (const Answer &answer) {
    return answer.result;
  } catch (const Refusal &refusal) {
    said(refusal.what());
    return refusal.result;
  } catch (const std::bad_alloc &) {
    said(cited("no memory of the host is left", cites::memory));
    return ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    said(error.what());
    return ERROR_UNKNOWN;
  }
}

void Driver::initialize() {
  if (isInitialized)
    return;
  std::string memories, architectures;
  for (uint64_t each : settings.memories)
    memories += (memories.empty() ? "" : ", ") + std::to_string(each);
  for (int each : settings.architectures)
    architectures += ", sm_" + std::to_string(each);
  note(settings, "emulated driver " + std::to_string(settings.driver) + ", " +
                     std::to_string(settings.devices) + " devices of " +
                     memories + " bytes" + architectures + ", seed " +
                     std::to_string(settings.seed));
  if (settings.visible.empty())
    answer(ERROR_NO_DEVICE);
  if (settings.devices > maximalDevices)
    refuse(ERROR_UNKNOWN,
           "SMEX_EMULATED_DEVICES is " + std::to_string(settings.devices),
           cites::manyDevices);
  watchHostAccesses(settings.log);
  for (unsigned physical : settings.visible)
    devices.push_back(
        std::make_unique<Device>(devices.size(), physical, settings));
  isInitialized = true;
}

Device &Driver::device(int number) {
  if (number < 0 || number >= static_cast<int>(devices.size()))
    refuse(ERROR_INVALID_DEVICE, "there is no device " + std::to_string(number),
           cites::ordinal);
  return *devices[number];
}

Device &Driver::current() { return *currentContext->device; }

Context *Driver::context(void *handle) {
  for (auto &each : devices)
    if (&each->context == handle && each->context.retained)
      return &each->context;
  refuse(ERROR_INVALID_CONTEXT, "this is no context, or one that was released",
         cites::context);
}

template <class T>
static T &valid(std::set<T *> &known, void *handle, const char *kind) {
  auto *result = static_cast<T *>(handle);
  if (!known.count(result))
    refuse(ERROR_INVALID_HANDLE,
           std::string("this is no ") + kind + ", or one that was destroyed",
           cites::handle);
  return *result;
}

Stream &Driver::stream(void *handle) {
  // 0 and CU_STREAM_LEGACY; CU_STREAM_PER_THREAD
  if (handle == nullptr || handle == reinterpret_cast<void *>(1))
    return current().legacy;
  if (handle == reinterpret_cast<void *>(2))
    refuse(ERROR_NOT_SUPPORTED, "CU_STREAM_PER_THREAD", cites::perThreadStream);
  return valid(streams, handle, "stream");
}

Event &Driver::event(void *handle) { return valid(events, handle, "event"); }
LoadedModule &Driver::module(void *handle) {
  return valid(modules, handle, "module");
}
Kernel &Driver::kernel(void *handle) {
  return valid(kernels, handle, "function");
}

ptx::Allocation &Driver::allocation(uint64_t address, uint64_t bytes) {
  ptx::Allocation *found = memory.find(address);
  if (!found || bytes > found->end() - address)
    refuse(ERROR_INVALID_VALUE,
           "an address of " + std::to_string(bytes) +
               " bytes that are not in one allocation",
           cites::oneAllocation);
  return *found;
}

bool Driver::isPinned(const void *pointer, size_t bytes) const {
  auto *begin = const_cast<char *>(static_cast<const char *>(pointer));
  auto above = hostMemory.upper_bound(begin);
  if (above == hostMemory.begin())
    return false;
  --above;
  return begin + bytes <= above->first + above->second;
}

/// "The legacy default stream waits on all blocking streams in the same
/// context, and all blocking streams wait on it" (CUDA driver API, "Stream
/// synchronization behavior").
WorkPointer Driver::submit(Stream &stream, const std::string &description,
                           std::function<std::vector<Span>()> run,
                           std::vector<WorkPointer> after,
                           decltype(Work::placeOf) placeOf) {
  auto work = std::make_shared<Work>();
  work->device = stream.device->number;
  work->description = description + " in " +
                      (&stream == &stream.device->legacy
                           ? "the default stream"
                           : "stream " + std::to_string(stream.id)) +
                      " of device " + std::to_string(stream.device->number);
  work->run = std::move(run);
  work->placeOf = std::move(placeOf);
  if (stream.place.capture)
    return captured(stream, work);
  wantNoOrderedCapture(stream);
  work->after = std::move(after);
  auto add = [&](const WorkPointer &last) {
    if (last)
      work->after.push_back(last);
  };
  add(stream.last);
  if (&stream == &stream.device->legacy) {
    for (Stream *each : streams)
      if (each->isBlocking && each->device == stream.device)
        add(each->last);
  } else if (stream.isBlocking) {
    add(stream.device->legacy.last);
  }
  stream.last = work;
  work->stream = stream.id;
  work->number = ++stream.count;
  scheduler->submit(work);
  return work;
}

void Driver::finish(const WorkPointer &work) {
  if (work)
    scheduler->finish(work, *lock);
  if (currentContext && currentContext->device->sticky)
    answer(currentContext->device->sticky);
}

void Driver::finishAll() {
  scheduler->finishAll(*lock);
  finish(nullptr);
}

void Driver::finishStream(Stream &stream) {
  wantNoCapture(stream);
  finish(stream.last);
}

static int resultOf(ptx::FaultKind kind) {
  switch (kind) {
  case ptx::FaultKind::OutOfBounds:
  case ptx::FaultKind::OutOfBuffer:
  case ptx::FaultKind::ReadOnly:
    return ERROR_ILLEGAL_ADDRESS;
  case ptx::FaultKind::Misaligned:
    return ERROR_MISALIGNED_ADDRESS;
  default:
    return ERROR_LAUNCH_FAILED;
  }
}

void Driver::onError(const Work &work, std::exception_ptr error) {
  Device &device = *devices[work.device];
  int result = ERROR_UNKNOWN;
  std::string text;
  try {
    std::rethrow_exception(error);
  } catch (const ptx::Fault &fault) {
    result = resultOf(fault.kind);
    text = fault.what();
  } catch (const StreamRace &race) {
    result = ERROR_LAUNCH_FAILED;
    text = race.text;
  } catch (const std::exception &other) {
    text = other.what();
  }
  report(settings, work.description + ": " + text);
  lose(device, result);
}

void Driver::lose(Device &device, int result) {
  if (!device.sticky)
    device.sticky = result;
  scheduler->drop(device.number);
}

} // namespace smex::emulated

/// Not NVIDIA's: see Functions.h.
const char *smexEmulatedCalls() {
  using namespace smex::emulated;
  static thread_local std::string text;
  text.clear();
  for (const std::string &name : watchedCalls)
    text += name + "\n";
  watchedCalls.clear();
  isWatched = true;
  return text.c_str();
}
