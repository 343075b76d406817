// Which files are which of a plan's graphs, and what steps take of them.
#include "runtime/executor/Fanouts.h"
#include "runtime/executor/GraphInputs.h"
#include "runtime/graph/Components.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

/// "a.txt", "a.txt and 2 more"
static std::string nameOf(const std::vector<std::string> &files) {
  return files.size() == 1
             ? files[0]
             : files[0] + " and " + std::to_string(files.size() - 1) + " more";
}

/// The files of each graph, by relationsOf. A file's name may hold '='.
static Result<std::vector<std::vector<std::string>>>
filesOf(const plan::Program &program, const std::vector<size_t> &relations,
        const std::vector<std::string> &arguments) {
  const auto nameAt = [&](size_t relation) -> const std::string & {
    return program.graphs[relations[relation]].name;
  };
  std::vector<std::vector<std::string>> files(relations.size());
  std::string all;
  for (size_t r = 0; r < relations.size(); ++r)
    all += (all.empty() ? "\"" : ", \"") + nameAt(r) + "\"";
  for (const std::string &argument : arguments) {
    const size_t equals = argument.find('=');
    size_t named = 0;
    while (named < relations.size() &&
           (equals == std::string::npos || nameAt(named).empty() ||
            argument.compare(0, equals, nameAt(named)) != 0))
      ++named;
    if (named < relations.size())
      files[named].push_back(argument.substr(equals + 1));
    else if (relations.size() == 1)
      files[0].push_back(argument);
    else
      return fail("--graph ", argument,
                  ": give it as NAME=FILE, with the name of one of the plan's "
                  "graphs: ",
                  all);
  }
  for (size_t r = 0; r < relations.size(); ++r) {
    if (files[r].empty())
      return fail("graph \"", nameAt(r), "\" is missing: add --graph ",
                  nameAt(r), "=FILE");
    if (std::find(files[r].begin(), files[r].end(), "") != files[r].end())
      return fail("--graph ", nameAt(r), "=: the name of a file is missing");
  }
  return files;
}

static bool isAmong(const std::vector<std::string> &names,
                    const plan::Port &port) {
  return std::find(names.begin(), names.end(), port.name) != names.end();
}

/// Whether edges of a graph have rows that are not bound with it.
static bool hasEdgeRows(const plan::GraphInputs &names) {
  return !names.perEdge.empty() || !names.edgeOutputs.empty();
}

/// Inputs with a row per node are of one size, whichever graph is asked.
static Status agree(const plan::Program &program,
                    const std::vector<RunGraph> &graphs) {
  for (const plan::Port &port : program.inputs) {
    const auto first = graphRows(program, graphs, {}, port);
    for (size_t g = 0; first && g < graphs.size(); ++g) {
      const plan::GraphInputs &names = program.graphs[g];
      const graph::Relation &relation = graphs[g].relation;
      const auto differs = [&](const std::vector<std::string> &of,
                               int64_t nodes) {
        return isAmong(of, port) && nodes != first->rows;
      };
      const bool to = differs(names.perNode, relation.destinationNodes);
      if (to || differs(names.perSourceNode, relation.sourceNodes))
        return fail("input \"", port.name,
                    "\" has a row per node: ", first->rows, " by ", first->of,
                    ", and ",
                    to ? relation.destinationNodes : relation.sourceNodes,
                    " by ", graphs[g].name,
                    ": give files that agree, in a format that tells how many "
                    "there are");
    }
  }
  return {};
}

/// Connected ones: as many as there are first nodes.
static int64_t partsOf(const graph::Graph &graph) {
  const graph::Numbers first = graph::componentsOf(graph);
  int64_t count = 0;
  for (size_t v = 0; v < first.size(); ++v)
    count += first[v] == int64_t(v);
  return count;
}

static RunGraph withoutEdges(const RunGraph &graph) {
  RunGraph left = {graph.name, {}, graph.sampled, graph.graphs};
  left.relation.sourceNodes = graph.relation.sourceNodes;
  left.relation.destinationNodes = graph.relation.destinationNodes;
  left.relation.graph =
      graph::Graph::sound(graph.relation.graph.nodes(), {}, {});
  return left;
}

