#include "runtime/plan/FormatRead.h"
#include "runtime/plan/Load.h"

#include <limits>

using namespace smex;
using namespace smex::plan;

Interval plan::pairOf(const Cursor &at, int64_t limit) {
  if (!at.json().is_array() || at.json().size() != 2) {
    at.refuse("must be an array of two integers");
    return {};
  }
  const auto pair =
      at.list([&](const Cursor &element) { return element.integer(0, limit); });
  return at.ok() ? Interval{pair[0], pair[1]} : Interval{};
}

namespace {

Box boxOf(const Cursor &at) {
  const std::vector<Interval> sides =
      at.list([](const Cursor &side) { return pairOf(side, sizeLimit); });
  return Box(sides.begin(), sides.end());
}

/// null: nothing. Its rank is not known here (Load.cpp).
Box boxOrNothingOf(const Cursor &at) {
  return at.json().is_null() ? Box::absent(0) : boxOf(at);
}

void convolutionOf(const Cursor &at, ConvolutionInfo &convolution) {
  convolution.dilations = at.integers("dilations", 1, sizeLimit);
  convolution.groups = at.integer("groups", 1, sizeLimit);
  convolution.pads = at.integers("pads", -sizeLimit, sizeLimit);
  convolution.strides = at.integers("strides", 1, sizeLimit);
}

Kernel kernelOf(const Cursor &at) {
  Kernel kernel;
  kernel.lambda = at.string("lambda");
  const std::string kind = at.string("kind");
  if (at.has("generated_for")) {
    kernel.generatedFor = at.list(
        "generated_for", [](const Cursor &target) { return target.string(); });
    kernel.symbol = at.string("symbol");
  }
  if (kind == "generated") {
    at.object({"kind", "lambda", "symbol"});
    kernel.kind = KernelKind::Generated;
    kernel.symbol = at.string("symbol");
  } else if (kind == "contraction") {
    at.object({"kind", "lambda", "roles"}, {"generated_for", "symbol"});
    kernel.kind = KernelKind::Contraction;
    kernel.roles = at.string("roles");
  } else if (kind == "convolution") {
    at.object({"kind", "lambda", "dilations", "groups", "pads", "strides"},
              {"generated_for", "symbol"});
    kernel.kind = KernelKind::Convolution;
    convolutionOf(at, kernel.convolution);
  } else if (kind == "convolution_data" || kind == "convolution_filter") {
    at.object({"kind", "lambda", "dilations", "gradient", "groups", "pads",
               "roles", "strides"},
              {"generated_for", "symbol"});
    kernel.kind = kind == "convolution_data" ? KernelKind::ConvolutionData
                                             : KernelKind::ConvolutionFilter;
    convolutionOf(at, kernel.convolution);
    kernel.convolution.gradient = int(at.integer("gradient", 0, 1));
    kernel.roles = at.string("roles");
  } else if (kind == "reference") {
    at.object({"kind", "lambda"}, {"generated_for", "symbol"});
    kernel.kind = KernelKind::Reference;
  } else {
    at.refuse("\"" + kind + "\" is no kind of kernel");
  }
  if (kernel.kind != KernelKind::Generated &&
      at.has("symbol") != at.has("generated_for"))
    at.refuse("has one of \"symbol\" and \"generated_for\"");
  return kernel;
}

Division divisionOf(const Cursor &at) {
  if (at.json().is_string()) {
    if (at.string() != "whole")
      at.refuse("must be \"whole\", or say a part, a term or a place");
    return {};
  }
  if (at.has("term")) {
    at.object({"term"});
    const auto reducer = parseReducer(at.string("term"));
    if (!reducer)
      at.refuse("\"" + at.string("term") + "\" is no reducer");
    return Division::term(reducer.value_or(Reducer::Sum));
  }
  if (at.has("placed")) {
    at.object({"placed"});
    return Division::placed(at.integer("placed", 0, gpuLimit));
  }
  at.object({"part"}, {"bounds", "weights"});
  const int dimension = number(at, "part");
  if (at.has("bounds") && at.has("weights"))
    at.refuse("has weights and bounds");
  if (at.has("weights"))
    return Division::weighted(dimension, at.integers("weights", 0, countLimit));
  if (at.has("bounds"))
    return Division::bounded(dimension, at.list("bounds", [](const Cursor &of) {
      return of.list(
          [](const Cursor &bound) { return bound.integer(0, sizeLimit); });
    }));
  return Division::part(dimension);
}

Region regionOf(const Cursor &at, size_t workers) {
  Region region;
  if (at.has("listed")) {
    at.object({"listed"});
    if (!at.boolean("listed"))
      at.refuse("\"listed\" is true or absent");
    region.boxes.resize(workers);
  } else if (at.has("instruction")) {
    at.object({"instruction"}, {"operand"});
    region.instruction = number(at, "instruction");
    region.kind = Region::Kind::Result;
    if (at.has("operand")) {
      region.kind = Region::Kind::Read;
      region.operand = number(at, "operand");
    }
  } else {
    at.object({"division", "extents"});
    region.kind = Region::Kind::Divided;
    region.divisions = at.list("division", divisionOf);
    region.extents = at.integers("extents", 0, sizeLimit);
  }
  return region;
}

/// The steps that numbers from `first` on name.
StepSet stepsOf(const Cursor &at, const std::vector<int64_t> &numbers,
                size_t first) {
  StepSet steps = 0;
  for (size_t k = first; k < numbers.size(); ++k) {
    if (numbers[k] > int64_t(stepLimit) ||
        (k > first && numbers[k] <= numbers[k - 1])) {
      at.refuse("steps must ascend, up to " + std::to_string(stepLimit));
      break;
    }
    steps |= StepSet(1) << numbers[k];
  }
  return steps;
}

Wait waitOf(const Cursor &at) {
  const auto numbers =
      at.list([](const Cursor &each) { return each.integer(0, countLimit); });
  if (numbers.empty()) {
    at.refuse("must be an instruction, and steps");
    return {};
  }
  return {int(numbers.front()), stepsOf(at, numbers, 1)};
}

Collective collectiveOf(const Cursor &at) {
  Collective collective;
  at.object({"name", "over"});
  const std::string name = at.string("name");
  if (const auto kind = parseCollective(name))
    collective.kind = *kind;
  else
    at.refuse("\"" + name + "\" is no collective");
  collective.over = stepsOf(at, at.integers("over", 0, countLimit), 0);
  return collective;
}

Instruction instructionOf(const Cursor &at, size_t workers) {
  Instruction instruction;
  if (at.has("waits"))
    instruction.waits = at.list("waits", waitOf);
  instruction.node = at.string("node");
  instruction.to = number(at, "to");
  const std::string op = at.string("op");
  if (op == "compute") {
    at.object({"node", "op", "to", "indices", "kernel", "operands"},
              {"epilogue_of", "reductions", "waits"});
    instruction.op = Opcode::Compute;
    if (at.has("epilogue_of"))
      instruction.epilogueOf = number(at, "epilogue_of");
    instruction.indices = number(at, "indices");
    instruction.kernel = number(at, "kernel");
    instruction.operands = at.list("operands", [](const Cursor &operand) {
      return int(operand.integer(0, countLimit));
    });
    if (at.has("reductions"))
      instruction.reductions = at.integers("reductions", 0, sizeLimit);
    return instruction;
  }
  if (op == "fetch") {
    at.object({"node", "op", "to", "from"},
              {"collective", "listed", "rows", "waits"});
    instruction.op = Opcode::Fetch;
  } else if (op == "reduce") {
    at.object({"node", "op", "to", "from", "reducer"},
              {"collective", "listed", "waits"});
    instruction.op = Opcode::Reduce;
    instruction.reducer = at.string("reducer");
  } else if (op == "to_host" || op == "from_host") {
    at.object({"node", "op", "to", "from"}, {"waits"});
    instruction.op = op == "to_host" ? Opcode::ToHost : Opcode::FromHost;
  } else {
    at.refuse("\"" + op + "\" is no instruction");
  }
  instruction.from = number(at, "from");
  if (at.has("collective"))
    instruction.collective = at.with("collective", collectiveOf);
  if (at.has("listed")) {
    if (!at.boolean("listed"))
      at.refuse("\"listed\" is true or absent");
    instruction.pieces.resize(workers);
  }
  if (at.has("rows")) {
    if (!at.boolean("rows"))
      at.refuse("\"rows\" is true or absent");
    instruction.rows.resize(workers);
  }
  return instruction;
}

TensorInfo tensorOf(const Cursor &at) {
  TensorInfo tensor;
  at.object({"dtype", "name", "shape"});
  tensor.name = at.string("name");
  const std::string dtype = at.string("dtype");
  if (const auto type = parseDType(dtype))
    tensor.type.dtype = *type;
  else
    at.refuse("\"" + dtype + "\" is no element type");
  tensor.type.shape = at.integers("shape", 0, sizeLimit);
  return tensor;
}

Kept keptOf(const Cursor &at) {
  Kept kept;
  at.object({"on"}, {"as"});
  if (at.has("as"))
    kept.as = number(at, "as");
  for (int64_t worker : at.integers("on", 0, gpuLimit - 1))
    kept.on.push_back(int(worker));
  return kept;
}

BufferInfo bufferOf(const Cursor &at, size_t workers) {
  BufferInfo buffer;
  at.object({"region", "tensor"},
            {"element", "kept", "offset", "partial", "space"});
  buffer.tensor = number(at, "tensor");
  buffer.region = number(at, "region");
  if (at.has("offset") || workers == 1)
    buffer.offsets = {at.integer("offset", 0, sizeLimit)};
  else
    buffer.offsets.resize(workers);
  if (at.has("space")) {
    buffer.space = Space::Host;
    if (at.string("space") != "host")
      at.refuse("\"space\" is \"host\" or absent");
  }
  if (at.has("kept"))
    buffer.kept = at.with("kept", keptOf);
  if (at.has("partial") && !(buffer.partial = at.boolean("partial")))
    at.refuse("\"partial\" is true or absent");
  if (at.has("element")) {
    const std::string element = at.string("element");
    buffer.element = parseDType(element);
    if (!buffer.element)
      at.refuse("\"" + element + "\" is no element type");
  }
  return buffer;
}

Piece pieceOf(const Cursor &at) {
  at.object({"box", "worker"});
  return {number(at, "worker"), at.with("box", boxOf)};
}

} // namespace

