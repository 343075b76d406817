// What is said of processes that do not come, by what the system shows.
#include "runtime/transports/mpi/Patience.h"

#include <catch2/catch.hpp>

using namespace smex::mpi;

namespace {
Sibling waiting(int rank) {
  return {rank, 100 + rank, "smex-run", false, true};
}

std::string held(const std::vector<Sibling> &siblings, int localSize,
                 int size) {
  return whatHolds(siblings, localSize, size, "here");
}
} // namespace

TEST_CASE("what keeps MPI from beginning") {
  CHECK(held({}, 3, 3) == "nothing is known of the other processes");
  Sibling stopped = waiting(1), other = waiting(2);
  stopped.isStopped = true;
  other.isInInit = false;
  other.program = "bash";
  CHECK(held({waiting(0), stopped}, 2, 2) ==
        "rank 1 (here, process 101) is stopped");
  CHECK(held({waiting(0), stopped, other}, 3, 9) ==
        "rank 1 (here, process 101) is stopped; rank 2 (here, process 102) has "
        "not come to MPI_Init: it runs bash");
  // Which rank is missing is known where all are of this machine.
  CHECK(held({waiting(0), waiting(2)}, 3, 3) ==
        "rank 1 (here) is not there any more");
  CHECK(held({waiting(1)}, 3, 3) == "rank 0 (here) is not there any more; "
                                    "rank 2 (here) is not there any more");
  CHECK(held({waiting(0), waiting(2)}, 3, 8) ==
        "of 3 processes of here, 1 not there");
  CHECK(held({waiting(0), waiting(1)}, 2, 8) ==
        "the processes of here have come to it, and others have not");
  CHECK(held({waiting(0), waiting(1)}, 2, 2) ==
        "all processes have come to it, and Open MPI goes no further");
  CHECK(whoIsMissing({waiting(0), stopped}, 2, 2, "here").empty());
  CHECK(whoIsMissing({waiting(0)}, 0, 2, "here").empty());
}

TEST_CASE("without mpirun, no process has siblings") {
  CHECK(findSiblings().empty());
}
