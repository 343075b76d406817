// What emulated libraries ask of the driver.
#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Library.h"

#include <algorithm>

using namespace smex::emulated;
namespace ptx = smex::ptx;

namespace {

Driver &driver() { return Driver::get(); }

/// A library's work while it runs.
struct Running {
  const Context &context;
  std::vector<Span> spans = {};
  std::string error = {};
  /// Of what went wrong; a trap where the library found it by itself.
  ptx::FaultKind kind = ptx::FaultKind::Trap;
};

/// Many accesses go along a row: spans that touch become one.
void add(std::vector<Span> &spans, const Span &span) {
  if (!spans.empty() && spans.back().isWritten == span.isWritten &&
      spans.back().end == span.begin)
    spans.back().end = span.end;
  else
    spans.push_back(span);
}

uint8_t *access(Running &running, uint64_t address, size_t bytes,
                bool isWritten) {
  const auto refuse = [&](ptx::FaultKind kind, const std::string &why) {
    running.kind = kind;
    running.error = std::to_string(bytes) + " bytes at " +
                    std::to_string(address) +
                    (isWritten ? " are written, " : " are read, ") + why;
    return nullptr;
  };
  ptx::Allocation *found = driver().memory.find(address);
  if (!found || bytes > found->end() - address)
    return refuse(ptx::FaultKind::OutOfBounds,
                  "which are not in one allocation");
  if (found->device != running.context.device->number &&
      !running.context.peers.count(found->device))
    return refuse(ptx::FaultKind::OutOfBounds,
                  "which are on device " + std::to_string(found->device) +
                      ", out of this one's reach");
  if (const ptx::Range buffer = driver().memory.rangeOf(address);
      !buffer.holds(address, bytes))
    return refuse(ptx::FaultKind::OutOfBuffer,
                  "which are not in one buffer: the first is in " +
                      buffer.name);
  const size_t at = address - found->base;
  uint8_t *known = found->initialized + at;
  if (isWritten)
    std::fill(known, known + bytes, uint8_t(1));
  else if (uint8_t *first = std::find(known, known + bytes, uint8_t(0));
           first != known + bytes)
    return refuse(ptx::FaultKind::Uninitialized,
                  "and nobody has written byte " +
                      std::to_string(first - known) + " of them");
  add(running.spans, {address, address + bytes, isWritten});
  return found->bytes + at;
}

} // namespace

extern "C" {

int smexEmulatedSubmit(void *handle, const char *description,
                       int (*ready)(void *), const char *(*run)(void *, void *),
                       void (*release)(void *), void *argument) {
  const std::shared_ptr<void> owned(argument, release);
  return driver().call("smexEmulatedSubmit", Driver::Current, [&] {
    Stream &stream = driver().stream(handle);
    Context &context = stream.device->context;
    WorkPointer work = driver().submit(
        stream, description, [=, &context]() -> std::vector<Span> {
          Running running{context};
          if (const char *error = run(&running, owned.get()))
            throw ptx::Fault(running.kind, error);
          return std::move(running.spans);
        });
    if (ready)
      work->ready = [=] { return ready(owned.get()) != 0; };
  });
}

void *smexEmulatedAccess(void *work, uint64_t address, size_t bytes,
                         int isWritten, const char **error) {
  auto &running = *static_cast<Running *>(work);
  uint8_t *bytesThere = access(running, address, bytes, isWritten != 0);
  if (!bytesThere)
    *error = running.error.c_str();
  return bytesThere;
}

size_t smexEmulatedBytesFrom(uint64_t address) {
  size_t bytes = 0;
  driver().call("smexEmulatedBytesFrom", Driver::Initialized, [&] {
    if (ptx::Allocation *found = driver().memory.find(address))
      bytes = found->end() - address;
  });
  return bytes;
}

int smexEmulatedDeviceAt(uint64_t address) {
  int device = -1;
  driver().call("smexEmulatedDeviceAt", Driver::Initialized, [&] {
    if (const ptx::Allocation *found = driver().memory.find(address))
      device = int(found->device);
    else if (driver().isPinned(reinterpret_cast<const void *>(address), 1))
      device = hostMemory;
  });
  return device;
}

int smexEmulatedDeviceOf(void *stream) {
  int device = -1;
  driver().call("smexEmulatedDeviceOf", Driver::Current,
                [&] { device = int(driver().stream(stream).device->number); });
  return device;
}

int smexEmulatedPhysicalOf(int device) {
  int physical = -1;
  driver().call("smexEmulatedPhysicalOf", Driver::Initialized,
                [&] { physical = int(driver().device(device).physical); });
  return physical;
}

int smexEmulatedCall(const char *function) {
  return driver().call(function, Driver::Nothing, [] {});
}

void smexEmulatedReport(const char *text) { report(driver().settings, text); }
}