Program plan::programFromJson(const Cursor &at, size_t workers) {
  Program program;
  at.object({"buffers", "inputs", "instructions", "kernels", "outputs",
             "parameters", "regions", "tensors", "ways"},
            {"edge_rows", "graph"});
  const auto perWorker = [&](auto read) {
    return [=](const Cursor &each) { return read(each, workers); };
  };
  program.ways = at.integers("ways", 1, gpuLimit);
  program.tensors = at.list("tensors", tensorOf);
  program.kernels = at.list("kernels", kernelOf);
  program.regions = at.list("regions", perWorker(regionOf));
  program.buffers = at.list("buffers", perWorker(bufferOf));
  program.instructions = at.list("instructions", perWorker(instructionOf));
  program.inputs = at.list("inputs", inputOf);
  program.outputs = at.list("outputs", outputOf);
  program.parameters = at.list("parameters", parameterOf);
  if (at.has("graph"))
    program.graphs =
        at.with("graph", [](const Cursor &graph) -> std::vector<GraphInputs> {
          if (!graph.isList())
            return {graphOf(graph)};
          return graph.list(graphOf);
        });
  if (at.has("edge_rows"))
    program.edgeRows = at.list("edge_rows", edgeRowsOf);
  return program;
}

/// The ends of each run, one after the other.
static Runs endsOfRuns(const Cursor &at) {
  const auto ends =
      at.list([](const Cursor &end) { return end.integer(0, sizeLimit); });
  Runs runs;
  for (size_t e = 0; e + 1 < ends.size(); e += 2)
    runs.push_back({ends[e], ends[e + 1]});
  if (ends.size() % 2 != 0 || !isRuns(runs))
    at.refuse("must be runs of rows, each by its first row and the one after "
              "its last, in order, and with rows between them");
  return runs;
}

