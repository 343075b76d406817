#include "runtime/backends/cuda/Blas.h"

using namespace smex;
using namespace smex::cuda;
using runtime::SharedLibrary;

namespace {

std::string fileOf(int major) {
  return "libcublasLt.so." + std::to_string(major);
}

/// Another version that is there, for the message.
std::string otherVersion() {
  for (int major : {14, 11, 10})
    if (SharedLibrary::open(fileOf(major)))
      return fileOf(major);
  return "";
}

} // namespace

Result<const Blas *> Blas::get(const Driver &driver) {
  return runtime::loadOnce<Blas>([&](Blas &made) { return made.load(driver); });
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
  std::string why, tooNew;
  int major = 0;
  for (int each : {13, 12}) {
    auto opened = SharedLibrary::open(fileOf(each));
    if (!opened) {
      why = why.empty() ? opened.error().message : why;
    } else if (each > newest) {
      tooNew = fileOf(each);
    } else {
      library = std::move(*opened);
      major = each;
      break;
    }
  }
  const std::string needs =
      "the plan's matrix products need cuBLASLt of CUDA 12 or 13";
  if (!major) {
    if (!tooNew.empty())
      return runtime::libraryError(needs + ", and the driver is for CUDA " +
                                   std::to_string(newest) + ": " + tooNew +
                                   " is too new for it");
    const std::string other = otherVersion();
    return runtime::libraryError(
        needs + ", and " +
        (other.empty() ? "it is missing: " + why : "there is only " + other) +
        "; install it, or set LD_LIBRARY_PATH to its folder");
  }
  SMEX_BLAS_ENTRIES(SMEX_FIND_ENTRY)
  if (const std::string lacks = library.lacks(); !lacks.empty())
    return runtime::libraryError(needs + ", and " + lacks);
  version = getVersion();
  if (version / 10000 != size_t(major))
    return runtime::libraryError(needs + ", and " + library.file() +
                                 " is of version " +
                                 runtime::dottedVersion(version));
  return {};
}

std::string Blas::name() const {
  return "cuBLASLt " + runtime::dottedVersion(version);
}

Status Blas::check(blas::StatusCode code, const std::string &what) const {
  if (code == blas::success)
    return {};
  const char *text = getStatusName(code);
  return runtime::libraryError(what + ": " + (text ? text : "cuBLASLt error") +
                               " (" + std::to_string(code) + ")");
}
