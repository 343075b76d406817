#include "compiler/partition/Cfn.h"

#include "compiler/partition/PlanBuilder.h"

#include <algorithm>
#include <sstream>

using namespace smex;
using namespace smex::partition;

namespace {

/// toulbar2's reader ends a name at a blank or a colon, quoted or not, so what
/// could be special in it is replaced. Numbers before names keep them apart.
void quote(std::ostream &out, const std::string &text) {
  out << '"';
  for (char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '.';
    out << (plain ? c : '_');
  }
  out << '"';
}

void costs(std::ostream &out, const std::vector<network::Cost> &list) {
  const char *separator = "";
  for (const network::Cost &cost : list) {
    out << separator << cost.bytes;
    separator = ",";
  }
}

/// More than any assignment costs.
int64_t upperBound(const network::Problem &problem) {
  const auto largest = [](const std::vector<network::Cost> &list) {
    int64_t most = 0;
    for (const network::Cost &cost : list)
      most = std::max(most, cost.bytes);
    return most;
  };
  int64_t sum = 1;
  for (const auto &unary : problem.unaries)
    sum += largest(unary.costs);
  for (const auto &binary : problem.binaries)
    sum += largest(problem.tables[binary.table].costs);
  return sum;
}

} // namespace

std::string
partition::toCfn(const std::string &name, const network::Problem &problem,
                 const std::vector<std::string> &variables,
                 const std::vector<std::vector<std::string>> &values) {
  std::ostringstream out;
  out << "{\"problem\":{\"name\":";
  quote(out, name);
  out << ",\"mustbe\":\"<" << upperBound(problem) << "\"},\"variables\":{";
  for (size_t v = 0; v < variables.size(); ++v) {
    out << (v ? "," : "");
    quote(out, variables[v]);
    out << ":[";
    for (size_t i = 0; i < values[v].size(); ++i) {
      out << (i ? "," : "");
      quote(out, values[v][i]);
    }
    out << "]";
  }
  out << "},\"functions\":{";
  int number = 0;
  const auto function = [&](std::vector<int> scope,
                            const std::vector<network::Cost> &list) {
    out << (number ? "," : "") << "\"f" << number << "\":{\"scope\":[";
    for (size_t i = 0; i < scope.size(); ++i) {
      out << (i ? "," : "");
      quote(out, variables[scope[i]]);
    }
    out << "],\"costs\":[";
    costs(out, list);
    out << "]}";
    ++number;
  };
  const auto isFree = [](const network::Cost &cost) { return cost.bytes == 0; };
  for (const auto &unary : problem.unaries)
    if (!std::all_of(unary.costs.begin(), unary.costs.end(), isFree))
      function({unary.variable}, unary.costs);
  for (const auto &binary : problem.binaries)
    function({binary.first, binary.second}, problem.tables[binary.table].costs);
  out << "}}\n";
  return out.str();
}

Result<std::string> partition::stepProblems(const OperatorGraph &graph,
                                            const PartitionPlan &plan,
                                            const Params &params) {
  if (Status status = validate(graph, plan); !status)
    return status.takeError();
  std::vector<int64_t> ways;
  for (const Step &step : plan.steps)
    ways.push_back(step.ways);
  std::vector<std::string> variables;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    variables.push_back("t" + std::to_string(t) + "_" + graph.tensors[t].name);
  for (size_t o = 0; o < graph.operators.size(); ++o)
    variables.push_back("o" + std::to_string(o) + "_" +
                        graph.operators[o].name);

  PairCosts costs(graph);
  PlanBuilder builder(graph, ways, params, costs);
  std::string text;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    NextStep step = builder.next();
    std::vector<std::vector<std::string>> names;
    std::vector<int> decided;
    for (size_t v = 0; v < step.options.size(); ++v) {
      const bool isTensor = v < graph.tensors.size();
      names.emplace_back();
      for (const Division &option : step.options[v])
        names.back().push_back(option.isWhole()
                                   ? "whole"
                                   : (isTensor ? "d" : "i") +
                                         std::to_string(option.dimension()));
      decided.push_back(
          placeOf(isTensor ? plan.steps[s].tensors[v]
                           : plan.steps[s].operators[v - graph.tensors.size()],
                  step.options[v]));
    }
    text += toCfn("step " + std::to_string(s + 1) + " of " +
                      std::to_string(step.ways) + " ways",
                  builder.problem(step, Sharing::None), variables, names);
    builder.decide(std::move(step), decided);
  }
  return text;
}
