#include "runtime/balance/LayerTimes.h"
#include "test/runtime/executor/Programs.h"
#include "test/runtime/graph/Graphs.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::balance;
using namespace smex::graph;
using namespace smex::graphpartition;
using runtime::TraceEvent;

namespace {

constexpr int64_t vertices = 8, edges = 40;
/// Where in-edges begin: low vertices have most of them.
const Numbers offsets = {0, 20, 30, 34, 36, 37, 38, 39, 40};

Numbers sources() {
  Numbers list;
  for (int64_t e = 0; e < edges; ++e)
    list.push_back(e * 3 % vertices);
  return list;
}

/// Two workers: a dense product and a sum over in-edges of 4 numbers each, an
/// activation, and a sum over edges turned round that only a parameter's next
/// value depends on. Worker 0 has vertices below `bound`; the activation is cut
/// by its features instead.
struct Network {
  explicit Network(int64_t bound) : b(2) {
    const auto rows = [&](int64_t width) -> std::vector<Box> {
      return {{{0, bound}, {0, width}}, {{bound, vertices}, {0, width}}};
    };
    const std::vector<Box> all = {{{0, vertices}, {0, 4}},
                                  {{0, vertices}, {0, 4}}};
    const auto list = [&](const std::string &name, int64_t length) {
      tensors.push_back(b.tensor(name, {length}, DType::I32));
      return b.buffer(tensors.back(), std::vector<Box>(2, Box{{0, length}}));
    };
    const int x = b.buffer(b.tensor("x", {vertices, 4}), all);
    const int in = list("in", vertices + 1), from = list("from", edges);
    const int out = list("out", vertices + 1), to = list("to", edges);
    const int dense = b.buffer(b.tensor("dense", {vertices, 4}), rows(4));
    const int whole = b.buffer(b.tensor("whole", {vertices, 4}), all);
    const int sum = b.buffer(b.tensor("sum", {vertices, 4}), rows(4));
    const std::vector<Box> halves = {{{0, vertices}, {0, 1}},
                                     {{0, vertices}, {1, 4}}};
    const int active = b.buffer(b.tensor("active", {vertices, 4}), halves);
    const int back = b.buffer(b.tensor("back", {vertices, 4}), rows(4));
    const int map = b.kernel(plan::KernelKind::Generated,
                             "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1]");
    const int message = b.kernel(
        plan::KernelKind::Generated,
        "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: "
        "Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < "
        "i64(x2[i0 + 1]))");
    const std::vector<Box> sums = {{{0, bound}, {0, 4}, {0, edges}},
                                   {{bound, vertices}, {0, 4}, {0, edges}}};
    b.compute("dense", map, {x}, dense, rows(4));
    b.move("whole", plan::Opcode::Fetch, dense, whole, {{}, {}}, {});
    b.compute("sum", message, {from, whole, in}, sum, sums);
    b.compute("active", map, {sum}, active, halves);
    b.compute("back", message, {to, active, out}, back, sums);
    auto &program = b.result.program;
    program.instructions[2].reductions = {edges};
    program.instructions[4].reductions = {edges};
    program.outputs = {{"y", active}};
    program.parameters.resize(1);
    program.parameters[0].name = "w";
    program.parameters[0].buffer = x;
    program.parameters[0].next = back;
  }

  Result<std::unique_ptr<LayerTimes>> times() {
    return LayerTimes::open(
        b.result, "net.json", [&](int tensor) -> Result<Numbers> {
          // The same graph in both directions, for what is turned round.
          const auto at = std::find(tensors.begin(), tensors.end(), tensor) -
                          tensors.begin();
          return at % 2 == 0 ? offsets : sources();
        });
  }

  runtime::ProgramBuilder b;
  std::vector<int> tensors; // in, from, out, to
};

std::vector<TraceEvent> step(const std::vector<std::vector<double>> &seconds) {
  std::vector<TraceEvent> events;
  const int instructions[] = {0, 2, 3, 4};
  for (size_t w = 0; w < seconds.size(); ++w)
    for (size_t i = 0; i < seconds[w].size(); ++i)
      events.push_back({int(w), instructions[i], 0, seconds[w][i]});
  return events;
}

double edgesOf(int64_t first, int64_t last) {
  return double(offsets[size_t(last)] - offsets[size_t(first)]);
}

} // namespace

