#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"

#include <limits>

using namespace smex;
using namespace smex::plan;

namespace {

constexpr int64_t countLimit = std::numeric_limits<int>::max();
constexpr int64_t totalLimit = std::numeric_limits<int64_t>::max();

int number(const Cursor &at, const char *key) {
  return int(at.integer(key, 0, countLimit));
}

Interval pairOf(const Cursor &at, int64_t limit) {
  if (!at.json().is_array() || at.json().size() != 2) {
    at.refuse("must be an array of two integers");
    return {};
  }
  const auto pair =
      at.list([&](const Cursor &element) { return element.integer(0, limit); });
  return at.ok() ? Interval{pair[0], pair[1]} : Interval{};
}

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
  if (kind == "generated") {
    at.object({"kind", "lambda", "symbol"});
    kernel.kind = KernelKind::Generated;
    kernel.symbol = at.string("symbol");
  } else if (kind == "contraction") {
    at.object({"kind", "lambda", "roles"});
    kernel.kind = KernelKind::Contraction;
    kernel.roles = at.string("roles");
  } else if (kind == "convolution") {
    at.object({"kind", "lambda", "dilations", "groups", "pads", "strides"});
    kernel.kind = KernelKind::Convolution;
    convolutionOf(at, kernel.convolution);
  } else if (kind == "convolution_data" || kind == "convolution_filter") {
    at.object({"kind", "lambda", "dilations", "gradient", "groups", "pads",
               "roles", "strides"});
    kernel.kind = kind == "convolution_data" ? KernelKind::ConvolutionData
                                             : KernelKind::ConvolutionFilter;
    convolutionOf(at, kernel.convolution);
    kernel.convolution.gradient = int(at.integer("gradient", 0, 1));
    kernel.roles = at.string("roles");
  } else if (kind == "reference") {
    at.object({"kind", "lambda"});
    kernel.kind = KernelKind::Reference;
  } else {
    at.refuse("\"" + kind + "\" is no kind of kernel");
  }
  return kernel;
}

Instruction instructionOf(const Cursor &at) {
  Instruction instruction;
  instruction.node = at.string("node");
  instruction.to = number(at, "to");
  const std::string op = at.string("op");
  if (op == "compute") {
    at.object({"node", "op", "to", "kernel", "operands"}, {"reductions"});
    instruction.op = Opcode::Compute;
    instruction.kernel = number(at, "kernel");
    instruction.operands = at.list("operands", [](const Cursor &operand) {
      return int(operand.integer(0, countLimit));
    });
    if (at.has("reductions"))
      instruction.reductions = at.integers("reductions", 0, sizeLimit);
    return instruction;
  }
  if (op == "fetch") {
    at.object({"node", "op", "to", "from"});
    instruction.op = Opcode::Fetch;
  } else if (op == "reduce") {
    at.object({"node", "op", "to", "from", "reducer"});
    instruction.op = Opcode::Reduce;
    instruction.reducer = at.string("reducer");
  } else {
    at.refuse("\"" + op + "\" is no instruction");
  }
  instruction.from = number(at, "from");
  return instruction;
}

/// With a range, where it has one.
Port portOf(const Cursor &at) {
  const auto value = [&](const char *key) -> std::optional<int64_t> {
    if (!at.has(key))
      return std::nullopt;
    return at.integer(key, std::numeric_limits<int64_t>::min(), totalLimit);
  };
  return {at.string("name"), number(at, "buffer"), value("low"), value("high"),
          value("ignore")};
}

Port outputOf(const Cursor &at) {
  at.object({"buffer", "name"}, {"high", "loss", "low"});
  Port port = portOf(at);
  port.loss = at.has("loss") && at.boolean("loss");
  return port;
}

graph::Recipe recipeOf(const Cursor &at) {
  graph::Recipe recipe;
  at.object({"derivation", "of"}, {"rows", "wraps"});
  const std::string derivation = at.string("derivation");
  if (const auto known = graph::parseDerivation(derivation))
    recipe.derivation = *known;
  else
    at.refuse("\"" + derivation + "\" is no derivation");
  recipe.of = at.list("of", [](const Cursor &name) { return name.string(); });
  if (at.has("wraps"))
    recipe.wraps = at.integers("wraps", 0, totalLimit);
  if (at.has("rows"))
    recipe.rows = at.integers("rows", 0, totalLimit);
  return recipe;
}

PartRange partOf(const Cursor &at) {
  at.object({"high", "low", "part"});
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  PartRange range = {{},
                     at.integer("low", least, totalLimit),
                     at.integer("high", least, totalLimit)};
  range.part = at.list("part", [](const Cursor &dimension) {
    const auto numbers = dimension.list(
        [](const Cursor &number) { return number.integer(0, sizeLimit); });
    if (numbers.size() != 3) {
      dimension.refuse("must be a first coordinate, a count and a step");
      return Progression();
    }
    return Progression{numbers[0], numbers[1], numbers[2]};
  });
  return range;
}

