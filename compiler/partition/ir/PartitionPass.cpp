#include "compiler/partition/Algorithm.h"
#include "compiler/partition/Cfn.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/partition/ir/SlowestGroup.h"

#include "mlir/IR/Builders.h"

namespace smex::partition {
#define GEN_PASS_DEF_PARTITION
#include "compiler/partition/ir/Passes.h.inc"
} // namespace smex::partition

using namespace mlir;
using namespace smex;
using namespace smex::partition;

Result<std::string> partition::emitProblem(ModuleOp module, int64_t gpus,
                                           std::string_view algorithm,
                                           bool outputReduction) {
  const GraphOfModule input =
      graphOf(semantic::mainFunction(module), outputReduction);
  Params params;
  params.lowerBound = false;
  const OperatorGraph graph = searched(input.graph, algorithm);
  const auto plan = partition::partition(graph, gpus, algorithm, params);
  return plan ? stepProblems(graph, *plan) : plan.error();
}

namespace {

semantic::DivisionAttr perStep(MLIRContext *context, const PartitionPlan &plan,
                               int id, std::vector<Division> Step::*divisions) {
  Divisions list;
  for (const Step &step : plan.steps)
    list.push_back((step.*divisions)[size_t(id)]);
  return semantic::DivisionAttr::get(context, list);
}

} // namespace

void partition::writeDecisions(ModuleOp module, GraphOfModule &input,
                               const PartitionPlan &plan, StringRef algorithm) {
  Builder b(module.getContext());
  const auto tensor = [&](int id) {
    return perStep(b.getContext(), plan, id, &Step::tensors);
  };
  for (size_t t = 0; t < input.values.size(); ++t)
    semantic::setCut(input.values[t], tensor(int(t)));
  for (const auto &[value, number] : input.nextValues)
    semantic::setCut(value, tensor(number));
  for (size_t o = 0; o < input.applications.size(); ++o)
    input.applications[o].setSplitAttr(
        perStep(b.getContext(), plan, int(o), &Step::operators));

  SmallVector<int64_t> ways;
  SmallVector<Attribute> steps;
  for (const Step &step : plan.steps) {
    ways.push_back(step.ways);
    NamedAttrList attributes;
    attributes.set("ways", b.getI64IntegerAttr(step.ways));
    attributes.set("bytes", b.getI64IntegerAttr(step.bytes));
    attributes.set("lower_bound_bytes",
                   b.getI64IntegerAttr(step.lowerBoundBytes));
    attributes.set("optimal", b.getBoolAttr(step.optimal));
    if (step.tied)
      attributes.set("tied", b.getUnitAttr());
    steps.push_back(attributes.getDictionary(module.getContext()));
  }
  module->setAttr(semantic::waysAttr, b.getDenseI64ArrayAttr(ways));
  NamedAttrList search;
  search.set("algorithm", b.getStringAttr(algorithm));
  search.set("lower_bound_bytes", b.getI64IntegerAttr(plan.lowerBoundBytes));
  search.set("steps", b.getArrayAttr(steps));
  if (plan.together != Together::No)
    search.set("all_steps_together", b.getStringAttr(name(plan.together)));
  module->setAttr(semantic::searchAttr, search.getDictionary(b.getContext()));
}

namespace {

struct Partition : partition::impl::PartitionBase<Partition> {
  using Base::Base;
  std::shared_ptr<const graphpartition::BalancedGraph> balanced;
  analysis::NamedLists known;
  std::shared_ptr<const Rates> rates;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp main = semantic::mainFunction(module);
    if (!main)
      return signalPassFailure();
    GraphOfModule input = graphOf(main, outputReduction, known);
    Params params;
    params.ways.assign(ways.begin(), ways.end());
    params.alwaysCut = alwaysCut;
    params.alongSides = alongSides;
    params.linkCosts.assign(linkCosts.begin(), linkCosts.end());
    // A list per step, as long as the list of all lasts.
    for (auto left = weights.begin(); left != weights.end();) {
      const size_t s = params.weights.size();
      const int64_t groups =
          s < params.ways.size() ? std::max<int64_t>(params.ways[s], 1) : 1;
      const auto end = left + std::min<int64_t>(groups, weights.end() - left);
      params.weights.emplace_back(left, end);
      left = end;
    }
    if (balanced) {
      auto sides = graphpartition::sidesOf(balanced, input.graph);
      if (!sides) {
        module.emitError(sides.error().message);
        return signalPassFailure();
      }
      params.sides = std::move(*sides);
    }
    std::optional<SlowestGroup> slowest;
    if (balanced && rates) {
      slowest.emplace(input, module, *rates, known);
      params.work = [&slowest](int op, const std::vector<Box> &shares) {
        return slowest->inBytes(op, shares);
      };
    }
    const auto plan =
        partition::partition(input.graph, gpus, algorithm, params);
    if (!plan) {
      module.emitError(plan.error().message);
      return signalPassFailure();
    }
    writeDecisions(module, input, *plan, algorithm);
  }
};

} // namespace

std::unique_ptr<Pass> partition::createPartitionOf(
    std::shared_ptr<const graphpartition::BalancedGraph> graph,
    PartitionOptions options, analysis::NamedLists known,
    std::shared_ptr<const Rates> rates) {
  auto pass = std::make_unique<Partition>(std::move(options));
  pass->balanced = std::move(graph);
  pass->known = std::move(known);
  pass->rates = std::move(rates);
  return pass;
}
