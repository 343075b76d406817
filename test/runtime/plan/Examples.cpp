#include "test/runtime/plan/Examples.h"

#include "test/runtime/plan/ByHand.h"

#include "dialects/support/Sha256.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Totals.h"

using namespace smex;
using namespace smex::plan;

namespace {

constexpr const char *product =
    "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
    "Sum(lambda r0: x0[i0, r0] * x1[r0, i1])";
constexpr const char *biasRelu =
    "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
    "max(x0[i0, i1] + x1[i1], 0.0)";

Kernel contraction() {
  Kernel kernel;
  kernel.kind = KernelKind::Contraction;
  kernel.lambda = product;
  kernel.roles = "mnk";
  return kernel;
}

Kernel generated(const char *lambda, const char *symbol) {
  Kernel kernel;
  kernel.lambda = lambda;
  kernel.symbol = symbol;
  return kernel;
}

Instruction compute(const char *node, int to, int kernel,
                    std::vector<int> operands,
                    std::vector<int64_t> reductions = {}) {
  Instruction instruction;
  instruction.node = node;
  instruction.to = to;
  instruction.kernel = kernel;
  instruction.operands = std::move(operands);
  instruction.reductions = std::move(reductions);
  return instruction;
}

Instruction transfer(Opcode op, const char *node, int to, int from) {
  Instruction instruction;
  instruction.op = op;
  instruction.node = node;
  instruction.to = to;
  instruction.from = from;
  if (op == Opcode::Reduce)
    instruction.reducer = "Sum";
  return instruction;
}

std::vector<TensorInfo> tensors() {
  const auto f32 = [](const char *name, std::vector<int64_t> shape) {
    return TensorInfo{name, {DType::F32, std::move(shape)}};
  };
  return {f32("x", {4, 6}), f32("w", {6, 8}), f32("b", {8}),   f32("h", {4, 8}),
          f32("r", {4, 8}), f32("v", {8, 4}), f32("z", {4, 4})};
}

std::vector<Parameter> parameters() {
  return {{"w", 1, false, 0}, {"b", 2, true, 0.25}, {"v", 7, false, 0}};
}

HandWorker half(int64_t k) {
  const int64_t row = 2 * k, column = 3 * k;
  const Interval rows = {row, row + 2};
  HandWorker worker;
  worker.arenaBytes = 576;
  worker.workspaceOffset = 512;
  worker.workspaceBytes = 64;
  worker.buffers = {
      {{{0, 4}, {column, column + 3}}, 0},  // x
      {{{column, column + 3}, {0, 8}}, 64}, // w
      {{{0, 8}}, 192},                      // b
      {{{0, 4}, {0, 8}}, 320},              // h, partial
      {{rows, {0, 8}}, 448},                // h
      {{rows, {0, 8}}, 448},                // r, in place
      {{{0, 4}, {0, 8}}, 320},              // r, fetched
      {{{0, 8}, rows}, 256},                // v
      {{{0, 4}, rows}, 0},                  // z
  };
  worker.instructions.resize(5);
  auto &list = worker.instructions;
  list[0].indices = {{0, 4}, {0, 8}, {column, column + 3}};
  list[1].pieces = {{0, {rows, {0, 8}}}, {1, {rows, {0, 8}}}};
  list[2].indices = {rows, {0, 8}};
  list[3].pieces = {{0, {{0, 2}, {0, 8}}}, {1, {{2, 4}, {0, 8}}}};
  list[4].indices = {{0, 4}, rows, {0, 8}};
  worker.weights = {{0, 0}, {2, 128}};
  return worker;
}

Partitioned whole() {
  Partitioned part; // of nobody yet
  part.program.tensors = tensors();
  part.program.kernels = {contraction(), generated(biasRelu, "kernel_0")};
  part.program.buffers = {{0}, {1}, {2}, {3}, {4}, {5}, {6}};
  part.program.instructions = {compute("fc1", 3, 0, {0, 1}, {6}),
                               compute("relu", 4, 1, {3, 2}),
                               compute("fc2", 6, 0, {4, 5}, {8})};
  part.program.inputs = {{"x", 0}};
  part.program.outputs = {{"z", 6}};
  part.program.parameters = parameters();
  part.program.parameters[2].buffer = 5;
  HandWorker worker;
  worker.arenaBytes = 1024;
  for (size_t b = 0; b < 7; ++b)
    worker.buffers.push_back({wholeBox(part.program.tensors[b].type.shape), 0});
  const int64_t offsets[] = {0, 128, 320, 384, 384, 512, 640};
  for (size_t b = 0; b < 7; ++b)
    worker.buffers[b].offset = offsets[b];
  worker.instructions.resize(3);
  worker.instructions[0].indices = {{0, 4}, {0, 8}, {0, 6}};
  worker.instructions[1].indices = {{0, 4}, {0, 8}};
  worker.instructions[2].indices = {{0, 4}, {0, 4}, {0, 8}};
  return byHand(std::move(part.program), {worker});
}

void setTotals(Plan &plan) {
  const Totals totals = plan::totals(plan.partitioned);
  plan.communicationBytes = totals.communicationBytes;
  plan.peakBytes = totals.peakBytes;
  plan.parameterBytes = totals.parameterBytes;
}

} // namespace

