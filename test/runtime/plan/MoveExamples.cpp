// Examples whose data is on the host meanwhile, or comes row by row.
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include "dialects/support/Sha256.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Totals.h"

using namespace smex;
using namespace smex::plan;

Plan plan::offloaded() {
  Plan plan;
  plan.modelName = "offloaded.json";
  plan.modelSha256 = sha256("offloaded");
  plan.code = {{"x86-64-v3", "native code"}};
  const auto map = [](const std::string &body, int operands) {
    Kernel kernel;
    kernel.kind = KernelKind::Reference;
    kernel.lambda = std::string("(x0: f32[1]") +
                    (operands == 2 ? ", x1: f32[1]" : "") +
                    ") -> f32: lambda i0: " + body;
    return kernel;
  };
  Program &program = plan.partitioned.program;
  program.ways = {2};
  for (const char *name : {"x", "more", "twice", "out"})
    program.tensors.push_back({name, {DType::F32, {64}}});
  program.kernels = {map("x0[i0] + 1.0", 1), map("x0[i0] + x0[i0]", 1),
                     map("x0[i0] - x1[i0]", 2)};
  program.regions = {divided({64}, Division::part(0))};
  enum { x, more, onHost, twice, again, out };
  const auto buffer = [&](int tensor, int64_t offset) {
    BufferInfo made;
    made.tensor = tensor;
    made.region = 0;
    made.offsets = {offset};
    program.buffers.push_back(made);
  };
  buffer(0, 0);
  buffer(1, 128);
  buffer(1, 0);
  program.buffers[onHost].space = Space::Host;
  buffer(2, 128);
  buffer(1, 256);
  buffer(3, 384);
  const auto compute = [&](const char *node, int kernel,
                           std::vector<int> operands, int to,
                           std::vector<Wait> waits) {
    Instruction made;
    made.node = node;
    made.kernel = kernel;
    made.operands = std::move(operands);
    made.to = to;
    made.indices = 0;
    made.waits = std::move(waits);
    program.instructions.push_back(made);
  };
  const auto move = [&](Opcode op, int from, int to, std::vector<Wait> waits) {
    Instruction made;
    made.op = op;
    made.node = "more";
    made.from = from;
    made.to = to;
    made.waits = std::move(waits);
    program.instructions.push_back(made);
  };
  compute("more", 0, {x}, more, {});
  move(Opcode::ToHost, more, onHost, {own(0)});
  compute("twice", 1, {x}, twice, {own(1)});
  move(Opcode::FromHost, onHost, again, {own(1)});
  compute("out", 2, {twice, again}, out, {own(3)});
  program.inputs = {{"x", x}};
  program.outputs = {{"out", out}};
  Worker worker;
  worker.arenaBytes = 512;
  worker.hostBytes = 128;
  plan.partitioned.workers = {worker, worker};
  plan.peakBytes = {512, 512};
  plan.search.optimal = true;
  evaluate(program, *lambdasOf(program));
  plan.hostTraffic = {256, 256};
  return plan;
}

