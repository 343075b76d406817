// Whether the other processes live, as far as the system says: those of the
// same machine are seen to end, and mpirun's SIGTERM says that one has ended
// somewhere.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_WATCH_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_WATCH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace smex::mpi {

/// Where a process is. Numbers of processes mean something only within one
/// namespace of one machine.
struct Place {
  std::string host, space;
  int32_t process = 0;

  static Place here();
  std::vector<std::byte> encode() const;
  static Place decode(const std::vector<std::byte> &bytes);
};

/// A process of this machine, which is seen to end, even where nobody has asked
/// yet how it did.
class Witnessed {
public:
  Witnessed() = default;
  explicit Witnessed(const Place &place);
  Witnessed(Witnessed &&other) noexcept;
  Witnessed &operator=(Witnessed &&other) noexcept;
  ~Witnessed();
  /// Whether it is of this machine, so that its end is seen.
  bool isSeen() const { return descriptor >= 0; }
  bool hasEnded() const;

private:
  int descriptor = -1;
};

/// From now on, in this thread and those that it starts, SIGTERM is only found
/// by takeTerm().
void blockTerm();

/// Whose SIGTERM it was. mpirun ends all processes by it. One that tellSaid()
/// has sent needs no further word. Anybody else's is meant for this process
/// alone.
enum class Term { None, Mpirun, Said, Other };
/// Waits at most so long for it.
Term takeTerm(int milliseconds);
/// Ends another process of this job, which then says nothing: this one has said
/// why, and mpirun's signal is about to come.
void tellSaid(int32_t process);

} // namespace smex::mpi

#endif
