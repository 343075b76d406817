#include "runtime/executor/Samples.h"

#include "runtime/executor/DerivedInputs.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Components.h"
#include "runtime/graph/Sample.h"
#include "runtime/graph/Walk.h"
#include "support/Random.h"

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
  Tensor value;        // a row per node of the graph, or per part of it
  bool counts = false; // labels: some value counts for nothing
  bool perGraph = false;
};

using Batch = std::vector<Tensor>;

class Samples : public StepSource {
public:
  Samples(const plan::Program &program, RunGraph run, Sampling given)
      : program(program), run(std::move(run)), sampling(std::move(given)),
        in(graph::byDestination(this->run.relation.graph)) {
    for (const plan::Port &port : program.inputs)
      ofGraph += graphOf(program, port) != nullptr;
  }

  /// Number of the input among those that a step makes; those of the graph are
  /// the first ones.
  int add(Port port) {
    ports.push_back(std::move(port));
    return ofGraph + int(ports.size()) - 1;
  }

  /// Once all inputs are there.
  Status open() {
    if (sampling.walk > 0)
      backwards.emplace(graph::reversed(run.relation.graph));
    if (sampling.parts == 0)
      return openNodes();
    components.emplace(run.relation.graph);
    drawn.resize(size_t(components->count()));
    std::iota(drawn.begin(), drawn.end(), 0);
    if (drawn.empty())
      return fail("--parts: ", run.name, " has no nodes");
    if (const auto room = program.graphs[0].graphs;
        room && std::min(sampling.parts, components->count()) > *room)
      return fail("--parts ", sampling.parts, ": the plan has room for ", *room,
                  " graphs: compile it with --dim graphs=", sampling.parts,
                  " or more, or take fewer");
    return {};
  }

private:
  /// That samples come from.
  const char *option() const { return backwards ? "--walk" : "--sample"; }

