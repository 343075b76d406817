#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"

using namespace smex;
using namespace smex::plan;

const char *plan::name(KernelKind kind) {
  switch (kind) {
  case KernelKind::Generated:
    return "generated";
  case KernelKind::Contraction:
    return "contraction";
  case KernelKind::Convolution:
    return "convolution";
  case KernelKind::ConvolutionData:
    return "convolution_data";
  case KernelKind::ConvolutionFilter:
    return "convolution_filter";
  case KernelKind::Reference:
    break;
  }
  return "reference";
}

const char *plan::name(Opcode op) {
  switch (op) {
  case Opcode::Fetch:
    return "fetch";
  case Opcode::Compute:
    return "compute";
  case Opcode::Reduce:
    return "reduce";
  case Opcode::ToHost:
    return "to_host";
  case Opcode::FromHost:
    break;
  }
  return "from_host";
}

namespace {

template <typename Element, typename Write>
Json array(const std::vector<Element> &elements, Write &&write) {
  Json::array_t json;
  json.reserve(elements.size());
  for (const Element &element : elements)
    json.push_back(write(element));
  return json;
}

Json kernelToJson(const Kernel &kernel) {
  Json json = {{"kind", name(kernel.kind)}, {"lambda", kernel.lambda}};
  if (!kernel.generatedFor.empty()) {
    json["generated_for"] = kernel.generatedFor;
    json["symbol"] = kernel.symbol;
  }
  const ConvolutionInfo &convolution = kernel.convolution;
  switch (kernel.kind) {
  case KernelKind::Generated:
    json["symbol"] = kernel.symbol;
    break;
  case KernelKind::Contraction:
    json["roles"] = kernel.roles;
    break;
  case KernelKind::ConvolutionData:
  case KernelKind::ConvolutionFilter:
    json["gradient"] = convolution.gradient;
    json["roles"] = kernel.roles;
    [[fallthrough]];
  case KernelKind::Convolution:
    json["dilations"] = convolution.dilations;
    json["groups"] = convolution.groups;
    json["pads"] = convolution.pads;
    json["strides"] = convolution.strides;
    break;
  case KernelKind::Reference:
    break;
  }
  return json;
}

/// "whole", or one key that says what it is, and perhaps one for uneven parts.
Json divisionToJson(const Division &division) {
  switch (division.kind()) {
  case Division::Kind::Whole:
    break;
  case Division::Kind::Term:
    return {{"term", std::string(smex::name(division.reducer()))}};
  case Division::Kind::Placed:
    return {{"placed", division.group()}};
  case Division::Kind::Part:
    Json json = {{"part", division.dimension()}};
    if (!division.weights().empty())
      json["weights"] = division.weights();
    if (!division.bounds().empty())
      json["bounds"] = division.bounds();
    return json;
  }
  return "whole";
}

Json regionToJson(const Region &region) {
  switch (region.kind) {
  case Region::Kind::Divided:
    return {{"division", array(region.divisions, divisionToJson)},
            {"extents", region.extents}};
  case Region::Kind::Read:
    return {{"instruction", region.instruction}, {"operand", region.operand}};
  case Region::Kind::Result:
    return {{"instruction", region.instruction}};
  case Region::Kind::Listed:
    break;
  }
  return {{"listed", true}};
}

void addSteps(Json &list, StepSet steps) {
  for (size_t s = 0; s <= stepLimit; ++s)
    if (steps >> s & 1)
      list.push_back(s);
}

/// The instruction, and the steps that workers differ in.
Json waitToJson(Wait wait) {
  Json json = Json::array({wait.instruction});
  addSteps(json, wait.steps);
  return json;
}

Json collectiveToJson(const Collective &collective) {
  Json over = Json::array();
  addSteps(over, collective.over);
  return {{"name", std::string(name(collective.kind))}, {"over", over}};
}

Json instructionToJson(const Instruction &instruction) {
  Json json = {{"node", instruction.node},
               {"op", name(instruction.op)},
               {"to", instruction.to}};
  if (!instruction.waits.empty())
    json["waits"] = array(instruction.waits, waitToJson);
  if (instruction.op == Opcode::Compute) {
    json["indices"] = instruction.indices;
    json["kernel"] = instruction.kernel;
    json["operands"] = instruction.operands;
    if (instruction.epilogueOf >= 0)
      json["epilogue_of"] = instruction.epilogueOf;
    if (!instruction.reductions.empty())
      json["reductions"] = instruction.reductions;
    return json;
  }
  json["from"] = instruction.from;
  if (instruction.op == Opcode::Reduce)
    json["reducer"] = instruction.reducer;
  if (!instruction.pieces.empty())
    json["listed"] = true;
  if (!instruction.rows.empty())
    json["rows"] = true;
  if (instruction.collective)
    json["collective"] = collectiveToJson(*instruction.collective);
  return json;
}

Json portToJson(const Port &port) {
  Json json = {{"buffer", port.buffer}, {"name", port.name}};
  if (port.low)
    json["low"] = *port.low;
  if (port.high)
    json["high"] = *port.high;
  if (port.ignore)
    json["ignore"] = *port.ignore;
  if (port.loss)
    json["loss"] = true;
  for (const PartRange &range : port.parts) {
    Json part = Json::array();
    for (const Progression &dimension : range.part)
      part.push_back({dimension.first, dimension.count, dimension.step});
    json["parts"].push_back(
        {{"high", range.high}, {"low", range.low}, {"part", std::move(part)}});
  }
  if (port.derived) {
    json["derived"] = {
        {"derivation", std::string(graph::name(port.derived->derivation))},
        {"of", port.derived->of}};
    if (!port.derived->wraps.empty())
      json["derived"]["wraps"] = port.derived->wraps;
    if (!port.derived->rows.empty())
      json["derived"]["rows"] = port.derived->rows;
  }
  return json;
}

Json parameterToJson(const Parameter &parameter) {
  Json json = {{"buffer", parameter.buffer}, {"name", parameter.name}};
  if (parameter.drawn) {
    json["drawn"] = true;
    json["scale"] = parameter.scale;
  }
  if (parameter.next >= 0)
    json["next"] = parameter.next;
  if (parameter.state)
    json["state"] = true;
  if (parameter.constant)
    json["constant"] = true;
  return json;
}

Json layoutToJson(const GraphLayout &layout) {
  const graph::Rooms &rooms = layout.rooms;
  return {{"buckets", array(rooms.buckets,
                            [](const graph::BucketRoom &bucket) {
                              return Json::array({bucket.width, bucket.nodes});
                            })},
          {"edges", rooms.edges},
          {"levels",
           array(rooms.levels,
                 [](const graph::LevelRoom &level) {
                   return Json{{"from", array(level.from,
                                              [](const graph::PairRoom &pair) {
                                                return Json::array(
                                                    {pair.from, pair.edges});
                                              })},
                               {"nodes", level.nodes}};
                 })},
          {"lists", array(layout.lists, [](const ListInput &input) {
             Json json = {{"input", input.input},
                          {"list", std::string(graph::name(input.list.kind))}};
             if (input.list.at)
               json["at"] = input.list.at;
             if (input.list.from)
               json["from"] = input.list.from;
             return json;
           })}};
}

Json graphToJson(const GraphInputs &graph) {
  Json json = {{"nodes", graph.nodes}, {"self_loops", graph.selfLoops}};
  if (!graph.sources.empty())
    json["sources"] = graph.sources;
  if (!graph.destinations.empty())
    json["destinations"] = graph.destinations;
  if (!graph.perNode.empty())
    json["per_node"] = graph.perNode;
  if (graph.layout)
    json["layout"] = layoutToJson(*graph.layout);
  if (graph.sourceNodes)
    json["source_nodes"] = *graph.sourceNodes;
  if (!graph.perSourceNode.empty())
    json["per_source_node"] = graph.perSourceNode;
  if (!graph.perEdge.empty())
    json["per_edge"] = graph.perEdge;
  if (!graph.edgeOutputs.empty())
    json["edge_outputs"] = graph.edgeOutputs;
  if (!graph.values.empty())
    json["values"] = graph.values;
  if (!graph.added.empty())
    json["added"] = graph.added;
  if (!graph.types.empty()) {
    json["types"] = graph.types;
    json["edge_types"] = graph.edgeTypes;
  }
  if (!graph.name.empty())
    json["name"] = graph.name;
  if (graph.layer)
    json["layer"] = graph.layer;
  if (!graph.nodeType.empty())
    json["node_type"] = graph.nodeType;
  if (!graph.sourceType.empty())
    json["source_type"] = graph.sourceType;
  if (graph.graphs) {
    json["graphs"] = *graph.graphs;
    json["graph_of"] = graph.graphOf;
    json["per_graph"] = graph.perGraph;
  }
  return json;
}

Json edgeRowsToJson(const EdgeRows &rows) {
  Json json = {{"edges", rows.edges},
               {"file_edges", rows.fileEdges},
               {"inputs", rows.inputs},
               {"outputs", rows.outputs}};
  if (!rows.graph.empty())
    json["graph"] = rows.graph;
  return json;
}

} // namespace

