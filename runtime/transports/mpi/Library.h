// Open MPI's library, loaded when the program was started by mpirun, and only
// then.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_LIBRARY_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_LIBRARY_H

#include "dialects/support/Result.h"
#include "runtime/library/SharedLibrary.h"
#include "runtime/transports/mpi/Api.h"

namespace smex::mpi {

/// How this process was started.
struct Launch {
  int rank = 0, size = 1;
  bool hasOthers() const { return size > 1; }
};

/// From what mpirun, or a batch system that speaks PMIx, says in the
/// environment. Fault::Environment: processes of another MPI, each of which
/// would run the whole plan.
Result<Launch> findLaunch();

class Library : public Entries {
public:
  /// Fault::Environment, in one message: the library is missing, or is another
  /// one than Open MPI 4.
  static Result<const Library *> get();

private:
  Status load();

  runtime::SharedLibrary library;
};

} // namespace smex::mpi

#endif
