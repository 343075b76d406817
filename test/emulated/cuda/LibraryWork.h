// The entry points of Library.h as an emulated library uses them.
#ifndef SMEX_TEST_EMULATED_CUDA_LIBRARYWORK_H
#define SMEX_TEST_EMULATED_CUDA_LIBRARYWORK_H

#include "test/emulated/cuda/Library.h"

#include <functional>
#include <stdexcept>
#include <string>

namespace smex::emulated {

/// The driver that this process has loaded.
class DriverCalls {
public:
  /// Null: there is no emulated driver in this process.
  static const DriverCalls *get();

#define SMEX_EMULATED_MEMBER(member, entry, result, parameters)                \
  result(*member) parameters = nullptr;
  SMEX_EMULATED_LIBRARY_ENTRIES(SMEX_EMULATED_MEMBER)
#undef SMEX_EMULATED_MEMBER
};

/// Device memory, as work sees it while it runs. Errors are exceptions, which
/// become the device's.
class DeviceView {
public:
  DeviceView(const DriverCalls &driver, void *work)
      : driver(driver), work(work) {}
  /// All of these bytes are read, and have been written before.
  template <class T> const T *read(uint64_t address, size_t count = 1) {
    return static_cast<const T *>(at(address, count * sizeof(T), false));
  }
  /// All of these bytes are written.
  template <class T> T *write(uint64_t address, size_t count = 1) {
    return static_cast<T *>(at(address, count * sizeof(T), true));
  }

private:
  void *at(uint64_t address, size_t bytes, bool isWritten);
  const DriverCalls &driver;
  void *work;
};

/// Puts work on a stream; returns a CUresult. `ready`, if given, is asked until
/// it says yes, and nothing of the stream goes on before.
int submitWork(const DriverCalls &driver, void *stream,
               const std::string &description,
               std::function<void(DeviceView &)> run,
               std::function<bool()> ready = nullptr);

} // namespace smex::emulated

#endif
