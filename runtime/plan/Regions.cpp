#include "runtime/plan/Regions.h"

#include "dialects/support/Terms.h"
#include "dialects/tdl/analysis/Access.h"

#include <algorithm>

using namespace smex;
using namespace smex::plan;

namespace {

const std::vector<int64_t> &shapeOf(const Program &program, int buffer) {
  const int tensor = program.buffers[size_t(buffer)].tensor;
  return program.tensors[size_t(tensor)].type.shape;
}

class Evaluation {
public:
  Evaluation(Program &program, const std::vector<tdl::Lambda> &lambdas)
      : program(program), lambdas(lambdas) {}

  void run() {
    setRanks();
    // The others are of computes, whose indices are divided or listed.
    for (Region &region : program.regions)
      if (region.kind == Region::Kind::Divided)
        region.boxes = sharesOf(region.extents, region.divisions, program.ways);
    for (Region &region : program.regions)
      if (region.kind == Region::Kind::Read)
        region.boxes = read(region);
      else if (region.kind == Region::Kind::Result)
        region.boxes = result(region);
  }

private:
  /// A list does not say how many dimensions a box has that is not there.
  void setRanks() {
    const auto set = [&](int region, size_t rank) {
      for (Box &box : program.regions[size_t(region)].boxes)
        if (box.isAbsent())
          box = Box::absent(rank);
    };
    for (size_t b = 0; b < program.buffers.size(); ++b)
      if (program.regions[size_t(program.buffers[b].region)].isListed())
        set(program.buffers[b].region, shapeOf(program, int(b)).size());
    for (const Instruction &each : program.instructions)
      if (each.op == Opcode::Compute &&
          program.regions[size_t(each.indices)].isListed())
        set(each.indices, shapeOf(program, each.to).size() +
                              lambdas[size_t(each.kernel)].reductions.size());
  }

  const Instruction &computeOf(const Region &region) const {
    return program.instructions[size_t(region.instruction)];
  }
  const std::vector<Box> &indicesOf(const Instruction &compute) const {
    return program.regions[size_t(compute.indices)].boxes;
  }

  std::vector<Box> read(const Region &region) {
    const Instruction &compute = computeOf(region);
    std::vector<std::vector<int64_t>> shapes;
    for (int operand : compute.operands)
      shapes.push_back(shapeOf(program, operand));
    const size_t operand = size_t(region.operand);
    const analysis::Access &access =
        accesses.of(lambdas[size_t(compute.kernel)], shapes)[operand];
    std::vector<Box> boxes;
    for (const Box &indices : indicesOf(compute))
      boxes.push_back(access.region(indices, shapes[operand]));
    return boxes;
  }

  std::vector<Box> result(const Region &region) const {
    const Instruction &compute = computeOf(region);
    const size_t rank = shapeOf(program, compute.to).size();
    std::vector<Box> boxes;
    for (const Box &indices : indicesOf(compute)) {
      const bool hasTerm =
          std::none_of(indices.begin() + int64_t(rank), indices.end(),
                       [](Interval side) { return side.empty(); });
      boxes.push_back(hasTerm ? front(indices, rank) : Box::absent(rank));
    }
    return boxes;
  }

  Program &program;
  const std::vector<tdl::Lambda> &lambdas;
  analysis::AccessTable accesses;
};

const Region &regionOf(const Program &program, int buffer) {
  return program.regions[size_t(program.buffers[size_t(buffer)].region)];
}

/// What says who has what of a fetch's or a reduction's source.
struct Divided {
  const std::vector<int64_t> &extents;
  Divisions divisions;
};

/// That of its region, or of the indices of the compute that makes it.
Divided dividedOf(const Program &program, const Instruction &instruction) {
  const Region &region = regionOf(program, instruction.from);
  if (region.kind != Region::Kind::Divided) {
    const Instruction &compute =
        program.instructions[size_t(region.instruction)];
    const Region &indices = program.regions[size_t(compute.indices)];
    return {indices.extents, indices.divisions};
  }
  const bool keepsTerms = instruction.op == Opcode::Fetch &&
                          program.buffers[size_t(instruction.from)].partial;
  return {region.extents,
          keepsTerms ? ofOwnTerms(region.divisions) : region.divisions};
}

} // namespace

bool plan::isTiled(const Region &region) {
  return region.kind == Region::Kind::Divided &&
         termSteps(region.divisions) == 0;
}

Result<std::vector<tdl::Lambda>> plan::lambdasOf(const Program &program) {
  std::vector<tdl::Lambda> lambdas;
  for (const Kernel &kernel : program.kernels) {
    auto lambda = tdl::parseLambda(kernel.lambda);
    if (!lambda)
      return lambda.takeError();
    lambdas.push_back(std::move(*lambda));
  }
  return lambdas;
}

void plan::evaluate(Program &program, const std::vector<tdl::Lambda> &lambdas) {
  Evaluation(program, lambdas).run();
}

