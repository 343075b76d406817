#include "runtime/backends/cuda/Driver.h"

#include <dlfcn.h>

using namespace smex;
using namespace smex::cuda;

namespace {

constexpr const char *library = "libcuda.so.1";

Error environment(std::string message) {
  return {std::move(message), Fault::Environment};
}

/// 11080: "11.8".
std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

} // namespace

Result<const Driver *> Driver::get() {
  struct Loaded {
    Driver driver;
    Status status = driver.load();
  };
  static const Loaded loaded;
  if (!loaded.status)
    return loaded.status.error();
  return &loaded.driver;
}

Status Driver::load() {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return environment("no CUDA driver: " + std::string(dlerror()));
  const char *missing = nullptr;
#define SMEX_CUDA_FIND(member, entry, parameters)                              \
  member = reinterpret_cast<Code(*) parameters>(dlsym(handle, #entry));        \
  if (!member && !missing)                                                     \
    missing = #entry;
  SMEX_CUDA_ENTRIES(SMEX_CUDA_FIND)
#undef SMEX_CUDA_FIND
  if (missing)
    return environment(std::string("the CUDA driver is too old: ") + library +
                       " has no " + missing);
  const Code begun = init(0);
  if (begun == errorNoDevice)
    return environment("the CUDA driver finds no GPU");
  if (Status done = check(begun, "cuInit"); !done)
    return done;
  int version = 0;
  if (Status done = check(driverGetVersion(&version), "cuDriverGetVersion");
      !done)
    return done;
  if (version < leastDriver)
    return environment("the CUDA driver is of version " + versionText(version) +
                       ", and " + versionText(leastDriver) + " is needed");
  if (Status done = check(deviceGetCount(&count), "cuDeviceGetCount"); !done)
    return done;
  if (count == 0)
    return environment("the CUDA driver finds no GPU");
  return {};
}

Status Driver::check(Code code, const std::string &what) const {
  if (code == success)
    return {};
  const char *name = nullptr, *text = nullptr;
  getErrorName(code, &name);
  getErrorString(code, &text);
  return environment(what + ": " + (name ? name : "CUDA error") + " (" +
                     std::to_string(code) + ")" +
                     (text ? std::string(": ") + text : ""));
}
