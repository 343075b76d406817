#include "tools/smexc/Import.h"

#include "dialects/support/File.h"
#include "dialects/support/Sha256.h"
#include "runtime/graph/Fanouts.h"
#include "tools/OptionChecks.h"

#include <charconv>

using namespace smex;
using namespace smex::tools;

namespace {

/// NAME=VALUE; names may hold '=' only in the value.
Result<std::pair<std::string, std::string>> split(const std::string &text,
                                                  const char *option) {
  const size_t at = text.find('=');
  if (at == 0 || at == std::string::npos)
    return Error{std::string(option) + " " + text + ": give it as NAME=VALUE",
                 Fault::Usage};
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

/// NAME=VALUE, the value a number that is `least` or more.
Result<std::pair<std::string, int64_t>>
splitNumber(const std::string &text, const char *option, int64_t least) {
  auto pair = split(text, option);
  if (!pair)
    return pair.takeError();
  int64_t value = 0;
  const char *end = pair->second.c_str() + pair->second.size();
  const auto parsed = std::from_chars(pair->second.c_str(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < least)
    return Error{std::string(option) + " " + text +
                     ": the value must be a number, " + std::to_string(least) +
                     " or more",
                 Fault::Usage};
  return std::pair(std::move(pair->first), value);
}

} // namespace

Status smex::tools::bind(ImportArguments &arguments) {
  for (const std::string &text : arguments.dims) {
    auto pair = splitNumber(text, "--dim", 0);
    if (!pair)
      return pair.takeError();
    arguments.options.dims[pair->first] = pair->second;
  }
  for (const std::string &text : arguments.bounds) {
    auto pair = splitNumber(text, "--bound", 1);
    if (!pair)
      return pair.takeError();
    if (!arguments.options.bounds.insert(*pair).second)
      return Error{"--bound " + text + ": \"" + pair->first +
                       "\" has a bound already",
                   Fault::Usage};
  }
  if (const auto room = arguments.options.graphRoom; room && !(*room >= 0))
    return Error{"--graph-room: the share must be a number", Fault::Usage};
  // A layer that samples 0 neighbours reads none.
  auto fanouts = graph::parseFanouts("--sample-layers", arguments.layers, 1);
  if (!fanouts)
    return fanouts.takeError();
  if (!fanouts->isEmpty())
    arguments.options.sampleLayers =
        frontend::LayerSamples{std::move(*fanouts), arguments.batch};
  for (const std::string &text : arguments.constants) {
    auto pair = split(text, "--constant");
    if (!pair)
      return pair.takeError();
    arguments.options.constants[pair->first] = pair->second;
  }
  return {};
}

void smex::tools::declareImport(CLI::App &app, ImportArguments &arguments) {
  app.add_option("--dim", arguments.dims,
                 "NAME=VALUE: binds a symbolic dimension");
  app.add_option("--constant", arguments.constants,
                 "NAME=FILE: binds an input at compile time");
  app.add_option("--bound", arguments.bounds,
                 "NAME=ROWS: the most rows that a node chooses by values (ONNX "
                 "NonZero, Compress, Unique, NonMaxSuppression, Slice), by its "
                 "name or its first output's; a run with more is refused");
  auto *graph =
      app.add_option("--graph", arguments.options.graphs,
                     "FILE: the graph of a message-passing model: scipy's CSR "
                     ".npz, Matrix Market .mtx, or a list of edges; of a model "
                     "with several, NAME=FILE each; several files are a batch, "
                     "side by side")
          ->allow_extra_args(false);
  app.add_option("--graph-room", arguments.options.graphRoom,
                 "SHARE: the graph is a sample; the plan has room for so much "
                 "more of all, 0.25 for a quarter, and each run gives its own "
                 "with smex-run --graph")
      ->check(CLI::Range(0.0, 100.0))
      ->needs(graph);
  auto *layers =
      app.add_option("--sample-layers", arguments.layers,
                     "layers have edges of their own, each with room for what "
                     "smex-run --sample-layers then samples for it: so many "
                     "neighbours of each node, for each layer of the network, "
                     "the first one first; -1: all of them; of several graphs, "
                     "in each, or with a graph's NAME= in that one; at most "
                     "what --dim has room for")
          ->allow_extra_args(false)
          ->check(isNoOption())
          ->type_name("[NAME=]N,N,..")
          ->excludes(graph);
  auto *batch = app.add_option("--batch", arguments.batch,
                               "nodes, or edges where labels are of edges, "
                               "that --sample-layers is for in each step")
                    ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
                    ->needs(layers);
  layers->needs(batch);
  app.add_flag("--draw-missing-weights", arguments.options.drawMissingWeights,
               "plans an ONNX model whose weights are not there: they are "
               "drawn when the plan runs, or given with smex-run "
               "--parameters");
  app.add_option("--ops", arguments.options.opsFiles,
                 "FILE: more operators, as lambdas");
}

Result<std::string>
smex::tools::hashFiles(const std::vector<std::string> &files) {
  Sha256 hash;
  std::vector<char> buffer(size_t(1) << 20);
  for (const std::string &path : files) {
    const auto file = InputFile::open(path);
    if (!file)
      return file.error();
    int64_t length = 0;
    for (;;) {
      const auto got = file->readAt(length, buffer.data(), buffer.size());
      if (!got)
        return got.error();
      if (*got == 0)
        break;
      hash.update({buffer.data(), *got});
      length += int64_t(*got);
    }
    if (files.size() > 1)
      hash.update("#" + std::to_string(length));
  }
  return hash.finish();
}
