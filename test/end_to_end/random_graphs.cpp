// A graph network of the zoo on random graphs, with isolated nodes, self-loops,
// parallel edges and a hub: outputs, loss and all gradients of what is compiled
// (fused, batched, over segments, partitioned) against the interpreter, which
// applies one operator of the model after the other.
//
//   random_graphs MODEL.json any|acyclic|batch|relations GRAPHS
//
// batch: several side by side, some of them empty; relations: between users and
// items, as hetero-sage has them.
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/training/TrainingStep.h"
#include "test/end_to_end/Harness.h"
#include "test/runtime/graph/Graphs.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace smex;
using frontend::Model;

namespace {

using Arrays = std::map<std::string, Tensor>;

constexpr int64_t edgeTypes = 3;

/// The file; `source(node)` is the number of a source.
template <typename Source>
std::string writeGraph(const std::string &name, int64_t sources,
                       const graph::Graph &g, graph::Die &die, Source source) {
  const std::string path = test::scratchFolder() + "/" + name;
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate integer general\n"
       << sources << " " << g.nodes() << " " << g.edges() << "\n";
  for (int64_t e = 0; e < g.edges(); ++e)
    file << source(g.source(e)) + 1 << " " << g.destination(e) + 1 << " "
         << die.below(edgeTypes) << "\n";
  return path;
}

std::vector<std::string> writeGraph(const graph::Graph &g, graph::Die &die) {
  return {writeGraph("graph.mtx", g.nodes(), g, die,
                     [](int64_t node) { return node; })};
}

std::vector<std::string> writeBatch(const graph::Graph &first,
                                    graph::Die &die) {
  std::vector<std::string> files = writeGraph(first, die);
  for (int64_t more = die.below(4); more > 0; --more) {
    const graph::Graph next = graph::randomGraph(die);
    files.push_back(writeGraph(std::to_string(more) + ".mtx", next.nodes(),
                               next, die, [](int64_t node) { return node; }));
  }
  return files;
}

/// Users are the graph's nodes, items those of a second one; parallel edges
/// between the types where their number is small.
std::vector<std::string> writeRelations(const graph::Graph &users,
                                        graph::Die &die) {
  graph::Graph items = graph::randomGraph(die);
  if (items.nodes() == 0)
    items = graph::Graph::sound(1, {0, 0}, {0, 0});
  const auto among = [](int64_t count) {
    return [count](int64_t node) { return node % count; };
  };
  return {"follows=" + writeGraph("follows.mtx", users.nodes(), users, die,
                                  among(users.nodes())),
          "rates=" + writeGraph("rates.mtx", users.nodes(), items, die,
                                among(users.nodes())),
          "rated_by=" + writeGraph("rated_by.mtx", items.nodes(), users, die,
                                   among(items.nodes()))};
}

/// Reals of [-1, 1], or integers of an input's range.
Tensor drawn(graph::Die &die, const TensorType &type, int64_t low,
             int64_t high) {
  Tensor tensor = makeTensor(type);
  for (int64_t i = 0; i < *elementCount(type.shape); ++i)
    if (type.dtype == DType::F32)
      tensor.data<float>()[i] = float(die.below(2001) - 1000) / 1000;
    else
      tensor.data<int64_t>()[i] = low + die.below(high - low + 1);
  return tensor;
}

/// Parameters that are drawn when a plan runs get values of their own.
void fillParameters(Model &model, graph::Die &die) {
  for (frontend::Parameter &parameter : model.parameters) {
    if (parameter.data.kind != frontend::ParameterData::Kind::Drawn)
      continue;
    auto values = std::make_shared<Tensor>(
        drawn(die, model.values[size_t(parameter.value)].type, 0, 0));
    parameter.data.kind = frontend::ParameterData::Kind::Memory;
    parameter.data.bytes = values->bytes.data();
    parameter.data.keepAlive = values;
  }
}

Arrays drawInputs(const Model &model, graph::Die &die) {
  Arrays inputs;
  for (int input : model.inputs) {
    const frontend::Value &value = model.values[size_t(input)];
    const auto range = model.inputRanges.find(input);
    const bool known = range != model.inputRanges.end();
    inputs[value.name] = drawn(die, value.type, known ? range->second.low : 0,
                               known ? range->second.high : 0);
  }
  return inputs;
}

/// What each parameter is after a step, as further outputs.
void showUpdates(Model &model) {
  for (const frontend::Update &update : model.updates) {
    model.outputs.push_back(update.value);
    model.outputNames.push_back("next " +
                                model.values[size_t(update.parameter)].name);
  }
}

std::string difference(const Arrays &got, const Arrays &want) {
  for (const auto &[name, tensor] : want) {
    const auto found = got.find(name);
    if (found == got.end() || found->second.type != tensor.type)
      return "output \"" + name + "\" is not there";
    if (tensor.type.dtype != DType::F32)
      continue;
    double largest = 1;
    const int64_t count = *elementCount(tensor.type.shape);
    for (int64_t i = 0; i < count; ++i)
      largest = std::max(largest, std::abs(double(tensor.data<float>()[i])));
    for (int64_t i = 0; i < count; ++i) {
      const double a = found->second.data<float>()[i],
                   b = tensor.data<float>()[i];
      if (!(std::abs(a - b) <= 1e-5 * largest))
        return "output \"" + name + "\": " + std::to_string(a) + ", not " +
               std::to_string(b);
    }
  }
  return "";
}

/// Nothing, or what is wrong.
std::string tryGraphs(const std::string &path,
                      const std::vector<std::string> &graphs, graph::Die &die) {
  frontend::ImportOptions import;
  import.graphs = graphs;
  for (bool training : {false, true}) {
    import.training = training;
    auto model = frontend::importModel(path, import);
    if (!model)
      return model.error().message;
    if (training) {
      training::TrainingOptions options;
      options.learningRate = 1; // the next value shows the gradient
      model = test::withTrainingStep(std::move(*model), options);
      if (!model)
        return model.error().message;
      showUpdates(*model);
    }
    fillParameters(*model, die);
    const Arrays inputs = drawInputs(*model, die);
    const auto want = test::evaluate(*model, inputs);
    if (!want)
      return want.error().message;
    for (int64_t gpus : {1, 3}) {
      const auto got = test::runPartitioned(*model, inputs, gpus);
      if (!got)
        return got.error().message;
      const std::string problem = difference(*got, *want);
      if (!problem.empty())
        return std::to_string(gpus) + " GPUs, " +
               (training ? "a step of training: " : "") + problem;
    }
  }
  return "";
}

} // namespace

int main(int count, char **arguments) {
  if (count != 4)
    return 2;
  const std::string kind = arguments[2];
  const int wanted = std::atoi(arguments[3]);
  int done = 0;
  for (unsigned seed = 0; done < wanted; ++seed) {
    graph::Die die{std::mt19937(seed)};
    const graph::Graph g = graph::randomGraph(die, kind == "acyclic");
    if (g.nodes() == 0)
      continue;
    const std::string problem =
        tryGraphs(arguments[1],
                  kind == "relations" ? writeRelations(g, die)
                  : kind == "batch"   ? writeBatch(g, die)
                                      : writeGraph(g, die),
                  die);
    if (!problem.empty()) {
      std::fprintf(stderr, "seed %u, %lld nodes, %lld edges: %s\n", seed,
                   (long long)g.nodes(), (long long)g.edges(), problem.c_str());
      return 1;
    }
    ++done;
  }
  std::printf("%d graphs\n", done);
  return done > 0 ? 0 : 2;
}
