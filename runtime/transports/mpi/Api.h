// The part of MPI that smex uses, declared by hand as Open MPI 4 has it:
// building needs no MPI. Values and layouts are those of Open MPI's mpi.h, to
// which test/runtime/transports/mpi compares them where it is found.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_API_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_API_H

#include <cstddef>

namespace smex::mpi {

using Communicator = struct CommunicatorType *; // MPI_Comm
using Datatype = struct DatatypeType *;         // MPI_Datatype
using Errors = struct ErrorsType *;             // MPI_Errhandler
using Request = struct RequestType *;           // MPI_Request

struct ReceiveStatus { // MPI_Status
  int source = 0, tag = 0, error = 0;
  int cancelled = 0;
  size_t bytes = 0;
};

constexpr int success = 0;            // MPI_SUCCESS
constexpr int anySource = -1;         // MPI_ANY_SOURCE
constexpr int threadFunneled = 1;     // MPI_THREAD_FUNNELED
constexpr int longestErrorText = 256; // MPI_MAX_ERROR_STRING

/// X(member, entry point, parameters); all return a code.
#define SMEX_MPI_ENTRIES(X)                                                    \
  X(initialize, MPI_Init_thread,                                               \
    (int *count, char ***arguments, int required, int *provided))              \
  X(finalize, MPI_Finalize, ())                                                \
  X(errorText, MPI_Error_string, (int code, char *text, int *length))          \
  X(size, MPI_Comm_size, (Communicator communicator, int *size))               \
  X(rank, MPI_Comm_rank, (Communicator communicator, int *rank))               \
  X(setErrors, MPI_Comm_set_errhandler,                                        \
    (Communicator communicator, Errors errors))                                \
  X(probe, MPI_Iprobe,                                                         \
    (int source, int tag, Communicator communicator, int *is,                  \
     ReceiveStatus *status))                                                   \
  X(count, MPI_Get_count,                                                      \
    (const ReceiveStatus *status, Datatype type, int *count))                  \
  X(receive, MPI_Recv,                                                         \
    (void *to, int count, Datatype type, int source, int tag,                  \
     Communicator communicator, ReceiveStatus *status))                        \
  X(startReceive, MPI_Irecv,                                                   \
    (void *to, int count, Datatype type, int source, int tag,                  \
     Communicator communicator, Request *request))                             \
  X(startSend, MPI_Isend,                                                      \
    (const void *from, int count, Datatype type, int to, int tag,              \
     Communicator communicator, Request *request))                             \
  X(test, MPI_Test, (Request * request, int *is, ReceiveStatus *status))

/// X(member, object, handle): the library's objects, whose addresses are
/// handles.
#define SMEX_MPI_OBJECTS(X)                                                    \
  X(world, ompi_mpi_comm_world, Communicator)                                  \
  X(byte, ompi_mpi_byte, Datatype)                                             \
  X(errorsReturn, ompi_mpi_errors_return, Errors)

/// The entry points and objects, once the library is loaded.
struct Entries {
#define SMEX_MPI_MEMBER(member, entry, parameters)                             \
  int(*member) parameters = nullptr;
  SMEX_MPI_ENTRIES(SMEX_MPI_MEMBER)
#undef SMEX_MPI_MEMBER
#define SMEX_MPI_MEMBER(member, object, type) type member = nullptr;
  SMEX_MPI_OBJECTS(SMEX_MPI_MEMBER)
#undef SMEX_MPI_MEMBER
};

} // namespace smex::mpi

#endif
