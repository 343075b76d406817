#include "runtime/transports/mpi/Library.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>

using namespace smex;
using namespace smex::mpi;

namespace {
constexpr const char *library = "libmpi.so.40";

Error environment(std::string message) {
  return {std::move(message), Fault::Environment};
}

std::optional<int> numberOf(const char *variable) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return std::nullopt;
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end || value < 0 || value > 1 << 24)
    return std::nullopt;
  return int(value);
}
} // namespace

Result<Launch> mpi::findLaunch() {
  // Open MPI says both. Processes that something else starts over PMIx know
  // their rank, and their number only from the batch system: where it does not
  // say it, MPI will.
  const auto rank = numberOf("OMPI_COMM_WORLD_RANK");
  const auto size = numberOf("OMPI_COMM_WORLD_SIZE");
  if (rank && size)
    return Launch{*rank, *size};
  const auto pmix = numberOf("PMIX_RANK");
  const auto steps = numberOf("SLURM_STEP_NUM_TASKS");
  if (pmix && std::getenv("PMIX_NAMESPACE"))
    return Launch{*pmix, steps ? *steps : std::max(2, *pmix + 1)};
  const auto others = numberOf("PMI_SIZE");
  if (others && *others > 1)
    return environment("this is one of " + std::to_string(*others) +
                       " processes of an MPI that is not Open MPI 4 (PMI_SIZE "
                       "is set): start them with Open MPI's mpirun");
  return Launch{};
}

Result<const Library *> Library::get() {
  struct Loaded {
    Library library;
    Status status = library.load();
  };
  static const Loaded loaded;
  if (!loaded.status)
    return loaded.status.error();
  return &loaded.library;
}

Status Library::load() {
  // Open MPI's plugins look for its symbols among everybody's.
  void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    return environment("started by mpirun, but Open MPI's library is not here "
                       "(Debian: libopenmpi3): " +
                       std::string(dlerror()));
  const char *missing = nullptr;
#define SMEX_MPI_FIND(member, entry, parameters)                               \
  member = reinterpret_cast<int(*) parameters>(dlsym(handle, #entry));         \
  if (!member && !missing)                                                     \
    missing = #entry;
  SMEX_MPI_ENTRIES(SMEX_MPI_FIND)
#undef SMEX_MPI_FIND
#define SMEX_MPI_FIND(member, type, object)                                    \
  member = static_cast<type>(dlsym(handle, #object));                          \
  if (!member && !missing)                                                     \
    missing = #object;
  SMEX_MPI_OBJECTS(SMEX_MPI_FIND)
#undef SMEX_MPI_FIND
  if (missing)
    return environment(std::string(library) + " has no " + missing +
                       ": Open MPI 4 is needed");
  return {};
}
