// make_graph: draws a graph for a measurement and writes it as scipy's .npz.
//
//   make_graph uniform --nodes N --edges M -o FILE    Erdos-Renyi
//   make_graph rmat --nodes N --edges M [--order degree] -o FILE    hubs
//   make_graph trees --trees N [--first I] -o FILE    like a treebank's
#include "dialects/support/Version.h"
#include "examples/bench/DrawnGraph.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <limits>

using namespace smex;
using namespace smex::bench;

int main(int argc, char **argv) {
  CLI::App app("Draws a graph at random, for measurements.", "make_graph");
  int64_t nodes = 0, edges = 0, first = 0, trees = 0, words = 19;
  uint64_t seed = 1;
  std::string output;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  const auto kind = [&](const char *name, const char *what) {
    CLI::App *command = app.add_subcommand(name, what);
    command->add_option("--seed", seed)->capture_default_str();
    command->add_option("-o", output, "scipy's CSR, .npz")->required();
    return command;
  };
  CLI::App *uniform = kind("uniform", "edges between any two nodes alike");
  CLI::App *rmat = kind("rmat", "R-MAT: few hubs");
  for (CLI::App *command : {uniform, rmat}) {
    command->add_option("--nodes", nodes)
        ->required()
        ->check(CLI::Range(int64_t(1), most));
    command->add_option("--edges", edges)
        ->required()
        ->check(CLI::Range(int64_t(0), int64_t(1) << 40));
  }
  double skew = 0.76;
  rmat->add_option("--skew", skew,
                   "0.5: none; 0.76: Graph500's; 0.62: Reddit's")
      ->check(CLI::Range(0.5, 0.9))
      ->capture_default_str();
  std::string order = "random";
  rmat->add_option("--order", order,
                   "of nodes; communities: halves, their halves and so on are "
                   "nodes with more edges among themselves; degree: those that "
                   "the most edges lead to come first")
      ->check(CLI::IsMember({"random", "communities", "degree"}))
      ->capture_default_str();
  CLI::App *forest = kind("trees", "binary trees, edges to the parent");
  forest->add_option("--trees", trees)
      ->required()
      ->check(CLI::Range(int64_t(0), int64_t(1) << 20));
  forest->add_option("--first", first, "number of the first tree")
      ->check(CLI::Range(int64_t(0), most))
      ->capture_default_str();
  forest->add_option("--words", words, "leaves of a tree, on average")
      ->check(CLI::Range(4, 1000))
      ->capture_default_str();
  app.require_subcommand(1);
  app.add_flag_callback(
      "--version", [] { throw CLI::CallForVersion(versionText, 0); },
      "print the version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    std::cerr << "make_graph: error: " << error.what() << "\n";
    return int(Fault::Usage);
  }

  DrawnGraph graph =
      *uniform ? drawUniform(nodes, edges, seed)
      : *rmat  ? drawRmat(nodes, edges, skew, seed, order == "communities")
               : drawTrees(first, trees, words, seed);
  if (order == "degree")
    graph = inOrderOfDegree(graph);
  if (Status ok = writeGraph(output, graph); !ok) {
    std::cerr << "make_graph: error: " << ok.error().message << "\n";
    return int(ok.error().fault);
  }
  return 0;
}
