#include "runtime/backends/cuda/nccl/Library.h"

using namespace smex;
using namespace smex::nccl;
using runtime::dottedVersion;

namespace {
constexpr int perMajor = 10000;

/// What is to be done.
std::string neededVersion() {
  return "; install NCCL " + std::to_string(leastVersion / perMajor) +
         ", from " + dottedVersion(leastVersion) + " on";
}
} // namespace

Result<const Library *> Library::get() {
  return runtime::loadOnce<Library>([](Library &made) { return made.load(); });
}

Status Library::load() {
  auto opened = runtime::SharedLibrary::open("libnccl.so.2");
  if (!opened)
    return runtime::libraryError(
        "GPUs that do not read each other's memory need NCCL: " +
        opened.error().message + neededVersion());
  library = std::move(*opened);
  SMEX_NCCL_ENTRIES(SMEX_FIND_ENTRY)
  // The version first: it says more than a name that is not there.
  if (getVersion && getVersion(&versionNumber) == success &&
      (versionNumber < leastVersion ||
       versionNumber / perMajor != leastVersion / perMajor))
    return runtime::libraryError(
        "NCCL is of version " + dottedVersion(versionNumber) + ", and " +
        dottedVersion(leastVersion) + " is needed" + neededVersion());
  if (const std::string lacks = library.lacks(); !lacks.empty())
    return runtime::libraryError("NCCL is too old: " + lacks + neededVersion());
  return check(getVersion(&versionNumber), "ncclGetVersion");
}

Status Library::check(Code code, const std::string &what,
                      Communicator communicator) const {
  if (code == success)
    return {};
  const char *text = getErrorString(code), *last = getLastError(communicator);
  std::string message = "NCCL: " + what + ": " + (text ? text : "error") +
                        " (" + std::to_string(code) + ")";
  if (last && *last)
    message += ": " + std::string(last);
  while (!message.empty() && message.back() == '\n')
    message.pop_back();
  return runtime::libraryError(std::move(message));
}
