#ifndef SMEX_TEST_EMULATED_PTX_LAUNCH_H
#define SMEX_TEST_EMULATED_PTX_LAUNCH_H

#include "test/emulated/ptx/Memory.h"
#include "test/emulated/ptx/Program.h"

#include <functional>

namespace smex::ptx {

class Text;

/// A module in the memory of a device: its .global and .const variables have
/// addresses, and its kernels are decoded when first asked for.
class LoadedModule {
public:
  /// `allocate` gives memory for a variable: (size, align, name). Throws
  /// ParseError.
  using Allocate = std::function<Allocation &(uint64_t size, uint64_t align,
                                              const std::string &name)>;
  LoadedModule(const std::string &source, const Allocate &allocate);

  /// Null if there is no such kernel. Throws ParseError where the kernel has
  /// what the interpreter does not know.
  const Program *kernel(const std::string &name);
  /// The address of a variable ("table", or "table+8").
  uint64_t address(const std::string &symbol) const;
  const Module &module() const;
  std::vector<uint64_t> variableAddresses() const;

private:
  std::shared_ptr<Text> text;
  std::map<std::string, uint64_t> addresses;
  /// Those that read addresses of variables, which are this module's own.
  std::map<std::string, std::unique_ptr<Program>> kernels;
};

struct LaunchOptions {
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  uint64_t dynamicShared = 0; // bytes
  /// Instructions that one thread may run: a loop that does not end is found.
  uint64_t instructionsPerThread = uint64_t(1) << 32;
  /// Blocks, and warps of a block, run in an order drawn from this; 0: in
  /// order.
  uint64_t seed = 0;
  /// What the first parameters point into, 8 bytes each, where the caller knows
  /// it better than Memory::rangeOf does.
  std::vector<Range> pointers;
  /// Whether the launch's device can reach an allocation; unset: all of them.
  std::function<bool(const Allocation &)> reaches;
  /// Stops at the first access to this byte of global memory that writes it, or
  /// that reads it: by a Fault of FaultKind::Watched.
  struct Watched {
    uint64_t address = 0; // 0: none
    bool isWritten = false;
  } watched;
};

struct LaunchResult {
  uint64_t instructions = 0; // of all threads
  /// What the launch read and wrote of global memory: spans of addresses.
  struct Touched {
    uint64_t begin, end;
    bool isWritten;
  };
  std::vector<Touched> touched;
};

/// Runs a kernel to its end. `parameters` are the bytes of the parameter space,
/// Program::parameterBytes of them. Throws Fault.
LaunchResult launch(const Program &program, const LaunchOptions &options,
                    const std::vector<uint8_t> &parameters, Memory &memory);

/// Kernel, block, thread and PTX line of a launch's first access to a byte that
/// writes it, or that reads it. The launch runs again for that, to there, on
/// memory as it now is, and leaves it as it was. Empty where it does not get
/// there any more.
std::string placeOf(const Program &program, LaunchOptions options,
                    const std::vector<uint8_t> &parameters, Memory &memory,
                    const LaunchOptions::Watched &watched);

} // namespace smex::ptx

#endif
