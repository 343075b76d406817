// The cases of test/runtime/executor, a process for each of two executions.
#include "test/runtime/executor/Processes.h"
#include "test/runtime/transports/mpi/Joined.h"

using namespace smex;
using namespace smex::runtime;

Results runtime::run(const plan::Partitioned &program,
                     const std::vector<Feed> &feeds,
                     std::vector<Member> members,
                     const ParameterSource &parameters) {
  mpi::World &world = mpi::joined();
  std::vector<int> processes(program.workers.size());
  for (size_t m = 0; m < members.size(); ++m)
    for (int worker : members[m].workers)
      processes[size_t(worker)] = int(m);
  mpi::MpiTransport transport(world, int(program.workers.size()), queueCount,
                              {}, processes);
  const auto own = size_t(world.rank());
  Results results;
  results.emplace_back(own, runMember(program, feeds, std::move(members[own]),
                                      transport, parameters));
  return results;
}
