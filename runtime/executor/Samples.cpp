#include "runtime/executor/Samples.h"

#include "dialects/support/Random.h"
#include "runtime/executor/DerivedInputs.h"
#include "runtime/graph/Part.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_set>

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
      if (Status opened = openBatches(); !opened)
        return opened;
    const Drawn what = {drawnKind, kinds.edgesOf(drawnKind)};
    auto made = makeSampler(program, kinds, std::move(graphs), sampling, what);
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

  Status openBatches() {
    if (Status drawable = sampling.nodes ? openGiven() : openLabelled();
        !drawable)
      return drawable;
    if (kinds.edgesOf(drawnKind))
      return {};
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

  /// The nodes, or edges, whose labels count.
  Status openLabelled() {
    const char *const option = sampling.option();
    const auto labels =
        std::find_if(ports.begin(), ports.end(), [&](const Port &p) {
          const auto edges = kinds.edgesOf(p.kind);
          return p.counts && p.kind != kinds.types().size() &&
                 (!edges || program.graphs[*edges].layer <= 0);
        });
    if (labels == ports.end())
      return fail(option, ": ", noLabels());
    drawnKind = labels->kind;
    const char *const each = kinds.edgesOf(drawnKind) ? "edge" : "node";
    if (const int64_t room = labels->type.shape[0];
        kinds.edgesOf(drawnKind) && sampling.batch > room)
      return fail("--batch ", sampling.batch, ": the plan has room for ", room,
                  " edges: compile it with more of them, for the batch and all "
                  "that is sampled, or take a smaller batch");
    for (int64_t v = 0; v < labels->value.type.shape[0]; ++v)
      if (counts(*labels, v))
        drawn.push_back(v);
    if (drawn.empty())
      return fail(option, ": no ", each, " has a label that counts: all are ",
                  *labels->port.ignore);
    return {};
  }

  /// Why there is nothing to draw.
  std::string noLabels() const {
    const bool isTrained =
        std::any_of(program.outputs.begin(), program.outputs.end(),
                    [](const plan::Port &output) { return output.loss; });
    if (!isTrained)
      return "the plan has no labels of nodes or edges to draw a batch by: "
             "give the nodes that results are wanted of with --nodes, or "
             "compile it with --train";
    return std::string("nothing tells the plan which nodes or edges are a "
                       "batch's, and which were only sampled: ") +
           (kinds.types().size() > 1
                ? "its labels have as many rows as there are nodes of two "
                  "types, or all of them count; "
                : "") +
           "compile it with --loss cross_entropy, with --counted, or, where "
           "the model computes its loss, with --counted=NAME of an input by "
           "which the loss leaves out the others";
  }

  static int64_t rowBytes(const Tensor &tensor) {
    const int64_t rows = tensor.type.shape[0];
    return rows ? int64_t(tensor.bytes.size()) / rows : 0;
  }

  /// Whether some element of a row of labels is another value than the one that
  /// does not count.
  static bool counts(const Port &labels, int64_t number) {
    const int64_t bytes = rowBytes(labels.value);
    const int64_t size = byteSize(labels.value.type.dtype);
    const std::byte *row = labels.value.bytes.data() + number * bytes;
    for (int64_t at = 0; at < bytes; at += size) // low bytes: little-endian
      if (std::memcmp(row + at, &*labels.port.ignore, size_t(size)) != 0)
        return true;
    return false;
  }

  /// The nodes or edges whose label counts in a step, or its parts, in an
  /// epoch's order.
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
        return batchOf(*taken, some, std::move(*bound));
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

  /// Only of `some`, nodes that are the first ones of their type, or edges,
  /// labels count; of parts, all do.
  Result<Batch> batchOf(const Taken &taken, const Numbers &some,
                        Batch batch) const {
    for (const Port &port : ports) {
      Numbers rows = taken.rows[port.kind];
      if (const auto graph = kinds.edgesOf(port.kind)) {
        const bool all = !port.counts || sampling.parts > 0 || sampling.nodes;
        auto values = edgeValues(taken, *graph, port, std::move(rows),
                                 all ? nullptr : &some);
        if (!values)
          return values.takeError();
        batch.push_back(std::move(*values));
        continue;
      }
      int64_t own = int64_t(rows.size());
      if (port.counts && sampling.parts == 0)
        own = port.kind == drawnKind ? int64_t(some.size()) : 0;
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

  /// Of edges, those that were taken in the plan's order. `counted`: labels of
  /// others than these, if some are given, do not count.
  Result<Tensor> edgeValues(const Taken &taken, size_t graph, const Port &port,
                            const Numbers &old, const Numbers *counted) const {
    const Numbers order =
        edgeRowsOf(program, program.graphs[graph], taken.relations[graph]);
    auto values = graph::gatherRows(port.value, old);
    if (!values)
      return values;
    if (counted) {
      std::unordered_set<int64_t> among; // of other edges, none is drawn
      if (port.kind == drawnKind)
        among.insert(counted->begin(), counted->end());
      const int64_t bytes = rowBytes(*values);
      for (size_t e = 0; e < old.size(); ++e)
        if (!among.count(old[e]))
          fillRows(port.port, *values, int64_t(e) * bytes, bytes);
    }
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
  size_t drawnKind = 0; // of rows: of nodes that are drawn, their type
  /// From: nodes or edges whose label counts, ascending; or parts.
  Numbers drawn;

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
