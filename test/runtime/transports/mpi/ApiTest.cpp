// What smex declares of MPI by hand against Open MPI's own header, where it is
// installed. Where it is not, there is nothing to compare with, and the test
// says so.
#include "runtime/transports/mpi/Api.h"

#include <catch2/catch.hpp>

#if __has_include(<mpi/mpi.h>)
#define OMPI_SKIP_MPICXX 1
#include <mpi/mpi.h>
#ifdef OPEN_MPI
#define SMEX_HAS_MPI_HEADER 1
#endif
#endif

#include <type_traits>

using namespace smex;

#ifdef SMEX_HAS_MPI_HEADER

namespace smex::mpi {
namespace {

/// A parameter as the machine passes it: pointers are one kind, whatever they
/// point to.
template <typename T> struct Passed {
  static_assert(std::is_integral_v<T>, "a parameter of a new kind");
  using type = T;
};
template <typename T> struct Passed<T *> {
  using type = void *;
};
template <typename F> struct Signature;
template <typename R, typename... P> struct Signature<R(P...)> {
  using type = typename Passed<R>::type(typename Passed<P>::type...);
};
template <typename F> using Same = typename Signature<F>::type;

#define SMEX_COMPARE(member, entry, parameters)                                \
  static_assert(std::is_same_v<Same<decltype(entry)>, Same<int parameters>>,   \
                #entry " is declared otherwise in mpi.h");
SMEX_MPI_ENTRIES(SMEX_COMPARE)
#undef SMEX_COMPARE

static_assert(std::is_pointer_v<MPI_Comm> && std::is_pointer_v<MPI_Datatype> &&
                  std::is_pointer_v<MPI_Request> &&
                  std::is_pointer_v<MPI_Errhandler>,
              "handles are no addresses in this MPI");

} // namespace
} // namespace smex::mpi

TEST_CASE("constants and layouts of MPI are those of mpi.h") {
  CHECK(mpi::success == MPI_SUCCESS);
  CHECK(mpi::anySource == MPI_ANY_SOURCE);
  CHECK(mpi::threadFunneled == MPI_THREAD_FUNNELED);
  CHECK(mpi::longestErrorText == MPI_MAX_ERROR_STRING);
  CHECK(sizeof(mpi::ReceiveStatus) == sizeof(MPI_Status));
  CHECK(offsetof(mpi::ReceiveStatus, source) ==
        offsetof(MPI_Status, MPI_SOURCE));
  CHECK(offsetof(mpi::ReceiveStatus, tag) == offsetof(MPI_Status, MPI_TAG));
  CHECK(offsetof(mpi::ReceiveStatus, error) == offsetof(MPI_Status, MPI_ERROR));
}

TEST_CASE("handles are the objects that mpi.h takes the addresses of") {
  // Preprocessed, not called: the test links no MPI.
#define SMEX_TEXT_OF(text) #text
#define SMEX_TEXT(macro) SMEX_TEXT_OF(macro)
#define SMEX_FIND(member, object, type)                                        \
  CHECK_THAT(std::string(SMEX_TEXT(MPI_COMM_WORLD) SMEX_TEXT(MPI_BYTE)         \
                             SMEX_TEXT(MPI_ERRORS_RETURN)),                    \
             Catch::Contains(#object));
  SMEX_MPI_OBJECTS(SMEX_FIND)
#undef SMEX_FIND
}

#else

TEST_CASE("there is no mpi.h to compare with") {
  WARN("Open MPI's header is not installed: signatures are not compared");
  CHECK(sizeof(mpi::ReceiveStatus) == 24);
}

#endif
