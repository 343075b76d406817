// The plan: all that passes between the compiler and the runtime. Plain data;
// Load.h reads and checks it, Save.h writes its canonical text, Check.h proves
// it sound. README.md documents the files, schema/ has their JSON Schemas.
//
// Every worker runs the same list of instructions, on its queues; workers
// differ in the regions they hold. These follow from how tensors and index
// spaces are divided in the steps of the partition (dialects/support/Shares.h),
// so that one shared Program (program.json) says nearly all: of what follows
// from no division it has a list with an entry per worker, which is written to
// that worker's file (gpu0.json ..).
#ifndef SMEX_RUNTIME_PLAN_PLAN_H
#define SMEX_RUNTIME_PLAN_PLAN_H

#include "dialects/smex/lists/Derived.h"
#include "dialects/smex/lists/GraphInputs.h"
#include "dialects/smex/lists/Rooms.h"
#include "dialects/support/Box.h"
#include "dialects/support/Collective.h"
#include "dialects/support/PartRange.h"
#include "dialects/support/Queue.h"
#include "dialects/support/Runs.h"
#include "dialects/support/Tensor.h"
#include "dialects/support/Wait.h"
#include "runtime/plan/HostTraffic.h"
#include "runtime/plan/Launch.h"
#include "runtime/plan/SearchInfo.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace smex::plan {

/// A tensor of the semantic graph, whole.
struct TensorInfo {
  std::string name;
  TensorType type;
};

/// What a compute instruction's lambda is, by its structure: what a library may
/// have a kernel for, on elements of any type.
enum class KernelKind {
  Generated,   // a function of the plan's code, see README.md for its signature
  Contraction, // matrix product, one role per index variable
  Convolution, // convolution, see Kernel::convolution
  ConvolutionData,   // its gradient by the data
  ConvolutionFilter, // its gradient by the filter
  Reference,         // an opaque function: the interpreter, or code
};

/// Convolution of spatial rank s: result[n, m, o..], data[n, c, x..],
/// filter[m, c', k..], x = o*stride + k*dilation - pad. Operand 0 is the data.
struct ConvolutionInfo {
  std::vector<int64_t> strides, dilations, pads;
  int64_t groups = 1;
  /// Gradients: the operand that is the result's gradient, 0 or 1. The other is
  /// the filter or the data.
  int gradient = 0;
};

struct Kernel {
  KernelKind kind = KernelKind::Generated;
  std::string lambda; // its meaning, in the text form of dialects/tdl
  std::string symbol; // of the function, where a target's code has one
  /// Of a kind that libraries have: the targets whose libraries do not have it
  /// for these elements, so that their code has a function (Target.h).
  std::vector<std::string> generatedFor;
  /// Contraction: per index variable of the lambda 'b' (in the result and both
  /// operands), 'm' (result and operand 0), 'n' (result and operand 1), 'k'
  /// (summed, both operands).
  /// Gradients of convolutions: a word per index variable, see
  /// ConvolutionRoles.h.
  std::string roles;
  ConvolutionInfo convolution;
};

/// What each worker has of a tensor, or of a compute's index variables.
struct Region {
  enum class Kind {
    Divided, // its share of [0, extents), see shareOf
    Read,    // what compute `instruction` reads of its operand `operand`
    Result,  // what compute `instruction` makes: its terms of a reduction
    Listed,  // `boxes` say it
  };
  Kind kind = Kind::Listed;
  std::vector<int64_t> extents;      // Divided
  Divisions divisions;               // Divided: one per step
  int instruction = -1, operand = 0; // Read, Result
  /// Per worker, what it comes to (evaluate() in Regions.h).
  std::vector<Box> boxes;

  bool isListed() const { return kind == Kind::Listed; }
};

/// Where bytes are: in the memory of the worker's device, or in the host's, for
/// what the device has no room for.
enum class Space { Device, Host };

/// Workers on which nothing fills a buffer, since they have the same already:
/// what others move to the host and back, or compute again, they keep.
struct Kept {
  /// The buffer that it is there, byte for byte: an earlier one of the same
  /// tensor. -1: of an input or a parameter that is on the host of other
  /// workers, itself; it has a place on the device of these.
  int as = -1;
  std::vector<int> on; // workers, ascending; one at least
};

