#include "compiler/pipeline/PlanFacts.h"

#include "compiler/frontend/ir/SemanticGraph.h"
#include "dialects/tdl/analysis/Properties.h"

#include <set>

using namespace mlir;
using namespace smex;
using namespace smex::pipeline;

plan::SearchInfo smex::pipeline::searchInfo(ModuleOp module) {
  plan::SearchInfo info;
  auto search = module->getAttrOfType<DictionaryAttr>(semantic::searchAttr);
  const auto number = [](DictionaryAttr in, StringRef key) {
    return cast<IntegerAttr>(in.get(key)).getInt();
  };
  info.algorithm = cast<StringAttr>(search.get("algorithm")).str();
  info.lowerBoundBytes = number(search, "lower_bound_bytes");
  for (auto step :
       cast<ArrayAttr>(search.get("steps")).getAsRange<DictionaryAttr>())
    info.steps.push_back({number(step, "ways"), number(step, "bytes"),
                          number(step, "lower_bound_bytes"),
                          cast<BoolAttr>(step.get("optimal")).getValue(),
                          step.contains("tied")});
  if (auto together = search.getAs<StringAttr>("all_steps_together"))
    info.allStepsTogether = together.str();
  return info;
}

int64_t smex::pipeline::countOperators(ModuleOp module, CompileStats &stats) {
  const tdl::LambdaTable lambdas(module);
  std::set<StringRef> distinct;
  int64_t flops = 0;
  module.walk([&](semantic::ApplyOp apply) {
    ++stats.operators;
    distinct.insert(apply.getLambda());
    flops += analysis::flops(lambdas[apply.getLambdaAttr().getAttr()],
                             apply.getExtents().vec());
  });
  stats.lambdas = int64_t(distinct.size());
  return flops;
}

int64_t smex::pipeline::countMeasured(ModuleOp module,
                                      const machines::Profile &profile) {
  int64_t count = 0;
  module.walk([&](semantic::ApplyOp apply) {
    count += int64_t(
        profile.seconds.count(semantic::tensorName(apply.getResult()).str()));
  });
  return count;
}

std::vector<emit::DerivedParameter>
smex::pipeline::derivedParameters(ModuleOp module) {
  std::vector<emit::DerivedParameter> list;
  module.walk([&](semantic::ParameterOp parameter) {
    if (const auto recipe = parameter.getRecipeAttr())
      list.push_back({parameter.getName().str(),
                      semantic::tensorType(parameter.getType()),
                      recipe.getValue()});
  });
  return list;
}

void smex::pipeline::addEdgeRows(const frontend::Model &model, ModuleOp module,
                                 plan::Plan &plan) {
  const auto list = semantic::mainFunction(module)->getAttrOfType<ArrayAttr>(
      semantic::edgeRowsAttr);
  if (!list)
    return;
  plan::Program &program = plan.partitioned.program;
  const auto among = [](const std::vector<std::string> &names,
                        const std::vector<plan::Port> &ports) {
    std::vector<std::string> there;
    for (const std::string &name : names)
      if (llvm::any_of(
              ports, [&](const plan::Port &port) { return port.name == name; }))
        there.push_back(name);
    return there;
  };
  for (auto [attribute, known] : llvm::zip_equal(
           list.getAsRange<semantic::EdgeRowsAttr>(), model.edgeRows)) {
    const graph::EdgeRows &rows = attribute.getValue();
    plan::EdgeRows made = {rows.graph, rows.fileEdges, rows.edges.count,
                           among(rows.edges.inputs, program.inputs),
                           among(rows.edges.outputs, program.outputs)};
    if (made.inputs.empty() && made.outputs.empty())
      continue;
    program.edgeRows.push_back(std::move(made));
    plan.edgeOrders.push_back(*known.rows);
  }
}
