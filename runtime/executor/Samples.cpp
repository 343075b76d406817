#include "runtime/executor/Samples.h"

#include "dialects/support/Random.h"
#include "runtime/executor/DerivedInputs.h"
#include "runtime/graph/Part.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace smex;
using namespace smex::runtime;
using graph::Numbers;

namespace {

/// An input that a sample replaces.
struct Port {
  plan::Port port;
  TensorType type;     // the plan's
  Tensor value;        // all rows
  bool counts = false; // labels: some value counts for nothing
  size_t kind = 0;     // of its rows
};

using Batch = std::vector<Tensor>;

class Samples : public StepSource {
public:
  Samples(const plan::Program &program, const std::vector<RunGraph> &graphs,
          Sampling given)
      : program(program), sampling(std::move(given)), kinds(program) {
    for (const RunGraph &graph : graphs)
      names.push_back(graph.name);
    for (const plan::Port &port : program.inputs)
      ofGraph += graphOf(program, port) != nullptr;
  }

  /// What the rows of an input are of.
  std::optional<size_t> kindOf(const plan::Port &port) const {
    return kinds.of(port);
  }

  /// Number of the input among those that a step makes; those of the graphs are
  /// the first ones.
  int add(Port port) {
    ports.push_back(std::move(port));
    return ofGraph + int(ports.size()) - 1;
  }

  /// Once all inputs are there.
  Status open(std::vector<RunGraph> graphs) {
    if (sampling.parts == 0)
      if (Status opened = openNodes(); !opened)
        return opened;
    auto made =
        makeSampler(program, kinds, std::move(graphs), sampling, drawnKind);
    if (!made)
      return made.takeError();
    sampler = std::move(*made);
    return sampler->parts() ? openParts(*sampler->parts()) : Status();
  }

private:
  Status openParts(int64_t count) {
    drawn.resize(size_t(count));
    std::iota(drawn.begin(), drawn.end(), 0);
    if (drawn.empty())
      return fail("--parts: ", names[0], " has no nodes");
    if (const auto room = program.graphs[0].graphs;
        room && std::min(sampling.parts, count) > *room)
      return fail("--parts ", sampling.parts, ": the plan has room for ", *room,
                  " graphs: compile it with --dim graphs=", sampling.parts,
                  " or more, or take fewer");
    return {};
  }

  Status openNodes() {
    if (Status drawable = sampling.nodes ? openGiven() : openLabelled();
        !drawable)
      return drawable;
    const std::string &type = kinds.types()[drawnKind];
    const int64_t room = roomFor(drawnKind);
    const int64_t batch =
        sampling.nodes ? int64_t(drawn.size()) : sampling.batch;
    if (batch < 1 || batch > room)
      return fail(
          sampling.nodes ? "--nodes: " : "--batch ", batch,
          sampling.nodes ? " nodes, and" : ":", " the plan has room for ", room,
          " nodes: compile it with --dim ", type.empty() ? "nodes" : type,
          "=N for the batch and all that is sampled, or take a smaller "
          "batch");
    return {};
  }

  /// So many nodes of a type the plan has room for.
  int64_t roomFor(size_t type) const {
    for (size_t g = 0; g < program.graphs.size(); ++g) {
      if (kinds.destinations(g) == type)
        return program.graphs[g].nodes;
      if (kinds.sources(g) == type)
        return program.graphs[g].sourceNodes.value_or(0);
    }
    return 0;
  }

  /// The nodes that --nodes gives.
  Status openGiven() {
    const auto &types = kinds.types();
    const auto found = std::find(types.begin(), types.end(), sampling.type);
    if (found == types.end() && (types.size() > 1 || !sampling.type.empty())) {
      std::string known;
      for (const std::string &type : types)
        known += (known.empty() ? "\"" : ", \"") + type + "\"";
      return fail("--nodes ", sampling.type.empty() ? "" : sampling.type + "=",
                  "FILE: give it as TYPE=FILE, with a type of nodes: ", known);
    }
    drawnKind = found == types.end() ? 0 : size_t(found - types.begin());
    drawn = *sampling.nodes;
    return {};
  }

  Status openLabelled() {
    const char *const option = sampling.option();
    const auto labels =
        std::find_if(ports.begin(), ports.end(), [&](const Port &p) {
          return p.counts && p.kind < kinds.types().size();
        });
    if (labels == ports.end())
      return fail(option, ": the plan has no labels of nodes, ",
                  kinds.types().size() > 1
                      ? "or as many rows of them as nodes of two types, "
                      : "",
                  "or all of them count: compile it with --train --loss "
                  "cross_entropy, or with --counted");
    drawnKind = labels->kind;
    for (int64_t v = 0; v < labels->value.type.shape[0]; ++v)
      if (counts(*labels, v))
        drawn.push_back(v);
    if (drawn.empty())
      return fail(option, ": no node has a label that counts: all are ",
                  *labels->port.ignore);
    return {};
  }

  static int64_t rowBytes(const Tensor &tensor) {
    const int64_t rows = tensor.type.shape[0];
    return rows ? int64_t(tensor.bytes.size()) / rows : 0;
  }

  /// Whether some element of a node's labels is another value than the one that
  /// does not count.
  static bool counts(const Port &labels, int64_t node) {
    const int64_t bytes = rowBytes(labels.value);
    const int64_t size = byteSize(labels.value.type.dtype);
    const std::byte *row = labels.value.bytes.data() + node * bytes;
    for (int64_t at = 0; at < bytes; at += size) // low bytes: little-endian
      if (std::memcmp(row + at, &*labels.port.ignore, size_t(size)) != 0)
        return true;
    return false;
  }

