#include "runtime/transports/mpi/Library.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

using namespace smex;
using namespace smex::mpi;

namespace {
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
    return runtime::libraryError(
        "this is one of " + std::to_string(*others) +
        " processes of an MPI that is not Open MPI 4 (PMI_SIZE "
        "is set): start them with Open MPI's mpirun");
  return Launch{};
}

Result<const Library *> Library::get() {
  return runtime::loadOnce<Library>([](Library &made) { return made.load(); });
}

Status Library::load() {
  // Open MPI's plugins look for its symbols among everybody's.
  auto opened = runtime::SharedLibrary::open(
      "libmpi.so.40", runtime::SharedLibrary::Symbols::Everybodys);
  if (!opened)
    return runtime::libraryError(
        "started by mpirun, but Open MPI's library is not "
        "here (Debian: libopenmpi3): " +
        opened.error().message);
  library = std::move(*opened);
  SMEX_MPI_ENTRIES(SMEX_FIND_ENTRY)
  SMEX_MPI_OBJECTS(SMEX_FIND_ENTRY)
  if (const std::string lacks = library.lacks(); !lacks.empty())
    return runtime::libraryError(lacks + ": Open MPI 4 is needed");
  return {};
}