WorkerFile plan::workerFromJson(const Cursor &at) {
  WorkerFile file;
  Worker &worker = file.worker;
  at.object(
      {"arena_bytes", "boxes", "offsets", "pieces", "weights", "workspace"},
      {"host_bytes", "rows", "staging_bytes"});
  worker.arenaBytes = at.integer("arena_bytes", 0, sizeLimit);
  if (at.has("host_bytes"))
    worker.hostBytes = at.integer("host_bytes", 1, sizeLimit);
  if (at.has("staging_bytes"))
    worker.stagingBytes = at.integer("staging_bytes", 1, sizeLimit);
  at.with("workspace", [&](const Cursor &workspace) {
    workspace.object({"bytes", "offset"});
    worker.workspaceBytes = workspace.integer("bytes", 0, sizeLimit);
    worker.workspaceOffset = workspace.integer("offset", 0, sizeLimit);
  });
  file.boxes = at.list("boxes", boxOrNothingOf);
  file.offsets = at.integers("offsets", 0, sizeLimit);
  file.pieces = at.list(
      "pieces", [](const Cursor &pieces) { return pieces.list(pieceOf); });
  if (at.has("rows"))
    file.rows = at.list("rows", endsOfRuns);
  worker.weights = at.list("weights", [](const Cursor &weight) {
    weight.object({"offset", "parameter"});
    return StoredWeight{number(weight, "parameter"),
                        weight.integer("offset", 0, sizeLimit)};
  });
  return file;
}

