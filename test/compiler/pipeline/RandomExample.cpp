#include "test/compiler/pipeline/RandomExample.h"

#include "compiler/emit/Emit.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "runtime/plan/Totals.h"
#include "test/compiler/partition/RandomGraph.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

using namespace smex;
using namespace smex::test;
using partition::test::Random;

namespace {

/// An operator on matrices, vectors and scalars of f32, and the ranks that its
/// operands and index variables have. Results of small integers are exact.
struct Kind {
  const char *name;
  const char *lambda;
  std::vector<int> ranks; // of the operands
  /// Per index variable, an operand and a dimension of it with its extent.
  std::vector<std::pair<int, int>> extents;
};

const std::vector<Kind> kinds = {
    {"twice",
     "(x: f32[2]) -> f32: lambda i, j: x[i, j] + x[i, j]",
     {2},
     {{0, 0}, {0, 1}}},
    {"transpose",
     "(x: f32[2]) -> f32: lambda i, j: x[j, i]",
     {2},
     {{0, 1}, {0, 0}}},
    {"window",
     "(x: f32[2]) -> f32: lambda i, j: Sum(lambda k: "
     "(x[i + k - 1, j] else 0.0))",
     {2},
     {{0, 0}, {0, 1}, {-1, 3}}},
    {"rows",
     "(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
     {2},
     {{0, 0}, {0, 1}}},
    {"largest",
     "(x: f32[2]) -> f32: lambda j: Max(lambda i: x[i, j])",
     {2},
     {{0, 1}, {0, 0}}},
    {"total",
     "(x: f32[2]) -> f32: lambda: Sum(lambda i, j: x[i, j])",
     {2},
     {{0, 0}, {0, 1}}},
    {"gram",
     "(x: f32[2], y: f32[2]) -> f32: lambda i, k: "
     "Sum(lambda j: (x[i, j] * y[k, j] else 0.0))",
     {2, 2},
     {{0, 0}, {1, 0}, {0, 1}}},
    {"add_scalar",
     "(x: f32[2], s: f32[0]) -> f32: lambda i, j: x[i, j] - s[]",
     {2, 0},
     {{0, 0}, {0, 1}}},
    {"outer",
     "(x: f32[1], y: f32[1]) -> f32: lambda i, j: x[i] - y[j]",
     {1, 1},
     {{0, 0}, {1, 0}}},
    {"negate", "(s: f32[0]) -> f32: lambda: -s[]", {0}, {}},
};

struct Value {
  std::string name;
  std::vector<int64_t> shape;
};

struct Application {
  const Kind *kind;
  std::vector<int> operands;
  std::vector<int64_t> extents;
};

struct Graph {
  std::vector<Value> values; // inputs first
  std::vector<Application> applications;
  int inputs = 0;

  std::string typeOf(int value) const {
    std::string text = "tensor<";
    for (int64_t extent : values[size_t(value)].shape)
      text += std::to_string(extent) + "x";
    return text + "f32>";
  }
};

size_t rankOf(const Kind &kind) {
  return size_t(tdl::parseLambda(kind.lambda)->rank());
}

Graph randomApplications(Random &random) {
  Graph example;
  for (const auto &shape :
       {std::vector<int64_t>{random.between(1, 7), random.between(1, 7)},
        std::vector<int64_t>{random.between(1, 7)}, std::vector<int64_t>{}}) {
    example.values.push_back({"x" + std::to_string(example.inputs++), shape});
  }
  while (example.applications.size() < 6) {
    const Kind &kind = kinds[size_t(random.below(int64_t(kinds.size())))];
    Application made{&kind, {}, {}};
    for (int rank : kind.ranks) {
      std::vector<int> fitting;
      for (size_t v = 0; v < example.values.size(); ++v)
        if (int(example.values[v].shape.size()) == rank)
          fitting.push_back(int(v));
      made.operands.push_back(
          fitting[size_t(random.below(int64_t(fitting.size())))]);
    }
    for (const auto &[operand, dimension] : kind.extents)
      made.extents.push_back(
          operand < 0 ? dimension
                      : example.values[size_t(made.operands[size_t(operand)])]
                            .shape[size_t(dimension)]);
    example.values.push_back(
        {"t" + std::to_string(example.applications.size()),
         {made.extents.begin(), made.extents.begin() + int64_t(rankOf(kind))}});
    example.applications.push_back(std::move(made));
  }
  return example;
}

std::string commas(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ", ") + text;
  return all;
}

