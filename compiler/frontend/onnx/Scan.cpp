// Scan, unrolled: an iteration for each element of what it scans.
#include "compiler/frontend/onnx/Elements.h"
#include "compiler/frontend/onnx/Importer.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

/// The last element of a sequence: of all `trips`, or of as many as a length
/// says that is known; -1: it is not known.
static int64_t lastOfSequence(Node &node, ValueId length, int64_t trips) {
  if (length == noValue)
    return trips - 1;
  const auto known = node.builder.known(length);
  if (!known)
    return -1;
  const int64_t count = asInts(*known).at(0);
  if (count < 0 || count > trips)
    node.refuse("a length is ", count, " where sequences have ", trips,
                " elements");
  return std::max<int64_t>(count - 1, 0);
}

/// Behind a sequence's end, states stay as they were, and what is collected is
/// zero: ONNX leaves that open, onnxruntime has zeros.
static void keepBehindEnd(Node &node, ValueId length, int64_t trip,
                          const std::vector<ValueId> &state,
                          std::vector<ValueId> &results) {
  Tensor counter = makeTensor({DType::I64, {}});
  *counter.data<int64_t>() = trip;
  const ValueId goesOn =
      node.apply("less", {node.addConstant(std::move(counter)),
                          node.cast(length, DType::I64)});
  for (size_t i = 0; i < results.size(); ++i) {
    node.require(results[i] >= 0 && results[i] < firstStored,
                 "it has lengths, and results that are no plain tensors");
    const TensorType type = node.type(results[i]);
    ValueId otherwise;
    if (i < state.size()) {
      otherwise = state[i];
      node.require(otherwise >= 0 && otherwise < firstStored &&
                       node.type(otherwise) == type,
                   "a state changes its type");
    } else {
      Tensor zero = makeTensor({type.dtype, {}});
      otherwise = node.expand(node.addConstant(std::move(zero)), type.shape);
    }
    results[i] = node.apply("where", {goesOn, results[i], otherwise});
  }
}

void Importer::importScan(Node &node, Scope &scope, const Surroundings &in) {
  const int64_t scanned = node.integer("num_scan_inputs");
  const bool batched = node.opset < 9; // over a batch, with a length for each
  const size_t first = batched ? 1 : 0;
  if (scanned < 1 || scanned + int64_t(first) > int64_t(node.inputs.size()))
    node.refuse("num_scan_inputs is ", scanned, " of ", node.inputs.size(),
                " inputs");
  std::vector<ValueId> operands;
  for (size_t i = first; i < node.inputs.size(); ++i)
    operands.push_back(node.in(i));
  if (!batched) {
    const auto results = scan(node, operands, scanned, noValue, "/", scope, in);
    for (size_t i = 0; i < results.size(); ++i)
      node.out(i, results[i]);
    return;
  }
  std::vector<std::vector<ValueId>> parts;
  node.require(node.type(operands.back()).rank() >= 1,
               "what it scans has no dimension for the batch");
  const int64_t batch = node.type(operands.back()).shape[0];
  node.require(batch > 0 && batch <= longestLoop, "its batch is out of range");
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<ValueId> mine;
    for (ValueId operand : operands) {
      const auto &shape = node.type(operand).shape;
      node.require(!shape.empty() && shape[0] == batch,
                   "its operands differ in their batch");
      mine.push_back(node.take(operand, 0, b));
    }
    ValueId length = noValue;
    if (node.has(0)) {
      node.require(node.rank(0) == 1 && node.shape(0)[0] == batch,
                   "its lengths are not one for each sequence");
      length = node.take(node.in(0), 0, b);
    }
    const auto results = scan(node, mine, scanned, length,
                              "/" + std::to_string(b) + "/", scope, in);
    parts.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      std::vector<int64_t> shape = builder.type(results[i]).shape;
      shape.insert(shape.begin(), 1);
      parts[i].push_back(node.reshape(results[i], shape));
    }
  }
  for (size_t i = 0; i < parts.size(); ++i)
    node.out(i, node.concat(parts[i], 0));
}

std::vector<ValueId> Importer::scan(Node &node,
                                    const std::vector<ValueId> &operands,
                                    int64_t scanned, ValueId length,
                                    const std::string &label, Scope &scope,
                                    const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("body");
  const size_t states = operands.size() - size_t(scanned);
  const auto pad = [](std::vector<int64_t> list, size_t size) {
    list.resize(size, 0);
    return list;
  };
  const auto inAxes = pad(node.integers("scan_input_axes"), scanned);
  const auto inReversed = pad(
      node.integers(node.opset < 9 ? "directions" : "scan_input_directions"),
      scanned);
  std::vector<ValueId> state(operands.begin(), operands.begin() + states);
  int64_t trips = -1;
  std::vector<Elements> elements;
  for (int64_t i = 0; i < scanned; ++i) {
    const auto shape = builder.type(operands[states + i]).shape;
    const int64_t axis = node.axis(inAxes[i], int64_t(shape.size()));
    if (trips >= 0 && shape[axis] != trips)
      node.refuse("its inputs are scanned over ", trips, " and ", shape[axis],
                  " elements");
    trips = shape[axis];
    elements.emplace_back(node, operands[states + i], axis);
  }
  if (trips < 1 || trips > longestLoop)
    node.refuse("it scans over ", trips, " elements");
  const int64_t last = lastOfSequence(node, length, trips);
  node.require(last >= 0 || std::count(inReversed.begin(), inReversed.end(),
                                       0) == scanned,
               "it scans backwards from ends that are not known at compile "
               "time");
  std::vector<std::vector<ValueId>> scans;
  const int64_t before = visited;
  for (int64_t trip = 0; trip < trips; ++trip) {
    if (trip == 1)
      requireRoom(node, before, trips - 1);
    std::vector<ValueId> inputs = state;
    for (int64_t i = 0; i < scanned; ++i) {
      const int64_t at =
          inReversed[i] ? std::max<int64_t>(last - trip, 0) : trip;
      inputs.push_back(elements[i].at(at));
    }
    auto results = importBody(node, body, inputs,
                              label + std::to_string(trip) + "/", scope, in);
    if (results.size() < states)
      node.refuse("its body has too few outputs");
    if (length != noValue)
      keepBehindEnd(node, length, trip, state, results);
    state.assign(results.begin(), results.begin() + states);
    scans.resize(results.size() - states);
    for (size_t s = 0; s < scans.size(); ++s)
      if (results[states + s] < 0 || results[states + s] >= firstStored)
        node.refuse("it collects values that are no plain tensors");
      else
        scans[s].push_back(results[states + s]);
  }
  const auto outAxes = pad(node.integers("scan_output_axes"), scans.size());
  const auto outReversed =
      pad(node.integers("scan_output_directions"), scans.size());
  std::vector<ValueId> all = state;
  for (size_t s = 0; s < scans.size(); ++s) {
    if (outReversed[s])
      scans[s] = {scans[s].rbegin(), scans[s].rend()};
    std::vector<int64_t> shape = builder.type(scans[s][0]).shape;
    const int64_t axis = node.axis(outAxes[s], int64_t(shape.size()) + 1);
    shape.insert(shape.begin() + axis, 1);
    for (ValueId &part : scans[s])
      part = node.reshape(part, shape);
    all.push_back(node.concat(scans[s], axis));
  }
  return all;
}
