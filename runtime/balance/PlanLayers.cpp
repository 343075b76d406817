#include "runtime/balance/PlanLayers.h"

#include "dialects/support/Shares.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <map>
#include <set>

using namespace smex;
using namespace smex::balance;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

class Finder {
public:
  Finder(const plan::Program &program, std::vector<tdl::Lambda> lambdas)
      : program(program), lambdas(std::move(lambdas)) {}

  PlanLayers find() {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      if (program.instructions[i].op == plan::Opcode::Compute)
        if (auto layer = layerAt(int(i)))
          found.layers.push_back(*layer);
    findEndsOfMessages();
    shareEnds();
    dropReadouts();
    markGradients();
    findMembers();
    return std::move(found);
  }

private:
  const plan::TensorInfo &tensorOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)];
  }
  const tdl::Lambda &lambdaOf(const plan::Instruction &what) const {
    return lambdas[size_t(what.kernel)];
  }
  bool isList(int buffer, int64_t length) const {
    const TensorType &type = tensorOf(buffer).type;
    return isInteger(type.dtype) && type.shape == std::vector<int64_t>{length};
  }

  /// A sum over edges of more than one number per vertex: a degree is none.
  std::optional<MessageLayer> layerAt(int instruction) const {
    const plan::Instruction &what = program.instructions[size_t(instruction)];
    const auto &shape = tensorOf(what.to).type.shape;
    const tdl::Lambda &lambda = lambdaOf(what);
    const auto overEdges = boundedReduction(lambda);
    if (shape.size() < 2 || !overEdges)
      return std::nullopt;
    MessageLayer layer;
    layer.instruction = instruction;
    layer.vertices = shape[0];
    layer.edges = what.reductions[*overEdges];
    layer.edgeDimension = int(shape.size() + *overEdges);
    layer.width = 1;
    for (size_t d = 1; d < shape.size(); ++d)
      layer.width *= shape[d];
    tdl::walk(lambda.guard, [&](const ExprRef &expr) {
      if (expr->kind == ExprKind::Read &&
          isList(what.operands[size_t(expr->operand)], layer.vertices + 1))
        layer.offsets = tensorNumber(what, expr->operand);
    });
    if (layer.offsets < 0)
      return std::nullopt;
    tdl::walk(lambda.body, [&](const ExprRef &expr) {
      if (expr->kind == ExprKind::Read && !expr->children.empty())
        findEnds(what, *expr, layer);
    });
    return layer;
  }

  /// The one reduction that the guard bounds.
  static std::optional<size_t> boundedReduction(const tdl::Lambda &lambda) {
    std::set<size_t> bounded;
    if (lambda.guard)
      tdl::walk(lambda.guard, [&](const ExprRef &expr) {
        if (expr->kind == ExprKind::Index && expr->index >= lambda.rank())
          bounded.insert(size_t(expr->index - lambda.rank()));
      });
    return bounded.size() == 1 ? std::optional(*bounded.begin()) : std::nullopt;
  }

  int tensorNumber(const plan::Instruction &what, int operand) const {
    return program.buffers[size_t(what.operands[size_t(operand)])].tensor;
  }

  /// `rows[list[e], ..]`, or a later dimension of as many as vertices, where
  /// the list has a number per edge, and rows are not of edges.
  void findEnds(const plan::Instruction &what, const Expr &rows,
                MessageLayer &layer) const {
    const auto &shape =
        tensorOf(what.operands[size_t(rows.operand)]).type.shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != layer.vertices && (d > 0 || shape[d] == layer.edges))
        continue;
      tdl::walk(rows.children[d], [&](const ExprRef &index) {
        if (index->kind == ExprKind::Read && layer.ends < 0 &&
            isList(what.operands[size_t(index->operand)], layer.edges))
          layer.ends = tensorNumber(what, index->operand);
      });
    }
  }

  /// Messages that are stored have a row per edge: whatever they are computed
  /// from, edge by edge, may read vertices.
  void findEndsOfMessages() {
    std::map<int, int> writers; // of buffers
    for (size_t i = 0; i < program.instructions.size(); ++i)
      writers[program.instructions[i].to] = int(i);
    for (MessageLayer &layer : found.layers) {
      std::set<int> seen;
      std::vector<int> left =
          perEdge(layer.instruction, layer.edgeDimension, layer);
      while (!left.empty() && layer.ends < 0) {
        const auto writer = writers.find(left.back());
        left.pop_back();
        if (writer == writers.end() || !seen.insert(writer->second).second)
          continue;
        const plan::Instruction &what =
            program.instructions[size_t(writer->second)];
        if (what.op != plan::Opcode::Compute) {
          left.push_back(what.from);
          continue;
        }
        tdl::walk(lambdaOf(what).body, [&](const ExprRef &expr) {
          if (expr->kind == ExprKind::Read && !expr->children.empty() &&
              tensorOf(what.operands[size_t(expr->operand)]).type.shape[0] ==
                  layer.vertices)
            findEnds(what, *expr, layer);
        });
        for (int buffer : perEdge(writer->second, 0, layer))
          left.push_back(buffer);
      }
    }
  }

  /// The operands of which a compute reads, for an edge, that edge's own row.
  std::vector<int> perEdge(int instruction, int edge,
                           const MessageLayer &layer) const {
    const plan::Instruction &what = program.instructions[size_t(instruction)];
    std::vector<int> buffers;
    tdl::walk(lambdaOf(what).body, [&](const ExprRef &expr) {
      if (expr->kind != ExprKind::Read || expr->children.empty() ||
          expr->children[0]->kind != ExprKind::Index ||
          expr->children[0]->index != edge)
        return;
      const int buffer = what.operands[size_t(expr->operand)];
      if (tensorOf(buffer).type.shape[0] == layer.edges)
        buffers.push_back(buffer);
    });
    return buffers;
  }

  /// A layer that reads edges alone is of the graph that its offsets are of.
  void shareEnds() {
    for (MessageLayer &layer : found.layers) {
      for (const MessageLayer &other : found.layers)
        if (layer.ends < 0 && other.offsets == layer.offsets)
          layer.ends = other.ends;
      layer.reversed = layer.offsets != found.layers.front().offsets &&
                       layer.vertices == found.layers.front().vertices;
    }
  }

  /// A sum over the nodes of each graph of a batch looks like one over edges,
  /// but its rows have no ends.
  void dropReadouts() {
    const auto hasEnds = [](const MessageLayer &layer) {
      return layer.ends >= 0;
    };
    auto &layers = found.layers;
    if (std::any_of(layers.begin(), layers.end(), hasEnds))
      layers.erase(std::stable_partition(layers.begin(), layers.end(), hasEnds),
                   layers.end());
  }

  std::vector<int> sourcesOf(const plan::Instruction &what) const {
    return what.op == plan::Opcode::Compute ? what.operands
                                            : std::vector<int>{what.from};
  }

  /// No output depends on a gradient; the next values of parameters do.
  void markGradients() {
    std::vector<bool> isNeeded(program.buffers.size(), false);
    for (const plan::Port &output : program.outputs)
      isNeeded[size_t(output.buffer)] = true;
    std::vector<bool> isDone(program.instructions.size(), false);
    for (size_t i = program.instructions.size(); i-- > 0;) {
      const plan::Instruction &what = program.instructions[i];
      isDone[i] = isNeeded[size_t(what.to)];
      if (isDone[i])
        for (int buffer : sourcesOf(what))
          isNeeded[size_t(buffer)] = true;
    }
    const bool trains =
        std::any_of(program.parameters.begin(), program.parameters.end(),
                    [](const plan::Parameter &each) { return each.next >= 0; });
    for (MessageLayer &layer : found.layers)
      layer.gradient = trains && !isDone[size_t(layer.instruction)];
  }

  void findMembers() {
    found.members.resize(program.instructions.size());
    if (found.layers.empty())
      return;
    std::vector<int> last(program.buffers.size(), -1); // layer it depends on
    int next = 0;
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const plan::Instruction &what = program.instructions[i];
      int layer = -1;
      for (int buffer : sourcesOf(what))
        layer = std::max(layer, last[size_t(buffer)]);
      const bool begins = next < int(found.layers.size()) &&
                          found.layers[size_t(next)].instruction == int(i);
      if (begins)
        layer = next++;
      last[size_t(what.to)] = layer;
      if (what.op == plan::Opcode::Compute)
        found.members[i] = memberOf(what, std::max(layer, 0));
    }
  }

  Member memberOf(const plan::Instruction &what, int layer) const {
    const MessageLayer &of = found.layers[size_t(layer)];
    std::vector<int64_t> extents = tensorOf(what.to).type.shape;
    extents.insert(extents.end(), what.reductions.begin(),
                   what.reductions.end());
    for (const bool perEdge : {false, true}) {
      const auto at = std::find(extents.begin(), extents.end(),
                                perEdge ? of.edges : of.vertices);
      if (at != extents.end())
        return {layer, int(at - extents.begin()), perEdge};
    }
    return {};
  }

  const plan::Program &program;
  const std::vector<tdl::Lambda> lambdas;
  PlanLayers found;
};

} // namespace

