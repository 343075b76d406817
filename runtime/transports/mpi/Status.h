// What processes tell each other of how it went.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_STATUS_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_STATUS_H

#include "dialects/support/Result.h"

#include <cstddef>
#include <vector>

namespace smex::mpi {

std::vector<std::byte> encode(const Status &status);
Status decode(const std::vector<std::byte> &bytes);

/// An error that another process knows more of.
inline Error knownElsewhere() { return {"", Fault::Environment}; }

/// One status for all, of each rank's: what all say, nobody is named for. What
/// some say, they are, one line for each message. An error without words gives
/// way to others.
Status merge(const std::vector<Status> &each);

} // namespace smex::mpi

#endif
