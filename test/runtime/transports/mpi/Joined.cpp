// Test cases in several processes at once: all make the same ones, in the same
// order, and one that fails in one process is a failure of all.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "dialects/support/Program.h"
#include "test/runtime/transports/mpi/Joined.h"

using namespace smex;

namespace {
std::unique_ptr<mpi::World> world;
}

mpi::World &mpi::joined() { return *world; }

int main(int argc, char **argv) {
  return runProgram("test", [&] {
    auto made = mpi::World::join();
    if (!made)
      return report(made.error());
    world = std::move(*made);
    const int failed = Catch::Session().run(argc, argv);
    return world->finish(
        failed ? Status(Error{"a test case failed", Fault::Defect}) : Status());
  });
}
