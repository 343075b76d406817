// Several executions at once in one process, over one transport between
// threads.
#include "test/runtime/executor/Processes.h"
#include "runtime/transports/Local.h"

#include <thread>

using namespace smex;
using namespace smex::runtime;

Results runtime::run(const plan::Partitioned &program,
                     const std::vector<Feed> &feeds,
                     std::vector<Member> members,
                     const ParameterSource &parameters) {
  LocalTransport transport(int(program.workers.size()), queueCount);
  Results results;
  for (size_t m = 0; m < members.size(); ++m)
    results.emplace_back(m, fail("did not run"));
  std::vector<std::thread> threads;
  for (size_t m = 0; m < members.size(); ++m)
    threads.emplace_back([&, m] {
      results[m].second =
          runMember(program, feeds, members[m], transport, parameters);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}
