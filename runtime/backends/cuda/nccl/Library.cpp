#include "runtime/backends/cuda/nccl/Library.h"

#include <dlfcn.h>

using namespace smex;
using namespace smex::nccl;

namespace {

constexpr const char *library = "libnccl.so.2";

Error environment(std::string message) {
  return {std::move(message), Fault::Environment};
}

/// 22809: "2.28.9".
std::string versionText(int version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

} // namespace

Result<const Library *> Library::get() {
  struct Loaded {
    Library library;
    Status status = library.load();
  };
  static const Loaded loaded;
  if (!loaded.status)
    return loaded.status.error();
  return &loaded.library;
}

Status Library::load() {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return environment(
        "GPUs that do not reach each other's memory need NCCL: " +
        std::string(dlerror()));
  const auto find = [&](const char *name) { return dlsym(handle, name); };
  // The version first: it says more than a name that is not there.
  getVersion = reinterpret_cast<Code (*)(int *)>(find("ncclGetVersion"));
  int version = 0;
  if (getVersion && getVersion(&version) == success && version < leastVersion)
    return environment("NCCL is of version " + versionText(version) + ", and " +
                       versionText(leastVersion) + " is needed");
#define SMEX_NCCL_FIND(member, entry, result, parameters)                      \
  member = reinterpret_cast<result(*) parameters>(find(#entry));               \
  if (!member)                                                                 \
    return environment(std::string("NCCL is too old: ") + library +            \
                       " has no " #entry);
  SMEX_NCCL_ENTRIES(SMEX_NCCL_FIND)
#undef SMEX_NCCL_FIND
  return check(getVersion(&version), "ncclGetVersion");
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
  return environment(std::move(message));
}
