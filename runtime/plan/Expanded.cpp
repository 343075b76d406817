#include "runtime/plan/Format.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Regions.h"

using namespace smex;
using namespace smex::plan;

namespace {

Json instruction(const Partitioned &partitioned, int worker, int number) {
  const Program &program = partitioned.program;
  const Instruction &shared = program.instructions[size_t(number)];
  Json json = Json::object();
  if (!written(partitioned, worker, number))
    return json;
  if (shared.op == Opcode::Compute)
    json["indices"] = boxToJson(partitioned.indices(worker, number));
  else {
    for (const Piece &piece : piecesOf(partitioned, worker, number))
      json["pieces"].push_back(pieceToJson(piece));
    if (const auto collective = collectiveOf(partitioned, number))
      json["collective"] = {
          {"group", groupOf(program.ways, worker, collective->over)},
          {"name", std::string(name(collective->kind))}};
  }
  for (const Wait wait : shared.waits)
    for (int other : groupOf(program.ways, worker, wait.steps))
      if (written(partitioned, other, wait.instruction))
        json["waits"].push_back({other, wait.instruction});
  return json;
}

} // namespace

Json plan::expanded(const Partitioned &partitioned, int worker) {
  const Program &program = partitioned.program;
  const Worker &own = partitioned.workers[size_t(worker)];
  Json buffers = Json::array(), instructions = Json::array();
  for (int b = 0; b < int(program.buffers.size()); ++b) {
    buffers.push_back({{"box", boxToJson(partitioned.box(worker, b))},
                       {"offset", partitioned.offset(worker, b)}});
    if (partitioned.space(worker, b) == Space::Host)
      buffers.back()["space"] = "host";
    if (const int storage = partitioned.storage(worker, b); storage != b)
      buffers.back()["kept_as"] = storage;
  }
  for (int i = 0; i < int(program.instructions.size()); ++i)
    instructions.push_back(instruction(partitioned, worker, i));
  return {{"arena_bytes", own.arenaBytes},
          {"buffers", std::move(buffers)},
          {"instructions", std::move(instructions)},
          {"staging_bytes", own.stagingBytes},
          {"workspace",
           {{"bytes", own.workspaceBytes}, {"offset", own.workspaceOffset}}}};
}
