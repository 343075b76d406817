// Executions that make one run together, each with some of its workers and a
// backend of its own: what tests of several processes need of a transport.
#ifndef SMEX_TEST_RUNTIME_EXECUTOR_PROCESSES_H
#define SMEX_TEST_RUNTIME_EXECUTOR_PROCESSES_H

#include "runtime/executor/Executor.h"

#include <string>
#include <utility>
#include <vector>

namespace smex::runtime {

struct Member {
  std::string device;
  std::vector<int> workers;
  RunOptions options = {};
};

/// What became of the members that are in this process: their numbers.
using Results = std::vector<std::pair<size_t, Result<RunResult>>>;

/// Each test program has its own.
Results run(const plan::Partitioned &program, const std::vector<Feed> &feeds,
            std::vector<Member> members, const ParameterSource &parameters);

/// One of them.
inline Result<RunResult> runMember(const plan::Partitioned &program,
                                   const std::vector<Feed> &feeds,
                                   Member member, Transport &transport,
                                   const ParameterSource &parameters) {
  member.options.process = Process{&transport, member.workers};
  auto backend = makeBackend(member.device);
  if (!backend)
    return backend.takeError();
  return execute(program, {}, **backend, parameters, feeds, member.options);
}

} // namespace smex::runtime

#endif
