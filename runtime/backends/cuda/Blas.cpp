#include "runtime/backends/cuda/Blas.h"

#include <dlfcn.h>

using namespace smex;
using namespace smex::cuda;

namespace {

Error environment(std::string message) {
  return {std::move(message), Fault::Environment};
}

std::string fileOf(int major) {
  return "libcublasLt.so." + std::to_string(major);
}

/// 130100: "13.1.0", as CUBLAS_VERSION of cublas_api.h.
std::string versionText(size_t version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

/// Another version that is there, for the message.
std::string otherVersion() {
  for (int major : {14, 11, 10})
    if (void *handle = dlopen(fileOf(major).c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(handle);
      return fileOf(major);
    }
  return "";
}

} // namespace

Result<const Blas *> Blas::get(const Driver &driver) {
  struct Loaded {
    explicit Loaded(const Driver &driver) : status(blas.load(driver)) {}
    Blas blas;
    Status status;
  };
  static const Loaded loaded(driver);
  if (!loaded.status)
    return loaded.status.error();
  return &loaded.blas;
}

Status Blas::load(const Driver &driver) {
  int driverVersion = 0;
  if (Status done = driver.check(driver.driverGetVersion(&driverVersion),
                                 "cuDriverGetVersion");
      !done)
    return done;
  const int newest = driverVersion / 1000;
  // A library of CUDA 13 needs a driver for CUDA 13; one of CUDA 12 does not
  // mind a newer one ("CUDA Compatibility").
  void *handle = nullptr;
  int major = 0;
  std::string why, tooNew;
  for (int each : {13, 12}) {
    if (handle)
      break;
    handle = dlopen(fileOf(each).c_str(), RTLD_NOW | RTLD_LOCAL);
    major = each;
    if (!handle) {
      why = why.empty() ? dlerror() : why;
    } else if (each > newest) {
      tooNew = fileOf(each);
      dlclose(handle);
      handle = nullptr;
    }
  }
  const std::string needs =
      "the plan's matrix products need cuBLASLt of CUDA 12 or 13";
  if (!handle) {
    if (!tooNew.empty())
      return environment(needs + ", and the driver is for CUDA " +
                         std::to_string(newest) + ": " + tooNew +
                         " is too new for it");
    const std::string other = otherVersion();
    return environment(
        needs + ", and " +
        (other.empty() ? "it is missing: " + why : "there is only " + other));
  }
  const char *missing = nullptr;
#define SMEX_BLAS_FIND(member, entry, result, parameters)                      \
  member = reinterpret_cast<decltype(member)>(dlsym(handle, #entry));          \
  if (!member && !missing)                                                     \
    missing = #entry;
  SMEX_BLAS_ENTRIES(SMEX_BLAS_FIND)
#undef SMEX_BLAS_FIND
  if (missing)
    return environment(needs + ", and " + fileOf(major) + " has no " + missing);
  version = getVersion();
  if (version / 10000 != size_t(major))
    return environment(needs + ", and " + fileOf(major) + " is of version " +
                       versionText(version));
  return {};
}

std::string Blas::name() const { return "cuBLASLt " + versionText(version); }

Status Blas::check(blas::StatusCode code, const std::string &what) const {
  if (code == blas::success)
    return {};
  const char *text = getStatusName(code);
  return environment(what + ": " + (text ? text : "cuBLASLt error") + " (" +
                     std::to_string(code) + ")");
}
