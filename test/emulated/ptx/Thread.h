#ifndef SMEX_TEST_EMULATED_PTX_THREAD_H
#define SMEX_TEST_EMULATED_PTX_THREAD_H

#include "test/emulated/ptx/Program.h"

namespace smex::ptx {

class Shadow;

enum class AccessKind { Read, Write, Atomic };

/// One thread of a block. Handlers of instructions work on its cells.
class Thread {
public:
  enum State { Ready, AtBarrier, AtCollective, Done };

  uint64_t *r = nullptr;           // cells of the innermost frame
  const Instruction *pc = nullptr; // the next instruction
  State state = Done;
  Block *block = nullptr;
  uint32_t index = 0; // in the block; 32 of them are a warp
  Dim3 position{};
  uint32_t waitMask = 0;    // of a collective: the member mask
  uint32_t waitBarrier = 0; // its number
  uint64_t budget = 0;      // instructions that it may still run
  bool carry = false;       // of add.cc and sub.cc

  /// cp.async: copies that are not committed, and groups not waited for.
  struct Place {
    const Instruction *instruction = nullptr;
    uint64_t address = 0;
  };
  struct AsyncCopy {
    Place from, to;
    unsigned bytes, sourceBytes;
  };
  Place copySource;
  std::vector<AsyncCopy> copies;
  std::vector<std::vector<AsyncCopy>> copyGroups;

  /// Begins the kernel.
  void start(Block &block, uint32_t index);
  /// Runs until it waits or is done.
  void run();

  // For handlers.
  const Instruction &current() const { return pc[-1]; }
  void jump(uint32_t target) { pc = &code->instructions[target]; }
  const Code &function() const { return *code; }
  void call(uint32_t which);
  void leave();  // ret
  void finish(); // exit
  /// The bytes of an access, after all checks. Reads need initialized bytes.
  uint8_t *access(const Instruction &instruction, uint64_t address,
                  unsigned size, AccessKind kind);
  /// The place of an address in the generic address space.
  static uint64_t generic(Space space, uint64_t address);
  [[noreturn]] void fault(FaultKind kind, const std::string &reason) const;

private:
  struct Frame {
    const Code *code;
    const Instruction *back;
    size_t cells;    // where its cells begin
    uint64_t memory; // where its local memory begins
  };
  void enter(const Code &callee);
  bool prepare(const Instruction &instruction);
  void runChecked(const Instruction &instruction);
  void readOnly(Shadow &shadow, const Instruction &instruction,
                uint64_t address, uint64_t offset, unsigned size) const;
  uint8_t *localAccess(uint64_t offset, unsigned size, AccessKind kind);
  void uninitialized(const char *what, uint64_t address, unsigned size,
                     const uint8_t *initialized) const;

  const Code *code = nullptr;
  std::vector<Frame> frames;
  std::vector<uint64_t> cells;
  std::vector<uint8_t> defined; // by cell
  std::vector<uint8_t> local, localInitialized;
};

} // namespace smex::ptx

#endif