Port inputOf(const Cursor &at) {
  at.object({"buffer", "name"}, {"derived", "high", "ignore", "low", "parts"});
  Port port = portOf(at);
  if (at.has("parts"))
    port.parts = at.list("parts", partOf);
  if (at.has("derived"))
    port.derived = at.with("derived", recipeOf);
  return port;
}

Parameter parameterOf(const Cursor &at) {
  Parameter parameter;
  at.object({"buffer", "name"},
            {"constant", "drawn", "next", "scale", "state"});
  parameter.name = at.string("name");
  parameter.buffer = number(at, "buffer");
  if (at.has("drawn") || at.has("scale")) {
    parameter.drawn = at.boolean("drawn");
    parameter.scale = at.real("scale");
    if (!parameter.drawn)
      at.refuse("\"drawn\" is true or absent");
  }
  if (at.has("next"))
    parameter.next = number(at, "next");
  if (at.has("state") && !(parameter.state = at.boolean("state")))
    at.refuse("\"state\" is true or absent");
  if (at.has("constant") && !(parameter.constant = at.boolean("constant")))
    at.refuse("\"constant\" is true or absent");
  return parameter;
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

BufferInfo bufferOf(const Cursor &at) {
  BufferInfo buffer;
  at.object({"tensor"}, {"element", "partial"});
  buffer.tensor = number(at, "tensor");
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

WorkerInstruction workerInstructionOf(const Cursor &at) {
  WorkerInstruction instruction;
  at.object({}, {"indices", "pieces", "waits"});
  if (at.has("indices"))
    instruction.indices = at.with("indices", boxOrNothingOf);
  if (at.has("pieces"))
    instruction.pieces = at.list("pieces", [](const Cursor &piece) {
      piece.object({"box", "worker"});
      return Piece{number(piece, "worker"), piece.with("box", boxOf)};
    });
  if (at.has("waits"))
    instruction.waits = at.list("waits", [](const Cursor &wait) {
      const Interval pair = pairOf(wait, countLimit);
      return Wait{int(pair.lo), int(pair.hi)};
    });
  return instruction;
}

graph::LevelRoom levelOf(const Cursor &at) {
  at.object({"from", "nodes"});
  graph::LevelRoom level;
  level.nodes = at.integer("nodes", 0, sizeLimit);
  level.from = at.list("from", [](const Cursor &pair) {
    const Interval numbers = pairOf(pair, sizeLimit);
    return graph::PairRoom{numbers.lo, numbers.hi};
  });
  return level;
}

ListInput listInputOf(const Cursor &at) {
  at.object({"input", "list"}, {"at", "from"});
  ListInput made;
  made.input = at.string("input");
  const std::string list = at.string("list");
  if (const auto kind = graph::parseListKind(list))
    made.list.kind = *kind;
  else
    at.refuse("\"" + list + "\" is no list");
  made.list.at = at.has("at") ? at.integer("at", 0, countLimit) : 0;
  made.list.from = at.has("from") ? at.integer("from", 0, countLimit) : 0;
  return made;
}

GraphLayout layoutOf(const Cursor &at) {
  at.object({"buckets", "edges", "levels", "lists"});
  GraphLayout layout;
  layout.rooms.edges = at.integer("edges", 0, sizeLimit);
  layout.rooms.buckets = at.list("buckets", [](const Cursor &bucket) {
    const Interval numbers = pairOf(bucket, sizeLimit);
    return graph::BucketRoom{numbers.lo, numbers.hi};
  });
  layout.rooms.levels = at.list("levels", levelOf);
  layout.lists = at.list("lists", listInputOf);
  return layout;
}

GraphInputs graphOf(const Cursor &at) {
  const bool hasLayout = at.has("layout");
  if (hasLayout)
    at.object({"layout", "nodes", "self_loops"},
              {"added", "destinations", "edge_outputs", "graph_of", "graphs",
               "name", "per_edge", "per_graph", "per_node", "sources",
               "values"});
  else
    at.object({"nodes", "self_loops"},
              {"added", "destinations", "edge_outputs", "edge_types",
               "graph_of", "graphs", "name", "node_type", "per_edge",
               "per_graph", "per_node", "per_source_node", "source_nodes",
               "source_type", "sources", "types", "values"});
  GraphInputs graph;
  for (const auto &[key, name] :
       {std::pair("sources", &graph.sources),
        std::pair("destinations", &graph.destinations),
        std::pair("types", &graph.types), std::pair("name", &graph.name),
        std::pair("graph_of", &graph.graphOf),
        std::pair("node_type", &graph.nodeType),
        std::pair("values", &graph.values), std::pair("added", &graph.added),
        std::pair("source_type", &graph.sourceType)})
    if (at.has(key))
      *name = at.string(key);
  graph.nodes = at.integer("nodes", 0, sizeLimit);
  graph.selfLoops = at.boolean("self_loops");
  if (at.has("source_nodes"))
    graph.sourceNodes = at.integer("source_nodes", 0, sizeLimit);
  if (at.has("edge_types"))
    graph.edgeTypes = at.integer("edge_types", 1, sizeLimit);
  const auto text = [](const Cursor &name) { return name.string(); };
  if (at.has("per_node"))
    graph.perNode = at.list("per_node", text);
  if (at.has("per_source_node"))
    graph.perSourceNode = at.list("per_source_node", text);
  if (at.has("per_edge"))
    graph.perEdge = at.list("per_edge", text);
  if (at.has("edge_outputs"))
    graph.edgeOutputs = at.list("edge_outputs", text);
  if (at.has("graphs"))
    graph.graphs = at.integer("graphs", 0, sizeLimit);
  if (at.has("per_graph"))
    graph.perGraph = at.list("per_graph", text);
  if (hasLayout) {
    graph.layout = at.with("layout", layoutOf);
    graph.layout->rooms.nodes = graph.nodes;
  }
  return graph;
}

} // namespace

static EdgeRows edgeRowsOf(const Cursor &at) {
  at.object({"edges", "file_edges", "inputs", "outputs"}, {"graph"});
  EdgeRows rows;
  if (at.has("graph"))
    rows.graph = at.string("graph");
  rows.fileEdges = at.integer("file_edges", 0, sizeLimit);
  rows.edges = at.integer("edges", 0, sizeLimit);
  const auto text = [](const Cursor &name) { return name.string(); };
  rows.inputs = at.list("inputs", text);
  rows.outputs = at.list("outputs", text);
  return rows;
}

Program plan::programFromJson(const Cursor &at) {
  Program program;
  at.object({"buffers", "inputs", "instructions", "kernels", "outputs",
             "parameters", "tensors"},
            {"edge_rows", "graph"});
  program.tensors = at.list("tensors", tensorOf);
  program.kernels = at.list("kernels", kernelOf);
  program.buffers = at.list("buffers", bufferOf);
  program.instructions = at.list("instructions", instructionOf);
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

Worker plan::workerFromJson(const Cursor &at) {
  Worker worker;
  at.object({"arena_bytes", "buffers", "instructions", "weights", "workspace"});
  worker.arenaBytes = at.integer("arena_bytes", 0, sizeLimit);
  at.with("workspace", [&](const Cursor &workspace) {
    workspace.object({"bytes", "offset"});
    worker.workspaceBytes = workspace.integer("bytes", 0, sizeLimit);
    worker.workspaceOffset = workspace.integer("offset", 0, sizeLimit);
  });
  worker.buffers = at.list("buffers", [](const Cursor &buffer) {
    buffer.object({"box", "offset"});
    return WorkerBuffer{buffer.with("box", boxOrNothingOf),
                        buffer.integer("offset", 0, sizeLimit)};
  });
  worker.instructions = at.list("instructions", workerInstructionOf);
  worker.weights = at.list("weights", [](const Cursor &weight) {
    weight.object({"box", "offset", "parameter"});
    return StoredWeight{number(weight, "parameter"),
                        weight.integer("offset", 0, sizeLimit),
                        weight.with("box", boxOrNothingOf)};
  });
  return worker;
}

void plan::summaryFromJson(const Cursor &at, Plan &plan, FileHashes &files) {
  at.object({"cpu_arch", "files", "format", "gpus", "model", "search", "sha256",
             "totals", "version"});
  plan.partitioned.workers.resize(size_t(at.integer("gpus", 1, gpuLimit)));
  at.with("files", [&](const Cursor &all) {
    if (!all.json().is_object())
      return all.refuse("must be an object");
    for (auto file = all.json().begin(); file != all.json().end(); ++file)
      files[file.key()] = all.string(file.key().c_str());
  });
  plan.cpuArch = at.string("cpu_arch");
  at.with("model", [&](const Cursor &model) {
    model.object({"name", "sha256"});
    plan.modelName = model.string("name");
    plan.modelSha256 = model.string("sha256");
  });
  at.with("search", [&](const Cursor &search) {
    search.object({"algorithm", "lower_bound_bytes", "optimal", "steps"});
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
  at.with("totals", [&](const Cursor &totals) {
    totals.object(
        {"communication_bytes", "flops", "parameter_bytes", "peak_bytes"});
    plan.communicationBytes =
        totals.integer("communication_bytes", 0, totalLimit);
    plan.flops = totals.integer("flops", 0, totalLimit);
    plan.parameterBytes = totals.integer("parameter_bytes", 0, totalLimit);
    plan.peakBytes = totals.integers("peak_bytes", 0, sizeLimit);
  });
}