/// A region of a tensor on each worker.
struct BufferInfo {
  int tensor = 0;
  /// A partial result holds not the tensor's value but one worker's share of a
  /// reduction (case 2 of thesis section 3.4.2).
  bool partial = false;
  /// Of a partial result, the type of its elements where that is not the
  /// tensor's: sums of 16-bit floats are kept in f32 until they are whole.
  std::optional<DType> element;
  int region = -1;
  /// Instructions compute, fetch and reduce on the device; outputs are there,
  /// too. Of inputs and parameters, what is on the host is there when a step
  /// begins. A parameter's next value is in the parameter's space. Of workers
  /// that have not `kept` it.
  Space space = Space::Device;
  /// Bytes from the start of the space's arena, a multiple of 64: one number,
  /// or, where workers differ, one for each. Where a worker has nothing of the
  /// buffer, it says nothing.
  std::vector<int64_t> offsets = {};
  /// What a compute or a move fills, and on some workers does not.
  std::optional<Kept> kept = {};
};

struct Instruction {
  Opcode op = Opcode::Compute;
  std::string node; // the model's node it stems from, for messages and traces
  int to = 0;       // buffer written
  int kernel = -1;  // Compute
  std::vector<int> operands; // Compute: buffers read, one per lambda operand
  /// Compute: the whole extent of each reduction variable of the lambda, of
  /// which workers do parts. No tensor has it, and without it nobody can tell
  /// that the last part is missing.
  std::vector<int64_t> reductions;
  /// Compute: the region of the index variables that each worker does, outputs
  /// first.
  int indices = -1;
  int from = -1;       // all others: the buffer read on the workers
  std::string reducer; // Reduce: "Sum", "Max", "Min", "Prod"
  /// Fetch, Reduce: for each worker, what it gets from whom; no lists where
  /// that follows from the division of `from` (Regions.h).
  std::vector<std::vector<Piece>> pieces = {};
  /// Fetch: for each worker, the rows of `to` that it gets, where it does not
  /// get all: those that its readers find by lists of integers that the plan
  /// stores, as by the sources of a graph's edges. What else is in `to` is
  /// read by nobody (CheckWeights.h).
  std::vector<Runs> rows = {};
  std::vector<Wait> waits = {};
  /// Fetch, Reduce: what all groups of workers do alike, where that has a name.
  /// It follows from the divisions (Regions.h), so check() can tell.
  std::optional<Collective> collective = {};
  /// Compute: the product of matrices that a library may do this map with, an
  /// earlier instruction; -1: none (Epilogue.h).
  int epilogueOf = -1;
};

/// A named value that crosses the plan's border.
struct Port {
  std::string name;
  int buffer = 0; // each worker's share of it
  /// Of integers: what the elements may be, both ends included, and of an input
  /// one value beside these that counts for nothing. Both ends are there, or
  /// neither; without them `ignore` isn't. An output beyond its range says that
  /// the step has chosen more rows than the plan has room for.
  std::optional<int64_t> low, high, ignore;
  /// Of an input of integers: what the elements of its parts may be, where they
  /// are indices into something smaller than others are.
  std::vector<PartRange> parts = {};
  /// Of an input that nobody gives: how a runtime makes it of others, lists of
  /// integers that do not follow from others themselves.
  std::optional<graph::Recipe> derived;
  /// Of an output, one float: what training makes small. A program has one at
  /// the most.
  bool loss = false;
};

/// Where a parameter's values come from.
struct Parameter {
  std::string name;
  int buffer = 0;
  /// Not stored but drawn when run: uniform in [-scale, scale), element e from
  /// (seed, name, e) alone, so that any partition draws the same values.
  bool drawn = false;
  double scale = 0;
  /// Training: the buffer whose value the parameter takes after each step, of
  /// the same box on every worker; -1: the parameter stays as it is. Where the
  /// two have one place in memory, nothing is to be done.
  int next = -1;
  bool state = false; // the optimizer's, not the model's
  bool constant =
      false; // not a weight: a number that the model is written with
};

/// An input that says where nodes or edges of the graph are in groups.
struct ListInput {
  std::string input; // name
  graph::GraphList list;

