// How the applications of a graph network read its edges: what separating its
// layers (Layers.h) goes by. Asked of their lambdas alone.
#ifndef SMEX_COMPILER_FRONTEND_LAYERREADS_H
#define SMEX_COMPILER_FRONTEND_LAYERREADS_H

#include "compiler/frontend/Model.h"

namespace smex::frontend {

class LayerReads {
public:
  /// Which end of edges numbers are: of each bit one.
  enum End : unsigned { NoEnd = 0, Sources = 1, Destinations = 2 };

  explicit LayerReads(size_t values) : values(values) {}

  /// An input of what nodes have.
  void markNodes(int value) { values[size_t(value)].isOfNodes = true; }
  /// An input with an element for each edge of a graph.
  void markList(int value, int graph, End end);
  /// An input with a row for each edge of a graph.
  void markRows(int value, int graph, size_t rank);
  /// An input that says what is where in groups of nodes: of which edges of a
  /// graph, or, -1, of nothing that edges number.
  void markPlaces(int value, int graph);

  /// In topological order. Errors, as what a node does: what edges have is read
  /// by other than their numbers; nodes are read by both ends at once; messages
  /// go to where edges come from.
  Status add(const Application &application);

  /// Of each application in the order of adding them, whether what it reads of
  /// an operand passes along edges, `x[src[e]]`.
  bool passes(size_t application, size_t operand) const {
    return applications[application].passes[operand];
  }
  /// Of each application, whether its result is of nodes to which edges lead,
  /// as `sum of m[e] where dst[e] == v` is.
  bool gathers(size_t application) const {
    return applications[application].gathers;
  }
  /// Of each index variable the graph whose edges it counts, or -1.
  const std::vector<int> &edgeVariables(size_t application) const {
    return applications[application].variables;
  }
  /// The same of dimensions of a value; empty where none is of edges.
  const std::vector<int> &edgeDimensions(int value) const {
    return values[size_t(value)].dimensions;
  }
  /// It follows from edges, and from nothing that nodes have.
  bool isOfEdgesAlone(int value) const {
    return values[size_t(value)].isOfEdges && !values[size_t(value)].isOfNodes;
  }
  /// Each layer has its own.
  bool isPerLayer(int value) const {
    return isOfEdgesAlone(value) || !values[size_t(value)].dimensions.empty();
  }

private:
  struct Read {
    std::vector<bool> passes;
    bool gathers = false;
    std::vector<int> variables;
  };
  struct Known {
    bool isOfNodes = false, isOfEdges = false;
    unsigned ends = NoEnd; // of what follows from numbers of nodes
    std::vector<int> dimensions;
    int numbered = -1; // elements are numbers of edges of this graph
  };
  class Reader;

  std::vector<Known> values;
  std::vector<Read> applications;
};

} // namespace smex::frontend

#endif
