// Memory, copies and fills.
#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Functions.h"

#include <algorithm>
#include <cstring>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

using namespace smex::emulated;
namespace ptx = smex::ptx;

namespace {

Driver &driver() { return Driver::get(); }

bool isPinned(const void *memory, size_t bytes) {
  return driver().isPinned(memory, bytes);
}

/// What a graph's launches would read or write in memory that may be gone, or
/// paged out, by then.
void wantPinned(const void *memory, size_t bytes, Stream &stream) {
  if (stream.place.isActive() && !isPinned(memory, bytes))
    driver().invalidate(
        *stream.place.capture, ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "a captured copy from or to memory of the host that is not pinned",
        cites::pinned);
}

std::string bytesText(size_t bytes) { return std::to_string(bytes) + " bytes"; }

/// From pinned memory the bytes are read when the copy runs, from any other
/// when it is submitted: "for transfers from pageable host memory, the call
/// may return once the data has been copied to the staging memory" (CUDA driver
/// API, "API synchronization behavior").
WorkPointer toDevice(uint64_t to, const void *from, size_t bytes,
                     Stream &stream) {
  driver().allocation(to, bytes);
  if (!from)
    refuse(ERROR_INVALID_VALUE, "the source is NULL", cites::value);
  wantPinned(from, bytes, stream);
  std::shared_ptr<std::vector<char>> staged;
  if (!isPinned(from, bytes)) {
    auto *begin = static_cast<const char *>(from);
    staged = std::make_shared<std::vector<char>>(begin, begin + bytes);
  }
  return driver().submit(
      stream, "a copy of " + bytesText(bytes) + " to the device",
      [=]() -> std::vector<Span> {
        driver().memory.write(to, staged ? staged->data() : from, bytes);
        return {{to, to + bytes, true}};
      });
}

WorkPointer toHost(void *to, uint64_t from, size_t bytes, Stream &stream) {
  driver().allocation(from, bytes);
  if (!to)
    refuse(ERROR_INVALID_VALUE, "the destination is NULL", cites::value);
  wantPinned(to, bytes, stream);
  return driver().submit(stream,
                         "a copy of " + bytesText(bytes) + " to the host",
                         [=]() -> std::vector<Span> {
                           driver().memory.read(from, to, bytes);
                           return {{from, from + bytes, false}};
                         });
}

void withinDevices(uint64_t to, uint64_t from, size_t bytes, void *stream,
                   const char *what) {
  driver().allocation(to, bytes);
  driver().allocation(from, bytes);
  if (!bytes)
    return;
  driver().submit(
      driver().stream(stream), what + (" of " + bytesText(bytes)),
      [=]() -> std::vector<Span> {
        auto &a = driver().allocation(to, bytes);
        auto &b = driver().allocation(from, bytes);
        std::memmove(a.bytes + (to - a.base), b.bytes + (from - b.base), bytes);
        // Bytes that nobody has written stay that.
        std::memmove(a.initialized + (to - a.base),
                     b.initialized + (from - b.base), bytes);
        return {{from, from + bytes, false}, {to, to + bytes, true}};
      });
}

template <class T>
void fillWith(uint64_t to, T value, size_t count, void *stream) {
  if (to % sizeof(T))
    refuse(ERROR_INVALID_VALUE, "the address is misaligned",
           cites::fillAlignment);
  const size_t bytes = count * sizeof(T);
  driver().allocation(to, bytes);
  if (!bytes)
    return;
  driver().submit(driver().stream(stream), "a fill of " + bytesText(bytes),
                  [=]() -> std::vector<Span> {
                    std::vector<T> values(count, value);
                    driver().memory.write(to, values.data(), bytes);
                    return {{to, to + bytes, true}};
                  });
}

void allocateHost(void **memory, size_t bytes) {
  if (!bytes)
    refuse(ERROR_INVALID_VALUE, "0 bytes", cites::noHostBytes);
  void *result = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!result)
    throw std::bad_alloc();
  driver().hostMemory[static_cast<char *>(result)] = bytes;
  wanted(memory) = result;
}

} // namespace

extern "C" {

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  return driver().call("cuMemAlloc_v2", Driver::Current, [&] {
    if (!bytes)
      refuse(ERROR_INVALID_VALUE, "0 bytes", cites::noBytes);
    wanted(address);
    Device &device = driver().current();
    uint64_t result = device.bytes.take(bytes);
    if (!result)
      refuse(ERROR_OUT_OF_MEMORY,
             bytesText(bytes) + ", of " + bytesText(device.bytes.available()) +
                 " that are left",
             cites::memory);
    driver()
        .memory
        .add(result, bytes, device.bytes.view(result),
             "an allocation of device " + std::to_string(device.number))
        .device = device.number;
    *address = result;
    if (device.arena)
      return;
    device.arena = result;
    for (const KnownLaunches::Buffer &each : driver().knownLaunches.buffers())
      if (each.device == device.number)
        driver().memory.addBuffer(result + each.offset, each.bytes,
                                  "bytes " + std::to_string(each.offset) +
                                      " on of the device's memory");
  });
}