Result<PlanLayers> balance::layersOf(const plan::Program &program) {
  auto lambdas = plan::lambdasOf(program);
  if (!lambdas)
    return lambdas.takeError();
  return Finder(program, std::move(*lambdas)).find();
}

Share balance::shareOfMember(const plan::Partitioned &partitioned, int worker,
                             int instruction, int dimension) {
  const plan::Program &program = partitioned.program;
  const plan::Instruction &what = program.instructions[size_t(instruction)];
  const Box &own = partitioned.indices(worker, instruction);
  if (own.isAbsent() || size_t(dimension) >= own.size())
    return {};
  std::vector<int64_t> extents =
      program.tensors[size_t(program.buffers[size_t(what.to)].tensor)]
          .type.shape;
  extents.insert(extents.end(), what.reductions.begin(), what.reductions.end());
  Share share{own[size_t(dimension)], 1};
  for (size_t d = 0; d < own.size(); ++d)
    if (int(d) != dimension && extents[d] > 0)
      share.rest *= double(own[d].size()) / double(extents[d]);
  return share;
}

Interval balance::edgesOfMessages(const plan::Partitioned &partitioned,
                                  int worker, const MessageLayer &layer) {
  const Box &own = partitioned.indices(worker, layer.instruction);
  return own.isAbsent() ? Interval{} : own[size_t(layer.edgeDimension)];
}

