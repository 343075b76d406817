// Which buffer the bytes of an arena belong to while a step runs.
#ifndef SMEX_RUNTIME_BACKENDS_REFERENCE_TENANTS_H
#define SMEX_RUNTIME_BACKENDS_REFERENCE_TENANTS_H

#include "runtime/plan/Plan.h"

#include <atomic>
#include <memory>

namespace smex::runtime {

/// A buffer's place belongs to whoever wrote there last. Who reads a buffer
/// whose place belongs to another one is too early or too late, even where the
/// numbers happen to be alike. Buffers begin at multiples of 64 bytes, so one
/// note for each 64 bytes is enough. Another process may look while this one
/// writes.
class Tenants {
public:
  /// `bytes`: of the worker's memory.
  Tenants(const plan::Partitioned &partitioned, int worker, int64_t bytes);

  /// A step begins: only inputs and parameters are there.
  void begin();
  /// An instruction has written the buffer.
  void moveIn(int buffer);
  /// Who wants to read the buffer may; else an error that says why not.
  Status check(int buffer) const;
  /// A step ends: outputs, parameters and their next values must be there.
  Status end() const;

private:
  struct Lines {
    int64_t begin, end;
  };
  Lines linesOf(int buffer) const;

  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const int worker;
  int64_t count;                              // of lines
  std::unique_ptr<std::atomic<int>[]> tenant; // a buffer per line, or -1
};

} // namespace smex::runtime

#endif
