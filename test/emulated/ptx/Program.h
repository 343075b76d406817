#ifndef SMEX_TEST_EMULATED_PTX_PROGRAM_H
#define SMEX_TEST_EMULATED_PTX_PROGRAM_H

#include "test/emulated/ptx/Module.h"

#include <functional>
#include <memory>
#include <set>

namespace smex::ptx {

class Thread;
class Block;
struct Instruction;

/// Where control goes after an instruction.
enum class Flow : uint8_t { Next, Jump, Table, End };

using Handler = void (*)(Thread &, const Instruction &);
/// Does what the lanes of `members` of a warp do together.
using Collective = void (*)(Block &, unsigned warp, uint32_t members,
                            const Instruction &);

enum Flags : uint8_t {
  Guarded = 1,        // @%p
  GuardNegated = 2,   // @!%p
  ReadsSuspect = 4,   // reads registers that may be uninitialized
  WritesSuspect = 8,  // writes registers that such an instruction reads
  Propagates = 16,    // a move: an uninitialized value goes on, unread
  PropagatesAny = 32, // a pack: one initialized part is enough
};

/// One decoded instruction. Operands are indices of a frame's 64-bit cells:
/// registers, then constants, special registers and addresses of the frame, so
/// that a handler reads all of them alike. A register narrower than a cell is
/// kept with zeros above it.
struct Instruction {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0, e = 0;
  uint32_t guard = 0;
  int64_t offset = 0;  // of an address; or an immediate that the handler knows
  uint32_t target = 0; // of a branch: index into the function's code
  uint32_t list = 0;   // first of `count` cells in Code::lists
  uint32_t origin = 0; // index into Program::origins, for accesses
  uint16_t detail = 0; // what the handler wants
  uint8_t count = 0;   // vector elements
  uint8_t size = 0;    // bytes of one element; 0: no access to memory
  uint8_t flags = 0;
  Flow flow = Flow::Next;
  Space space = Space::Generic;
  bool isVolatile = false; // or relaxed: races with no other such access
  bool isReadOnly = false; // .nc: of what the launch does not write
  Collective collective = nullptr;
};

/// What an address may have been computed from: parameter words (of 8 bytes,
/// the first 64) that hold pointers, and shared variables (the first 64).
struct Origin {
  uint64_t words = 0, shared = 0;
  bool beyond = false; // something that has no bit here
  bool operator<(const Origin &other) const {
    return std::tie(words, shared, beyond) <
           std::tie(other.words, other.shared, other.beyond);
  }
  bool merge(const Origin &other) {
    Origin before = *this;
    words |= other.words;
    shared |= other.shared;
    beyond |= other.beyond;
    return before < *this || *this < before;
  }
};

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Smid,
  Nsmid,
  Gridid,
  DynamicShared,
  TotalShared,
};

/// A variable of a function's frame: .local ones, and .param ones of calls.
struct FrameVariable {
  uint64_t offset = 0, size = 0;
};

struct Code;

struct Call {
  const Code *callee = nullptr;
  struct Copy {
    bool isCell;       // else bytes of the frame
    uint32_t cell;     // of the caller
    uint64_t offset;   // of the caller's frame
    uint32_t toCell;   // of the callee
    uint64_t toOffset; // of the callee's frame
    uint32_t size;
  };
  std::vector<Copy> arguments, results; // results: from callee to caller
};

/// A function as one kernel uses it.
struct Code {
  const Function *function = nullptr;
  std::vector<Instruction> instructions;
  std::vector<const Statement *> statements; // one for each instruction
  std::vector<uint32_t> lists;
  std::vector<std::vector<uint32_t>> jumpTables;
  std::vector<Call> calls;

  uint32_t registers = 0; // cells [0, registers) are registers
  uint32_t cells = 0;
  std::vector<std::pair<uint32_t, uint64_t>> constants;
  std::vector<std::pair<uint32_t, Special>> specials;
  std::vector<std::pair<uint32_t, uint64_t>> frameAddresses; // cell, offset
  std::vector<std::pair<uint32_t, std::string>> symbols; // filled when loaded

  uint64_t frameBytes = 0, frameAlign = 16;
  bool hasSuspects = false;
  std::vector<bool> suspect; // by register

  const Statement &statementOf(const Instruction &one) const {
    return *statements[size_t(&one - instructions.data())];
  }

  // For the analyses: what each instruction reads and writes, registers only.
  struct Use {
    std::vector<uint32_t> reads, writes;
    std::vector<uint32_t> shared; // variables whose address it reads
  };
  std::vector<Use> uses;
  std::unordered_map<uint32_t, uint32_t> sharedCells; // cell to variable
};

struct SharedVariable {
  std::string name;
  uint64_t offset = 0, size = 0; // size 0: the dynamic shared memory
};

/// A kernel, ready to run.
struct Program {
  const Function *kernel = nullptr;
  std::vector<std::unique_ptr<Code>> functions; // the kernel first
  struct Parameter {
    uint64_t offset, size;
    std::string name;
  };
  std::vector<Parameter> parameters;
  uint64_t parameterBytes = 0;
  std::vector<SharedVariable> shared;
  uint64_t sharedBytes = 0;   // static ones, from sharedBase on
  uint64_t dynamicOffset = 0; // where .extern .shared begins
  std::vector<Origin> origins;
  /// Some barriers are of a part of the threads, or some accesses are stronger
  /// than others: all reads are looked at for races (Shadow.h).
  bool keepsAllReads = false;

  /// The line of the text that one of its instructions is on.
  int lineOf(const Instruction &instruction) const {
    for (const auto &each : functions)
      if (const auto first = each->instructions.data();
          !std::less<>()(&instruction, first) &&
          std::less<>()(&instruction, first + each->instructions.size()))
        return each->statementOf(instruction).line;
    return 0;
  }
};

/// Registers of a function get their cells in one order.
std::vector<std::string> orderedRegisters(const Function &function);

// Generic addresses: windows that no pointer of a process can be in.
constexpr uint64_t sharedWindow = uint64_t(1) << 56;
constexpr uint64_t localWindow = uint64_t(2) << 56;
constexpr uint64_t paramWindow = uint64_t(3) << 56;
constexpr uint64_t windowMask = uint64_t(0xff) << 56;
/// Shared variables start here, so that a null pointer is outside.
constexpr uint64_t sharedBase = 1024;

/// Decodes a kernel and all that it calls. The module must outlive the program.
/// Throws ParseError for whatever the interpreter does not know.
std::unique_ptr<Program> decode(const Module &module, const Function &kernel);

} // namespace smex::ptx

#endif