double balance::restOfMessages(const plan::Partitioned &partitioned, int worker,
                               const MessageLayer &layer) {
  const double edges =
      double(edgesOfMessages(partitioned, worker, layer).size());
  if (edges == 0)
    return 0;
  return shareOfMember(partitioned, worker, layer.instruction, 0).rest *
         double(layer.edges) / edges;
}

VertexSteps balance::vertexSteps(const plan::Partitioned &partitioned,
                                 const MessageLayer &layer) {
  const plan::Program &program = partitioned.program;
  const plan::Region &region = program.regions[size_t(
      program.instructions[size_t(layer.instruction)].indices)];
  const size_t workers = partitioned.workers.size();
  VertexSteps steps;
  if (region.kind == plan::Region::Kind::Divided) {
    std::vector<size_t> cutting;
    for (size_t s = 0; s < region.divisions.size(); ++s)
      if (const bool ofEdges = region.divisions[s].cuts(layer.edgeDimension);
          ofEdges || region.divisions[s].cuts(0)) {
        steps.ofEdges |= ofEdges;
        cutting.push_back(s);
        steps.ways.push_back(program.ways[s]);
      }
    for (size_t w = 0; w < workers; ++w) {
      const auto digits = digitsOf(program.ways, int64_t(w));
      int64_t range = 0;
      for (size_t s : cutting)
        range = range * program.ways[s] + digits[s];
      steps.range.push_back(range);
    }
    return steps;
  }
  std::vector<int64_t> begins;
  const auto begin = [&](size_t w) {
    const Box &box = region.boxes[w];
    return box.isAbsent() || box.size() == 0 ? int64_t(0) : box[0].lo;
  };
  for (size_t w = 0; w < workers; ++w)
    begins.push_back(begin(w));
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  steps.ways = {int64_t(begins.size())};
  for (size_t w = 0; w < workers; ++w)
    steps.range.push_back(
        std::lower_bound(begins.begin(), begins.end(), begin(w)) -
        begins.begin());
  return steps;
}
