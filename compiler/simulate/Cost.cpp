#include "compiler/simulate/Cost.h"

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Epilogue.h"

using namespace smex;
using namespace smex::simulate;
using machines::Device;

Cost::Cost(const plan::Partitioned &partitioned, const Machine &machine,
           const analysis::KnownLists &lists)
    : program(partitioned.program), machine(machine), findings(0),
      subject(partitioned, "", findings), epilogues(plan::epilogues(program)) {
  for (size_t i = 0; i < program.instructions.size(); ++i)
    if (program.instructions[i].epilogueOf >= 0)
      for (size_t w = 0; w < partitioned.workers.size(); ++w)
        doneBefore[int(i)].push_back(
            hasWork(int(w), int(i)) &&
            plan::isInOneCall(partitioned, subject.lambdas, int(w), int(i)));
  for (const tdl::Lambda &lambda : subject.lambdas)
    kernels.emplace_back(lambda);
  terms.resize(program.instructions.size());
  if (!lists.empty())
    findTerms(lists);
}

void Cost::findTerms(const analysis::KnownLists &lists) {
  analysis::CountedTermsTable table;
  for (size_t i = 0; i < terms.size(); ++i) {
    const plan::Instruction &compute = program.instructions[i];
    if (compute.op != plan::Opcode::Compute)
      continue;
    std::vector<std::vector<int64_t>> shapes;
    analysis::KnownLists known;
    for (int operand : compute.operands) {
      shapes.push_back(subject.tensorOf(operand).type.shape);
      known.push_back(lists[size_t(operand)]);
    }
    terms[i] = table.of(subject.lambdas[size_t(compute.kernel)],
                        std::move(shapes), std::move(known));
  }
}

int64_t Cost::elementBytes(int buffer) const {
  return byteSize(plan::elementType(program, buffer));
}

bool Cost::hasWork(int worker, int instruction) const {
  return subject.written(worker, instruction).has_value();
}

bool Cost::isDoneBefore(int worker, int map) const {
  const auto found = doneBefore.find(map);
  return found != doneBefore.end() && found->second[size_t(worker)];
}

Demand Cost::compute(int worker, int number) const {
  const plan::Instruction &instruction = program.instructions[size_t(number)];
  const KernelTime &kernel = kernels[size_t(instruction.kernel)];
  const Device &device = machine.deviceOf(worker);
  const TensorType &type = subject.tensorOf(instruction.to).type;
  const Box written = *subject.written(worker, number);
  Amounts amounts;
  amounts.bytes = bytesOf(written, elementBytes(instruction.to));
  amounts.aligned = hasAlignedRows(written, byteSize(type.dtype));
  std::vector<Part> parts;
  for (Box &region : subject.regions(worker, number))
    parts.push_back(
        {std::move(region), elementBytes(instruction.operands[parts.size()])});
  kernel.addReads(device, subject.partitioned.indices(worker, number),
                  terms[size_t(number)].get(), type.shape, parts, amounts);
  // Of an epilogue only the bias is read besides: its result is written instead
  // of the product's.
  if (const int map = epilogues[size_t(number)];
      map >= 0 && isDoneBefore(worker, map)) {
    const plan::Instruction &what = program.instructions[size_t(map)];
    const std::vector<Box> read = subject.regions(worker, map);
    for (size_t k = 0; k < read.size(); ++k)
      if (what.operands[k] != instruction.to)
        amounts.bytes += bytesOf(read[k], elementBytes(what.operands[k]));
  }

  return {kernel.seconds(device, type.dtype, amounts), amounts.bytes};
}

Demand Cost::local(int worker, int number) const {
  const plan::Instruction &instruction = program.instructions[size_t(number)];
  const int64_t size = elementBytes(instruction.from);
  double bytes = 0;
  for (const Piece &piece : plan::piecesOf(subject.partitioned, worker, number))
    if (piece.worker == worker)
      bytes += 2 * bytesOf(piece.box, size);
  return {bytes / machine.deviceOf(worker).memoryRate(), bytes};
}
