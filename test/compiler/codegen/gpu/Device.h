// A GPU that is emulated, with kernels loaded on it.
#ifndef SMEX_TEST_COMPILER_CODEGEN_GPU_DEVICE_H
#define SMEX_TEST_COMPILER_CODEGEN_GPU_DEVICE_H

#include "runtime/plan/Launch.h"
#include "test/compiler/codegen/Harness.h"
#include "test/emulated/ptx/Launch.h"

namespace smex::codegen {

class Device {
public:
  explicit Device(const std::string &ptx);

  /// Runs the kernel on so many blocks; 0: as many as the launch says. Throws
  /// ptx::Fault where it reads or writes what it must not.
  void run(const std::string &symbol, const plan::Launch &how,
           const Box &indices, Buffer &result,
           const std::vector<Buffer> &operands, uint32_t blocks);

  /// More than these in one thread are a fault.
  uint64_t mostInstructions = 1u << 26;
  /// Of all threads, in the last run.
  uint64_t instructions = 0;

private:
  uint64_t put(const std::vector<std::byte> &bytes, const std::string &name,
               bool isReadOnly);

  ptx::Memory memory;
  ptx::LoadedModule module;
};

} // namespace smex::codegen

#endif
