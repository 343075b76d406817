#include "test/conformance/Divided.h"

#include "compiler/emit/Emit.h"
#include "compiler/frontend/ir/SemanticGraph.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/support/Sha256.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Totals.h"
#include "test/conformance/KeptPlan.h"

#include <numeric>
#include <set>

using namespace smex;
using namespace smex::conformance;

namespace {

/// Whole, an even part, or all of it in one place.
Division alikeDivision(Random &random, const std::vector<int> &splits,
                       int64_t ways) {
  if (random.chance(15))
    return Division::placed(random.below(2) * (ways - 1));
  if (splits.empty() || random.chance(30))
    return Division::whole();
  return Division::part(splits[size_t(random.below(int64_t(splits.size())))]);
}

/// For 2 or 3 groups: parts that are not all of one size, none of them empty,
/// as far as there are elements for that.
Division unevenly(int dimension, int64_t extent, int64_t ways) {
  if (extent <= ways)
    return Division::part(dimension);
  return Division::weighted(dimension, ways == 2
                                           ? std::vector<int64_t>{2, 3}
                                           : std::vector<int64_t>{3, 5, 2});
}

/// In one step, each operator along what it is to be cut along.
partition::Step stepOf(const partition::OperatorGraph &graph,
                       const std::vector<int> &cuts, int64_t ways,
                       Random &random) {
  partition::Step step;
  step.ways = ways;
  for (const partition::Tensor &tensor : graph.tensors) {
    const std::vector<int64_t> &shape = tensor.shape;
    const bool isCut = !shape.empty() && !random.chance(30);
    const int at = isCut ? int(random.below(int64_t(shape.size()))) : 0;
    step.tensors.push_back(isCut ? unevenly(at, shape[size_t(at)], ways)
                                 : Division::whole());
  }
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const int at = cuts[o];
    step.operators.push_back(
        at < 0 ? Division::whole()
               : unevenly(at, graph.operators[o].extents[size_t(at)], ways));
  }
  return step;
}

partition::PartitionPlan randomPlan(const partition::OperatorGraph &graph,
                                    const DivideOptions &options,
                                    Random &random) {
  std::vector<int64_t> ways = options.ways;
  const auto draw = [&](const std::vector<int64_t> &extents,
                        const std::vector<int> &splits, int64_t count,
                        int64_t before) {
    return options.alike ? alikeDivision(random, splits, count)
                         : partition::test::randomDivision(
                               random, extents, splits, count, before);
  };
  const std::vector<Ways> choices = {{2}, {3}, {2, 2}, {2, 3}, {3, 2}};
  if (ways.empty()) {
    ways = choices[size_t(random.below(int64_t(choices.size())))];
    const int64_t workers = std::accumulate(ways.begin(), ways.end(),
                                            int64_t(1), std::multiplies<>());
    if (workers < options.least)
      ways.push_back((options.least + workers - 1) / workers);
  }
  partition::PartitionPlan plan;
  if (!options.cuts.empty()) {
    for (int64_t count : ways)
      plan.steps.push_back(stepOf(graph, options.cuts, count, random));
    return plan;
  }
  int64_t before = 1;
  for (int64_t count : ways) {
    partition::Step step;
    step.ways = count;
    for (const partition::Tensor &tensor : graph.tensors) {
      std::vector<int> dimensions(tensor.shape.size());
      std::iota(dimensions.begin(), dimensions.end(), 0);
      step.tensors.push_back(draw(tensor.shape, dimensions, count, before));
    }
    for (const partition::Operator &op : graph.operators)
      step.operators.push_back(draw(op.extents, op.splits, count, before));
    plan.steps.push_back(std::move(step));
    before *= count;
  }
  return plan;
}

/// Who computes all that it owns of a result, and more, computes only that: the
/// lowering's own saving, which depends on three decisions at once and so is
/// none that the search counts. It has none for opaque functions.
partition::PartitionPlan trimmed(const partition::OperatorGraph &graph,
                                 const frontend::Model &model,
                                 partition::PartitionPlan plan) {
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    if (model.applications[o].lambda.body->kind == tdl::ExprKind::Opaque)
      continue;
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
Result<plan::Partitioned> lowered(mlir::ModuleOp module,
                                  emit::KernelTable &kernels, bool onGpus) {
  mlir::PassManager manager(module.getContext());
  pipeline::ExecOptions execOptions;
  execOptions.memory.kernelsOnGpus = execOptions.memory.exchanges = onGpus;
  pipeline::addExecPasses(manager, execOptions);
  if (mlir::failed(manager.run(module)))
    return fail("a pass of the lowering fails");
  return emit::emit(*module.getOps<exec::ProgramOp>().begin(), kernels);
}

/// The plan of a module whose divisions are decided, and of the whole one.
Result<plan::Plan> planOf(mlir::ModuleOp module, mlir::ModuleOp whole,
                          const DivideOptions &options, bool onGpus,
                          const std::string &decided) {
  plan::Plan plan;
  emit::KernelTable table(options.targets, options.library);
  auto unpartitioned = lowered(whole, table, onGpus);
  if (!unpartitioned)
    return unpartitioned.takeError();
  plan.unpartitioned = std::move(*unpartitioned);
  plan.modelSha256 = sha256(decided);
  auto program = lowered(module, table, onGpus);
  if (!program)
    return program.takeError();
  plan.partitioned = std::move(*program);
  const plan::Totals totals = plan::totals(plan.partitioned);
  plan.communicationBytes = totals.communicationBytes;
  plan.peakBytes = totals.peakBytes;
  for (const std::string &target : options.targets)
    plan.code.push_back({target, ""});
  for (plan::Artifact &artifact : plan.code)
    if (options.code) {
      auto generated = pipeline::regenerateKernels(plan, artifact.target);
      if (!generated)
        return generated.takeError();
      artifact = std::move(*generated);
    }
  if (!options.code)
    plan.code.clear();
  return plan;
}

} // namespace