TEST_CASE("layers are sums over edges, with what is per vertex") {
  const Network network(2);
  const auto found = layersOf(network.b.result.program);
  REQUIRE(found);
  REQUIRE(found->layers.size() == 2);
  const MessageLayer &first = found->layers[0], &second = found->layers[1];
  CHECK(first.instruction == 2);
  CHECK(first.vertices == vertices);
  CHECK(first.edges == edges);
  CHECK(first.width == 4);
  CHECK(first.offsets == network.tensors[0]);
  CHECK(first.ends == network.tensors[1]);
  CHECK(!first.gradient);
  CHECK(!first.reversed);
  CHECK(second.gradient);
  CHECK(second.reversed);
  const int layers[] = {0, -1, 0, 0, 1};
  for (size_t i = 0; i < found->members.size(); ++i)
    CHECK(found->members[i].layer == layers[i]);
}

TEST_CASE("a fit knows what layers took, and where ranges should lie") {
  // A vertex takes 2 microseconds in the product, 1 in the activation, and an
  // edge 3. Turned round, each vertex has 5 edges.
  std::unique_ptr<LayerTimes> last;
  std::vector<std::unique_ptr<Network>> networks;
  std::optional<ModelFile> fitted;
  for (int64_t bound : {4, 2, 6, 1, 3}) {
    networks.push_back(std::make_unique<Network>(bound));
    auto times = networks.back()->times();
    REQUIRE(times);
    last = std::move(*times);
    if (fitted)
      REQUIRE(last->resume(*fitted, "m.json"));
    std::vector<std::vector<double>> seconds;
    const Interval ranges[] = {{0, bound}, {bound, vertices}};
    for (int w = 0; w < 2; ++w) {
      const auto n = double(ranges[w].size());
      const double e = edgesOf(ranges[w].lo, ranges[w].hi);
      // The activation is of all vertices, one number of four or three.
      seconds.push_back({2e-6 * n, 3e-6 * e,
                         1e-6 * double(vertices) * (w == 0 ? 0.25 : 0.75),
                         3e-6 * 5 * n});
    }
    last->add(step(seconds));
    last->add(step(seconds));
    CHECK(last->timings() == 8);
    CHECK(last->leftOut() == 0);
    fitted = last->model();
  }
  REQUIRE(fitted->layers.size() == 2);
  CHECK(fitted->layers[0].fit.timings() == 20);
  CHECK(fitted->layers[1].reversed);
  // Vertices take 78, 48, 30, 24 microseconds, and four times 21.
  Network again(4);
  auto times = again.times();
  REQUIRE(times);
  REQUIRE((*times)->resume(*fitted, "m.json"));
  CHECK(!(*times)->gain()); // nothing was measured
  (*times)->add(
      step({{8e-6, 108e-6, 2e-6, 60e-6}, {8e-6, 12e-6, 6e-6, 60e-6}}));
  CHECK((*times)->imbalance() == Approx(178. / 132));
  CHECK((*times)->predictedImbalance() == Approx(180. / 132).epsilon(0.01));
  const auto gain = (*times)->gain();
  REQUIRE(gain);
  CHECK(gain->movedVertices == 2);
  CHECK(gain->now == Approx(180e-6).epsilon(0.01));
  CHECK(gain->then == Approx(138e-6).epsilon(0.01));
  CHECK(gain->error == Approx(2e-6).epsilon(0.5));
}