Plan plan::offloadedParameter(bool inPlace) {
  Plan plan = offloaded();
  Program &program = plan.partitioned.program;
  const int tensor = int(program.tensors.size()),
            first = int(program.buffers.size());
  const int w = first, loaded = first + 1, sum = first + 2, next = first + 3;
  for (const char *name : {"w", "w'"})
    program.tensors.push_back({name, {DType::F32, {64}}});
  program.kernels.push_back(program.kernels[2]);
  program.kernels.back().lambda =
      "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0]";
  const auto buffer = [&](int of, Space space, int64_t offset) {
    BufferInfo made = program.buffers[0];
    made.tensor = of;
    made.space = space;
    made.offsets = {offset};
    program.buffers.push_back(made);
  };
  buffer(tensor, Space::Host, 128);
  buffer(tensor, Space::Device, 512);
  buffer(tensor + 1, Space::Device, 640);
  buffer(tensor + 1, Space::Host, inPlace ? 128 : 256);
  const int count = int(program.instructions.size());
  const auto add = [&](Opcode op, int from, int to, std::vector<Wait> waits) {
    Instruction made;
    made.op = op;
    made.node = "w";
    made.from = from;
    made.to = to;
    made.waits = std::move(waits);
    program.instructions.push_back(made);
  };
  add(Opcode::FromHost, w, loaded, {});
  Instruction compute = program.instructions[4];
  compute.node = "w";
  compute.kernel = int(program.kernels.size()) - 1;
  compute.operands = {loaded, program.inputs[0].buffer};
  compute.to = sum;
  compute.waits = {own(count)};
  program.instructions.push_back(compute);
  add(Opcode::ToHost, sum, next, {own(count + 1)});
  Parameter parameter;
  parameter.name = "w";
  parameter.buffer = w;
  parameter.drawn = true;
  parameter.next = next;
  program.parameters = {parameter};
  evaluate(program, *lambdasOf(program));
  for (Worker &worker : plan.partitioned.workers) {
    worker.arenaBytes = 768;
    worker.hostBytes = inPlace ? 256 : 384;
  }
  plan.peakBytes = {768, 768};
  plan.parameterBytes = 256;
  plan.hostTraffic = {512, 512};
  return plan;
}

const std::vector<std::vector<int32_t>> &plan::neighbourLists() {
  // Edges into vertices 0 to 5.
  static const std::vector<std::vector<int32_t>> lists = {
      {3, 5, 0, 1, 2, 5, 4}, {0, 2, 2, 3, 6, 7, 7}};
  return lists;
}

Plan plan::neighbours() {
  enum Buffer { x, source, offset, rows, y };
  Plan plan;
  plan.modelName = "neighbours.json";
  plan.modelSha256 = sha256("neighbours");
  plan.code = {{"x86-64-v3", "native code"}};
  Program &program = plan.partitioned.program;
  program.ways = {2};
  program.tensors = {{"x", {DType::F32, {6, 4}}},
                     {"sources", {DType::I32, {7}}},
                     {"offsets", {DType::I32, {7}}},
                     {"y", {DType::F32, {6, 4}}}};
  Kernel sum;
  sum.kind = KernelKind::Reference;
  sum.lambda = "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: "
               "Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and "
               "r0 < i64(x2[i0 + 1]))";
  program.kernels = {sum};
  const Division halves = Division::bounded(0, {{3}});
  Region read;
  read.kind = Region::Kind::Read;
  read.instruction = 1;
  read.operand = 1;
  program.regions = {divided({6, 4}, halves), divided({7}, Division::whole()),
                     read, divided({6, 4, 7}, halves)};
  const auto buffer = [&](int tensor, int region, int64_t place) {
    BufferInfo made;
    made.tensor = tensor;
    made.region = region;
    made.offsets = {place};
    program.buffers.push_back(made);
  };
  buffer(0, 0, 0);
  buffer(1, 1, 64);
  buffer(2, 1, 128);
  buffer(0, 2, 192);
  buffer(3, 0, 320);
  Instruction fetch, compute;
  fetch.op = Opcode::Fetch;
  fetch.node = compute.node = "sum";
  fetch.from = x;
  fetch.to = rows;
  fetch.rows = {{{0, 1}, {3, 4}, {5, 6}}, {{1, 3}, {4, 6}}};
  compute.kernel = 0;
  compute.operands = {source, rows, offset};
  compute.to = y;
  compute.indices = 3;
  compute.reductions = {7};
  compute.waits = {own(0)};
  program.instructions = {fetch, compute};
  program.inputs = {{"x", x}};
  program.outputs = {{"y", y}};
  program.parameters = {{"sources", source}, {"offsets", offset}};
  for (Parameter &parameter : program.parameters)
    parameter.constant = true;
  Worker worker;
  worker.arenaBytes = 368;
  plan.partitioned.workers = {worker, worker};
  evaluate(program, *lambdasOf(program));
  layoutWeights(plan.partitioned);
  const Totals bytes = totals(plan.partitioned);
  plan.communicationBytes = bytes.communicationBytes;
  plan.peakBytes = bytes.peakBytes;
  plan.parameterBytes = bytes.parameterBytes;
  return plan;
}