Plan plan::twoWorkers() {
  Plan plan;
  plan.modelName = "mlp.onnx";
  plan.modelSha256 = sha256("mlp");
  plan.code = {{"x86-64-v3", "native code"}};
  Program &program = plan.partitioned.program;
  program.tensors = tensors();
  program.kernels = {contraction(), generated(biasRelu, "kernel_0")};
  program.buffers = {{0}, {1}, {2}, {3, true}, {3}, {4}, {4}, {5}, {6}};
  program.instructions = {
      compute("fc1", 3, 0, {0, 1}, {6}), transfer(Opcode::Reduce, "fc1", 4, 3),
      compute("relu", 5, 1, {4, 2}), transfer(Opcode::Fetch, "fc2", 6, 5),
      compute("fc2", 8, 0, {6, 7}, {8})};
  program.inputs = {{"x", 0}};
  program.outputs = {{"z", 8}};
  program.parameters = parameters();
  for (int i : {1, 3})
    program.instructions[size_t(i)].waits = {ofAll(i - 1)};
  for (int i : {2, 4})
    program.instructions[size_t(i)].waits = {own(i - 1)};
  plan.partitioned = byHand(program, {half(0), half(1)});
  plan.unpartitioned = whole();
  plan.search = {"recursive", 256, true, {{2, 256, 256, true}}};
  plan.flops = 704;
  setTotals(plan);
  return plan;
}

Plan plan::twoDivided() {
  Plan plan = twoWorkers();
  Program &program = plan.partitioned.program;
  program.regions.clear();
  const auto add = [&](Region region) {
    program.regions.push_back(std::move(region));
    return int(program.regions.size()) - 1;
  };
  const auto divided = [&](std::vector<int64_t> extents, Division division) {
    Region region;
    region.kind = Region::Kind::Divided;
    region.extents = std::move(extents);
    region.divisions = {division};
    return add(region);
  };
  const auto ofCompute = [&](Region::Kind kind, int instruction) {
    Region region;
    region.kind = kind;
    region.instruction = instruction;
    return add(region);
  };
  const Division rows = Division::part(0), columns = Division::part(1);
  const int regions[] = {divided({4, 6}, columns), // x
                         divided({6, 8}, rows),    // w
                         divided({8}, Division::whole()),
                         ofCompute(Region::Kind::Result, 0), // h, partial
                         divided({4, 8}, rows),
                         divided({4, 8}, rows),
                         ofCompute(Region::Kind::Read, 4), // r, fetched
                         divided({8, 4}, columns),
                         divided({4, 4}, columns)};
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    program.buffers[b].region = regions[b];
    program.buffers[b].offsets.resize(1); // they are alike
  }
  program.instructions[0].indices = divided({4, 8, 6}, Division::part(2));
  program.instructions[2].indices = divided({4, 8}, rows);
  program.instructions[4].indices = divided({4, 4, 8}, columns);
  for (int i : {1, 3})
    program.instructions[size_t(i)].pieces.clear();
  evaluate(program, *lambdasOf(program));
  nameCollectives(plan.partitioned);
  return plan;
}

std::string plan::ptxHead(const std::string &symbol, int64_t parameters,
                          int64_t threads) {
  std::string text = ".visible .entry " + symbol + "(";
  for (int64_t p = 0; p < parameters; ++p)
    text += (p ? ",\n" : "\n") + std::string("\t.param .u64 ") +
            (p < 3 ? ".ptr .align 1 " : "") + symbol + "_param_" +
            std::to_string(p);
  return text + "\n)\n.reqntid " + std::to_string(threads) + "\n{\n\tret;\n}\n";
}

