#include "runtime/executor/Snapshot.h"

using namespace smex;
using namespace smex::runtime;

Status Snapshot::prepare() {
  for (const plan::Parameter &parameter : partitioned.program.parameters) {
    holders.push_back(holdersOf(partitioned, parameter.buffer));
    if (!holders.back().missing.empty())
      return fail("parameter \"", parameter.name, "\": no worker has ",
                  toString(holders.back().missing.front()));
  }
  return {};
}

Status Snapshot::write(int worker, DeviceWorker &device,
                       ParameterSink &sink) const {
  const plan::Program &program = partitioned.program;
  for (size_t p = 0; p < program.parameters.size(); ++p) {
    const plan::Parameter &parameter = program.parameters[p];
    const ArenaBytes from = arenaBytes(partitioned, worker, parameter.buffer);
    const auto show = [&](size_t,
                          const std::function<void(const std::byte *)> &use) {
      if (parameter.next >= 0)
        return device.read(from, use);
      // A device may keep what no step changes in a layout of its own.
      std::vector<std::byte> share(static_cast<size_t>(from.bytes));
      Status filled = parameters.fill(worker, int(p), share.data());
      if (filled)
        use(share.data());
      return filled;
    };
    // One at a time: processes bring one another copies.
    const Whole whole{parameter.buffer, &holders[p], sink.place(int(p))};
    if (Status brought = gathering.bring(worker, {whole}, show); !brought)
      return brought;
  }
  return {};
}
