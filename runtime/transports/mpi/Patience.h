// How long a process waits for the others of its mpirun before MPI can say
// anything of them, and what the system shows of them meanwhile.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_PATIENCE_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_PATIENCE_H

#include "runtime/transports/mpi/Library.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smex::mpi {

/// A process that the same mpirun has started on this machine.
struct Sibling {
  int rank = 0;
  int32_t process = 0;
  std::string program; // as the system calls it: 15 characters at most
  bool isStopped = false;
  bool isInInit = false; // one of its threads has the name below
};

/// The thread that is in MPI_Init is called so: siblings see it.
constexpr const char *nameInInit = "smex-mpi-init";

/// In the order of their ranks, one for each, this process among them. None:
/// the system does not show them.
std::vector<Sibling> findSiblings();

/// Those of this machine that are not among them, in words; "": none, as far as
/// is known. `localSize`: how many there should be; 0: unknown. `size`: all
/// processes, of all machines.
std::string whoIsMissing(const std::vector<Sibling> &siblings, int localSize,
                         int size, const std::string &host);

/// Why MPI_Init does not return, as far as siblings show it.
std::string whatHolds(const std::vector<Sibling> &siblings, int localSize,
                      int size, const std::string &host);

class Patience {
public:
  explicit Patience(const Launch &launch);
  /// To be called again and again while MPI_Init does not return. Ends the
  /// process where mpirun says so, or where it takes longer than
  /// SMEX_MPI_TIMEOUT seconds (7): the lowest rank of this machine that is not
  /// stopped says why, and mpirun ends the others.
  void look();

private:
  int speakerOf(const std::vector<Sibling> &siblings) const;
  /// `isUnexplained`: nobody has said why, and it is not this one's own fault.
  [[noreturn]] void end(bool isUnexplained) const;
  [[noreturn]] void giveUp() const;
  [[noreturn]] void endAlone() const;

  using Clock = std::chrono::steady_clock;
  const Launch launch;
  const double limit; // seconds
  const std::string host;
  int localSize = 0;
  Clock::time_point last = Clock::now();
  Clock::duration waited{}; // while this process was not stopped itself
  std::optional<int> speaker;
};

} // namespace smex::mpi

#endif
