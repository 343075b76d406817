// What the cuda backend asks of the driver and of NCCL inside a step whose
// transfers are exchanges: these are put on streams, too, nothing is allocated,
// and the host looks for their end, and waits for streams, when all is there.
#include "test/compiler/pipeline/WatchedCalls.h"

using namespace smex;
using test::distinct;
using test::run;
using test::Seen;
using test::without;

namespace {

const std::set<std::string> none,
    putsOnStreams = {"cuStreamWaitEvent",
                     "cuLaunchKernel",
                     "cuEventRecord",
                     "cuMemcpyHtoDAsync_v2",
                     "cuMemcpyDtoHAsync_v2",
                     "cublasLtMatmul",
                     "ncclGroupStart",
                     "ncclSend",
                     "ncclRecv",
                     "ncclGroupEnd",
                     "ncclAllGather",
                     "ncclAllReduce",
                     "ncclReduceScatter"},
    looks = {"cuStreamQuery", "cuEventQuery", "ncclCommGetAsyncError"};

} // namespace

TEST_CASE("a step of exchanges allocates nothing and waits at its end") {
  Seen seen;
  run(seen, /*graphs=*/true);
  CHECK(seen.repeated == 0); // none is a graph
  CHECK(seen.bind.count("cuStreamCreate") > 0);
  for (const char *name :
       {"cuLaunchKernel", "ncclGroupStart", "ncclSend", "ncclRecv"})
    CHECK(seen.submit.count(name) > 0);
  CHECK(without(distinct(seen.submit), putsOnStreams) == none);
  CHECK(seen.finish.count("cuStreamSynchronize") > 0);
  // The exchanges that nothing follows are put there before it waits.
  CHECK(without(without(without(distinct(seen.finish), putsOnStreams), looks),
                {"cuStreamSynchronize"}) == none);
}
