// A graph network of the zoo on random graphs, with isolated nodes, self-loops,
// parallel edges and a hub: outputs, loss and all gradients of what is compiled
// (fused, batched, over segments, partitioned) against the interpreter, which
// applies one operator of the model after the other.
//
//   random_graphs MODEL.json any|acyclic GRAPHS
#include "compiler/training/TrainingGraph.h"
#include "test/compiler/frontend/evaluate.h"
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

void writeGraph(const std::string &path, const graph::Graph &g, graph::Die &die,
                int64_t types) {
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate integer general\n"
       << g.nodes() << " " << g.nodes() << " " << g.edges() << "\n";
  for (int64_t e = 0; e < g.edges(); ++e)
    file << g.source(e) + 1 << " " << g.destination(e) + 1 << " "
         << die.below(types) << "\n";
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
std::string tryGraph(const std::string &path, const graph::Graph &g,
                     graph::Die &die) {
  frontend::ImportOptions import;
  import.graphs = {test::scratchFolder() + "/graph.mtx"};
  writeGraph(import.graphs[0], g, die, 3);
  for (bool training : {false, true}) {
    import.training = training;
    auto model = frontend::importModel(path, import);
    if (!model)
      return model.error().message;
    if (training) {
      training::TrainingOptions options;
      options.learningRate = 1; // the next value shows the gradient
      model = training::buildTrainingGraph(std::move(*model), options);
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
  const bool acyclic = std::string(arguments[2]) == "acyclic";
  const int wanted = std::atoi(arguments[3]);
  int done = 0;
  for (unsigned seed = 0; done < wanted; ++seed) {
    graph::Die die{std::mt19937(seed)};
    const graph::Graph g = graph::randomGraph(die, acyclic);
    if (g.nodes() == 0)
      continue;
    const std::string problem = tryGraph(arguments[1], g, die);
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
