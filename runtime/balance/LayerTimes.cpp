#include "runtime/balance/LayerTimes.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::balance;
using namespace smex::graphpartition;
using graph::Numbers;

namespace {

/// A graph by the two lists that a program has of it.
Result<InNeighbours> graphOf(const Numbers &offsets, const Numbers &ends) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  InNeighbours graph;
  const auto vertices = int64_t(offsets.size()) - 1;
  if (vertices < 1 || vertices > most || offsets.front() != 0 ||
      !std::is_sorted(offsets.begin(), offsets.end()) ||
      offsets.back() > int64_t(ends.size()))
    return fail("its offsets are none of a graph's rows");
  graph.offsets = offsets;
  for (int64_t e = 0; e < offsets.back(); ++e) {
    if (ends[size_t(e)] < 0 || ends[size_t(e)] >= vertices)
      return fail("edge ", e, " has an end that is no vertex");
    graph.sources.push_back(int32_t(ends[size_t(e)]));
  }
  for (int64_t v = 0; v < vertices; ++v)
    std::sort(graph.sources.begin() + offsets[size_t(v)],
              graph.sources.begin() + offsets[size_t(v) + 1]);
  return graph;
}

std::vector<LayerShape> shapesOf(const PlanLayers &plan) {
  std::vector<LayerShape> shapes;
  for (const MessageLayer &layer : plan.layers)
    shapes.push_back({layer.width, layer.reversed});
  return shapes;
}

bool isTime(double seconds) { return std::isfinite(seconds) && seconds > 0; }

} // namespace

Result<std::unique_ptr<LayerTimes>>
LayerTimes::open(const plan::Partitioned &partitioned, const std::string &model,
                 const Lists &lists) {
  auto layers = layersOf(partitioned.program);
  if (!layers)
    return layers.takeError();
  if (layers->layers.empty())
    return fail(model, ": passes no messages over all edges of a graph: a cost "
                       "model is of a graph network's layers, and of none in "
                       "buckets or levels of nodes; --graph-partition "
                       "equal-edges divides those without one");
  const MessageLayer &first = layers->layers.front();
  int other = -1; // offsets of the edges turned round
  for (const MessageLayer &layer : layers->layers) {
    if (layer.reversed && other < 0)
      other = layer.offsets;
    if (layer.vertices != first.vertices || layer.edges != first.edges ||
        (layer.reversed && layer.offsets != other))
      return fail(model, ": has several graphs, or levels of nodes, and a cost "
                         "model is of one: --graph-partition equal-edges "
                         "divides those without one");
  }
  if (first.ends < 0)
    return fail(model, ": no layer reads vertices by a list of edges");
  const auto offsets = lists(first.offsets);
  if (!offsets)
    return offsets.error();
  const auto ends = lists(first.ends);
  if (!ends)
    return ends.error();
  auto graph = graphOf(*offsets, *ends);
  if (!graph)
    return fail(model, ": ", graph.error().message);
  return std::unique_ptr<LayerTimes>(new LayerTimes(
      partitioned, std::move(*layers), model, std::move(*graph)));
}

LayerTimes::LayerTimes(const plan::Partitioned &partitioned, PlanLayers found,
                       std::string model, InNeighbours given)
    : partitioned(partitioned), plan(std::move(found)), name(std::move(model)),
      graph(std::move(given)),
      features(std::make_unique<LayerFeatures>(graph, shapesOf(plan))),
      fits(plan.layers.size()), busy(partitioned.workers.size(), 0),
      layers(partitioned.workers.size(), 0) {}

Status LayerTimes::resume(const ModelFile &fitted, const std::string &file) {
  // Instructions of another plan may be in another order.
  std::vector<bool> isTaken(fitted.layers.size(), false);
  std::vector<LayerFit> found;
  for (const MessageLayer &layer : plan.layers)
    for (size_t i = 0; i < fitted.layers.size(); ++i)
      if (const FittedLayer &each = fitted.layers[i];
          !isTaken[i] && each.width == layer.width &&
          each.gradient == layer.gradient && each.reversed == layer.reversed) {
        isTaken[i] = true;
        found.push_back(each.fit);
        break;
      }
  if (found.size() != plan.layers.size() ||
      found.size() != fitted.layers.size()) {
    const auto listed = [](const auto &layers) {
      std::string text;
      for (const auto &layer : layers)
        text += (text.empty() ? "" : ", ") + std::to_string(layer.width);
      return text;
    };
    return fail(file, ": a cost model of another network, \"", fitted.model,
                "\", whose layers pass messages of ", listed(fitted.layers),
                " numbers; here they are of ", listed(plan.layers),
                ", gradients among them");
  }
  if (fitted.model != name)
    return fail(file, ": a cost model of another network, \"", fitted.model,
                "\", and this is \"", name, "\": give each a file of its own");
  fits = std::move(found);
  return {};
}

Interval LayerTimes::verticesOf(int worker, const MessageLayer &layer) const {
  const Interval rows =
      shareOfMember(partitioned, worker, layer.instruction, 0).rows;
  const Interval edges = edgesOfMessages(partitioned, worker, layer);
  if (edges == Interval{0, layer.edges})
    return rows;
  return intersect(rows, endsOf(edges, layer));
}

/// The vertices that the edges belong to: where a sum over edges is cut, a
/// worker does those of a range of vertices, but for the first and the last
/// one.
Interval LayerTimes::endsOf(Interval edges, const MessageLayer &layer) const {
  const Numbers &offsets = features->neighbours(layer.reversed).offsets;
  if (edges.empty())
    return {};
  const auto first =
      std::upper_bound(offsets.begin(), offsets.end(), edges.lo) - 1;
  const auto last = std::lower_bound(first, offsets.end(), edges.hi);
  return {first - offsets.begin(),
          std::min<int64_t>(last - offsets.begin(), graph.vertices())};
}

