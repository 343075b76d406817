// smexc MODEL --gpus N -o DIR
#include "compiler/emit/Weights.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/pipeline/MemoryLimit.h"
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Save.h"
#include "support/File.h"
#include "support/Sha256.h"
#include "support/Version.h"
#include "tools/smexc/Command.h"
#include "tools/smexc/Training.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <chrono>
#include <future>

using namespace smex;
using namespace smex::tools;

namespace {

struct Arguments {
  std::string model, output, stats, emit;
  std::vector<std::string> dims, constants;
  std::string memoryPerGpu;
  frontend::ImportOptions import;
  TrainingArguments training;
  pipeline::CompileOptions compile;
};

std::vector<std::string> algorithmNames() {
  std::vector<std::string> names;
  for (const partition::Algorithm &algorithm : partition::algorithms())
    names.emplace_back(algorithm.name);
  return names;
}

/// NAME=VALUE; names may hold '=' only in the value.
Result<std::pair<std::string, std::string>> split(const std::string &text,
                                                  const char *option) {
  const size_t at = text.find('=');
  if (at == 0 || at == std::string::npos)
    return Error{std::string(option) + " " + text + ": give it as NAME=VALUE",
                 Fault::Usage};
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

Status bindArguments(Arguments &arguments) {
  for (const std::string &text : arguments.dims) {
    auto pair = split(text, "--dim");
    if (!pair)
      return pair.takeError();
    int64_t value = 0;
    const char *end = pair->second.c_str() + pair->second.size();
    const auto parsed = std::from_chars(pair->second.c_str(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || value < 0)
      return Error{"--dim " + text + ": the value must be a number, 0 or more",
                   Fault::Usage};
    arguments.import.dims[pair->first] = value;
  }
  if (const auto room = arguments.import.graphRoom; room && !(*room >= 0))
    return Error{"--graph-room: the share must be a number", Fault::Usage};
  for (const std::string &text : arguments.constants) {
    auto pair = split(text, "--constant");
    if (!pair)
      return pair.takeError();
    arguments.import.constants[pair->first] = pair->second;
  }
  return {};
}

/// One hash over all files of the model, in order, each with its length, so
/// that moving a byte from one to the next shows.
Result<std::string> hashFiles(const std::vector<std::string> &files) {
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

int run(Arguments &arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  if (Status bound = bindArguments(arguments); !bound)
    return report(bound.error());
  std::optional<int64_t> memoryLimit;
  if (!arguments.memoryPerGpu.empty()) {
    auto size = pipeline::parseSize(arguments.memoryPerGpu);
    if (!size) {
      Error error = size.takeError();
      error.message = "--memory-per-gpu " + error.message;
      return report(error);
    }
    memoryLimit = *size;
  }
  arguments.import.training = arguments.training.train;
  arguments.import.frozen = arguments.training.options.freeze;
  auto imported = frontend::importModel(arguments.model, arguments.import);
  if (!imported)
    return report(imported.error());
  auto model = withTraining(std::move(*imported), arguments.training);
  if (!model)
    return report(model.error());
  if (!arguments.emit.empty()) {
    auto text = pipeline::emitStage(*model, arguments.compile,
                                    *pipeline::parseStage(arguments.emit));
    if (!text)
      return report(text.error());
    print(*text);
    return 0;
  }

  auto hashing = std::async(std::launch::async, hashFiles, model->files);
  auto compiled = pipeline::compile(*model, arguments.compile);
  if (!compiled)
    return report(compiled.error());
  plan::Plan &plan = compiled->plan;
  auto hash = hashing.get();
  if (!hash)
    return report(hash.error());
  plan.modelSha256 = *hash;
  if (memoryLimit)
    if (Status kept = pipeline::checkMemoryLimit(plan, *memoryLimit); !kept)
      return report(kept.error());
  const double compileSeconds = seconds();

  plan::layoutWeights(plan.partitioned);
  const emit::Weights weights(*model, compiled->derived);
  const Status saved =
      plan::save(plan, arguments.output, [&](int parameter, const Box &box) {
        return weights.read(plan.partitioned.program.parameters[parameter].name,
                            box);
      });
  if (!saved)
    return report(saved.error());
  if (!arguments.stats.empty()) {
    const nlohmann::json stats = {
        {"operators", compiled->stats.operators},
        {"lambdas", compiled->stats.lambdas},
        {"search_seconds", compiled->stats.searchSeconds},
        {"codegen_seconds", compiled->stats.codegenSeconds},
        {"compile_seconds", compileSeconds},
        {"total_seconds", seconds()},
    };
    if (Status s = writeFile(arguments.stats, plan::canonicalJson(stats)); !s)
      return report(s.error());
  }
  int64_t peak = 0;
  for (int64_t bytes : plan.peakBytes)
    peak = std::max(peak, bytes);
  print(plan.modelName);
  std::printf(": %lld operators for %lld GPUs in %.2f s\n"
              "communication %s per run (lower bound %s), peak %s per GPU\n",
              (long long)compiled->stats.operators,
              (long long)arguments.compile.gpus, seconds(),
              plan::humanBytes(plan.communicationBytes).c_str(),
              plan::humanBytes(plan.search.lowerBoundBytes).c_str(),
              plan::humanBytes(peak).c_str());
  print("plan written to " + arguments.output + "\n");
  return 0;
}

} // namespace

int smex::tools::compileCommand(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("smexc: splits a neural network over the GPUs of a machine.\n"
               "Also: smexc inspect|check|diff|ops|simulate --help");
  app.set_version_flag("--version", versionText);
  app.add_option("MODEL", arguments.model, "the model, .onnx or .json")
      ->required();
  app.add_option("--gpus", arguments.compile.gpus, "number of GPUs")
      ->required()
      ->check(CLI::Range(int64_t(1), int64_t(1024)));
  app.add_option("-o,--output", arguments.output,
                 "folder of the plan; replaced only as a whole");
  app.add_option("--dim", arguments.dims,
                 "NAME=VALUE: binds a symbolic dimension");
  app.add_option("--constant", arguments.constants,
                 "NAME=FILE: binds an input at compile time");
  auto *graph =
      app.add_option("--graph", arguments.import.graphs,
                     "FILE: the graph of a message-passing model: scipy's CSR "
                     ".npz, Matrix Market .mtx, or a list of edges; of a model "
                     "with several, NAME=FILE each; several files are a batch, "
                     "side by side")
          ->allow_extra_args(false);
  app.add_option("--graph-room", arguments.import.graphRoom,
                 "SHARE: the graph is a sample; the plan has room for so much "
                 "more of all, 0.25 for a quarter, and each run gives its own "
                 "with smex-run --graph")
      ->check(CLI::Range(0.0, 100.0))
      ->needs(graph);
  app.add_flag("--draw-missing-weights", arguments.import.drawMissingWeights,
               "plans an ONNX model whose weights are not there: they are "
               "drawn when the plan runs, or given with smex-run "
               "--parameters");
  app.add_option("--ops", arguments.import.opsFiles,
                 "FILE: more operators, as lambdas");
  declareTraining(app, arguments.training);
  app.add_option("--memory-per-gpu", arguments.memoryPerGpu,
                 "SIZE, such as 12GiB: a limit that the plan must keep");
  app.add_option("--algorithm", arguments.compile.algorithm,
                 "search algorithm (default: recursive)")
      ->check(CLI::IsMember(algorithmNames()));
  app.add_flag("--reproducible", arguments.compile.reproducible,
               "the same bits for any number of GPUs: no sum is split, no "
               "library kernels; slower");
  app.add_option("--cpu-arch", arguments.compile.cpuArch,
                 "target of generated CPU code");
  app.add_option("--stats", arguments.stats,
                 "FILE.json: times and counts of this compilation");
  app.add_option("--emit", arguments.emit,
                 "prints that stage's IR, or the search problem, and stops")
      ->check(CLI::IsMember({"semantic", "decisions", "problem", "exec"}));
  app.add_flag("--verify-each", arguments.compile.verifyEach,
               "verifies the IR after each pass");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return parseError(app, e);
  }
  arguments.import.ownAlgorithm = wantsOwnAlgorithm(app);
  if (arguments.output.empty() && arguments.emit.empty())
    return report({"give the plan's folder: -o DIR", Fault::Usage});
  return run(arguments);
}