  bool operator==(const ListInput &other) const {
    return input == other.input && list == other.list;
  }
};

/// Room for the graph's nodes in groups, and the inputs that follow from it.
struct GraphLayout {
  graph::Rooms rooms;
  std::vector<ListInput> lists;

  bool operator==(const GraphLayout &other) const {
    return rooms == other.rooms && lists == other.lists;
  }
};

/// Inputs, by name, that are a graph which the model works on: i64[edges] each,
/// edge e leads from node sources[e] to node destinations[e]. An end that
/// nothing reads has no input, and "" for a name.
struct GraphInputs {
  std::string sources, destinations;
  /// That the program has room for: of the type that edges lead to.
  int64_t nodes = 0;
  bool selfLoops = false; // the model wants one at each node
  /// Inputs that have a row per node: what nodes have, and labels.
  std::vector<std::string> perNode;
  std::optional<GraphLayout> layout;
  /// Where edges come from nodes of another type: room for these, and the
  /// inputs that have a row for each.
  std::optional<int64_t> sourceNodes;
  std::vector<std::string> perSourceNode;
  /// The type of each edge, below edgeTypes; or "", and 0.
  std::string types;
  int64_t edgeTypes = 0;
  std::string name; // or "": the model's only one
  /// Where layers have edges of their own, the layer that these are of, from 1
  /// up, or graph::ofBatch; 0: of all layers.
  int64_t layer = 0;
  /// Where the model has results for each graph of a batch, room for so many:
  /// i64[nodes], the graph that each node is of; and the inputs with a row per
  /// graph.
  std::optional<int64_t> graphs;
  std::string graphOf;
  std::vector<std::string> perGraph;
  /// Where nodes are of several types: the names of those that edges lead to,
  /// and come from, if that is another one; or "".
  std::string nodeType, sourceType;
  /// Inputs that have a row per edge, and outputs that do.
  std::vector<std::string> perEdge, edgeOutputs;
  /// f32[edges], the number of each edge in the graph's file; or "".
  std::string values;
  /// bool[edges], which edges are self-loops that were added; or "".
  std::string added;

  bool operator==(const GraphInputs &other) const {
    return sources == other.sources && destinations == other.destinations &&
           nodes == other.nodes && selfLoops == other.selfLoops &&
           perNode == other.perNode && layout == other.layout &&
           sourceNodes == other.sourceNodes &&
           perSourceNode == other.perSourceNode && types == other.types &&
           edgeTypes == other.edgeTypes && name == other.name &&
           layer == other.layer && graphs == other.graphs &&
           graphOf == other.graphOf && perGraph == other.perGraph &&
           nodeType == other.nodeType && sourceType == other.sourceType &&
           perEdge == other.perEdge && edgeOutputs == other.edgeOutputs &&
           values == other.values && added == other.added;
  }
};

/// Inputs and outputs, by name, that have a row per edge of a graph which the
/// program was compiled with. Whoever gives or takes them has a row for each of
/// the `fileEdges` edges of the graph's files, in their order; the program has
/// an order of its own, and more edges, if self-loops were added.
struct EdgeRows {
  std::string graph; // its name; or "": the only one
  int64_t fileEdges = 0, edges = 0;
  std::vector<std::string> inputs, outputs;
};

struct Program {
  /// Of each step of the partition: workers are numbered in the mixed radix of
  /// these.
  Ways ways;
  std::vector<TensorInfo> tensors;
  std::vector<Kernel> kernels;
  std::vector<Region> regions;
  std::vector<BufferInfo> buffers;
  std::vector<Instruction> instructions;
  std::vector<Port> inputs, outputs;
  std::vector<Parameter> parameters;
  /// One, or one for each relation between types of nodes.
  std::vector<GraphInputs> graphs;
  std::vector<EdgeRows> edgeRows;
};

/// The queues that have instructions.
inline std::vector<Queue> queuesOf(const Program &program) {
  bool isUsed[queueCount] = {};
  for (const Instruction &instruction : program.instructions)
    isUsed[size_t(queueOf(instruction.op))] = true;
  std::vector<Queue> used;
  for (Queue queue : queues)
    if (isUsed[size_t(queue)])
      used.push_back(queue);
  return used;
}

