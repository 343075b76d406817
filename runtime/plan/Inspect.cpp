#include "runtime/plan/Inspect.h"

#include "runtime/plan/Format.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Table.h"
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace smex;
using namespace smex::plan;

namespace {

/// "2928 nodes, 2848 edges, 15 levels"
std::string roomOf(const graph::Rooms &rooms) {
  std::string text = std::to_string(rooms.nodes) + " nodes, " +
                     std::to_string(rooms.edges) + " edges";
  if (!rooms.levels.empty())
    text += ", " + std::to_string(rooms.levels.size()) + " levels";
  if (!rooms.buckets.empty())
    text += ", up to " + std::to_string(rooms.buckets.back().width) +
            " messages to a node";
  return text;
}

/// Of a layer that has edges of its own.
std::string layerRoom(const Program &program, const GraphInputs &graph) {
  int64_t edges = 0;
  for (const Port &input : program.inputs)
    for (const std::string &list : {graph.sources, graph.destinations,
                                    graph.types, graph.values, graph.added})
      if (input.name == list)
        edges =
            program
                .tensors[size_t(program.buffers[size_t(input.buffer)].tensor)]
                .type.shape[0];
  std::string text = std::to_string(edges) + " edges" +
                     (graph.name.empty() ? "" : " of " + graph.name);
  if (graph.layout && !graph.layout->rooms.buckets.empty())
    text += ", up to " +
            std::to_string(graph.layout->rooms.buckets.back().width) +
            " messages to a node";
  return text;
}

std::string head(const Plan &plan) {
  const Program &program = plan.partitioned.program;
  size_t drawn = 0;
  for (const Parameter &parameter : program.parameters)
    drawn += parameter.drawn;
  const auto largest =
      std::max_element(plan.peakBytes.begin(), plan.peakBytes.end());
  Table table("ll");
  table.add({"model", plan.modelName});
  table.add({"", "sha256 " + plan.modelSha256});
  table.add({"GPUs", std::to_string(plan.partitioned.workers.size())});
  table.add(
      {"communication", humanBytes(plan.communicationBytes) + " per run"});
  if (largest != plan.peakBytes.end())
    table.add(
        {"peak memory", humanBytes(*largest) + " on gpu" +
                            std::to_string(largest - plan.peakBytes.begin()) +
                            ", the most of all"});
  int64_t host = 0;
  for (const Worker &worker : plan.partitioned.workers)
    host = std::max(host, worker.hostBytes);
  if (host > 0)
    table.add({"host memory", humanBytes(host) + " at most for a GPU"});
  if (!plan.hostTraffic.isNone())
    table.add(
        {"moves", toString(plan.hostTraffic) + " per run" + hostGap(plan)});
  if (plan.search.recomputing)
    table.add({"recomputes", recomputed(plan)});
  table.add({"parameters", humanBytes(plan.parameterBytes) + " in " +
                               std::to_string(program.parameters.size()) +
                               (drawn ? ", " + std::to_string(drawn) +
                                            " of them drawn from a seed"
                                      : "")});
  table.add({"flops", humanCount(plan.flops)});
  table.add({"program",
             std::to_string(program.instructions.size()) + " instructions, " +
                 std::to_string(program.buffers.size()) + " buffers, " +
                 std::to_string(program.kernels.size()) + " kernels"});
  if (const auto epilogues = std::count_if(
          program.instructions.begin(), program.instructions.end(),
          [](const Instruction &each) { return each.epilogueOf >= 0; }))
    table.add({"epilogues", std::to_string(epilogues) +
                                " instructions that a GPU's library may do "
                                "with the product before them"});
  for (const GraphInputs &graph : program.graphs)
    if (graph.layout)
      table.add({"graph", "room for " + roomOf(graph.layout->rooms)});
  for (const GraphInputs &graph : program.graphs)
    if (graph.layer)
      table.add({graph.layer == graph::ofBatch
                     ? "batch of edges"
                     : "layer " + std::to_string(graph.layer),
                 "room for " + layerRoom(program, graph)});
  for (const EdgeRows &rows : program.edgeRows)
    for (const std::string &input : rows.inputs)
      table.add({"rows per edge", input + ": " +
                                      std::to_string(rows.fileEdges) +
                                      ", in the order of the graph's files"});
  return table.text();
}

std::string search(const Plan &plan) {
  const SearchInfo &search = plan.search;
  std::string text = "\nSearch: " + search.algorithm;
  const int64_t gap = plan.communicationBytes - search.lowerBoundBytes;
  if (search.optimal)
    text += ", proven optimal";
  else
    text += ", lower bound " + humanBytes(search.lowerBoundBytes) +
            (gap > 0 && plan.communicationBytes > 0
                 ? " (gap " + percent(gap, plan.communicationBytes) + ")"
                 : "");
  if (!search.allStepsTogether.empty())
    text += "; all steps taken together: " + search.allStepsTogether;
  text += "\n";
  if (search.steps.empty())
    return text;
  Table table("rrrrl");
  table.add({"step", "ways", "bytes", "lower bound", ""});
  for (size_t i = 0; i < search.steps.size(); ++i) {
    const SearchStep &step = search.steps[i];
    table.add({std::to_string(i + 1), std::to_string(step.ways),
               humanBytes(step.bytes), humanBytes(step.lowerBoundBytes),
               std::string(step.optimal ? "optimal" : "") +
                   (step.tied ? " with timesteps cut alike" : "")});
  }
  text += table.text();
  if (search.steps.back().bytes > plan.communicationBytes)
    text += "Of a run, a fetch that several operators share counts once; of a "
            "step, once for each.\n";
  return text;
}

std::string links(const Plan &plan) {
  if (!plan.machine || plan.machine->links.empty())
    return "";
  Table table("rrrr");
  table.add({"GPUs", "bytes", "", "rate of each"});
  for (const LinkLevel &level : plan.machine->links)
    table.add({std::to_string(level.gpus), humanBytes(level.bytes),
               plan.communicationBytes > 0
                   ? percent(level.bytes, plan.communicationBytes)
                   : "",
               humanCount(level.bytesPerSecond) + "B/s"});
  return "\nLinks of " + plan.machine->name +
         ": what crosses within groups of how many GPUs\n" + table.text();
}

/// What moves, by its name and by how many GPUs make a group.
std::string collectives(const Partitioned &partitioned) {
  struct Sum {
    int64_t count = 0, bytes = 0;
  };
  std::map<std::pair<std::string, size_t>, Sum> sums;
  const std::vector<int64_t> moved = traffic(partitioned).instructions;
  for (size_t i = 0; i < moved.size(); ++i) {
    if (moved[i] == 0)
      continue;
    const bool isOfRows = !partitioned.program.instructions[i].rows.empty();
    std::pair<std::string, size_t> what = {isOfRows ? "rows" : "other", 0};
    if (const auto collective = collectiveOf(partitioned, int(i)))
      what = {std::string(smex::name(collective->kind)),
              groupOf(partitioned.program.ways, 0, collective->over).size()};
    Sum &sum = sums[what];
    ++sum.count;
    sum.bytes = Traffic::saturatingAdd(sum.bytes, moved[i]);
  }
  if (sums.empty())
    return "";
  Table table("lrrr");
  table.add({"", "GPUs", "times", "bytes"});
  for (const auto &[what, sum] : sums)
    table.add({what.first, what.second ? std::to_string(what.second) : "",
               std::to_string(sum.count), humanBytes(sum.bytes)});
  return "\nWhat moves, and in groups of how many GPUs\n" + table.text();
}

/// GPUs in a row that are alike share a line: a plan may have a thousand.
std::string gpus(const Plan &plan) {
  const Partitioned &partitioned = plan.partitioned;
  const Traffic moved = traffic(partitioned);
  std::vector<std::vector<std::string>> rows;
  for (size_t w = 0; w < partitioned.workers.size(); ++w) {
    int64_t parameters = 0;
    for (const Parameter &parameter : partitioned.program.parameters)
      parameters += byteSize(partitioned, int(w), parameter.buffer);
    rows.push_back(
        {w < plan.peakBytes.size() ? humanBytes(plan.peakBytes[w]) : "",
         humanBytes(parameters), humanBytes(moved.received[w])});
  }
  Table table("lrrr");
  table.add({"", "peak", "parameters", "receives"});
  for (size_t w = 0; w < rows.size();) {
    size_t last = w;
    while (last + 1 < rows.size() && rows[last + 1] == rows[w])
      ++last;
    std::vector<std::string> row = rows[w];
    row.insert(row.begin(), "gpu" + std::to_string(w) +
                                (last > w ? " .. gpu" + std::to_string(last)
                                          : std::string()));
    table.add(std::move(row));
    w = last + 1;
  }
  return "\nGPUs\n" + table.text();
}

std::string tensors(const Plan &plan, int most) {
  const auto &all = plan.partitioned.program.tensors;
  const auto bytes = [&](int t) {
    return byteCount(all[size_t(t)].type).value_or(0);
  };
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return bytes(a) > bytes(b); });
  order.resize(std::min(order.size(), size_t(std::max(most, 0))));
  if (order.empty())
    return "";
  Table table("lrl");
  for (int t : order)
    table.add(
        {all[size_t(t)].name, humanBytes(bytes(t)),
         toString(all[size_t(t)].type) + ", " + cutOf(plan.partitioned, t)});
  return "\nLargest tensors, and how they are cut\n" + table.text();
}

