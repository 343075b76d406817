// What the cuda backend asks of the driver inside a step: instructions are put
// on streams, nothing is allocated, and the host waits for a GPU at the end
// alone.
#include "test/compiler/pipeline/WatchedCalls.h"

using namespace smex;
using test::distinct;
using test::run;
using test::Seen;
using test::without;

namespace {

const std::set<std::string> none,
    putsOnStreams = {"cuStreamWaitEvent",    "cuLaunchKernel",
                     "cuEventRecord",        "cuMemcpyHtoDAsync_v2",
                     "cuMemcpyDtoHAsync_v2", "cublasLtMatmul"};

} // namespace

TEST_CASE("a step that is submitted allocates nothing and waits at its end") {
  Seen seen;
  run(seen, /*graphs=*/false);
  CHECK(seen.repeated == 0);
  // What the first step needs is made before it, and is seen here.
  CHECK(seen.bind.count("cuStreamCreate") > 0);
  CHECK(seen.bind.count("cuEventCreate") > 0);
  CHECK(seen.submit.count("cuLaunchKernel") > 0);
  CHECK(seen.submit.count("cuStreamWaitEvent") > 0);
  CHECK(without(distinct(seen.submit), putsOnStreams) == none);
  CHECK(distinct(seen.finish) == std::set<std::string>{"cuStreamSynchronize"});
}

TEST_CASE("a step that is a graph is one launch") {
  Seen seen, eager;
  run(seen, /*graphs=*/true);
  run(eager, /*graphs=*/false);
  CHECK(seen.repeated > 0);
  // Two steps of three are launched, each once, whatever the workers.
  CHECK(seen.finish.count("cuGraphLaunch") == 2 * 10);
  CHECK(3 * seen.submit.count("cuLaunchKernel") ==
        eager.submit.count("cuLaunchKernel"));
  CHECK(without(distinct(seen.submit), putsOnStreams) == none);
  CHECK(without(distinct(seen.finish), {"cuGraphLaunch", "cuStreamSynchronize",
                                        "cuStreamQuery"}) == none);
}