Json plan::boxToJson(const Box &box) {
  if (box.isAbsent())
    return nullptr;
  return array(box.intervals(),
               [](Interval side) { return Json::array({side.lo, side.hi}); });
}

Json plan::pieceToJson(const Piece &piece) {
  return {{"box", boxToJson(piece.box)}, {"worker", piece.worker}};
}

static Json runsToJson(const Runs &runs) {
  Json json = Json::array();
  for (Interval run : runs) {
    json.push_back(run.lo);
    json.push_back(run.hi);
  }
  return json;
}

static Json keptToJson(const Kept &kept) {
  Json json = {{"on", kept.on}};
  if (kept.as >= 0)
    json["as"] = kept.as;
  return json;
}

Json plan::programToJson(const Program &program) {
  Json json = {
      {"buffers", array(program.buffers,
                        [](const BufferInfo &buffer) {
                          Json json = {{"tensor", buffer.tensor}};
                          if (buffer.partial)
                            json["partial"] = true;
                          if (buffer.element)
                            json["element"] = name(*buffer.element);
                          json["region"] = buffer.region;
                          if (buffer.space == Space::Host)
                            json["space"] = "host";
                          if (buffer.kept)
                            json["kept"] = keptToJson(*buffer.kept);
                          if (buffer.offsets.size() == 1)
                            json["offset"] = buffer.offsets.front();
                          return json;
                        })},
      {"inputs", array(program.inputs, portToJson)},
      {"instructions", array(program.instructions, instructionToJson)},
      {"kernels", array(program.kernels, kernelToJson)},
      {"outputs", array(program.outputs, portToJson)},
      {"parameters", array(program.parameters, parameterToJson)},
      {"regions", array(program.regions, regionToJson)},
      {"tensors", array(program.tensors,
                        [](const TensorInfo &tensor) {
                          return Json{{"dtype", std::string(smex::name(
                                                    tensor.type.dtype))},
                                      {"name", tensor.name},
                                      {"shape", tensor.type.shape}};
                        })},
      {"ways", program.ways},
  };
  if (program.graphs.size() == 1)
    json["graph"] = graphToJson(program.graphs.front());
  else if (!program.graphs.empty())
    json["graph"] = array(program.graphs, graphToJson);
  if (!program.edgeRows.empty())
    json["edge_rows"] = array(program.edgeRows, edgeRowsToJson);
  return json;
}

