// The example of runtime/graph/README.md, run.
#include "runtime/graph/Batch.h"
#include "runtime/graph/Bind.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Sample.h"
#include "test/runtime/graph/Graphs.h"

#include <cstdlib>
#include <fstream>

using namespace smex;

namespace {
struct Inputs {
  Tensor features;
  graph::Ends ends;
};

// README: begin
Result<Inputs> sampleOf(const std::string &file, const Tensor &features,
                        const graph::Numbers &nodes, uint64_t step) {
  const auto graph = graph::readGraph(file);
  if (!graph)
    return graph.error();
  const graph::Rows in = graph::byDestination(*graph);
  const auto blocks =
      graph::sampleNeighbours(*graph, in, nodes, {10, 25}, step);
  if (!blocks)
    return blocks.error();
  const graph::Part part = graph::unite(*blocks); // rows 0, 1, ..: `nodes`
  const auto rows = graph::gatherRows(features, part.oldNodes);
  if (!rows)
    return rows.error();
  return Inputs{*rows, graph::endsOf(graph::withSelfLoops(part.graph).graph)};
}
// README: end
} // namespace

TEST_CASE("the README's example does what it says") {
  const char *folder = std::getenv("TEST_TMPDIR");
  const std::string file = std::string(folder ? folder : ".") + "/edges.txt";
  std::ofstream(file) << "0 1\n2 1\n3 2\n4 0\n5 4\n6 3\n";
  Tensor features = makeTensor({DType::F32, {7, 2}});
  for (int i = 0; i < 14; ++i)
    features.data<float>()[i] = float(i);
  const auto inputs = sampleOf(file, features, {1}, 0);
  REQUIRE(inputs);
  // Two steps back from node 1: 0 and 2, then 4 and 3; 5 and 6 are too far.
  CHECK(inputs->features.type == TensorType{DType::F32, {5, 2}});
  const float *rows = inputs->features.data<float>();
  CHECK(std::vector<float>(rows, rows + 10) ==
        std::vector<float>{2, 3, 0, 1, 4, 5, 8, 9, 6, 7});
  CHECK(inputs->ends.sources.type == TensorType{DType::I64, {9}});
  CHECK_FALSE(sampleOf(file, features, {9}, 0));
  CHECK_FALSE(sampleOf(file + ".none", features, {1}, 0));
}

TEST_CASE("the README holds the example as it is here") {
  const auto read = [](const char *path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string code = read("test/runtime/graph/ExampleTest.cpp");
  const std::string begin = "// README: begin\n";
  const size_t from = code.find(begin) + begin.size();
  std::string example = code.substr(from, code.find("// README: end") - from);
  REQUIRE(example.find("unite") != std::string::npos);
  std::string indented;
  for (size_t line = 0; line < example.size();) {
    const size_t end = example.find('\n', line) + 1;
    indented += "    " + example.substr(line, end - line);
    line = end;
  }
  CHECK(read("runtime/graph/README.md").find(indented) != std::string::npos);
}
