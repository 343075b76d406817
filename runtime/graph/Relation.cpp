#include "runtime/graph/Relation.h"

#include "runtime/graph/Change.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace smex;
using namespace smex::graph;

Relation Relation::of(Graph graph) {
  const int64_t nodes = graph.nodes();
  return {std::move(graph), nodes, nodes, {}, {nodes}};
}

/// The values of a matrix, each as the number of a type.
static Result<Numbers> typesOf(const io::SparseMatrix &matrix, int64_t count,
                               const std::string &name) {
  Numbers types;
  types.reserve(matrix.row.size());
  for (int64_t e = 0; e < matrix.entries(); ++e) {
    const double value = io::valueOf(matrix, e);
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    if (!(value >= 0 && value < double(count)) || value != std::floor(value))
      return fail(name, ": the edge from ", matrix.row[size_t(e)], " to ",
                  matrix.column[size_t(e)], " has the value ", text,
                  ", and the model takes types of edges from it: whole numbers "
                  "from 0 to ",
                  count - 1);
    types.push_back(int64_t(value));
  }
  return types;
}

Result<Relation> graph::readRelation(const std::string &path,
                                     const RelationKind &kind) {
  auto matrix = io::readSparseMatrix(path);
  if (!matrix)
    return matrix.takeError();
  Relation relation;
  relation.sourceNodes = matrix->rows;
  relation.destinationNodes = matrix->columns;
  relation.sizes = {matrix->columns};
  if (kind.edgeTypes > 0) {
    auto types = typesOf(*matrix, kind.edgeTypes, path);
    if (!types)
      return types.takeError();
    relation.types = std::move(*types);
  }
  if (kind.values) {
    relation.values.reserve(matrix->row.size());
    for (int64_t e = 0; e < matrix->entries(); ++e)
      relation.values.push_back(float(io::valueOf(*matrix, e)));
  }
  auto graph = kind.ofOneType ? fromMatrix(std::move(*matrix), path)
                              : betweenTypes(std::move(*matrix), path);
  if (!graph)
    return graph.takeError();
  relation.graph = std::move(*graph);
  return kind.selfLoops ? withSelfLoops(std::move(relation))
                        : std::move(relation);
}

Relation graph::withSelfLoops(Relation relation) {
  const int64_t before = relation.graph.edges();
  relation.graph = withSelfLoops(std::move(relation.graph)).graph;
  relation.loops += relation.graph.edges() - before;
  return relation;
}

Relation graph::sideBySide(std::vector<Relation> relations) {
  if (relations.size() == 1)
    return std::move(relations.front());
  Relation all;
  Numbers sources, destinations;
  const auto add = [&](bool loops) {
    all.sourceNodes = all.destinationNodes = 0;
    for (const Relation &each : relations) {
      const int64_t first = loops ? each.fileEdges() : 0;
      const int64_t end = loops ? each.graph.edges() : each.fileEdges();
      for (int64_t e = first; e < end; ++e) {
        sources.push_back(each.graph.source(e) + all.sourceNodes);
        destinations.push_back(each.graph.destination(e) +
                               all.destinationNodes);
      }
      all.sourceNodes += each.sourceNodes;
      all.destinationNodes += each.destinationNodes;
    }
  };
  for (const bool loops : {false, true})
    add(loops);
  for (const Relation &each : relations) {
    all.types.insert(all.types.end(), each.types.begin(), each.types.end());
    all.values.insert(all.values.end(), each.values.begin(), each.values.end());
    all.sizes.insert(all.sizes.end(), each.sizes.begin(), each.sizes.end());
    all.loops += each.loops;
  }
  all.graph = Graph::sound(std::max(all.sourceNodes, all.destinationNodes),
                           std::move(sources), std::move(destinations));
  return all;
}