  /// The nodes whose label counts in a step, or its parts, in an epoch's order.
  Numbers drawnIn(int64_t step) {
    if (sampling.nodes)
      return drawn;
    const int64_t all = int64_t(drawn.size());
    const int64_t batch =
        std::min(sampling.parts > 0 ? sampling.parts : sampling.batch, all);
    const int64_t steps = (all + batch - 1) / batch;
    if (step / steps != epoch) {
      epoch = step / steps;
      order = drawn;
      const Random random = Random(sampling.seed, "epochs").of(uint64_t(epoch));
      for (int64_t i = all - 1; i > 0; --i)
        std::swap(order[size_t(i)],
                  order[size_t(random.below(i + 1, uint64_t(i)))]);
    }
    const int64_t first = step % steps * batch;
    return {order.begin() + first,
            order.begin() + std::min(first + batch, all)};
  }

  Result<Batch> make(int step) override {
    auto batch = sample(step);
    if (!batch)
      return fail("step ", step + 1, ": ", batch.error().message);
    return batch;
  }

  Result<Batch> sample(int64_t step) {
    Numbers some = drawnIn(step);
    const uint64_t seed = Random(sampling.seed, "samples").bits(uint64_t(step));
    while (true) {
      const auto taken = sampler->take(some, seed);
      if (!taken)
        return taken.error();
      auto bound = bind(*taken, some.size());
      if (bound)
        return batchOf(*taken, some.size(), std::move(*bound));
      // Of parts, the last ones are left out until the others fit.
      if (sampling.parts == 0 || some.size() == 1)
        return bound;
      some.resize(some.size() - std::max<size_t>(1, some.size() / 16));
    }
  }

  /// The inputs that are of a graph, in their order.
  Result<Batch> bind(const Taken &taken, size_t count) const {
    std::vector<Batch> bound;
    for (size_t g = 0; g < names.size(); ++g) {
      const graph::Relation &relation = taken.relations[g];
      auto own = bindGraph(program, program.graphs[g], relation);
      if (!own)
        return fail(names[g], ": ", sampler->what(count), ", ",
                    kinds.sources(g) == kinds.destinations(g)
                        ? relation.destinationNodes
                        : relation.sourceNodes + relation.destinationNodes,
                    " nodes and ", relation.graph.edges(),
                    " edges in all: ", own.error().message);
      std::reverse(own->begin(), own->end()); // to be taken from the back
      bound.push_back(std::move(*own));
    }
    Batch batch;
    for (const plan::Port &port : program.inputs)
      if (const plan::GraphInputs *graph = graphOf(program, port)) {
        Batch &own = bound[size_t(graph - program.graphs.data())];
        batch.push_back(std::move(own.back()));
        own.pop_back();
      }
    return batch;
  }

  /// `count`: so many nodes, the first ones of their type, have labels that
  /// count; of parts, all have.
  Result<Batch> batchOf(const Taken &taken, size_t count, Batch batch) const {
    for (const Port &port : ports) {
      Numbers rows = taken.rows[port.kind];
      if (const auto graph = kinds.edgesOf(port.kind)) {
        auto values = edgeValues(taken, *graph, port, std::move(rows));
        if (!values)
          return values.takeError();
        batch.push_back(std::move(*values));
        continue;
      }
      int64_t own = int64_t(rows.size());
      if (port.counts && sampling.parts == 0)
        own = port.kind == drawnKind ? int64_t(count) : 0;
      rows.resize(size_t(port.type.shape[0]), -1);
      auto values = graph::gatherRows(port.value, rows);
      if (!values)
        return values.takeError();
      const int64_t bytes = rowBytes(*values);
      fillRows(port.port, *values, own * bytes,
               int64_t(values->bytes.size()) - own * bytes);
      batch.push_back(std::move(*values));
    }
    return batch;
  }

  /// Of edges, those that were taken in the plan's order.
  Result<Tensor> edgeValues(const Taken &taken, size_t graph, const Port &port,
                            const Numbers &old) const {
    const Numbers order =
        edgeRowsOf(program, program.graphs[graph], taken.relations[graph]);
    auto values = graph::gatherRows(port.value, old);
    if (!values)
      return values;
    return orderRows(port.port, port.type,
                     {std::move(*values), false, nullptr, 0},
                     int64_t(old.size()), order)
        .value;
  }

  const plan::Program &program;
  const Sampling sampling;
  const RowKinds kinds;
  std::vector<std::string> names; // of the graphs' files
  int ofGraph = 0;                // inputs
  std::vector<Port> ports;
  std::unique_ptr<Sampler> sampler;
  size_t drawnKind = 0; // of nodes that are drawn, their type
  Numbers drawn;        // from: nodes whose label counts, ascending; or parts

  /// The order of the last epoch that was asked for.
  int64_t epoch = -1;
  Numbers order;
};

} // namespace

Result<std::vector<Feed>> runtime::sampleFeeds(const plan::Program &program,
                                               std::vector<RunGraph> graphs,
                                               std::vector<Feed> feeds,
                                               const Sampling &sampling) {
  const auto samples = std::make_shared<Samples>(program, graphs, sampling);
  int ofGraph = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const plan::Port &port = program.inputs[i];
    const int buffer = program.buffers[size_t(port.buffer)].tensor;
    Feed &feed = feeds[i];
    const auto kind = samples->kindOf(port);
    if (graphOf(program, port))
      feed.number = ofGraph++;
    else if (kind)
      feed.number =
          samples->add({port, program.tensors[size_t(buffer)].type,
                        std::move(feed.value), port.ignore.has_value(), *kind});
    else
      continue;
    feed.value = Tensor();
    feed.source = samples;
  }
  if (Status opened = samples->open(std::move(graphs)); !opened)
    return opened.takeError();
  if (Status derived = deriveInputs(program, 1, feeds); !derived)
    return derived.takeError();
  return feeds;
}
