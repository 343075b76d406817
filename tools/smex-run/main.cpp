// smex-run DIR: runs a plan. See DESIGN.md, Commands.
#include "dialects/support/Program.h"
#include "dialects/support/Version.h"
#include "runtime/transports/Timeout.h"
#include "runtime/transports/mpi/World.h"
#include "tools/OptionChecks.h"
#include "tools/smex-run/Identity.h"
#include "tools/smex-run/Run.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <thread>

using namespace smex;
using runtime::Transfers;
using tools::RunArguments;

namespace {
void declare(CLI::App &app, RunArguments &arguments) {
  app.add_option("DIR", arguments.directory, "the plan, a folder")->required();
  app.add_option("--backend", arguments.backend,
                 "auto, cpu, cuda or reference; auto is cuda where there is a "
                 "device; reference is slow and needs no kernels: every "
                 "operator by its definition, instructions in an order that "
                 "--seed draws")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "reference"}))
      ->capture_default_str();
  app.add_option(
         "--input", arguments.inputs,
         "an input's values, .npy or ONNX TensorProto .pb; without any, "
         "all inputs are synthetic")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  auto *graph =
      app.add_option(
             "--graph", arguments.graphs,
             "the graph that the model works on, where the plan was "
             "compiled without: scipy CSR .npz, Matrix Market .mtx, or a "
             "list of edges; at most as many nodes and edges as the plan's; "
             "several graphs are one, side by side, or a batch with results "
             "for each; with --sample, --walk or --parts, as large as you "
             "like; with its NAME= "
             "where the model has several")
          ->type_name("[NAME=]FILE")
          ->allow_extra_args(false);
  auto *sample =
      app.add_option("--sample", arguments.sample,
                     "work on samples of the graph: so many neighbours of each "
                     "node, for each layer of the network, the first one "
                     "first, as in 10,25; -1: all of them; of several graphs, "
                     "in each, or with a graph's NAME= in that one; all layers "
                     "work on all that is sampled")
          ->allow_extra_args(false)
          ->check(tools::isNoOption())
          ->type_name("[NAME=]N,N,..")
          ->needs(graph);
  auto *layers =
      app.add_option("--sample-layers", arguments.sampleLayers,
                     "the same, but each layer works on a sample of its own, "
                     "drawn afresh, as GraphSAGE defines it: on so many "
                     "neighbours of each node that the layer after it reads; "
                     "for plans of smexc --sample-layers")
          ->allow_extra_args(false)
          ->check(tools::isNoOption())
          ->type_name("[NAME=]N,N,..")
          ->needs(graph)
          ->excludes(sample);
  app.add_flag("--importance", arguments.importance,
               "--sample-layers are numbers of nodes that each layer draws "
               "from the whole graph, with a probability q by the squares of "
               "the numbers of edges that leave them, as FastGCN defines it; "
               "an edge's number is divided by q and by how many are drawn")
      ->needs(layers);
  auto *batch =
      app.add_option("--batch", arguments.batch,
                     "nodes, or edges, whose labels count in a step; others "
                     "are drawn until an epoch has had each once")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
          ->needs(graph);
  auto *nodes =
      app.add_option("--nodes", arguments.nodes,
                     "in place of --batch: the numbers of nodes that results "
                     "are wanted of, i64 in a .npy file; outputs have a row "
                     "for each of them; with its TYPE= where there are several "
                     "types of nodes")
          ->type_name("[TYPE=]FILE")
          ->needs(graph)
          ->excludes(batch);
  auto *walk =
      app.add_option("--walk", arguments.walk,
                     "work on random walks of so many edges, one from each "
                     "node of the batch against the direction of edges: on the "
                     "nodes seen and the edges walked")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
          ->needs(graph)
          ->excludes(sample, layers);
  app.final_callback([=] {
    for (const CLI::Option *option : {sample, layers, walk})
      if (option->count() && !batch->count() && !nodes->count())
        throw CLI::RequiresError(option->get_name(), "--batch or --nodes");
    for (const CLI::Option *option : {batch, nodes})
      if (option->count() && !sample->count() && !layers->count() &&
          !walk->count())
        throw CLI::RequiresError(option->get_name(),
                                 "--sample, --sample-layers or --walk");
  });
  auto *parts =
      app.add_option("--parts", arguments.parts,
                     "train on connected parts of the graph, such as trees: so "
                     "many in each step, until an epoch has had each once")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
          ->needs(graph)
          ->excludes(sample, layers, walk, batch, nodes);
  auto *feed =
      app.add_option(
             "--feed", arguments.feeds,
             "from the second step on, the input has the output's value "
             "of the step before, as a decoder's cache; without an "
             "--input of its own where others have one, it begins with "
             "zeros")
          ->type_name("OUT=IN")
          ->allow_extra_args(false)
          ->excludes(sample, layers, walk, parts);
  auto *outputs = app.add_option("--output-dir", arguments.outputDirectory,
                                 "write <output name>.npy there")
                      ->type_name("DIR");
  app.add_option("--steps", arguments.run.steps,
                 "run so many times; an input file of one rank more than "
                 "declared holds one batch per step")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed,
                 "for drawn parameters, synthetic inputs, dropout and samples")
      ->check(CLI::NonNegativeNumber) // or -1 would wrap around
      ->capture_default_str();
  app.add_option("--parameters", arguments.parameters,
                 "initial values of the model's parameters, safetensors, names "
                 "as in the model")
      ->type_name("FILE");
  auto *save =
      app.add_option("--save-parameters", arguments.saveParameters,
                     "write the model's parameters there after the last step")
          ->type_name("FILE");
  auto *checkpoints = app.add_option("--checkpoint-dir", arguments.checkpoints,
                                     "write everything that steps change there")
                          ->type_name("DIR")
                          ->excludes(feed); // what is fed is no parameter
  app.add_option("--checkpoint-every", arguments.checkpointEvery,
                 "after so many steps, and after the last one")
      ->check(CLI::Range(1, 1000000000))
      ->needs(checkpoints)
      ->capture_default_str();
  app.add_flag("--resume", arguments.resume,
               "go on after the last checkpoint, up to the same --steps")
      ->needs(checkpoints);
  app.add_flag("--allow-nonfinite-loss", arguments.run.allowNonfiniteLoss,
               "go on where the loss of a step is NaN or infinite; without it "
               "the run stops there");
  auto *verify = app.add_flag("--verify", arguments.verify,
                              "also run unpartitioned on the CPU, and compare");
  app.add_option("--metrics", arguments.metrics,
                 "write losses, seconds, communication and peak bytes, as JSON")
      ->type_name("FILE");
  auto *trace = app.add_option("--trace", arguments.trace,
                               "write what ran when, as Chrome trace events")
                    ->type_name("FILE");
  auto *profile =
      app.add_option("--profile", arguments.profile,
                     "write what each operator took that one worker did as a "
                     "whole, for smexc --profile")
          ->type_name("FILE");
  auto *costs =
      app.add_option(
             "--cost-model", arguments.costModel,
             "of a graph network, fit what its layers take on each worker to "
             "what vertices and edges they have, and write it there, for smexc "
             "--graph-partition FILE.json; goes on with what is there; where "
             "workers outnumber cores, one at a time computes")
          ->type_name("FILE.json");
  auto *recompile =
      app.add_option("--recompile", arguments.recompile,
                     "the command that compiled the plan, as one word, without "
                     "-o and --graph-partition: smexc MODEL --graph FILE ..")
          ->type_name("COMMAND");
  auto *rebalance =
      app.add_option("--rebalance-every", arguments.rebalanceEvery,
                     "look after so many steps whether the slowest worker "
                     "gains more by other ranges of vertices, in the steps "
                     "that remain, than a move takes; then compile again, by "
                     "the cost model, and go on with the new plan in DIR")
          ->check(CLI::Range(1, 1000000000))
          ->needs(costs, recompile, checkpoints)
          ->excludes(trace, profile); // of which plan?
  recompile->needs(rebalance);
  app.add_option("--move-seconds", arguments.moveSeconds,
                 "that the first move is taken to need; of further ones, what "
                 "the one before has needed")
      ->check(tools::isSeconds())
      ->needs(rebalance)
      ->capture_default_str();
  app.add_option("--threads", arguments.run.device.threads,
                 "threads per worker; default: the cores, shared evenly")
      ->check(CLI::Range(1, 4096));
  arguments.run.device.hungAfter = 300;
  app.add_option("--watchdog", arguments.run.device.hungAfter,
                 "end with an error, which names the instruction, where GPUs "
                 "complete none for so many seconds, or no step that is a CUDA "
                 "graph; 0: wait for ever")
      ->type_name("SECONDS")
      ->check(tools::isSeconds())
      ->capture_default_str();
  app.add_option("--transfers", arguments.run.device.transfers,
                 "how GPUs bring each other what they need: peer, kernels that "
                 "read the other GPU's memory; nccl; auto: peer where each GPU "
                 "reaches all others, else nccl")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Transfers>{{"auto", Transfers::Auto},
                                           {"nccl", Transfers::Nccl},
                                           {"peer", Transfers::Peer}},
          CLI::ignore_case))
      ->type_name("auto|nccl|peer")
      ->default_str("auto");
  app.add_flag("!--no-cuda-graphs", arguments.run.device.graphs,
               "submit each instruction in every step; without it the cuda "
               "backend makes a CUDA graph of the second step and launches "
               "that from then on, unless there is --trace, --profile or "
               "--cost-model");
  app.add_flag("--reproducible", arguments.run.device.reproducible,
               "the same bits in every run on such GPUs: libraries take only "
               "algorithms that add up in one order, and NCCL adds up nothing; "
               "compile the model with smexc --reproducible for the same bits "
               "for any number of workers");
  app.add_flag(
         "--skip-copies", arguments.run.skipCopies,
         "for timing only: no floats move between workers or buffers, and "
         "results mean nothing")
      ->excludes(verify, outputs, save, checkpoints, costs);
  app.add_flag_callback(
      "--version", [] { throw CLI::CallForVersion(versionText, 0); },
      "print the version");
}

