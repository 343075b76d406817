#include "runtime/backends/cuda/Driver.h"

#include <atomic>
#include <cstdlib>

using namespace smex;
using namespace smex::cuda;

namespace {
std::atomic<bool> absent{false};

constexpr const char *onCpu = "--backend cpu";

/// There is a driver; and what was asked of it to see no GPU of those there
/// are.
Error noGpu() {
  absent = true;
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return runtime::libraryError(
      std::string("the CUDA driver finds no GPU") +
      (visible ? ", where CUDA_VISIBLE_DEVICES is \"" + std::string(visible) +
                     "\": it says which GPUs may be used"
               : "") +
      "; without one, run with " + onCpu);
}
} // namespace

std::string cuda::driverVersionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

bool Driver::isAbsent() { return absent; }

Result<const Driver *> Driver::get() {
  return runtime::loadOnce<Driver>([](Driver &made) { return made.load(); });
}

Status Driver::load() {
  auto opened = runtime::SharedLibrary::open("libcuda.so.1");
  absent = !opened;
  if (!opened)
    return runtime::libraryError("no CUDA driver: " + opened.error().message +
                                 "; install NVIDIA's, or run with " + onCpu);
  library = std::move(*opened);
  SMEX_CUDA_ENTRIES(SMEX_FIND_ENTRY)
  if (const std::string lacks = library.lacks(); !lacks.empty())
    return runtime::libraryError("the CUDA driver is too old: " + lacks +
                                 "; install a newer one");
  const Code begun = init(0);
  if (begun == errorNoDevice)
    return noGpu();
  if (begun == errorStubLibrary)
    return runtime::libraryError(
        library.path() + " is no driver, but the stub of a CUDA toolkit, which "
                         "programs are linked with: take its folder out of "
                         "LD_LIBRARY_PATH, and install NVIDIA's driver");
  if (Status done = check(begun, "cuInit"); !done)
    return done;
  if (Status done =
          check(driverGetVersion(&versionNumber), "cuDriverGetVersion");
      !done)
    return done;
  if (versionNumber < leastDriver)
    return runtime::libraryError("the CUDA driver is of version " +
                                 driverVersionText(versionNumber) + ", and " +
                                 driverVersionText(leastDriver) +
                                 " is needed; install a newer one");
  if (Status done = check(deviceGetCount(&count), "cuDeviceGetCount"); !done)
    return done;
  if (count == 0)
    return noGpu();
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