/// All values that are computed are outputs.
std::string toIr(const Graph &example) {
  std::string text = "module {\n";
  for (const Kind &kind : kinds)
    text += std::string("tdl.lambda @") + kind.name + " = \"" + kind.lambda +
            "\"\n";
  std::vector<std::string> arguments, names, results, types;
  for (int v = 0; v < int(example.values.size()); ++v) {
    const std::string &name = example.values[size_t(v)].name;
    if (v < example.inputs) {
      arguments.push_back("%" + name + ": " + example.typeOf(v) +
                          " {smex.name = \"" + name + "\"}");
      continue;
    }
    names.push_back("\"" + name + "\"");
    results.push_back("%" + name);
    types.push_back(example.typeOf(v));
  }
  text += "func.func @main(" + commas(arguments) + ") -> (" + commas(types) +
          ") attributes {smex.outputs = [" + commas(names) + "]} {\n";
  for (size_t a = 0; a < example.applications.size(); ++a) {
    const Application &application = example.applications[a];
    const int result = example.inputs + int(a);
    std::vector<std::string> operands, operandTypes, extents;
    for (int operand : application.operands) {
      operands.push_back("%" + example.values[size_t(operand)].name);
      operandTypes.push_back(example.typeOf(operand));
    }
    for (int64_t extent : application.extents)
      extents.push_back(std::to_string(extent));
    const std::string &name = example.values[size_t(result)].name;
    text += "%" + name + " = smex.apply @" + application.kind->name + "(" +
            commas(operands) + ") extents [" + commas(extents) + "] \"" + name +
            "\" : (" + commas(operandTypes) + ") -> " + example.typeOf(result) +
            "\n";
  }
  return text + "return " + commas(results) + " : " + commas(types) + "\n}\n}";
}

/// Tensors of small integers, and what the lambdas make of them whole.
std::vector<Tensor> valuesOf(const Graph &example, Random &random) {
  std::vector<Tensor> values;
  for (int v = 0; v < example.inputs; ++v) {
    Tensor tensor = makeTensor({DType::F32, example.values[size_t(v)].shape});
    auto *numbers = reinterpret_cast<float *>(tensor.bytes.data());
    for (size_t i = 0; i < tensor.bytes.size() / sizeof(float); ++i)
      numbers[i] = float(random.between(-2, 2));
    values.push_back(std::move(tensor));
  }
  for (const Application &application : example.applications) {
    std::vector<const Tensor *> operands;
    for (int operand : application.operands)
      operands.push_back(&values[size_t(operand)]);
    auto result = tdl::interpret(*tdl::parseLambda(application.kind->lambda),
                                 application.extents, operands);
    REQUIRE(result);
    values.push_back(std::move(*result));
  }
  return values;
}

partition::PartitionPlan randomPlan(const partition::OperatorGraph &graph,
                                    Random &random) {
  const std::vector<Ways> choices = {{2}, {3}, {2, 2}, {2, 3}, {3, 2}};
  partition::PartitionPlan plan;
  int64_t before = 1;
  for (int64_t ways : choices[size_t(random.below(int64_t(choices.size())))]) {
    partition::Step step;
    step.ways = ways;
    for (const partition::Tensor &tensor : graph.tensors) {
      std::vector<int> dimensions(tensor.shape.size());
      std::iota(dimensions.begin(), dimensions.end(), 0);
      step.tensors.push_back(partition::test::randomDivision(
          random, tensor.shape, dimensions, ways, before));
    }
    for (const partition::Operator &op : graph.operators)
      step.operators.push_back(partition::test::randomDivision(
          random, op.extents, op.splits, ways, before));
    plan.steps.push_back(std::move(step));
    before *= ways;
  }
  return plan;
}

/// Who computes all that it owns of a result, and more, computes only that: the
/// lowering's own saving, which depends on three decisions at once and so is
/// none that the search counts.
partition::PartitionPlan trimmed(const partition::OperatorGraph &graph,
                                 partition::PartitionPlan plan) {
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const partition::Operator &op = graph.operators[o];
    const size_t rank = graph.tensors[size_t(op.result)].shape.size();
    std::set<std::vector<int64_t>> terms;
    bool isAll = true;
    for (int64_t g = 0; g < plan.workers(); ++g) {
      const Box share = partition::indexBox(graph, plan, int(o), g);
      std::vector<int64_t> term;
      for (size_t v = rank; v < share.size(); ++v)
        term.insert(term.end(), {share[v].lo, share[v].hi});
      if (!isEmpty(share))
        terms.insert(term);
      isAll = isAll &&
              contains(isEmpty(share) ? Box::absent(rank) : front(share, rank),
                       partition::ownedBox(graph, plan, op.result, g));
    }
    for (partition::Step &step : plan.steps)
      if (isAll && terms.size() <= 1)
        step.operators[o] = step.tensors[size_t(op.result)];
  }
  return plan;
}