std::optional<Box> plan::written(const Partitioned &partitioned, int worker,
                                 int number) {
  const Instruction &instruction =
      partitioned.program.instructions[size_t(number)];
  if (partitioned.isKept(worker, instruction.to))
    return std::nullopt;
  if (instruction.op != Opcode::Compute) {
    const Box &to = partitioned.box(worker, instruction.to);
    return isEmpty(to) ? std::nullopt : std::optional<Box>(to);
  }
  const Box &indices = partitioned.indices(worker, number);
  Box part =
      front(indices, shapeOf(partitioned.program, instruction.to).size());
  if (isEmpty(part))
    return std::nullopt;
  const auto &extents = instruction.reductions;
  const bool ofNothing = std::count(extents.begin(), extents.end(), 0) > 0;
  if (isEmpty(indices) && !ofNothing)
    return std::nullopt;
  return part;
}

std::vector<Piece> plan::piecesOf(const Partitioned &partitioned, int worker,
                                  int number) {
  const Program &program = partitioned.program;
  const Instruction &instruction = program.instructions[size_t(number)];
  if (!instruction.pieces.empty())
    return instruction.pieces[size_t(worker)];
  if (isMove(instruction.op) && partitioned.isKept(worker, instruction.to))
    return {};
  if (isMove(instruction.op))
    return {{worker, partitioned.box(worker, instruction.to)}};
  const Box &wanted = partitioned.box(worker, instruction.to);
  const Divided divided = dividedOf(program, instruction);
  std::vector<Piece> pieces =
      termsOf(wanted, divided.extents, divided.divisions, program.ways, worker);
  return instruction.rows.empty()
             ? pieces
             : piecesWithin(instruction.rows[size_t(worker)], pieces);
}

std::vector<int64_t> plan::received(const Partitioned &partitioned,
                                    int number) {
  const Program &program = partitioned.program;
  const Instruction &instruction = program.instructions[size_t(number)];
  if (!instruction.pieces.empty() || !instruction.rows.empty()) {
    std::vector<int64_t> received(partitioned.workers.size());
    for (size_t w = 0; w < received.size(); ++w)
      for (const Piece &piece : piecesOf(partitioned, int(w), number))
        received[w] += piece.worker == int(w) ? 0 : volume(piece.box);
    return received;
  }
  if (isMove(instruction.op))
    return std::vector<int64_t>(partitioned.workers.size());
  const Region &from = regionOf(program, instruction.from);
  const Divided divided = dividedOf(program, instruction);
  return receivedOf(regionOf(program, instruction.to).boxes, from.boxes,
                    divided.extents, divided.divisions, program.ways);
}

std::vector<int64_t> plan::crossing(const Partitioned &partitioned, int number,
                                    int64_t gpus) {
  const Program &program = partitioned.program;
  const Instruction &instruction = program.instructions[size_t(number)];
  const int64_t workers = int64_t(partitioned.workers.size());
  // The steps that make these groups, if some do.
  size_t steps = program.ways.size();
  for (int64_t size = 1; size < gpus && steps > 0;)
    size *= program.ways[--steps];
  const bool areGroups = workersOf({program.ways.begin() + int64_t(steps),
                                    program.ways.end()}) == gpus;
  if (areGroups && instruction.pieces.empty() && instruction.rows.empty() &&
      !isMove(instruction.op)) {
    const Divided divided = dividedOf(program, instruction);
    return crossingOf(regionOf(program, instruction.to).boxes, divided.extents,
                      divided.divisions, program.ways, steps);
  }
  std::vector<int64_t> crossing;
  for (int64_t w = 0; w < workers; ++w) {
    crossing.push_back(0);
    for (const Piece &piece : piecesOf(partitioned, int(w), number))
      crossing.back() +=
          piece.worker / gpus == w / gpus ? 0 : volume(piece.box);
  }
  return crossing;
}

std::optional<Collective> plan::collectiveOf(const Partitioned &partitioned,
                                             int number) {
  const Program &program = partitioned.program;
  const Instruction &instruction = program.instructions[size_t(number)];
  if (instruction.op == Opcode::Compute || isMove(instruction.op) ||
      !instruction.pieces.empty() || !instruction.rows.empty())
    return std::nullopt;
  const Region &from = regionOf(program, instruction.from);
  const Divided divided = dividedOf(program, instruction);
  return smex::collectiveOf(regionOf(program, instruction.to).boxes, from.boxes,
                            divided.extents, divided.divisions, program.ways);
}

void plan::nameCollectives(Partitioned &partitioned) {
  auto &instructions = partitioned.program.instructions;
  for (size_t i = 0; i < instructions.size(); ++i)
    instructions[i].collective = collectiveOf(partitioned, int(i));
}

std::vector<bool> plan::doers(const Partitioned &partitioned, int instruction) {
  std::vector<bool> flags;
  for (size_t w = 0; w < partitioned.workers.size(); ++w)
    flags.push_back(written(partitioned, int(w), instruction).has_value());
  return flags;
}
