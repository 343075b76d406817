#include "tools/smex-run/Inputs.h"

#include "runtime/executor/Samples.h"

#include <algorithm>
#include <utility>

using namespace smex;
using namespace smex::runtime;
using tools::RunArguments;

static Portion portionOf(const RunArguments &arguments) {
  if (arguments.parts > 0)
    return Portion::Parts;
  if (arguments.walk > 0)
    return Portion::Walks;
  if (!arguments.sampleLayers.empty())
    return Portion::Layers;
  return arguments.sample.empty() ? Portion::Whole : Portion::Samples;
}

static Result<Sampling> openSampling(const RunArguments &arguments,
                                     const plan::Program &program) {
  Sampling sampling;
  sampling.batch = arguments.batch;
  sampling.seed = arguments.seed;
  sampling.parts = arguments.parts;
  sampling.walk = arguments.walk;
  sampling.perLayer = !arguments.sampleLayers.empty();
  sampling.byImportance = arguments.importance;
  // A layer that reads nothing is none; all layers together are.
  auto fanouts =
      sampling.perLayer
          ? parseFanouts("--sample-layers", arguments.sampleLayers, 1)
          : parseFanouts("--sample", arguments.sample, 0);
  if (!fanouts)
    return fanouts.takeError();
  sampling.fanouts = std::move(fanouts->all);
  sampling.fanoutsOf = std::move(fanouts->named);
  if (!arguments.nodes.empty())
    if (Status read = readNodes(program, arguments.nodes, sampling); !read)
      return read.takeError();
  return sampling;
}

Result<tools::Inputs> tools::openInputs(const RunArguments &arguments,
                                        const plan::Plan &plan,
                                        Identity *identity) {
  const plan::Program &program = plan.partitioned.program;
  const Portion portion = portionOf(arguments);
  Inputs inputs;
  auto sampling = openSampling(arguments, program);
  if (!sampling)
    return sampling.takeError();
  inputs.sampling = std::move(*sampling);
  if (!arguments.graphs.empty()) {
    auto read = readRunGraphs(program, arguments.graphs, portion);
    if (!read)
      return read.takeError();
    inputs.graphs = std::move(*read);
  }
  auto next = nextInputs(program, arguments.feeds);
  if (!next)
    return next.takeError();
  inputs.next = std::move(*next);
  auto read =
      readInputs(program, arguments.inputs, arguments.run.steps, arguments.seed,
                 inputs.graphs, plan.edgeOrders, inputs.next);
  if (read && identity) {
    identity->add(program,
                  inputs.graphs); // before the inputs that are made of them
    identity->add(inputs.sampling);
    identity->add(program, *read);
  }
  if (read && portion != Portion::Whole)
    read = sampleFeeds(program, std::exchange(inputs.graphs, {}),
                       std::move(*read), inputs.sampling);
  if (!read)
    return read.takeError();
  inputs.feeds = std::move(*read);
  // Large ones are held for the order of outputs only.
  if (std::all_of(program.graphs.begin(), program.graphs.end(),
                  [](const plan::GraphInputs &graph) {
                    return graph.edgeOutputs.empty();
                  }))
    inputs.graphs.clear();
  return inputs;
}
