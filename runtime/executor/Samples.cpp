#include "runtime/executor/Samples.h"

#include "runtime/executor/DerivedInputs.h"
#include "runtime/graph/Sample.h"
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
  Tensor value;        // a row per node of the graph
  bool counts = false; // labels: some value counts for nothing
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
    const auto labels = std::find_if(ports.begin(), ports.end(),
                                     [](const Port &p) { return p.counts; });
    if (labels == ports.end())
      return fail("--sample: the plan has no labels of nodes, or all of them "
                  "count: compile it with --train --loss cross_entropy");
    for (int64_t v = 0; v < run.relation.graph.nodes(); ++v)
      if (counts(*labels, v))
        counted.push_back(v);
    if (counted.empty())
      return fail("--sample: no node has a label that counts: all are ",
                  *labels->port.ignore);
    if (sampling.batch < 1 || sampling.batch > program.graphs[0].nodes)
      return fail("--batch ", sampling.batch, ": the plan has room for ",
                  program.graphs[0].nodes,
                  " nodes: compile it with --dim nodes=N for the batch and all "
                  "that is sampled, or take a smaller batch");
    return {};
  }

private:
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

  /// The nodes whose label counts in a step, in an epoch's order.
  Numbers seedsOf(int64_t step) {
    const int64_t all = int64_t(counted.size());
    const int64_t batch = std::min(sampling.batch, all);
    const int64_t steps = (all + batch - 1) / batch;
    if (step / steps != epoch) {
      epoch = step / steps;
      order = counted;
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
    const Numbers seeds = seedsOf(step);
    const uint64_t seed = Random(sampling.seed, "samples").bits(uint64_t(step));
    const auto blocks = graph::sampleNeighbours(run.relation.graph, in, seeds,
                                                sampling.fanouts, seed);
    if (!blocks)
      return fail("--sample: ", blocks.error().message);
    const graph::Part part = graph::unite(*blocks);
    graph::Relation relation = graph::Relation::of(part.graph);
    if (!run.relation.types.empty())
      relation.types = graph::gather(run.relation.types, part.oldEdges);
    auto bound = bindGraph(program, program.graphs[0], std::move(relation));
    if (!bound)
      return fail(run.name, ": a sample for ", seeds.size(), " nodes, ",
                  part.graph.nodes(), " nodes and ", part.graph.edges(),
                  " edges in all: ", bound.error().message);
    Batch batch = std::move(*bound);
    for (const Port &port : ports) {
      Numbers rows = part.oldNodes;
      rows.resize(size_t(port.type.shape[0]), -1);
      auto values = graph::gatherRows(port.value, rows);
      if (!values)
        return values.takeError();
      const int64_t bytes = rowBytes(*values);
      // `seeds` are the first nodes of a sample.
      const int64_t own =
          port.counts ? int64_t(seeds.size()) : part.graph.nodes();
      fillRows(port.port, *values, own * bytes,
               int64_t(values->bytes.size()) - own * bytes);
      batch.push_back(std::move(*values));
    }
    return batch;
  }

  const plan::Program &program;
  const RunGraph run;
  const Sampling sampling;
  const graph::Rows in;
  int ofGraph = 0; // inputs
  std::vector<Port> ports;
  Numbers counted; // nodes whose label counts, ascending

  /// The order of the last epoch that was asked for.
  int64_t epoch = -1;
  Numbers order;
};

} // namespace

Result<std::vector<Feed>> runtime::sampleFeeds(const plan::Program &program,
                                               RunGraph graph,
                                               std::vector<Feed> feeds,
                                               const Sampling &sampling) {
  const std::vector<std::string> &perNode = program.graphs[0].perNode;
  const auto isPerNode = [&](const plan::Port &port) {
    return std::find(perNode.begin(), perNode.end(), port.name) !=
           perNode.end();
  };
  const auto samples =
      std::make_shared<Samples>(program, std::move(graph), sampling);
  int ofGraph = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const plan::Port &port = program.inputs[i];
    const int buffer = program.buffers[size_t(port.buffer)].tensor;
    Feed &feed = feeds[i];
    if (graphOf(program, port))
      feed.number = ofGraph++;
    else if (isPerNode(port))
      feed.number =
          samples->add({port, program.tensors[size_t(buffer)].type,
                        std::move(feed.value), port.ignore.has_value()});
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