std::string nodes(const Plan &plan, int most) {
  const Traffic moved = traffic(plan.partitioned);
  std::vector<std::pair<std::string, Traffic::OfNode>> order(
      moved.nodes.begin(), moved.nodes.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto &a, const auto &b) {
                     return a.second.bytes() > b.second.bytes();
                   });
  order.resize(std::min(order.size(), size_t(std::max(most, 0))));
  if (order.empty())
    return "";
  Table table("lrrr");
  table.add({"", "fetched", "reduced", "of all"});
  for (const auto &[node, bytes] : order)
    table.add({node, humanBytes(bytes.fetched), humanBytes(bytes.reduced),
               percent(bytes.bytes(), plan.communicationBytes)});
  return "\nNodes that communicate most\n" + table.text();
}

class Listing {
public:
  Listing(const Partitioned &partitioned, int worker)
      : program(partitioned.program), partitioned(partitioned), worker(worker),
        own(partitioned.workers[size_t(worker)]) {}

  std::string run() const {
    std::string text = "gpu" + std::to_string(worker) + ": arena of " +
                       std::to_string(own.arenaBytes) + " bytes, workspace " +
                       std::to_string(own.workspaceBytes) + " at " +
                       std::to_string(own.workspaceOffset) + staging() + "\n";
    Table held("lll");
    for (const Port &input : program.inputs)
      held.add({input.derived ? "derived" : "input", input.name + recipe(input),
                buffer(input.buffer)});
    for (const Parameter &parameter : program.parameters)
      held.add({"parameter", parameter.name, buffer(parameter.buffer)});
    for (const Port &output : program.outputs)
      held.add({"output", output.name, buffer(output.buffer)});
    text += held.text();
    Table table("rlll");
    for (size_t i = 0; i < program.instructions.size(); ++i)
      table.add({std::to_string(i), name(program.instructions[i].op),
                 program.instructions[i].node, instruction(i)});
    return text + table.text();
  }

private:
  std::string staging() const {
    if (own.stagingBytes == 0)
      return "";
    return ", staging " + std::to_string(own.stagingBytes) + " at " +
           std::to_string(own.bufferBytes());
  }

