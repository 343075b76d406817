// What main() of every program shares: messages, what is printed, and an exit
// status for whatever happens.
#ifndef SMEX_DIALECTS_SUPPORT_PROGRAM_H
#define SMEX_DIALECTS_SUPPORT_PROGRAM_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace smex {

/// Runs `work`, which returns an exit status, as the program `name`. Exceptions
/// become messages, in whichever thread: no memory, and what else the system
/// refuses, are Fault::Environment, others are defects. So is text that
/// standard output did not take, after a status of 0. A file that may not grow
/// is an error of write(2), not a signal; and a standard file that is closed
/// stays so, instead of being the next file that is opened. Where `ulimit -v`
/// leaves less than `leastAddressSpace`, it does not begin: libraries end the
/// process when they get no memory for code and threads.
int runProgram(const char *name, const std::function<int()> &work);

constexpr int64_t leastAddressSpace = int64_t(256) << 20;

/// Bytes that the process may still map under `ulimit -v`; the largest number
/// where there is no such limit.
int64_t addressSpaceLeft();
inline bool isAddressSpaceLimited() {
  return addressSpaceLeft() < std::numeric_limits<int64_t>::max();
}

/// Prints "NAME: error: ..." for each line of the message to standard error,
/// cleaned (support/Text.h): it may quote anything. Returns the fault's status.
int report(const Error &error);

/// Ends the program here and now, for callbacks of libraries that must not
/// return: the message, and the fault's status.
[[noreturn]] void quit(const Error &error);

/// Threads of the process hang, and nobody can end them: runProgram() ends the
/// process without destructors of static objects, which would wait for them, or
/// take from them what they use.
void leaveThreads();

/// Prints to standard output, cleaned: names are from outside.
void print(std::string_view text);

} // namespace smex

#endif
