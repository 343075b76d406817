#include "runtime/backends/host/Bring.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

std::optional<Exchange>
runtime::exchangeOf(const plan::Partitioned &partitioned, int worker,
                    int instruction, const Transport &transport) {
  const plan::Program &program = partitioned.program;
  const auto &collective = program.instructions[size_t(instruction)].collective;
  if (!collective || !isOfAll(collective->kind))
    return std::nullopt;
  std::vector<int> members = groupOf(program.ways, worker, collective->over);
  if (std::all_of(members.begin(), members.end(), [&](int member) {
        return transport.reach(member) != nullptr;
      }))
    return std::nullopt;
  return Exchange{instruction, collective->kind, std::move(members)};
}