int Evaluated::add(const std::string &name, Tensor value) {
  model.inputs.push_back(int(model.values.size()));
  model.values.push_back({name, value.type});
  values.push_back(std::move(value));
  return model.inputs.back();
}

Result<int> Evaluated::apply(const std::string &name, const tdl::Lambda &lambda,
                             const std::vector<int64_t> &extents,
                             const std::vector<int> &operands) {
  std::vector<const Tensor *> tensors;
  for (int operand : operands)
    tensors.push_back(&values[size_t(operand)]);
  auto result = tdl::interpret(lambda, extents, tensors);
  if (!result)
    return result.takeError();
  frontend::Application made;
  made.lambda = lambda;
  made.extents = extents;
  made.operands = operands;
  made.result = int(model.values.size());
  made.node = name;
  model.applications.push_back(std::move(made));
  model.values.push_back({name, result->type});
  model.outputs.push_back(int(values.size()));
  model.outputNames.push_back(name);
  values.push_back(std::move(*result));
  return model.outputs.back();
}

void Evaluated::dropLast() {
  model.applications.pop_back();
  model.values.pop_back();
  model.outputs.pop_back();
  model.outputNames.pop_back();
  values.pop_back();
}

std::vector<std::vector<int>>
conformance::strategies(mlir::MLIRContext &context,
                        const Evaluated &evaluated) {
  auto module = frontend::buildSemanticGraph(evaluated.model, &context);
  const partition::GraphOfModule input =
      partition::graphOf(semantic::mainFunction(*module));
  std::vector<std::vector<int>> all;
  for (const partition::Operator &op : input.graph.operators)
    all.push_back(op.splits);
  return all;
}

void conformance::loadDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  pipeline::registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

Result<Divided> conformance::divide(mlir::MLIRContext &context,
                                    const Evaluated &evaluated, Random &random,
                                    const DivideOptions &options) {
  auto module = frontend::buildSemanticGraph(evaluated.model, &context);
  Divided made;
  const auto isForGpus = [](const std::string &each) {
    return plan::kindOf(each) == plan::TargetKind::Cuda;
  };
  const bool onGpus = llvm::any_of(options.targets, isForGpus);
  mlir::OwningOpRef<mlir::ModuleOp> whole = module->clone();
  partition::GraphOfModule input =
      partition::graphOf(semantic::mainFunction(*module));
  made.partition = randomPlan(input.graph, options, random);
  if (Status valid = partition::validate(input.graph, made.partition); !valid)
    return valid.takeError();
  made.communicationBytes = partition::sharedCommunicationBytes(
      input.graph, trimmed(input.graph, evaluated.model, made.partition));
  decide(*module, input, made.partition);
  llvm::raw_string_ostream stream(made.decided);
  module->print(stream);
  std::string key = made.decided + (options.library ? "library" : "");
  for (const std::string &target : options.targets)
    key += "\n" + target;
  auto plan = keptPlan(options.code ? options.plans : "", key, [&] {
    return planOf(*module, *whole, options, onGpus, made.decided);
  });
  if (!plan)
    return plan.takeError();
  made.plan = std::move(*plan);
  made.plan.modelName = evaluated.model.name;

  std::map<std::string, const Tensor *> values;
  for (size_t v = 0; v < evaluated.values.size(); ++v)
    values[evaluated.model.values[v].name] = &evaluated.values[v];
  const plan::Program &program = made.plan.partitioned.program;
  for (const plan::Port &port : program.inputs)
    made.feeds.push_back({*values.at(port.name)});
  for (const plan::Port &port : program.outputs)
    made.outputs.push_back(*values.at(port.name));
  return made;
}

std::string conformance::findingsOf(const plan::Plan &plan) {
  std::string all;
  for (const plan::Finding &finding : plan::check(plan))
    if (finding.kind != plan::FindingKind::Totals)
      all += (all.empty() ? "" : "\n") + finding.message;
  return all;
}