void decide(mlir::ModuleOp module, partition::GraphOfModule &input,
            const partition::PartitionPlan &plan) {
  mlir::Builder builder(module.getContext());
  const auto attribute = [&](auto divisions, size_t id) {
    Divisions list;
    for (const partition::Step &step : plan.steps)
      list.push_back((step.*divisions)[id]);
    return semantic::DivisionAttr::get(module.getContext(), list);
  };
  for (size_t t = 0; t < input.values.size(); ++t)
    semantic::setCut(input.values[t], attribute(&partition::Step::tensors, t));
  for (size_t o = 0; o < input.applications.size(); ++o)
    input.applications[o].setSplitAttr(
        attribute(&partition::Step::operators, o));
  module->setAttr(semantic::waysAttr,
                  builder.getDenseI64ArrayAttr(plan.ways()));
}

/// Lowered, with memory planned and waits inserted.
plan::Partitioned lowered(mlir::ModuleOp module, emit::KernelTable &kernels) {
  mlir::PassManager manager(module.getContext());
  pipeline::addExecPasses(manager);
  REQUIRE(mlir::succeeded(manager.run(module)));
  return emit::emit(*module.getOps<exec::ProgramOp>().begin(), kernels);
}

} // namespace

plan::Code test::codeOf(const emit::KernelTable &kernels) {
  std::vector<codegen::KernelRequest> requests;
  for (const emit::Function &each : kernels.functions())
    requests.push_back({each.symbol, each.lambda});
  const auto object = codegen::compileKernels(requests);
  REQUIRE(object);
  return {{codegen::CodegenOptions().cpuArch, *object}};
}

RandomExample test::randomExample(mlir::MLIRContext &context, uint64_t seed,
                                  Kernels kernels) {
  mlir::DialectRegistry registry;
  pipeline::registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  Random random(seed);
  const Graph graph = randomApplications(random);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(toIr(graph), &context);
  REQUIRE(module);
  RandomExample example;
  const std::string target =
      kernels == Kernels::Cuda ? "sm_80" : codegen::CodegenOptions().cpuArch;
  emit::KernelTable table({target}, /*library=*/false); // sums in one order
  {
    mlir::OwningOpRef<mlir::ModuleOp> whole = module->clone();
    example.plan.unpartitioned = lowered(*whole, table);
  }
  partition::GraphOfModule input =
      partition::graphOf(semantic::mainFunction(*module));
  const partition::PartitionPlan divided = randomPlan(input.graph, random);
  REQUIRE(partition::validate(input.graph, divided));
  example.communicationBytes = partition::sharedCommunicationBytes(
      input.graph, trimmed(input.graph, divided));
  decide(*module, input, divided);
  llvm::raw_string_ostream stream(example.decided);
  module->print(stream);
  example.plan.partitioned = lowered(*module, table);
  example.plan.peakBytes = plan::totals(example.plan.partitioned).peakBytes;
  if (kernels == Kernels::Generated)
    example.plan.code = codeOf(table);
  if (kernels == Kernels::Cuda) {
    example.plan.code = {{target, ""}};
    auto artifact = pipeline::regenerateKernels(example.plan, target);
    INFO((artifact ? "" : artifact.error().message));
    REQUIRE(artifact);
    example.plan.code = {std::move(*artifact)};
  }

  const plan::Program &program = example.plan.partitioned.program;
  const std::vector<Tensor> values = valuesOf(graph, random);
  for (const plan::Port &port : program.inputs)
    example.feeds.push_back({values[size_t(port.name[1] - '0')]});
  for (const plan::Port &port : program.outputs)
    example.outputs.push_back(
        values[size_t(graph.inputs) + size_t(port.name[1] - '0')]);
  return example;
}

void test::requireRight(const RandomExample &example,
                        const Result<runtime::RunResult> &result) {
  if (!result)
    FAIL(result.error().message);
  REQUIRE(result->communicationBytes == example.communicationBytes);
  REQUIRE(result->peakBytes == example.plan.peakBytes);
  for (size_t o = 0; o < example.outputs.size(); ++o) {
    CAPTURE(o);
    REQUIRE(result->outputs[o].bytes == example.outputs[o].bytes);
  }
}