  /// " (offsets of destinations)" of a derived input.
  static std::string recipe(const Port &input) {
    if (!input.derived)
      return "";
    std::string text =
        " (" + std::string(graph::name(input.derived->derivation));
    const char *separator = " of ";
    const graph::Recipe &recipe = *input.derived;
    for (size_t i = 0; i < recipe.of.size(); ++i) {
      text += separator + recipe.of[i];
      if (!recipe.rows.empty())
        text += "[" + std::to_string(recipe.rows[i]) + "]";
      separator = ", ";
    }
    return text + ")";
  }

  /// What it is there, if nothing fills it.
  std::string kept(int number) const {
    const int storage = partitioned.storage(worker, number);
    return storage == number ? "" : " kept as #" + std::to_string(storage);
  }

  std::string buffer(int number) const {
    const BufferInfo &info = program.buffers[size_t(number)];
    return program.tensors[size_t(info.tensor)].name + "#" +
           std::to_string(number) + (info.partial ? " partial " : " ") +
           (info.element ? std::string(smex::name(*info.element)) : "") +
           toString(partitioned.box(worker, number)) + " @" +
           std::to_string(partitioned.offset(worker, number)) +
           (partitioned.space(worker, number) == Space::Host ? " on the host"
                                                             : "") +
           kept(number);
  }

