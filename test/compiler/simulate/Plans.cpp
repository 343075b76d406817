#include "test/compiler/simulate/Plans.h"

#include "test/runtime/plan/ByHand.h"

#include <algorithm>

using namespace smex;
using namespace smex::simulate;
using machines::NodeKind;

machines::Device simulate::roundDevice() {
  machines::Device device;
  device.flops[DType::F32] = 1e9;
  device.memoryBandwidth = 1e9;
  device.memoryBytes = 1 << 30;
  return device;
}

Machine simulate::star(int gpus, bool duplex) {
  Machine machine;
  machine.name = "star";
  machine.devices = {roundDevice()};
  for (int g = 0; g < gpus; ++g) {
    machine.nodes.push_back({"gpu" + std::to_string(g), NodeKind::Gpu});
    machine.gpus.push_back(g);
    machine.links.push_back({g, gpus, 1000, 0, duplex});
  }
  machine.nodes.push_back({"switch", NodeKind::Switch});
  return machine;
}

PlanMaker::PlanMaker(int workers) {
  partitioned =
      plan::byHand({}, std::vector<plan::HandWorker>(size_t(workers)));
  plan::Kernel kernel;
  kernel.lambda = "(x0: f32[1]) -> f32: lambda i0: x0[i0] + 1.0";
  kernel.symbol = "kernel_0";
  partitioned.program.kernels = {kernel};
  add(plan::Opcode::Compute, std::vector<int64_t>(size_t(workers), 1 << 30));
  // Only its buffer is needed.
  partitioned.program.instructions.clear();
  partitioned.program.inputs = {{"x", 0}};
}

int PlanMaker::add(plan::Opcode op, const std::vector<int64_t> &elements) {
  plan::Program &program = partitioned.program;
  const int number = int(program.buffers.size());
  program.tensors.push_back(
      {"t" + std::to_string(number), {DType::F32, {1 << 30}}});
  plan::Instruction instruction;
  instruction.op = op;
  instruction.node = "node" + std::to_string(program.instructions.size());
  instruction.to = number;
  if (op == plan::Opcode::Compute) {
    instruction.kernel = 0;
    instruction.operands = {0};
  } else {
    instruction.from = number - 1;
  }
  std::vector<plan::HandBuffer> buffers;
  std::vector<plan::HandInstruction> instructions;
  for (int64_t count : elements) {
    buffers.push_back({{{0, count}}});
    instructions.push_back({{{0, count}}});
  }
  plan::addBuffer(partitioned, {number}, buffers);
  return plan::addInstruction(partitioned, instruction, instructions);
}

int PlanMaker::compute(const std::vector<int64_t> &elements) {
  return add(plan::Opcode::Compute, elements);
}

int PlanMaker::fetch(
    const std::map<int, std::vector<std::pair<int, int64_t>>> &pieces) {
  std::vector<int64_t> elements(partitioned.workers.size());
  for (const auto &[to, list] : pieces)
    for (const auto &[from, count] : list)
      elements[size_t(to)] += count;
  const int number = add(plan::Opcode::Fetch, elements);
  for (const auto &[to, list] : pieces) {
    int64_t at = 0;
    for (const auto &[from, count] : list) {
      plan::listedPieces(partitioned, to, number)
          .push_back({from, {{at, at + count}}});
      at += count;
    }
  }
  return number;
}

void PlanMaker::wait(int instruction, Wait forWhom) {
  partitioned.program.instructions[size_t(instruction)].waits.push_back(
      forWhom);
}

std::pair<double, double> simulate::timeOf(const Simulation &simulation,
                                           int worker, int instruction) {
  const auto event = std::find_if(
      simulation.events.begin(), simulation.events.end(), [&](const Event &e) {
        return e.worker == worker && e.instruction == instruction;
      });
  if (event == simulation.events.end())
    return {-1, -1};
  return {event->start, event->end};
}
