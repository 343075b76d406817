#include "runtime/backends/cpu/KernelObject.h"

#include "runtime/plan/Files.h"

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
/// Bytes in memory that nobody changes any more.
class SealedFile {
public:
  static Result<SealedFile> of(const std::string &bytes) {
    SealedFile file;
    file.descriptor =
        ::memfd_create("kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file.descriptor < 0)
      return environment("cannot create a memory file");
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t written =
          ::write(file.descriptor, bytes.data() + done, bytes.size() - done);
      if (written < 0 && errno != EINTR)
        return environment("cannot write a memory file");
      done += size_t(std::max<ssize_t>(written, 0));
    }
    if (::fcntl(file.descriptor, F_ADD_SEALS,
                F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
      return environment("cannot seal a memory file");
    return file;
  }
  SealedFile(SealedFile &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)) {}
  ~SealedFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  SealedFile() = default;
  static Error environment(const char *what) {
    Error error = fail(what, ": ", std::strerror(errno));
    error.fault = Fault::Environment;
    return error;
  }
  int descriptor = -1;
};
} // namespace

Result<KernelObject> KernelObject::load(const plan::Artifact &code) {
  KernelObject object;
  if (code.bytes.empty())
    return object;
  object.name = plan::codeFile(code.target);
  const auto file = SealedFile::of(code.bytes);
  if (!file) {
    Error error = file.error();
    error.message = object.name + ": " + error.message;
    return error;
  }
  errno = 0;
  object.handle = ::dlopen(file->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle) {
    Error error = fail(object.name, ": cannot be loaded: ", ::dlerror());
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
      error.fault = Fault::Environment;
    return error;
  }
  return object;
}

KernelObject::KernelObject(KernelObject &&other) noexcept
    : name(std::move(other.name)),
      handle(std::exchange(other.handle, nullptr)) {}

KernelObject::~KernelObject() {
  if (handle)
    ::dlclose(handle);
}

Result<KernelFunction> KernelObject::find(const std::string &symbol) const {
  void *address = handle ? ::dlsym(handle, symbol.c_str()) : nullptr;
  if (!address)
    return fail(name, " has no function \"", symbol, "\"");
  return reinterpret_cast<KernelFunction>(address);
}
