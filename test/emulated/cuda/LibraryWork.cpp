#include "test/emulated/cuda/LibraryWork.h"

#include <dlfcn.h>

#include <memory>
#include <optional>

namespace smex::emulated {
namespace {

/// What a work needs until it is over.
struct Closure {
  const DriverCalls &driver;
  std::function<void(DeviceView &)> run;
  std::function<bool()> ready;
  std::string error;
};

int isReady(void *argument) {
  return static_cast<Closure *>(argument)->ready();
}

const char *runClosure(void *work, void *argument) {
  auto &closure = *static_cast<Closure *>(argument);
  try {
    DeviceView view(closure.driver, work);
    closure.run(view);
    return nullptr;
  } catch (const std::exception &error) {
    closure.error = error.what();
    return closure.error.c_str();
  }
}

void releaseClosure(void *argument) { delete static_cast<Closure *>(argument); }

std::optional<DriverCalls> find() {
  // The library that the program has loaded; a program that is linked with the
  // driver, as some tests are, exports the same names.
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void *handle = library ? library : RTLD_DEFAULT;
  DriverCalls calls;
#define SMEX_EMULATED_FIND(member, entry, result, parameters)                  \
  calls.member =                                                               \
      reinterpret_cast<result(*) parameters>(dlsym(handle, #entry));           \
  if (!calls.member)                                                           \
    return std::nullopt;
  SMEX_EMULATED_LIBRARY_ENTRIES(SMEX_EMULATED_FIND)
#undef SMEX_EMULATED_FIND
  return calls;
}

} // namespace

const DriverCalls *DriverCalls::get() {
  static const std::optional<DriverCalls> calls = find();
  return calls ? &*calls : nullptr;
}

void *DeviceView::at(uint64_t address, size_t bytes, bool isWritten) {
  const char *error = nullptr;
  void *result = driver.access(work, address, bytes, isWritten, &error);
  if (!result)
    throw std::runtime_error(error);
  return result;
}

int submitWork(const DriverCalls &driver, void *stream,
               const std::string &description,
               std::function<void(DeviceView &)> run,
               std::function<bool()> ready) {
  const bool waits = bool(ready);
  auto *closure = new Closure{driver, std::move(run), std::move(ready), {}};
  return driver.submit(stream, description.c_str(), waits ? isReady : nullptr,
                       runClosure, releaseClosure, closure);
}

} // namespace smex::emulated