static const char *optionOf(Portion portion) {
  return portion == Portion::Parts    ? "--parts"
         : portion == Portion::Walks  ? "--walk"
         : portion == Portion::Layers ? "--sample-layers"
                                      : "--sample";
}

/// Whether a portion can be taken of the plan's graphs at all.
static Status checkPortion(const plan::Program &program, Portion portion,
                           size_t relations) {
  if (portion == Portion::Whole)
    return {};
  const char *const option = optionOf(portion);
  const bool layered = layersOf(program) > 0;
  if (layered && portion != Portion::Layers)
    return fail(option, ": the layers of the plan's model have edges of their "
                        "own: take --sample-layers");
  if (!layered && portion == Portion::Layers)
    return fail(option, ": all layers of the plan's model have the same edges: "
                        "compile it with --sample-layers, or take --sample");
  const bool ofOne = portion == Portion::Walks || portion == Portion::Parts;
  if (ofOne && relations > 1)
    return fail(option, ": the plan has ", relations,
                " graphs, and samples are of one");
  for (const plan::GraphInputs &names : program.graphs) {
    if (ofOne && names.sourceNodes)
      return fail(option, ": the plan's graph is between two types of nodes, "
                          "and samples are of one");
    if (names.graphs && portion != Portion::Parts)
      return fail(option, ": the plan's model has results for whole graphs: "
                          "take --parts, or the graphs themselves");
  }
  return {};
}

/// What files of a graph say that some layer reads.
static graph::RelationKind kindOf(const plan::Program &program,
                                  const plan::GraphInputs &names) {
  graph::RelationKind kind = {!names.sourceNodes, false, 0, false};
  for (const plan::GraphInputs &layer : program.graphs)
    if (layer.name == names.name) {
      kind.edgeTypes = std::max(kind.edgeTypes, layer.edgeTypes);
      kind.values |= !layer.values.empty();
    }
  return kind;
}

Result<std::vector<RunGraph>>
runtime::readRunGraphs(const plan::Program &program,
                       const std::vector<std::string> &arguments,
                       Portion portion) {
  const bool sampled = portion != Portion::Whole;
  if (program.graphs.empty())
    return fail(nameOf(arguments),
                ": the plan has no graph to bind: its model works on none, or "
                "it was compiled with --graph");
  const std::vector<size_t> relations = relationsOf(program);
  if (Status can = checkPortion(program, portion, relations.size()); !can)
    return can.takeError();
  const auto files = filesOf(program, relations, arguments);
  if (!files)
    return files.error();
  std::vector<RunGraph> graphs(program.graphs.size());
  for (size_t r = 0; r < relations.size(); ++r) {
    const plan::GraphInputs &names = program.graphs[relations[r]];
    std::vector<graph::Relation> read;
    for (const std::string &file : (*files)[r]) {
      auto relation = graph::readRelation(file, kindOf(program, names));
      if (!relation)
        return relation.takeError();
      read.push_back(std::move(*relation));
    }
    const int64_t count = int64_t(read.size());
    RunGraph &graph = graphs[relations[r]];
    graph = {nameOf((*files)[r]), graph::sideBySide(std::move(read)), sampled,
             count};
    if (names.graphs && portion == Portion::Parts)
      graph.graphs = partsOf(graph.relation.graph);
    for (size_t g = relations[r]; g < graphs.size(); ++g) {
      const plan::GraphInputs &own = program.graphs[g];
      if (own.name != names.name)
        continue;
      if (g > relations[r])
        graphs[g] = sampled ? withoutEdges(graph) : graph;
      if (!sampled && hasEdgeRows(own))
        graphs[g].edgeRows = edgeRowsOf(program, own, graph.relation);
    }
  }
  if (Status same = agree(program, graphs); !same)
    return same.takeError();
  return graphs;
}