  Status openNodes() {
    const auto labels = std::find_if(ports.begin(), ports.end(),
                                     [](const Port &p) { return p.counts; });
    if (labels == ports.end())
      return fail(option(),
                  ": the plan has no labels of nodes, or all of them count: "
                  "compile it with --train --loss cross_entropy");
    for (int64_t v = 0; v < run.relation.graph.nodes(); ++v)
      if (counts(*labels, v))
        drawn.push_back(v);
    if (drawn.empty())
      return fail(option(), ": no node has a label that counts: all are ",
                  *labels->port.ignore);
    if (sampling.batch < 1 || sampling.batch > program.graphs[0].nodes)
      return fail("--batch ", sampling.batch, ": the plan has room for ",
                  program.graphs[0].nodes,
                  " nodes: compile it with --dim nodes=N for the batch and all "
                  "that is sampled, or take a smaller batch");
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
    const int64_t all = int64_t(drawn.size());
    const int64_t batch =
        std::min(components ? sampling.parts : sampling.batch, all);
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

  /// What a step works on, and how many of its nodes, the first ones, count.
  struct Taken {
    graph::Part part;
    int64_t counted = 0;
    std::string what;   // for messages
    Numbers some = {};  // parts
    Numbers sizes = {}; // nodes of each
  };

  Result<Taken> take(int64_t step, const Numbers &some) {
    const std::string count = std::to_string(some.size());
    if (components) {
      graph::Part part = components->take(some);
      const int64_t nodes = part.graph.nodes();
      Taken taken{std::move(part), nodes,
                  count + (some.size() == 1 ? " part" : " parts"), some};
      for (int64_t each : some)
        taken.sizes.push_back(components->nodesOf(each));
      return taken;
    }
    const uint64_t seed = Random(sampling.seed, "samples").bits(uint64_t(step));
    auto part = backwards ? walked(some, seed) : neighbours(some, seed);
    if (!part)
      return fail(option(), ": ", part.error().message);
    return Taken{std::move(*part), int64_t(some.size()),
                 (backwards ? "walks from " : "a sample for ") + count +
                     (some.size() == 1 ? " node" : " nodes")};
  }

  Result<graph::Part> neighbours(const Numbers &nodes, uint64_t seed) const {
    const auto blocks = graph::sampleNeighbours(run.relation.graph, in, nodes,
                                                sampling.fanouts, seed);
    if (!blocks)
      return blocks.error();
    return graph::unite(*blocks);
  }

  Result<graph::Part> walked(const Numbers &starts, uint64_t seed) const {
    const auto walks =
        graph::randomWalks(*backwards, in, starts, sampling.walk, seed);
    if (!walks)
      return walks.error();
    graph::Part part = graph::walkedGraph(*backwards, *walks);
    part.graph = graph::reversed(part.graph);
    return part;
  }

  Result<Batch> sample(int64_t step) {
    Numbers some = drawnIn(step);
    while (true) {
      const auto taken = take(step, some);
      if (!taken)
        return taken.error();
      const graph::Part &part = taken->part;
      graph::Relation relation = graph::Relation::of(part.graph);
      relation.sizes = taken->sizes;
      if (!run.relation.types.empty())
        relation.types = graph::gather(run.relation.types, part.oldEdges);
      auto bound = bindGraph(program, program.graphs[0], std::move(relation));
      if (bound)
        return batchOf(*taken, std::move(*bound));
      // Of parts, the last ones are left out until the others fit.
      if (!components || some.size() == 1)
        return fail(run.name, ": ", taken->what, ", ", part.graph.nodes(),
                    " nodes and ", part.graph.edges(),
                    " edges in all: ", bound.error().message);
      some.resize(some.size() - std::max<size_t>(1, some.size() / 16));
    }
  }

  Result<Batch> batchOf(const Taken &taken, Batch batch) const {
    const graph::Part &part = taken.part;
    for (const Port &port : ports) {
      Numbers rows = port.perGraph ? taken.some : part.oldNodes;
      const int64_t all = int64_t(rows.size());
      rows.resize(size_t(port.type.shape[0]), -1);
      auto values = graph::gatherRows(port.value, rows);
      if (!values)
        return values.takeError();
      const int64_t bytes = rowBytes(*values);
      const int64_t own = port.counts && !port.perGraph ? taken.counted : all;
      fillRows(port.port, *values, own * bytes,
               int64_t(values->bytes.size()) - own * bytes);
      batch.push_back(std::move(*values));
    }
    return batch;
  }

  const plan::Program &program;
  const RunGraph run;
  const Sampling sampling;
  const graph::Rows in; // edges by destination
  /// With --walk: each edge the other way round; `in` has them by source.
  std::optional<graph::Graph> backwards;
  int ofGraph = 0; // inputs
  std::vector<Port> ports;
  std::optional<graph::Components> components; // with --parts
  Numbers drawn; // from: nodes whose label counts, ascending; or parts

  /// The order of the last epoch that was asked for.
  int64_t epoch = -1;
  Numbers order;
};

} // namespace

Result<std::vector<Feed>> runtime::sampleFeeds(const plan::Program &program,
                                               RunGraph graph,
                                               std::vector<Feed> feeds,
                                               const Sampling &sampling) {
  const auto isAmong = [](const std::vector<std::string> &names,
                          const plan::Port &port) {
    return std::find(names.begin(), names.end(), port.name) != names.end();
  };
  const plan::GraphInputs &names = program.graphs[0];
  const auto samples =
      std::make_shared<Samples>(program, std::move(graph), sampling);
  int ofGraph = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const plan::Port &port = program.inputs[i];
    const int buffer = program.buffers[size_t(port.buffer)].tensor;
    Feed &feed = feeds[i];
    const bool perGraph = isAmong(names.perGraph, port);
    if (graphOf(program, port))
      feed.number = ofGraph++;
    else if (perGraph || isAmong(names.perNode, port))
      feed.number = samples->add({port, program.tensors[size_t(buffer)].type,
                                  std::move(feed.value),
                                  port.ignore.has_value(), perGraph});
    else
      continue;
    feed.value = Tensor();
    feed.source = samples;
  }
  if (Status opened = samples->open(); !opened)
    return opened.takeError();
  if (Status derived = deriveInputs(program, 1, feeds); !derived)
    return derived.takeError();
  return feeds;
}
