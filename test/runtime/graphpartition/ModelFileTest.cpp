#include "runtime/graphpartition/ModelFile.h"
#include "test/runtime/graph/Graphs.h"

using namespace smex;
using namespace smex::graph;
using namespace smex::graphpartition;

namespace {

ModelFile example() {
  ModelFile file;
  file.model = "gcn.json";
  for (int64_t width : {602, 16}) {
    FittedLayer layer;
    layer.width = width;
    for (int64_t edges : {10, 20, 40})
      REQUIRE(layer.fit.add(
          {{4, edges, edges, edges, edges * width / 2}, 1e-6 * double(edges)},
          ""));
    layer.weights = layer.fit.weights();
    file.layers.push_back(layer);
  }
  return file;
}

std::string edited(std::string text, const std::string &from,
                   const std::string &to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a model is read back as it was written") {
  const ModelFile file = example();
  const std::string text = formatModelFile(file);
  const auto read = readModelFile(text, "m.json");
  REQUIRE(read);
  CHECK(formatModelFile(*read) == text);
  CHECK(read->model == "gcn.json");
  CHECK(read->weights() == file.weights());
  CHECK(read->layers[0].fit.weights() == file.layers[0].fit.weights());
  CHECK(read->layers[1].fit.timings() == 3);
}

TEST_CASE("sums may be left out") {
  const auto read = readModelFile(
      R"({"format": "smex-graph-cost-model", "version": 1, "model": "m",
          "layers": [{"width": 3, "weights": [1, 0, 0.5, 0, 2]}]})",
      "m.json");
  REQUIRE(read);
  CHECK(read->weights() == CostModel{{1, 0, 0.5, 0, 2}});
  CHECK(read->layers[0].fit.timings() == 0);
}

TEST_CASE("what is no model is refused") {
  const std::string text = formatModelFile(example());
  const auto message = [&](const std::string &from, const std::string &to) {
    return wrong(readModelFile(edited(text, from, to), "m.json"));
  };
  CHECK(message("smex-graph-cost-model", "smex-profile") ==
        "m.json: format: must be \"smex-graph-cost-model\"");
  CHECK(message("\"width\": 602", "\"width\": 0").find("layers[0].width") !=
        std::string::npos);
  CHECK(message("\"timings\": 3", "\"timings\": -3")
            .find("layers[0].fit.timings") != std::string::npos);
  CHECK(message("\"squares\": \"seconds\"", "\"squares\": \"cubes\"")
            .find("must be \"seconds\" or \"shares\"") != std::string::npos);
  CHECK(wrong(readModelFile(
            R"({"format": "smex-graph-cost-model", "version": 1, "model": "m",
                "layers": [{"width": 3, "weights": [1, 0, -0.5, 0, 2]}]})",
            "m.json")) ==
        "m.json: layers[0].weights[2]: must be a finite number, 0 or more");
  CHECK(wrong(readModelFile(
            R"({"format": "smex-graph-cost-model", "version": 1, "model": "m",
                "layers": [{"width": 3, "weights": [1]}]})",
            "m.json")) ==
        "m.json: layers[0].weights: must be 5 numbers, one per feature");
  CHECK(wrong(readModelFile(
            R"({"format": "smex-graph-cost-model", "version": 1, "model": "m",
                "layers": [{"width": 3, "weights": [1, 0, 1e308, 0, 2]}]})",
            "m.json")) ==
        "m.json: layers[0].weights: must be at most a million seconds each");
  CHECK(wrong(readModelFile("{", "m.json")).find("m.json: ") == 0);
}

TEST_CASE("a model of another network is named") {
  const ModelFile file = example();
  CHECK(layersFor(file, {602, 16}, "m.json"));
  CHECK(wrong(layersFor(file, {602, 32, 16}, "m.json")) ==
        "m.json: a cost model of another network, \"gcn.json\", whose layers "
        "pass messages of 602, 16 numbers; here they are of 602, 32, 16");
  CHECK(wrong(layersFor(file, {}, "m.json")) ==
        "m.json: a cost model of another network, \"gcn.json\", whose layers "
        "pass messages of 602, 16 numbers; here they are of none");
}

TEST_CASE("a model of training serves inference, without its gradients") {
  ModelFile file = example();
  for (const FittedLayer &layer : std::vector(file.layers)) {
    file.layers.push_back(layer);
    file.layers.back().gradient = file.layers.back().reversed = true;
    file.layers.back().weights[0] = 7;
  }
  const auto read = readModelFile(formatModelFile(file), "m.json");
  REQUIRE(read);
  // Instructions may be in another order than operators.
  const auto all = layersFor(*read, {16, 602, 602, 16}, "m.json");
  REQUIRE(all);
  REQUIRE(all->size() == 4);
  CHECK((*all)[3].reversed);
  CHECK((*all)[3].weights[0] == 7);
  const auto forward = layersFor(*read, {16, 602}, "m.json");
  REQUIRE(forward);
  REQUIRE(forward->size() == 2);
  for (const FittedLayer &layer : *forward)
    CHECK(!layer.gradient);
  CHECK(wrong(layersFor(*read, {602, 602, 602}, "m.json"))
            .find("another network") != std::string::npos);
}

TEST_CASE("a graph of few edges may have other numbers of the same widths") {
  const ModelFile file = example();
  const auto more = layersFor(file, {16, 602, 16, 16}, "m.json");
  REQUIRE(more);
  REQUIRE(more->size() == 4);
  for (size_t l : {0, 1, 2, 3}) {
    const FittedLayer &of = file.layers[l == 3 ? 0 : 1];
    CHECK((*more)[l].width == of.width);
    CHECK((*more)[l].weights == of.weights);
  }
}

TEST_CASE("a model that nothing was fitted to is refused") {
  ModelFile file = example();
  for (FittedLayer &layer : file.layers)
    layer.weights = {};
  CHECK(wrong(layersFor(file, {602, 16}, "m.json")) ==
        "m.json: all weights are 0: the model has been fitted to no timings");
}