double LayerTimes::rowsOf(const Member &member, Interval vertices) const {
  if (vertices.empty())
    return 0;
  return double(member.perEdge ? graph.offsets[size_t(vertices.hi)] -
                                     graph.offsets[size_t(vertices.lo)]
                               : vertices.size());
}

void LayerTimes::add(const std::vector<runtime::TraceEvent> &step) {
  const size_t workers = busy.size();
  std::vector<std::vector<double>> seconds(plan.layers.size(),
                                           std::vector<double>(workers, 0));
  for (const runtime::TraceEvent &event : step) {
    if (partitioned.program.instructions[size_t(event.instruction)].op !=
        plan::Opcode::Compute)
      continue;
    // One that is no number would stay in these for all steps to come.
    const double known = isTime(event.seconds) ? event.seconds : 0;
    busy[size_t(event.worker)] += known;
    const Member &member = plan.members[size_t(event.instruction)];
    if (member.layer < 0)
      continue;
    layers[size_t(event.worker)] += known;
    const MessageLayer &layer = plan.layers[size_t(member.layer)];
    double &of = seconds[size_t(member.layer)][size_t(event.worker)];
    if (layer.instruction == event.instruction) {
      const double rest = restOfMessages(partitioned, event.worker, layer);
      of += rest > 0 ? event.seconds / rest : 0;
      continue;
    }
    const Share share = shareOfMember(partitioned, event.worker,
                                      event.instruction, member.dimension);
    if (share.isEmpty())
      continue;
    of += event.seconds / share.rest *
          rowsOf(member, verticesOf(event.worker, layer)) /
          double(share.rows.size());
  }
  ++steps;
  for (size_t layer = 0; layer < plan.layers.size(); ++layer)
    for (size_t w = 0; w < workers; ++w) {
      const Interval vertices = verticesOf(int(w), plan.layers[layer]);
      if (vertices.empty())
        continue;
      const double took = seconds[layer][w];
      if (!isTime(took)) {
        ++skipped;
        continue;
      }
      const Status done = fits[layer].add(
          {features->of(layer, vertices.lo, vertices.hi), took}, name);
      added += bool(done);
      skipped += !done;
    }
}

ModelFile LayerTimes::model() const {
  ModelFile file;
  file.model = name;
  for (size_t layer = 0; layer < fits.size(); ++layer) {
    FittedLayer fitted;
    fitted.width = plan.layers[layer].width;
    fitted.weights = fits[layer].weights();
    fitted.gradient = plan.layers[layer].gradient;
    fitted.reversed = plan.layers[layer].reversed;
    fitted.fit = fits[layer];
    file.layers.push_back(std::move(fitted));
  }
  return file;
}

double LayerTimes::imbalance() const { return graphpartition::imbalance(busy); }

std::vector<double> LayerTimes::predicted(
    const CostModel &weights,
    const std::function<Interval(int, size_t)> &vertices) const {
  std::vector<double> costs(busy.size(), 0);
  for (size_t layer = 0; layer < plan.layers.size(); ++layer)
    for (size_t w = 0; w < costs.size(); ++w) {
      const Interval own = vertices(int(w), layer);
      if (!own.empty())
        costs[w] +=
            costOf(weights[layer], features->of(layer, own.lo, own.hi)) *
            restOfMessages(partitioned, int(w), plan.layers[layer]);
    }
  return costs;
}

double LayerTimes::predictedImbalance() const {
  return graphpartition::imbalance(
      predicted(model().weights(), [&](int w, size_t layer) {
        return verticesOf(w, plan.layers[layer]);
      }));
}

std::optional<Gain> LayerTimes::gain() const {
  if (added == 0)
    return std::nullopt;
  const CostModel weights = model().weights();
  const LayersCost cost(*features, weights);
  std::vector<VertexSteps> of;
  std::vector<Bounds> bounds;
  for (const MessageLayer &layer : plan.layers) {
    of.push_back(vertexSteps(partitioned, layer));
    bounds.push_back(cutInSteps(cost, of.back().ways));
  }
  const auto now = predicted(weights, [&](int w, size_t layer) {
    return verticesOf(w, plan.layers[layer]);
  });
  const auto moved = [&](int w, size_t layer) {
    const size_t range = size_t(of[layer].range[size_t(w)]);
    const Interval vertices{bounds[layer][range], bounds[layer][range + 1]};
    // A side of edges has the bounds of the vertices that they lead to, also
    // where it is in another order.
    if (!of[layer].ofEdges || !plan.layers[layer].reversed || vertices.empty())
      return vertices;
    return endsOf({graph.offsets[size_t(vertices.lo)],
                   graph.offsets[size_t(vertices.hi)]},
                  plan.layers[layer]);
  };
  const auto then = predicted(weights, moved);
  Gain gain;
  gain.now = *std::max_element(now.begin(), now.end());
  gain.then = *std::max_element(then.begin(), then.end());
  for (size_t w = 0; w < now.size(); ++w) {
    gain.error +=
        std::abs(now[w] - layers[w] / double(steps)) / double(now.size());
    // Of the layer that is divided most.
    int64_t most = 0;
    for (size_t layer = 0; layer < plan.layers.size(); ++layer) {
      const Interval next = moved(int(w), layer);
      most = std::max(
          most,
          next.size() -
              intersect(next, verticesOf(int(w), plan.layers[layer])).size());
    }
    gain.movedVertices += most;
  }
  if (gain.movedVertices == 0)
    return std::nullopt;
  return gain;
}