TEST_CASE(
    "where edges are divided, a layer's vertices are those they lead to") {
  // Worker 0 has the edges that lead to the first two vertices, and of the
  // graph turned round, whose rows are of 5 edges each, 30 of 40.
  Network network(vertices);
  auto &partitioned = network.b.result;
  for (int layer : {2, 4}) {
    plan::indicesOf(partitioned, 0, layer) = {{0, vertices}, {0, 4}, {0, 30}};
    plan::indicesOf(partitioned, 1,
                    layer) = {{0, vertices}, {0, 4}, {30, edges}};
  }
  const auto found = layersOf(partitioned.program);
  REQUIRE(found);
  CHECK(edgesOfMessages(partitioned, 1, found->layers[0]) ==
        Interval{30, edges});
  CHECK(restOfMessages(partitioned, 0, found->layers[0]) == Approx(1));
  auto times = network.times();
  REQUIRE(times);
  (*times)->add(step({{0, 90e-6, 0, 90e-6}, {0, 30e-6, 0, 30e-6}}));
  CHECK((*times)->timings() == 4);
  // The fit has seen ranges of 2 and 6 vertices, turned round of 6 and 2.
  const auto sums = (*times)->model().layers[0].fit.sums();
  CHECK(sums.products[0][0] == 2 * 2 + 6 * 6);
  CHECK(sums.products[1][1] == 30 * 30 + 10 * 10);
  const auto turned = (*times)->model().layers[1].fit.sums();
  CHECK(turned.products[0][0] == 6 * 6 + 2 * 2);
  CHECK(turned.products[1][1] == 30 * 30 + 10 * 10);
  CHECK(turned.seconds[0] == Approx(6 * 90e-6 + 2 * 30e-6));
}

TEST_CASE("ranges that are the best already gain nothing") {
  Network network(2);
  auto times = network.times();
  REQUIRE(times);
  for (int i = 0; i < 3; ++i)
    (*times)->add(
        step({{4e-6, 90e-6, 2e-6, 30e-6}, {12e-6, 30e-6, 6e-6, 90e-6}}));
  CHECK(!(*times)->gain());
  CHECK((*times)->predictedImbalance() < 1.06);
}

TEST_CASE("timings that are none are left out, and counted") {
  Network network(4);
  auto times = network.times();
  REQUIRE(times);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  (*times)->add(step({{0, 0, 0, nan}, {1e-6, infinite, 1e-6, 1e-6}}));
  CHECK((*times)->leftOut() == 3);
  CHECK((*times)->timings() == 1);
  CHECK(std::isfinite((*times)->imbalance()));
  CHECK(std::isfinite((*times)->predictedImbalance()));
  for (const FittedLayer &layer : (*times)->model().layers)
    for (double weight : layer.weights)
      CHECK(std::isfinite(weight));
}

TEST_CASE("a worker without vertices has no timing") {
  Network network(vertices);
  auto times = network.times();
  REQUIRE(times);
  (*times)->add(step({{1e-6, 1e-6, 1e-6, 1e-6}, {1e-9, 1e-9, 1e-9, 1e-9}}));
  CHECK((*times)->timings() == 2);
  CHECK((*times)->leftOut() == 0);
}

TEST_CASE("what cannot be fitted is said") {
  Network network(4);
  auto times = network.times();
  REQUIRE(times);
  ModelFile other = (*times)->model();
  other.model = "other.json";
  other.layers[1].width = 5;
  const Status status = (*times)->resume(other, "m.json");
  REQUIRE(!status);
  CHECK(status.error().message ==
        "m.json: a cost model of another network, \"other.json\", whose layers "
        "pass messages of 4, 5 numbers; here they are of 4, 4, gradients among "
        "them");
  network.b.result.program.instructions[2].reductions = {edges - 1};
  network.b.result.program.instructions[4].reductions = {edges - 1};
  CHECK(wrong(network.times()) ==
        "net.json: no layer reads vertices by a list of edges");
  runtime::ProgramBuilder none(1);
  CHECK(wrong(LayerTimes::open(none.result, "mlp.json", {})) ==
        "mlp.json: passes no messages over all edges of a graph: a cost model "
        "is of a graph network's layers, and of none in buckets or levels of "
        "nodes; --graph-partition equal-edges divides those without one");
}