Json plan::workerToJson(const Partitioned &partitioned, int number) {
  const Program &program = partitioned.program;
  const Worker &worker = partitioned.workers[size_t(number)];
  Json boxes = Json::array(), offsets = Json::array(), pieces = Json::array(),
       rows = Json::array();
  for (const Region &region : program.regions)
    if (region.isListed())
      boxes.push_back(boxToJson(region.boxes[size_t(number)]));
  for (const BufferInfo &buffer : program.buffers)
    if (buffer.offsets.size() != 1)
      offsets.push_back(buffer.offsets[size_t(number)]);
  for (const Instruction &instruction : program.instructions)
    if (!instruction.pieces.empty())
      pieces.push_back(array(instruction.pieces[size_t(number)], pieceToJson));
  for (const Instruction &instruction : program.instructions)
    if (!instruction.rows.empty())
      rows.push_back(runsToJson(instruction.rows[size_t(number)]));
  Json json = {
      {"arena_bytes", worker.arenaBytes},
      {"boxes", std::move(boxes)},
      {"offsets", std::move(offsets)},
      {"pieces", std::move(pieces)},
      {"weights", array(worker.weights,
                        [](const StoredWeight &weight) {
                          return Json{{"offset", weight.offset},
                                      {"parameter", weight.parameter}};
                        })},
      {"workspace",
       {{"bytes", worker.workspaceBytes}, {"offset", worker.workspaceOffset}}},
  };
  if (!rows.empty())
    json["rows"] = std::move(rows);
  if (worker.hostBytes > 0)
    json["host_bytes"] = worker.hostBytes;
  if (worker.stagingBytes > 0)
    json["staging_bytes"] = worker.stagingBytes;
  return json;
}

Json plan::summaryToJson(const Plan &plan, const FileHashes &files) {
  const SearchInfo &search = plan.search;
  Json json = {
      {"files", Json::object_t(files.begin(), files.end())},
      {"format", "smex-plan"},
      {"gpus", plan.partitioned.workers.size()},
      {"model", {{"name", plan.modelName}, {"sha256", plan.modelSha256}}},
      {"search",
       {{"algorithm", search.algorithm},
        {"lower_bound_bytes", search.lowerBoundBytes},
        {"optimal", search.optimal},
        {"steps", array(search.steps,
                        [](const SearchStep &step) {
                          return Json{
                              {"bytes", step.bytes},
                              {"lower_bound_bytes", step.lowerBoundBytes},
                              {"optimal", step.optimal},
                              {"tied", step.tied},
                              {"ways", step.ways}};
                        })}}},
      {"targets",
       array(plan.code, [](const Artifact &each) { return each.target; })},
      {"totals",
       {{"communication_bytes", plan.communicationBytes},
        {"flops", plan.flops},
        {"parameter_bytes", plan.parameterBytes},
        {"peak_bytes", plan.peakBytes}}},
      {"version", formatVersion},
  };
  if (!search.allStepsTogether.empty())
    json["search"]["all_steps_together"] = search.allStepsTogether;
  if (search.hostLowerBoundBytes)
    json["search"]["host_lower_bound_bytes"] = *search.hostLowerBoundBytes;
  if (search.recomputing)
    json["search"]["recomputing"] = {
        {"bytes", search.recomputing->bytes},
        {"nanoseconds", search.recomputing->nanoseconds}};
  plan.hostTraffic.writeTo(json["totals"]);
  if (plan.machine)
    json["machine"] = {{"links", array(plan.machine->links,
                                       [](const LinkLevel &level) {
                                         return Json{{"bytes", level.bytes},
                                                     {"bytes_per_second",
                                                      level.bytesPerSecond},
                                                     {"gpus", level.gpus}};
                                       })},
                       {"name", plan.machine->name}};
  return json;
}