Status runArguments(int argc, char **argv, mpi::World *world) {
  CLI::App app("Runs a plan that smexc wrote.", "smex-run");
  RunArguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return {};
  } catch (const CLI::CallForVersion &) {
    std::cout << versionText << "\n";
    return {};
  } catch (const CLI::ParseError &error) {
    return Error{std::string(error.what()) + " (see smex-run --help)",
                 Fault::Usage};
  }
  arguments.run.device.trace = !arguments.trace.empty() ||
                               !arguments.profile.empty() ||
                               !arguments.costModel.empty();
  arguments.run.device.oneAtATime = !arguments.costModel.empty();
  arguments.run.device.seed = arguments.seed;
  arguments.run.device.planFolder = arguments.directory;
  arguments.run.device.choicesFile = arguments.directory + "/choices.json";
  arguments.run.device.hung = [](const Error &error) { quit(error); };
  if (!world || world->isFirst())
    arguments.run.device.note = [](const std::string &text) {
      std::cerr << "smex-run: note: " + text + "\n";
    };
  return tools::run(std::move(arguments), world);
}

/// Of the environment: whoever wants what they say cannot tell that it is
/// wrong.
Status checkVariables() {
  for (const char *name : {"SMEX_MPI_TIMEOUT", "SMEX_NCCL_TIMEOUT"})
    if (const auto seconds = runtime::secondsIn(name, 1); !seconds)
      return seconds.error();
  return {};
}

