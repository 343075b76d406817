#include "runtime/backends/cpu/KernelObject.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace smex;
using namespace smex::runtime;

namespace {
Error environment(const char *what) {
  Error error = fail("kernels.so: ", what, ": ", std::strerror(errno));
  error.fault = Fault::Environment;
  return error;
}
} // namespace

Result<KernelObject> KernelObject::load(const std::string &bytes) {
  KernelObject object;
  if (bytes.empty())
    return object;
  const int fd = ::memfd_create("kernels.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return environment("cannot create a memory file");
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written =
        ::write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno != EINTR)
      return environment("cannot write a memory file");
    done += size_t(std::max<ssize_t>(written, 0));
  }
  if (::fcntl(fd, F_ADD_SEALS,
              F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
    return environment("cannot seal a memory file");
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  errno = 0;
  object.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle) {
    Error error = fail("kernels.so: cannot be loaded: ", ::dlerror());
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
      error.fault = Fault::Environment;
    return error;
  }
  return object;
}

KernelObject::KernelObject(KernelObject &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)) {}

KernelObject::~KernelObject() {
  if (handle)
    ::dlclose(handle);
}

Result<KernelFunction> KernelObject::find(const std::string &symbol) const {
  void *address = handle ? ::dlsym(handle, symbol.c_str()) : nullptr;
  if (!address)
    return fail("kernels.so has no function \"", symbol, "\"");
  return reinterpret_cast<KernelFunction>(address);
}
