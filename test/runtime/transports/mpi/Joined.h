// The world of a test program that mpirun has started.
#ifndef SMEX_TEST_RUNTIME_TRANSPORTS_MPI_JOINED_H
#define SMEX_TEST_RUNTIME_TRANSPORTS_MPI_JOINED_H

#include "runtime/transports/mpi/MpiTransport.h"

namespace smex::mpi {

/// Of the whole program.
World &joined();

} // namespace smex::mpi

#endif
