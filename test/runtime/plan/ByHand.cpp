#include "test/runtime/plan/ByHand.h"

using namespace smex;
using namespace smex::plan;

namespace {
int addRegion(Program &program, std::vector<Box> boxes) {
  program.regions.emplace_back();
  program.regions.back().boxes = std::move(boxes);
  return int(program.regions.size()) - 1;
}

void setBuffer(Program &program, BufferInfo &info,
               const std::vector<HandBuffer> &ofWorkers) {
  std::vector<Box> boxes;
  info.offsets.clear();
  for (const HandBuffer &each : ofWorkers) {
    boxes.push_back(each.box);
    info.offsets.push_back(each.offset);
  }
  info.region = addRegion(program, std::move(boxes));
}

void setInstruction(Program &program, Instruction &instruction,
                    const std::vector<HandInstruction> &ofWorkers) {
  std::vector<Box> indices;
  instruction.pieces.clear();
  for (const HandInstruction &each : ofWorkers) {
    indices.push_back(each.indices);
    if (instruction.op != Opcode::Compute)
      instruction.pieces.push_back(each.pieces);
  }
  if (instruction.op == Opcode::Compute)
    instruction.indices = addRegion(program, std::move(indices));
}
} // namespace

Partitioned plan::byHand(Program program,
                         const std::vector<HandWorker> &workers) {
  Partitioned made;
  made.program = std::move(program);
  made.program.ways.clear();
  made.program.regions.clear();
  if (workers.size() > 1)
    made.program.ways = {int64_t(workers.size())};
  for (const HandWorker &each : workers)
    made.workers.push_back({each.arenaBytes, each.workspaceOffset,
                            each.workspaceBytes, each.weights});
  for (size_t b = 0; b < made.program.buffers.size(); ++b) {
    std::vector<HandBuffer> ofWorkers;
    for (const HandWorker &each : workers)
      ofWorkers.push_back(each.buffers[b]);
    setBuffer(made.program, made.program.buffers[b], ofWorkers);
  }
  for (size_t i = 0; i < made.program.instructions.size(); ++i) {
    std::vector<HandInstruction> ofWorkers;
    for (const HandWorker &each : workers)
      ofWorkers.push_back(each.instructions[i]);
    setInstruction(made.program, made.program.instructions[i], ofWorkers);
  }
  return made;
}

Region plan::divided(std::vector<int64_t> extents, Division division) {
  Region region;
  region.kind = Region::Kind::Divided;
  region.extents = std::move(extents);
  region.divisions = {std::move(division)};
  return region;
}

int plan::addBuffer(Partitioned &partitioned, BufferInfo info,
                    const std::vector<HandBuffer> &ofWorkers) {
  Program &program = partitioned.program;
  setBuffer(program, info, ofWorkers);
  program.buffers.push_back(std::move(info));
  return int(program.buffers.size()) - 1;
}

int plan::addWhole(Partitioned &partitioned, const std::string &name,
                   TensorType type, int64_t room) {
  std::vector<HandBuffer> all;
  for (Worker &worker : partitioned.workers) {
    all.push_back({wholeBox(type.shape), worker.arenaBytes});
    worker.arenaBytes += room;
  }
  partitioned.program.tensors.push_back({name, std::move(type)});
  return addBuffer(partitioned, {int(partitioned.program.tensors.size()) - 1},
                   all);
}

int plan::addInstruction(Partitioned &partitioned, Instruction instruction,
                         const std::vector<HandInstruction> &ofWorkers) {
  Program &program = partitioned.program;
  setInstruction(program, instruction, ofWorkers);
  program.instructions.push_back(std::move(instruction));
  return int(program.instructions.size()) - 1;
}

Box &plan::boxOf(Partitioned &partitioned, int worker, int buffer) {
  Program &program = partitioned.program;
  const int region = program.buffers[size_t(buffer)].region;
  return program.regions[size_t(region)].boxes[size_t(worker)];
}

int64_t &plan::offsetOf(Partitioned &partitioned, int worker, int buffer) {
  return partitioned.program.buffers[size_t(buffer)].offsets[size_t(worker)];
}

Box &plan::indicesOf(Partitioned &partitioned, int worker, int instruction) {
  Program &program = partitioned.program;
  const int region = program.instructions[size_t(instruction)].indices;
  return program.regions[size_t(region)].boxes[size_t(worker)];
}

std::vector<Piece> &plan::listedPieces(Partitioned &partitioned, int worker,
                                       int instruction) {
  return partitioned.program.instructions[size_t(instruction)]
      .pieces[size_t(worker)];
}
