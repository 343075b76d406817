// cuInit, devices, contexts, errors and cuGetProcAddress.
#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Functions.h"

#include <cstdlib>
#include <cstring>
#include <functional>

#include <unistd.h>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

using namespace smex::emulated;

namespace smex::emulated {

void *entryPoint(const std::string &name) {
#define SMEX_CUDA_ENTRY(function, parameters, arguments)                       \
  if (name == #function)                                                       \
    return reinterpret_cast<void *>(&function);
  SMEX_CUDA_FUNCTIONS(SMEX_CUDA_ENTRY)
#undef SMEX_CUDA_ENTRY
  return nullptr;
}

namespace {

Driver &driver() { return Driver::get(); }

/// What an H100-like device says; -1 for attributes that nobody asks for.
int attribute(int which, const Device &device) {
  switch (which) {
  case 1:
  case 2:
  case 3:
    return 1024; // threads of a block, and its extents
  case 4:
    return 64;
  case 5:
    return 2147483647; // blocks of a grid
  case 6:
  case 7:
    return 65535;
  case 8:
    return 48 << 10; // shared memory of a block
  case 9:
    return 64 << 10; // constants
  case 10:
    return 32; // threads of a warp
  case 12:
  case 82:
    return 65536; // registers
  case 13:
    return 1000000; // kHz
  case 16:
    return 4; // multiprocessors
  case 19:
  case 31:
  case 40:
  case 41:
  case 95:
    return 1; // maps host memory, concurrent, copies, unified, cooperative
  case 33:
    return static_cast<int>(device.physical) + 1; // PCI bus
  case 34:
  case 50:
  case 83:
  case 115:
    return 0; // PCI device and domain, no managed memory, no pools
  case 36:
    return 1000000; // kHz
  case 37:
    return 1024; // bits
  case 38:
    return 4 << 20; // L2
  case 39:
    return 2048; // threads of a multiprocessor
  case 75:
    return device.architecture / 10;
  case 76:
    return device.architecture % 10;
  case 81:
    return 228 << 10;
  case 97:
    return 227 << 10; // shared memory of a block, if asked for
  default:
    return -1;
  }
}

const char *nameOf(int result) {
  switch (result) {
#define SMEX_CUDA_NAME(name, value, text)                                      \
  case value:                                                                  \
    return "CUDA_" #name;
    SMEX_CUDA_RESULTS(SMEX_CUDA_NAME)
#undef SMEX_CUDA_NAME
  default:
    return nullptr;
  }
}
const char *textOf(int result) {
  switch (result) {
#define SMEX_CUDA_TEXT(name, value, text)                                      \
  case value:                                                                  \
    return text " (emulated)";
    SMEX_CUDA_RESULTS(SMEX_CUDA_TEXT)
#undef SMEX_CUDA_TEXT
  default:
    return nullptr;
  }
}

void wantKnown(int error, const char *text) {
  if (!text)
    refuse(ERROR_INVALID_VALUE, "error " + std::to_string(error),
           cites::errorName);
}

} // namespace
} // namespace smex::emulated

extern "C" {

int cuInit(unsigned flags) {
  return driver().call("cuInit", Driver::Nothing, [&] {
    if (flags)
      refuse(ERROR_INVALID_VALUE, "flags", cites::initFlags);
    driver().initialize();
  });
}

int cuDriverGetVersion(int *version) {
  return driver().call("cuDriverGetVersion", Driver::Nothing,
                       [&] { wanted(version) = driver().settings.driver; });
}

int cuDeviceGetCount(int *count) {
  return driver().call("cuDeviceGetCount", Driver::Initialized, [&] {
    wanted(count) = static_cast<int>(driver().devices.size());
  });
}

int cuDeviceGet(int *device, int ordinal) {
  return driver().call("cuDeviceGet", Driver::Initialized, [&] {
    wanted(device) = static_cast<int>(driver().device(ordinal).number);
  });
}

int cuDeviceGetName(char *name, int length, int device) {
  return driver().call("cuDeviceGetName", Driver::Initialized, [&] {
    const int architecture = driver().device(device).architecture;
    if (length <= 0)
      refuse(ERROR_INVALID_VALUE, "no length", cites::value);
    std::string text =
        "emulated sm_" + std::to_string(architecture) + " device";
    std::strncpy(&wanted(name), text.c_str(), length - 1);
    name[length - 1] = 0;
  });
}

/// Processes have different GPUs, unless SMEX_EMULATED_HOST says that they are
/// of one machine.
int cuDeviceGetUuid_v2(void *uuid, int device) {
  return driver().call("cuDeviceGetUuid_v2", Driver::Initialized, [&] {
    const unsigned physical = driver().device(device).physical;
    const char *host = std::getenv("SMEX_EMULATED_HOST");
    const size_t machine =
        host ? std::hash<std::string>()(host) : static_cast<size_t>(getpid());
    auto *bytes = &wanted(static_cast<char *>(uuid));
    std::memset(bytes, 0, 16);
    std::memcpy(bytes, &machine, sizeof machine);
    bytes[15] = static_cast<char>(physical);
  });
}

int cuDeviceGetAttribute(int *value, int which, int device) {
  return driver().call("cuDeviceGetAttribute", Driver::Initialized, [&] {
    int result = attribute(which, driver().device(device));
    if (result < 0)
      refuse(ERROR_INVALID_VALUE, "attribute " + std::to_string(which),
             cites::deviceAttribute);
    wanted(value) = result;
  });
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  return driver().call("cuDeviceTotalMem_v2", Driver::Initialized, [&] {
    wanted(bytes) = driver().device(device).bytes.size();
  });
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  return driver().call("cuDevicePrimaryCtxRetain", Driver::Initialized, [&] {
    Context &result = driver().device(device).context;
    ++result.retained;
    wanted(context) = &result;
  });
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return driver().call(
      "cuDevicePrimaryCtxRelease_v2", Driver::Initialized, [&] {
        Context &context = driver().device(device).context;
        if (!context.retained)
          refuse(ERROR_INVALID_CONTEXT, "it is not retained", cites::release);
        --context.retained;
      });
}

int cuCtxSetCurrent(void *context) {
  return driver().call("cuCtxSetCurrent", Driver::Initialized, [&] {
    currentContext = context ? driver().context(context) : nullptr;
  });
}

int cuCtxGetCurrent(void **context) {
  return driver().call("cuCtxGetCurrent", Driver::Initialized,
                       [&] { wanted(context) = currentContext; });
}

int cuCtxSynchronize() {
  return driver().call("cuCtxSynchronize", Driver::Current, [&] {
    driver().wantNoCapture(driver().current());
    driver().finishAll();
  });
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  return driver().call("cuDeviceCanAccessPeer", Driver::Initialized, [&] {
    driver().device(device);
    driver().device(peer);
    wanted(can) = driver().settings.peerAccess && device != peer;
  });
}

int cuCtxEnablePeerAccess(void *peer, unsigned flags) {
  return driver().call("cuCtxEnablePeerAccess", Driver::Current, [&] {
    Context *other = driver().context(peer);
    if (flags)
      refuse(ERROR_INVALID_VALUE, "flags", cites::peerFlags);
    if (other == currentContext)
      refuse(ERROR_PEER_ACCESS_UNSUPPORTED, "a context is no peer of its own",
             cites::peerItself);
    if (!driver().settings.peerAccess)
      refuse(ERROR_PEER_ACCESS_UNSUPPORTED, "SMEX_EMULATED_PEER is 0",
             cites::peerUnsupported);
    if (!currentContext->peers.insert(other->device->number).second)
      refuse(ERROR_PEER_ACCESS_ALREADY_ENABLED, "it is enabled already",
             cites::peerTwice);
  });
}

int cuGetErrorName(int error, const char **text) {
  return driver().call("cuGetErrorName", Driver::Nothing, [&] {
    wanted(text) = nameOf(error);
    wantKnown(error, *text);
  });
}

int cuGetErrorString(int error, const char **text) {
  return driver().call("cuGetErrorString", Driver::Nothing, [&] {
    wanted(text) = textOf(error);
    wantKnown(error, *text);
  });
}

/// "cuMemAlloc" asks for the newest version of it, whatever version is given.
/// "The API will return CUDA_SUCCESS and set the returned pfn to NULL if [...]
/// the driver symbol is invalid" (cuda.h).
int cuGetProcAddress_v2(const char *symbol, void **function, int version,
                        uint64_t flags, int *status) {
  return driver().call("cuGetProcAddress_v2", Driver::Nothing, [&] {
    std::string name = &wanted(symbol);
    (void)flags;
    if (version > driver().settings.driver)
      refuse(ERROR_INVALID_VALUE,
             "version " + std::to_string(version) + ", the driver's is " +
                 std::to_string(driver().settings.driver),
             cites::newerVersion);
    void *found = nullptr;
    if (!driver().settings.missing.count(name))
      for (const char *suffix : {"_v2", ""})
        if (!found && !driver().settings.missing.count(name + suffix))
          found = entryPoint(name + suffix);
    wanted(function) = found;
    if (status)
      *status = found ? 0 : 1; // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  });
}
}