/// The type of the elements that a buffer holds.
inline DType elementType(const Program &program, int buffer) {
  const BufferInfo &info = program.buffers[size_t(buffer)];
  return info.element.value_or(program.tensors[size_t(info.tensor)].type.dtype);
}

/// Where a stored parameter's share lies in the worker's weight file: what the
/// worker has of its buffer, dense and row-major.
struct StoredWeight {
  int parameter = 0; // index into Program::parameters
  int64_t offset = 0;
};

/// What the kernels' widest accesses are aligned to; so is each message in a
/// worker's staging.
constexpr int64_t stagingAlignment = 16;

/// What is said of a worker alone; of its regions, see Program.
struct Worker {
  int64_t arenaBytes = 0;
  int64_t workspaceOffset = 0, workspaceBytes = 0; // scratch
  std::vector<StoredWeight> weights;
  int64_t hostBytes = 0; // the arena of its buffers in the host's memory
  /// The last bytes of the arena, where no buffer lies: staging for what its
  /// exchanges pack, and for what comes and has no place yet. 0: they need
  /// none.
  int64_t stagingBytes = 0;

  /// Of the arena, what buffers and the workspace lie in; it ends where the
  /// staging begins.
  int64_t bufferBytes() const { return arenaBytes - stagingBytes; }
};

/// How the kernels of a GPU's code are launched, by symbol.
using Launches = std::map<std::string, Launch>;

/// The generated kernels for one target. No bytes: the plan needs none there.
struct Artifact {
  std::string target; // "x86-64-v3", "sm_80" (Target.h)
  std::string bytes;  // of the file (Files.h)
  Launches launches = {};
};
/// Any of them that a machine can run does the same. None: the plan has no
/// generated kernels.
using Code = std::vector<Artifact>;

/// A partitioned program: what one folder level of the plan holds.
struct Partitioned {
  Program program;
  std::vector<Worker> workers;

  /// What the worker has of a buffer; empty: nothing.
  const Box &box(int worker, int buffer) const {
    return boxOf(program.buffers[size_t(buffer)].region, worker);
  }
  /// What it does of a compute's index variables.
  const Box &indices(int worker, int instruction) const {
    return boxOf(program.instructions[size_t(instruction)].indices, worker);
  }
  int64_t offset(int worker, int buffer) const {
    const auto &all = program.buffers[size_t(buffer)].offsets;
    return all[all.size() == 1 ? 0 : size_t(worker)];
  }
  bool isKept(int worker, int buffer) const {
    const std::optional<Kept> &kept = program.buffers[size_t(buffer)].kept;
    return kept && std::binary_search(kept->on.begin(), kept->on.end(), worker);
  }
  /// The buffer whose bytes the worker has for it: itself, or what it keeps in
  /// place of it.
  int storage(int worker, int buffer) const {
    while (isKept(worker, buffer) &&
           program.buffers[size_t(buffer)].kept->as >= 0)
      buffer = program.buffers[size_t(buffer)].kept->as;
    return buffer;
  }
  /// Where that is.
  Space space(int worker, int buffer) const {
    buffer = storage(worker, buffer);
    return isKept(worker, buffer) ? Space::Device
                                  : program.buffers[size_t(buffer)].space;
  }

private:
  const Box &boxOf(int region, int worker) const {
    return program.regions[size_t(region)].boxes[size_t(worker)];
  }
};

struct Plan {
  std::string modelName;   // file name without folders
  std::string modelSha256; // of model, external data, --ops, --graph
  Partitioned partitioned;
  /// The same model for one worker, for --verify. It has no weights of its own:
  /// its parameters are put together from the workers' shares.
  Partitioned unpartitioned;
  SearchInfo search;
  std::optional<MachineInfo> machine;
  int64_t communicationBytes = 0; // bytes that cross workers in one run
  std::vector<int64_t> peakBytes; // one per worker
  int64_t parameterBytes = 0, flops = 0;
  HostTraffic hostTraffic; // of all workers
  /// For each of the partitioned program's edgeRows: which row of the file each
  /// edge has, or -1, a self-loop that was added (graph::edgeRows).
  std::vector<std::vector<int64_t>> edgeOrders;
  Code code;
};

} // namespace smex::plan

#endif