/// As one of several processes that mpirun has started.
int runTogether(int argc, char **argv, const mpi::Launch &launch) {
  auto world = mpi::World::join();
  if (!world) {
    // Where it is everybody's error, one says it: mpirun ends the others then.
    if (launch.rank != 0)
      std::this_thread::sleep_for(std::chrono::seconds(1));
    return report(world.error());
  }
  if (!(*world)->isFirst() && !std::freopen("/dev/null", "w", stdout))
    return (*world)->finish(
        Error{"/dev/null: cannot open", Fault::Environment});
  // Before anything else that one may say and another not understand.
  tools::Identity program;
  program.add("the version of smex-run", versionText);
  if (Status same = program.compare(**world); !same)
    return (*world)->finish(same);
  if (const Status fine = checkVariables(); !fine)
    return (*world)->finish(fine);
  return (*world)->finish(runArguments(argc, argv, world->get()));
}

int runCommand(int argc, char **argv) {
  const auto launch = mpi::findLaunch();
  if (!launch)
    return report(launch.error());
  if (launch->hasOthers())
    return runTogether(argc, argv, *launch);
  if (const Status fine = checkVariables(); !fine)
    return report(fine.error());
  const Status done = runArguments(argc, argv, nullptr);
  return done ? 0 : report(done.error());
}
} // namespace

int main(int argc, char **argv) {
  return runProgram("smex-run", [&] { return runCommand(argc, argv); });
}