/// Waits for all work first, as the real one does in effect.
int cuMemFree_v2(uint64_t address) {
  return driver().call("cuMemFree_v2", Driver::Current, [&] {
    if (!address)
      return;
    ptx::Allocation *found = driver().memory.find(address);
    if (!found || found->base != address)
      refuse(ERROR_INVALID_VALUE, "no allocation begins there", cites::freed);
    driver().finishAll();
    driver().scheduler->forget(found->base, found->end());
    driver().devices[found->device]->bytes.give(address);
    driver().memory.remove(address);
  });
}

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  return driver().call("cuMemGetInfo_v2", Driver::Current, [&] {
    DeviceMemory &bytes = driver().current().bytes;
    wanted(available) = bytes.available();
    wanted(total) = bytes.size();
  });
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return driver().call("cuMemHostAlloc", Driver::Current, [&] {
    if (flags & ~7u)
      refuse(ERROR_INVALID_VALUE, "flags " + std::to_string(flags),
             cites::hostFlags);
    allocateHost(memory, bytes);
  });
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
  return driver().call("cuMemAllocHost_v2", Driver::Current,
                       [&] { allocateHost(memory, bytes); });
}

int cuMemFreeHost(void *memory) {
  return driver().call("cuMemFreeHost", Driver::Current, [&] {
    auto found = driver().hostMemory.find(static_cast<char *>(memory));
    if (found == driver().hostMemory.end())
      refuse(ERROR_INVALID_VALUE, "no allocation begins there",
             cites::freedHost);
    driver().finishAll();
    driver().hostMemory.erase(found);
    std::free(memory);
  });
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  return driver().call("cuMemcpyHtoDAsync_v2", Driver::Current, [&] {
    if (bytes)
      toDevice(to, from, bytes, driver().stream(stream));
  });
}

/// To memory that is not pinned, the copy is over when the call returns.
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  return driver().call("cuMemcpyDtoHAsync_v2", Driver::Current, [&] {
    if (!bytes)
      return;
    WorkPointer work = toHost(to, from, bytes, driver().stream(stream));
    if (!isPinned(to, bytes))
      driver().finish(work);
  });
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  return driver().call("cuMemcpyDtoDAsync_v2", Driver::Current, [&] {
    withinDevices(to, from, bytes, stream, "a copy on the device");
  });
}

int cuMemcpyPeerAsync(uint64_t to, void *toContext, uint64_t from,
                      void *fromContext, size_t bytes, void *stream) {
  return driver().call("cuMemcpyPeerAsync", Driver::Current, [&] {
    auto check = [&](uint64_t address, void *context) {
      if (driver().context(context)->device->number !=
          driver().allocation(address, bytes).device)
        refuse(ERROR_INVALID_VALUE, "an address is not of its context's device",
               cites::peerCopy);
    };
    check(to, toContext);
    check(from, fromContext);
    withinDevices(to, from, bytes, stream, "a copy between devices");
  });
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return driver().call("cuMemcpyHtoD_v2", Driver::Current, [&] {
    if (bytes)
      driver().finish(toDevice(to, from, bytes, driver().stream(nullptr)));
  });
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return driver().call("cuMemcpyDtoH_v2", Driver::Current, [&] {
    if (bytes)
      driver().finish(toHost(to, from, bytes, driver().stream(nullptr)));
  });
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count,
                    void *stream) {
  return driver().call("cuMemsetD8Async", Driver::Current,
                       [&] { fillWith(to, value, count, stream); });
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  return driver().call("cuMemsetD32Async", Driver::Current,
                       [&] { fillWith(to, value, count, stream); });
}

/// Not NVIDIA's: says that a part of an allocation is a buffer of its own, so
/// that a kernel whose argument points to it may touch nothing else.
int smexEmulatedAddBuffer(uint64_t address, size_t bytes, const char *name) {
  return driver().call("smexEmulatedAddBuffer", Driver::Current, [&] {
    driver().allocation(address, bytes);
    driver().memory.addBuffer(address, bytes, name ? name : "");
  });
}

int smexEmulatedKnowLaunches(const char *text) {
  return driver().call("smexEmulatedKnowLaunches", Driver::Nothing, [&] {
    driver().knownLaunches = KnownLaunches(&wanted(text));
    for (auto &each : driver().devices)
      each->arena = 0;
  });
}

int smexEmulatedRemoveBuffer(uint64_t address) {
  return driver().call("smexEmulatedRemoveBuffer", Driver::Current,
                       [&] { driver().memory.removeBuffer(address); });
}
}
