#include "runtime/backends/cuda/Driver.h"

using namespace smex;
using namespace smex::cuda;

namespace {

/// 11080: "11.8".
std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

} // namespace

Result<const Driver *> Driver::get() {
  return runtime::loadOnce<Driver>([](Driver &made) { return made.load(); });
}

Status Driver::load() {
  auto opened = runtime::SharedLibrary::open("libcuda.so.1");
  if (!opened)
    return runtime::libraryError("no CUDA driver: " + opened.error().message);
  library = std::move(*opened);
  SMEX_CUDA_ENTRIES(SMEX_FIND_ENTRY)
  if (const std::string lacks = library.lacks(); !lacks.empty())
    return runtime::libraryError("the CUDA driver is too old: " + lacks);
  const Code begun = init(0);
  if (begun == errorNoDevice)
    return runtime::libraryError("the CUDA driver finds no GPU");
  if (Status done = check(begun, "cuInit"); !done)
    return done;
  int version = 0;
  if (Status done = check(driverGetVersion(&version), "cuDriverGetVersion");
      !done)
    return done;
  if (version < leastDriver)
    return runtime::libraryError("the CUDA driver is of version " +
                                 versionText(version) + ", and " +
                                 versionText(leastDriver) + " is needed");
  if (Status done = check(deviceGetCount(&count), "cuDeviceGetCount"); !done)
    return done;
  if (count == 0)
    return runtime::libraryError("the CUDA driver finds no GPU");
  return {};
}

Status Driver::check(Code code, const std::string &what) const {
  if (code == success)
    return {};
  const char *name = nullptr, *text = nullptr;
  getErrorName(code, &name);
  getErrorString(code, &text);
  return runtime::libraryError(what + ": " + (name ? name : "CUDA error") +
                               " (" + std::to_string(code) + ")" +
                               (text ? std::string(": ") + text : ""));
}
