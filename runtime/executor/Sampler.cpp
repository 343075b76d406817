#include "runtime/executor/Sampler.h"

#include "runtime/graph/Change.h"
#include "runtime/graph/Components.h"
#include "runtime/graph/EdgeSample.h"
#include "runtime/graph/Sample.h"
#include "runtime/graph/SampleArguments.h"
#include "runtime/graph/Walk.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;
using graph::Numbers;

RowKinds::RowKinds(const plan::Program &program) : graphs(program.graphs) {
  for (const plan::GraphInputs &graph : graphs) {
    const size_t to = typeOf(graph.nodeType);
    ends.emplace_back(graph.sourceNodes ? typeOf(graph.sourceType) : to, to);
  }
}

size_t RowKinds::typeOf(const std::string &name) {
  const auto found = std::find(names.begin(), names.end(), name);
  const size_t type = size_t(found - names.begin());
  if (found == names.end())
    names.push_back(name);
  return type;
}

std::optional<size_t> RowKinds::of(const plan::Port &port) const {
  const auto isAmong = [&](const std::vector<std::string> &inputs) {
    return std::find(inputs.begin(), inputs.end(), port.name) != inputs.end();
  };
  for (size_t g = 0; g < graphs.size(); ++g) {
    if (isAmong(graphs[g].perNode))
      return destinations(g);
    if (isAmong(graphs[g].perSourceNode))
      return sources(g);
    if (isAmong(graphs[g].perGraph))
      return names.size();
    if (isAmong(graphs[g].perEdge))
      return edges(g);
  }
  return std::nullopt;
}

Result<Numbers> Drawn::nodesOf(const graph::Graph &graph,
                               const Numbers &some) const {
  return edgesOf ? graph::endsOf(graph, some) : Result<Numbers>(some);
}

std::string runtime::counted(size_t count, const char *thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

namespace {

/// Of one graph, with nodes of one type.
class GraphSampler : public Sampler {
public:
  explicit GraphSampler(const graph::Relation &whole)
      : types(whole.types), values(whole.values) {}

protected:
  Taken takenOf(graph::Part part) const {
    Taken taken;
    taken.relations = {graph::Relation::of(std::move(part.graph))};
    if (!types.empty())
      taken.relations[0].types = graph::gather(types, part.oldEdges);
    if (!values.empty())
      for (int64_t edge : part.oldEdges)
        taken.relations[0].values.push_back(values[size_t(edge)]);
    taken.rows = {std::move(part.oldNodes), {}, std::move(part.oldEdges)};
    return taken;
  }

private:
  const Numbers types;             // of edges, where they have some
  const std::vector<float> values; // likewise
};

class PartSampler : public GraphSampler {
public:
  explicit PartSampler(graph::Relation whole)
      : GraphSampler(whole), components(std::move(whole.graph)) {}

  Result<Taken> take(const Numbers &some, uint64_t) override {
    Taken taken = takenOf(components.take(some));
    taken.rows[1] = some;
    taken.relations[0].sizes.clear();
    for (int64_t part : some)
      taken.relations[0].sizes.push_back(components.nodesOf(part));
    return taken;
  }
  std::string what(size_t count) const override {
    return counted(count, "part");
  }
  std::optional<int64_t> parts() const override { return components.count(); }

private:
  graph::Components components;
};

class NeighbourSampler : public GraphSampler {
public:
  NeighbourSampler(graph::Relation whole, Numbers fanouts, const Drawn &drawn)
      : GraphSampler(whole), graph(std::move(whole.graph)),
        in(graph::byDestination(graph)), fanouts(std::move(fanouts)),
        drawn(drawn) {}

  Result<Taken> take(const Numbers &some, uint64_t seed) override {
    const auto nodes = drawn.nodesOf(graph, some);
    if (!nodes)
      return fail("--sample: ", nodes.error().message);
    const auto blocks =
        graph::sampleNeighbours(graph, in, *nodes, fanouts, seed);
    if (!blocks)
      return fail("--sample: ", blocks.error().message);
    graph::Part part = graph::unite(*blocks);
    if (drawn.edgesOf)
      part = graph::withEdges(graph, std::move(part), some);
    return takenOf(std::move(part));
  }
  std::string what(size_t count) const override {
    return "a sample for " + counted(count, drawn.each());
  }

private:
  const graph::Graph graph;
  const graph::Rows in;
  const Numbers fanouts;
  const Drawn drawn;
};

class WalkSampler : public GraphSampler {
public:
  WalkSampler(graph::Relation whole, int64_t length, const Drawn &drawn)
      : GraphSampler(whole), length(length),
        backwards(graph::reversed(whole.graph)),
        out(graph::bySource(backwards)), drawn(drawn) {}

  Result<Taken> take(const Numbers &some, uint64_t seed) override {
    const auto starts = drawn.nodesOf(backwards, some);
    if (!starts)
      return fail("--walk: ", starts.error().message);
    // Each is a row of its own.
    if (Status there =
            graph::checkNodes(*starts, backwards.nodes(), "the graph has");
        !there)
      return fail("--walk: ", there.error().message);
    const auto walks =
        graph::randomWalks(backwards, out, *starts, length, seed);
    if (!walks)
      return fail("--walk: ", walks.error().message);
    graph::Part part = graph::walkedGraph(backwards, *walks);
    if (drawn.edgesOf)
      part = graph::withEdges(backwards, std::move(part), some);
    part.graph = graph::reversed(part.graph);
    return takenOf(std::move(part));
  }
  std::string what(size_t count) const override {
    return (drawn.edgesOf ? "walks from the ends of " : "walks from ") +
           counted(count, drawn.each());
  }

private:
  const int64_t length;
  const graph::Graph backwards; // each edge the other way round
  const graph::Rows out;
  const Drawn drawn;
};

} // namespace

Result<std::unique_ptr<Sampler>>
runtime::makeSampler(const plan::Program &program, const RowKinds &kinds,
                     std::vector<RunGraph> graphs, const Sampling &sampling,
                     const Drawn &drawn) {
  using Made = Result<std::unique_ptr<Sampler>>;
  const bool hasBatch =
      std::any_of(program.graphs.begin(), program.graphs.end(),
                  [](const plan::GraphInputs &graph) {
                    return graph.layer == graph::ofBatch;
                  });
  if (hasBatch && !drawn.edgesOf)
    return fail(sampling.option(),
                ": the plan's results are of edges, and a "
                "sample for nodes draws none: take --sample-layers with "
                "--batch, of a plan whose labels are of edges");
  if (kinds.types().size() > 1 || relationsOf(program).size() > 1)
    return makeRelationSampler(program, kinds, std::move(graphs), sampling,
                               drawn);
  if (sampling.perLayer)
    return makeLayerSampler(program, std::move(graphs), sampling, drawn);
  graph::Relation &whole = graphs.front().relation;
  if (sampling.parts > 0)
    return Made(std::make_unique<PartSampler>(std::move(whole)));
  if (sampling.walk > 0)
    return Made(
        std::make_unique<WalkSampler>(std::move(whole), sampling.walk, drawn));
  auto fanouts = fanoutsFor(program, sampling.option(),
                            {sampling.fanouts, sampling.fanoutsOf});
  if (!fanouts)
    return fanouts.takeError();
  return Made(std::make_unique<NeighbourSampler>(
      std::move(whole), std::move(fanouts->front()), drawn));
}