  std::string instruction(size_t i) const {
    const Instruction &shared = program.instructions[i];
    std::string text = buffer(shared.to) + " = ";
    if (shared.op == Opcode::Compute) {
      text += "kernel " + std::to_string(shared.kernel) + " " +
              toString(partitioned.indices(worker, int(i))) + " (";
      for (size_t k = 0; k < shared.operands.size(); ++k)
        text += (k ? ", " : "") + buffer(shared.operands[k]);
      text += ")";
      if (shared.epilogueOf >= 0)
        text += ", epilogue of " + std::to_string(shared.epilogueOf);
    } else if (isMove(shared.op)) {
      text += "#" + std::to_string(shared.from);
    } else {
      text += shared.op == Opcode::Reduce ? shared.reducer + " of " : "";
      text += "#" + std::to_string(shared.from) + " of";
      const std::vector<Piece> pieces = piecesOf(partitioned, worker, int(i));
      for (size_t k = 0; k < pieces.size(); ++k)
        text += (k ? ", gpu" : " gpu") + std::to_string(pieces[k].worker) +
                " " + toString(pieces[k].box);
    }
    for (size_t k = 0; k < shared.waits.size(); ++k)
      text += (k ? ", " : "; after ") + wait(shared.waits[k]);
    return text;
  }

  /// "3", of this GPU; "3 of gpu0, gpu2": of all of these that do it.
  std::string wait(Wait wait) const {
    std::string text = std::to_string(wait.instruction);
    const char *separator = " of gpu";
    if (wait.steps)
      for (int other : groupOf(program.ways, worker, wait.steps))
        if (written(partitioned, other, wait.instruction)) {
          text += separator + std::to_string(other);
          separator = ", gpu";
        }
    return text;
  }

  const Program &program;
  const Partitioned &partitioned;
  const int worker;
  const Worker &own;
};

} // namespace

std::string plan::hostGap(const Plan &plan) {
  if (!plan.search.hostLowerBoundBytes)
    return "";
  const int64_t bound = *plan.search.hostLowerBoundBytes;
  const double cost =
      double(plan.hostTraffic.toHost) + double(plan.hostTraffic.fromHost) +
      double(plan.search.recomputing ? plan.search.recomputing->bytes : 0);
  if (cost <= double(bound))
    return ", the least there is";
  std::string text;
  if (bound > 0) {
    char percent[64];
    const double ratio = cost / double(bound);
    if (ratio < 2)
      std::snprintf(percent, sizeof percent,
                    ", at most %.1f %% above the least", 100 * (ratio - 1));
    else
      std::snprintf(percent, sizeof percent, ", at most %.1f times the least",
                    ratio);
    text = percent;
  }
  return text + "; lower bound " + humanBytes(bound);
}

std::string plan::recomputed(const Plan &plan) {
  if (!plan.search.recomputing)
    return "";
  const Program &program = plan.partitioned.program;
  char time[64];
  std::snprintf(time, sizeof time, "%.3g ms",
                double(plan.search.recomputing->nanoseconds) / 1e6);
  return std::to_string(repeated(program).size()) + " of " +
         std::to_string(program.instructions.size()) + " instructions, " +
         time + " per run" + (plan.hostTraffic.isNone() ? hostGap(plan) : "");
}

std::string plan::inspect(const Plan &plan, const InspectOptions &options) {
  return head(plan) + search(plan) + links(plan) + gpus(plan) +
         collectives(plan.partitioned) + tensors(plan, options.tensors) +
         nodes(plan, options.nodes);
}

std::string plan::listing(const Partitioned &partitioned, int worker) {
  return Listing(partitioned, worker).run();
}