void plan::summaryFromJson(const Cursor &at, Plan &plan, FileHashes &files) {
  at.object({"files", "format", "gpus", "model", "search", "sha256", "targets",
             "totals", "version"},
            {"machine"});
  plan.partitioned.workers.resize(size_t(at.integer("gpus", 1, gpuLimit)));
  at.with("files", [&](const Cursor &all) {
    if (!all.json().is_object())
      return all.refuse("must be an object");
    for (auto file = all.json().begin(); file != all.json().end(); ++file)
      files[file.key()] = all.string(file.key().c_str());
  });
  if (at.has("machine"))
    at.with("machine", [&](const Cursor &machine) {
      machine.object({"links", "name"});
      plan.machine = {machine.string("name"),
                      machine.list("links", [](const Cursor &level) {
                        level.object({"bytes", "bytes_per_second", "gpus"});
                        return LinkLevel{
                            level.integer("gpus", 1, gpuLimit),
                            level.integer("bytes_per_second", 1, totalLimit),
                            level.integer("bytes", 0, totalLimit)};
                      })};
    });
  at.with("model", [&](const Cursor &model) {
    model.object({"name", "sha256"});
    plan.modelName = model.string("name");
    plan.modelSha256 = model.string("sha256");
  });
  at.with("search", [&](const Cursor &search) {
    search.object(
        {"algorithm", "lower_bound_bytes", "optimal", "steps"},
        {"all_steps_together", "host_lower_bound_bytes", "recomputing"});
    if (search.has("all_steps_together")) {
      plan.search.allStepsTogether = search.string("all_steps_together");
      if (plan.search.allStepsTogether != "graph" &&
          plan.search.allStepsTogether != "coarsened")
        search.refuse("all_steps_together must be \"graph\" or \"coarsened\"");
    }
    if (search.has("recomputing"))
      search.with("recomputing", [&](const Cursor &recomputing) {
        recomputing.object({"bytes", "nanoseconds"});
        plan.search.recomputing =
            Recomputing{recomputing.integer("bytes", 0, totalLimit),
                        recomputing.integer("nanoseconds", 0, totalLimit)};
      });
    if (search.has("host_lower_bound_bytes"))
      plan.search.hostLowerBoundBytes =
          search.integer("host_lower_bound_bytes", 0, totalLimit);
    plan.search.algorithm = search.string("algorithm");
    plan.search.lowerBoundBytes =
        search.integer("lower_bound_bytes", 0, totalLimit);
    plan.search.optimal = search.boolean("optimal");
    plan.search.steps = search.list("steps", [](const Cursor &step) {
      step.object({"bytes", "lower_bound_bytes", "optimal", "tied", "ways"});
      return SearchStep{step.integer("ways", 1, gpuLimit),
                        step.integer("bytes", 0, totalLimit),
                        step.integer("lower_bound_bytes", 0, totalLimit),
                        step.boolean("optimal"), step.boolean("tied")};
    });
  });
  plan.code = at.list("targets", [](const Cursor &target) {
    return Artifact{target.string(), {}};
  });
  at.with("totals", [&](const Cursor &totals) {
    totals.object(
        {"communication_bytes", "flops", "parameter_bytes", "peak_bytes"},
        {"from_host_bytes", "to_host_bytes"});
    const auto moved = [&](const char *key) {
      return totals.has(key) ? totals.integer(key, 1, totalLimit) : 0;
    };
    plan.hostTraffic = {moved("to_host_bytes"), moved("from_host_bytes")};
    plan.communicationBytes =
        totals.integer("communication_bytes", 0, totalLimit);
    plan.flops = totals.integer("flops", 0, totalLimit);
    plan.parameterBytes = totals.integer("parameter_bytes", 0, totalLimit);
    plan.peakBytes = totals.integers("peak_bytes", 0, sizeLimit);
  });
}
