#include "compiler/frontend/LayerReads.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;
using tdl::ExprKind;
using tdl::ExprRef;

/// Of one application.
class LayerReads::Reader {
public:
  Reader(const LayerReads &reads, const Application &application)
      : reads(reads), application(application),
        isRead(application.operands.size()) {
    made.passes.resize(application.operands.size());
    made.variables.assign(size_t(application.lambda.indexCount()), -1);
  }

  Status run() {
    for (const ExprRef &root :
         {application.lambda.guard, application.lambda.body})
      if (root)
        visit(root);
    for (const ExprRef &root :
         {application.lambda.guard, application.lambda.body})
      tdl::walk(root, [&](const ExprRef &e) { visitNumber(*e); });
    return wrong.empty() ? Status() : Status(fail(wrong));
  }

  Known result() const {
    Known known;
    for (size_t i = 0; i < isRead.size(); ++i) {
      if (!isRead[i])
        continue;
      const Known &operand = of(int(i));
      known.isOfNodes |= operand.isOfNodes;
      known.isOfEdges |= operand.isOfEdges;
    }
    const size_t rank = size_t(application.lambda.rank());
    const auto &variables = made.variables;
    if (std::any_of(variables.begin(), variables.begin() + long(rank),
                    [](int graph) { return graph >= 0; }))
      known.dimensions.assign(variables.begin(),
                              variables.begin() + long(rank));
    known.isOfNodes |= readsRows;
    if (application.lambda.reducer == tdl::Reducer::None &&
        !known.dimensions.empty())
      known.ends = endsIn(application.lambda.body);
    return known;
  }

  Read made;

private:
  const Known &of(int operand) const {
    return reads.values[size_t(application.operands[size_t(operand)])];
  }

  void refuse(const std::string &text) {
    if (wrong.empty())
      wrong = text;
  }

  void visit(const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      visitRead(e->operand, e->children);
    for (const tdl::Expr::Slice &slice : e->slices)
      visitRead(slice.operand, slice.index);
    if (e->kind == ExprKind::Binary)
      visitComparison(*e);
    for (const ExprRef &child : e->children)
      visit(child);
    if (e->otherwise)
      visit(e->otherwise);
    for (const tdl::Expr::Slice &slice : e->slices)
      for (const ExprRef &index : slice.index)
        if (index)
          visit(index);
  }

  void visitRead(int operand, const std::vector<ExprRef> &index) {
    isRead[size_t(operand)] = true;
    const std::vector<int> &dimensions = of(operand).dimensions;
    for (size_t d = 0; d < index.size(); ++d) {
      const int graph = dimensions.empty() ? -1 : dimensions[d];
      if (graph >= 0 && isPlaceOf(index[d], graph)) {
        made.gathers = true;
        continue; // the layer's own list says which edge
      }
      if (graph >= 0) {
        if (!index[d] || index[d]->kind != ExprKind::Index)
          return refuse("reads what edges have by other than their number, "
                        "and each layer has edges of its own");
        int &variable = made.variables[size_t(index[d]->index)];
        if (variable >= 0 && variable != graph)
          return refuse("counts edges of two graphs at once, and each layer "
                        "has edges of its own");
        variable = graph;
      } else if (index[d]) {
        const unsigned ends = endsIn(index[d]);
        if (ends == (Sources | Destinations))
          return refuse("reads nodes by both ends of edges at once, so that "
                        "nobody knows which layer's they are");
        if (ends == Sources)
          made.passes[size_t(operand)] = true;
        // A parameter's, too, is then of nodes.
        readsRows |= ends != NoEnd && !of(operand).isOfEdges;
      }
    }
  }

  bool isPlaceOf(const ExprRef &index, int graph) const {
    return index && index->kind == ExprKind::Read &&
           of(index->operand).numbered == graph;
  }

  /// Which end's numbers of nodes an expression is made of; what is read at
  /// such a number is none itself.
  unsigned endsIn(const ExprRef &e) const {
    if (e->kind == ExprKind::Read)
      return of(e->operand).ends;
    unsigned ends = NoEnd;
    for (const ExprRef &child : e->children)
      ends |= endsIn(child);
    return ends;
  }

  /// `src[e] == v`: the node that a message goes to.
  void visitComparison(const tdl::Expr &e) {
    if (e.binary != tdl::BinaryOp::Eq)
      return;
    for (int side : {0, 1}) {
      const ExprRef &node = e.children[size_t(1 - side)];
      if (node->kind != ExprKind::Index ||
          node->index >= application.lambda.rank())
        continue;
      const unsigned ends = endsIn(e.children[size_t(side)]);
      if (ends & Sources)
        refuse("brings messages to where edges come from, and a layer's "
               "sample is of edges that lead to its nodes");
      made.gathers |= ends != NoEnd;
    }
  }

  /// `k <= e`, as in a running sum: edges' order, which no layer shares.
  void visitNumber(const tdl::Expr &e) {
    if (e.kind != ExprKind::Binary || !tdl::isComparison(e.binary))
      return;
    for (const ExprRef &side : e.children)
      if (side->kind == ExprKind::Index &&
          made.variables[size_t(side->index)] >= 0)
        refuse("compares numbers of edges, and each layer has edges of its "
               "own");
  }

  const LayerReads &reads;
  const Application &application;
  std::vector<bool> isRead;
  bool readsRows = false; // of what nodes have
  std::string wrong;
};

void LayerReads::markList(int value, int graph, End end) {
  Known &known = values[size_t(value)];
  known = {false, true, end, {graph}};
}

void LayerReads::markRows(int value, int graph, size_t rank) {
  markList(value, graph, NoEnd);
  values[size_t(value)].dimensions.resize(rank, -1);
}

void LayerReads::markPlaces(int value, int graph) {
  values[size_t(value)] = {false, true, NoEnd, {}, graph};
}

Status LayerReads::add(const Application &application) {
  Reader reader(*this, application);
  if (Status done = reader.run(); !done)
    return done;
  // A dimension of edges that nothing counts is read nowhere, or as a whole.
  values[size_t(application.result)] = reader.result();
  applications.push_back(std::move(reader.made));
  return {};
}
