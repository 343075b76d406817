#ifndef SMEX_TEST_EMULATED_PTX_ERROR_H
#define SMEX_TEST_EMULATED_PTX_ERROR_H

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace smex::ptx {

using Dim3 = std::array<uint32_t, 3>;

/// PTX text that the parser or the decoder does not accept. The message holds
/// the line, and what is wrong there.
class ParseError : public std::runtime_error {
public:
  ParseError(int line, const std::string &what)
      : std::runtime_error("PTX line " + std::to_string(line) + ": " + what),
        line(line) {}
  int line;
};

enum class FaultKind {
  OutOfBounds,   // outside every allocation, or outside the space's size
  OutOfBuffer,   // inside an allocation, outside the buffer of the pointer
  Misaligned,    // the address is no multiple of the access's size
  Uninitialized, // a byte or a register that nobody has written
  ReadOnly,      // a write to constants or parameters
  Race,          // two threads, no barrier between them
  Barrier,       // not all threads come to it
  Warp,          // a shuffle or a vote with lanes that are not there
  Trap,          // the kernel's own `trap`
  Limit,         // instructions, stack, or sizes beyond what is allowed
  Watched,       // no error: LaunchOptions::watched is accessed
};

/// What went wrong while a kernel ran: where, in which thread, and what.
class Fault : public std::runtime_error {
public:
  Fault(FaultKind kind, const std::string &text)
      : std::runtime_error(text), kind(kind) {}
  FaultKind kind;
  std::string kernel;
  Dim3 block{}, thread{};
  int line = 0;            // of the PTX text
  std::string instruction; // the text of that line
  std::string place;       // the message without the reason
  std::string reason;
};

} // namespace smex::ptx

#endif