Plan plan::onGpus(const Launch &launch, int more) {
  Plan plan = twoWorkers();
  std::string lambda = "(x0: f32[2], x1: f32[1]";
  for (int o = 0; o < more; ++o)
    lambda += ", x" + std::to_string(o + 2) + ": f32[2]";
  lambda += ") -> f32: lambda i0, i1: max(x0[i0, i1] + x1[i1], 0.0)";
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    if (launch.scratch.bytes > 0)
      for (Worker &worker : part->workers) {
        worker.workspaceOffset = (worker.arenaBytes + 63) / 64 * 64;
        worker.workspaceBytes = 1 << 20;
        worker.arenaBytes = worker.workspaceOffset + worker.workspaceBytes;
      }
    Program &program = part->program;
    for (size_t k = 0; k < program.kernels.size(); ++k)
      for (Instruction &each : program.instructions)
        if (program.kernels[k].symbol == "kernel_0" &&
            each.op == Opcode::Compute && each.kernel == int(k)) {
          program.kernels[k].lambda = lambda;
          each.operands.resize(each.operands.size() + size_t(more),
                               each.operands[0]);
        }
  }
  plan.code.push_back(
      {"sm_80",
       ptxHead("kernel_0",
               launch.inMemory
                   ? 1
                   : 20 + 7 * more + (launch.scratch.bytes > 0 ? 1 : 0),
               launch.threads),
       {{"kernel_0", launch}}});
  return plan;
}

Plan plan::manyInstructions(int workers, int layers) {
  Plan plan;
  plan.modelName = "many.json";
  plan.modelSha256 = sha256("many");
  plan.code = {{"x86-64-v3", "native code"}};
  Program &program = plan.partitioned.program;
  program.kernels = {generated(
      "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + 1.0", "kernel_0")};
  Partitioned &part = plan.partitioned;
  part = byHand(program, std::vector<HandWorker>(size_t(workers)));
  const int64_t columns = 64, rows = 4 * workers;
  const auto tensor = [&] {
    program.tensors.push_back({"t" + std::to_string(program.tensors.size()),
                               {DType::F32, {rows, columns}}});
    return int(program.tensors.size()) - 1;
  };
  // Bytes of a share and of a share with both halo rows, at four places in
  // turn.
  const int64_t share = 4 * columns * 4, haloed = 6 * columns * 4;
  const auto boxOf = [&](int w, int64_t halo) {
    return Box{
        {std::max<int64_t>(0, 4 * w - halo), std::min(rows, 4 * w + 4 + halo)},
        {0, columns}};
  };
  const auto buffer = [&](int t, int64_t halo, int64_t offset) {
    std::vector<HandBuffer> all;
    for (int w = 0; w < workers; ++w)
      all.push_back({boxOf(w, halo), offset});
    return addBuffer(part, {t}, all);
  };
  int last = tensor(), home = buffer(last, 0, 0);
  program.inputs = {{"t0", home}};
  for (int layer = 0; layer < layers; ++layer) {
    const int64_t base = share + (layer % 2) * (haloed + share);
    const int fetched = buffer(last, 1, base);
    const int inPlace = buffer(tensor(), 1, base);
    last = tensor();
    const int next = buffer(last, 0, base + haloed);
    const int at = int(program.instructions.size());
    std::vector<HandInstruction> fetch, first, second;
    for (int w = 0; w < workers; ++w) {
      HandInstruction &own = fetch.emplace_back();
      for (int from = std::max(0, w - 1); from <= std::min(workers - 1, w + 1);
           ++from)
        own.pieces.push_back({from, intersect(boxOf(from, 0), boxOf(w, 1))});
      first.push_back({boxOf(w, 1)});
      second.push_back({boxOf(w, 0)});
    }
    Instruction brings = transfer(Opcode::Fetch, "layer", fetched, home);
    if (at > 0)
      brings.waits = {workers > 1 ? ofAll(at - 1) : own(at - 1)};
    addInstruction(part, brings, fetch);
    Instruction maps = compute("layer", inPlace, 0, {fetched});
    maps.waits = {own(at)};
    addInstruction(part, maps, first);
    addInstruction(part, compute("layer", next, 0, {inPlace}), second);
    home = next;
  }
  program.outputs = {{"out", home}};
  for (Worker &worker : plan.partitioned.workers)
    worker.arenaBytes = 3 * share + 2 * haloed;
  plan.search.algorithm = "by hand";
  setTotals(plan);
  plan.search.optimal = plan.communicationBytes == 0;
  return plan;
}
