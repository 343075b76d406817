// A CUDA driver that does nothing and returns at once: what a run takes with it
// is the time of the host's own work. Device memory does not exist; what is
// read from it are zeros.
#include "runtime/backends/cuda/Api.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace smex::cuda;

namespace {

/// Handles point to nothing and differ from null.
template <typename T> Code give(T *handle) {
  static uintptr_t next = 1 << 20;
  next += 1 << 10;
  std::memcpy(handle, &next, sizeof next);
  return success;
}

} // namespace

extern "C" {

Code cuDriverGetVersion(int *version) { return *version = 13000, success; }
Code cuGetErrorName(Code, const char **text) { return *text = "?", success; }
Code cuGetErrorString(Code, const char **text) { return *text = "?", success; }
Code cuDeviceGetCount(int *count) { return *count = 1, success; }
Code cuDeviceGet(DeviceNumber *device, int ordinal) {
  return *device = ordinal, success;
}
Code cuDeviceGetName(char *name, int length, DeviceNumber) {
  std::strncpy(name, "idle device, which computes nothing", size_t(length));
  name[length - 1] = 0;
  return success;
}
Code cuDeviceGetAttribute(int *value, int attribute, DeviceNumber) {
  *value = attribute == attributeComputeCapabilityMajor   ? 9
           : attribute == attributeComputeCapabilityMinor ? 0
                                                          : 132;
  return success;
}
Code cuDevicePrimaryCtxRetain(Context *context, DeviceNumber) {
  return give(context);
}
Code cuMemGetInfo_v2(size_t *free, size_t *total) {
  return *free = *total = size_t(1) << 40, success;
}
Code cuMemAlloc_v2(Address *address, size_t) {
  return *address = Address(1) << 40, success;
}
Code cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  *address = std::malloc(bytes);
  return *address ? success : errorOutOfMemory;
}
Code cuMemFreeHost(void *address) { return std::free(address), success; }
Code cuMemcpyDtoHAsync_v2(void *to, Address, size_t bytes, Stream) {
  return std::memset(to, 0, bytes), success;
}
Code cuModuleLoadDataEx(Module *module, const void *, unsigned, int *,
                        void **) {
  return give(module);
}
Code cuModuleGetFunction(Function *function, Module, const char *) {
  return give(function);
}
Code cuStreamCreate(Stream *stream, unsigned) { return give(stream); }
Code cuEventCreate(Event *event, unsigned) { return give(event); }
Code cuEventElapsedTime(float *milliseconds, Event, Event) {
  return *milliseconds = 0, success;
}
Code cuStreamEndCapture(Stream, Graph *graph) { return give(graph); }
Code cuGraphInstantiateWithFlags(GraphExec *exec, Graph, unsigned long long) {
  return give(exec);
}
}
