#include "runtime/executor/Inputs.h"

#include "runtime/executor/DerivedInputs.h"
#include "runtime/executor/Draw.h"
#include "runtime/executor/Ranges.h"
#include "runtime/io/ReadTensor.h"

#include <optional>
#include <set>

using namespace smex;
using namespace smex::runtime;

namespace {
const TensorType &typeOf(const plan::Program &program, const plan::Port &port) {
  return program.tensors[size_t(program.buffers[size_t(port.buffer)].tensor)]
      .type;
}

std::string listOf(const plan::Program &program) {
  std::string text;
  std::set<std::string> names;
  for (const plan::Port &port : program.inputs)
    if (const std::string name = givenName(program, port);
        !port.derived && names.insert(name).second)
      text += (text.empty() ? "" : ", ") +
              ("\"" + name + "\" (" + toString(typeOf(program, port)) + ")");
  return text.empty() ? "none" : text;
}

/// Of a file's tensor.
Status inRange(const plan::Port &port, const std::string &file,
               const Tensor &tensor, int64_t count) {
  return checkRange(port, "input \"" + port.name + "\": " + file, tensor,
                    count);
}

/// The file's tensor as a feed of this type. `otherwise`: what else could be
/// there, for messages.
Result<Feed> check(const plan::Port &port, const TensorType &type,
                   const std::string &file, Tensor tensor, int steps,
                   const std::string &otherwise = "") {
  const auto mismatch = [&](const std::string &expected) {
    return fail("input \"", port.name, "\": ", file, " is ",
                toString(tensor.type), ", ", expected, " expected", otherwise);
  };
  const int64_t count = elementCount(type.shape).value();
  if (tensor.type == type) {
    if (Status valid = inRange(port, file, tensor, count); !valid)
      return valid.takeError();
    return Feed{std::move(tensor), false, nullptr, 0};
  }
  const bool perStep = tensor.type.dtype == type.dtype &&
                       tensor.type.rank() == type.rank() + 1 &&
                       std::equal(type.shape.begin(), type.shape.end(),
                                  tensor.type.shape.begin() + 1);
  if (!perStep)
    return mismatch(toString(type));
  if (tensor.type.shape[0] < steps)
    return mismatch("a batch for each of " + std::to_string(steps) + " steps");
  if (Status valid = inRange(port, file, tensor, steps * count); !valid)
    return valid.takeError();
  return Feed{std::move(tensor), true, nullptr, 0};
}

/// Rows of the tensor: of a batch per step, of each of them.
int64_t rowsOf(const TensorType &tensor, const TensorType &type) {
  const bool perStep = tensor.rank() == type.rank() + 1;
  return tensor.rank() > int(perStep) ? tensor.shape[perStep] : -1;
}

/// As check, of an input with a row per node, edge or graph.
Result<Feed> checkRows(const plan::Port &port, const TensorType &type,
                       const std::string &file, Tensor tensor, int steps,
                       const GraphRows &rows) {
  const bool sampled = rows.sampled;
  const std::string each =
      std::string("a row per ") + rows.each + " of " + rows.of;
  TensorType own = type;
  own.shape[0] = rows.rows;
  if (sampled && tensor.type != own)
    return fail("input \"", port.name, "\": ", file, " is ",
                toString(tensor.type), ", and ", toString(own),
                " is expected, ", each);
  if (rows.order && !sampled) { // in the file's order, and no other
    if (rowsOf(tensor.type, type) != own.shape[0])
      return fail("input \"", port.name, "\": ", file, " is ",
                  toString(tensor.type), ", ", toString(own), " expected, ",
                  each);
    auto feed = check(port, own, file, std::move(tensor), steps);
    if (!feed)
      return feed;
    return orderRows(port, type, std::move(*feed), own.shape[0], *rows.order);
  }
  if (!sampled && rowsOf(tensor.type, type) != own.shape[0])
    return check(port, type, file, std::move(tensor), steps,
                 own == type ? "" : ", or " + toString(own) + ", " + each);
  auto feed = check(port, own, file, std::move(tensor), steps);
  if (!feed || sampled)
    return feed;
  return padRows(port, type, std::move(*feed), own.shape[0]);
}

/// Whether an input says which rows count, 1 or 0 for each.
bool saysWhatCounts(const plan::Port &port) {
  return port.low == 1 && port.high == 1 && port.ignore == 0;
}

/// All of those that there are.
Feed allCount(const plan::Port &port, const TensorType &type,
              const std::optional<GraphRows> &rows) {
  TensorType own = type;
  if (rows)
    own.shape[0] = rows->rows;
  Feed feed{makeTensor(own), false, nullptr, 0};
  drawRange(0, port.name, 1, 1, feed.value);
  if (!rows || rows->sampled)
    return feed;
  return rows->order
             ? orderRows(port, type, std::move(feed), rows->rows, *rows->order)
             : padRows(port, type, std::move(feed), rows->rows);
}

/// "--graph FILE, or ", of an input that comes with a graph.
std::string graphOption(const plan::Program &program, const plan::Port &port) {
  const plan::GraphInputs *graph = graphOf(program, port);
  if (!graph)
    return "";
  return "--graph " + (graph->name.empty() ? "" : graph->name + "=") +
         "FILE, or ";
}

/// The feeds of inputs that are of one of the graphs.
Status addGraph(const plan::Program &program, const plan::GraphInputs &names,
                const RunGraph &graph,
                std::vector<std::optional<Feed>> &given) {
  std::vector<Tensor> tensors;
  if (!graph.sampled) {
    auto whole = bindGraph(program, names, graph.relation);
    if (!whole)
      return fail(graph.name, ": ", whole.error().message);
    tensors = std::move(*whole);
  }
  size_t next = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const plan::Port &port = program.inputs[i];
    if (graphOf(program, port) != &names)
      continue;
    given[i].emplace();
    if (graph.sampled)
      continue;
    auto feed = check(port, typeOf(program, port), graph.name,
                      std::move(tensors[next++]), 1);
    if (!feed)
      return feed.takeError();
    given[i] = std::move(*feed);
  }
  return {};
}

/// What `--input NAME=FILE` gives.
struct Reading {
  const plan::Program &program;
  int steps;
  const std::vector<RunGraph> &graphs;
  const std::vector<graph::Numbers> &edgeOrders;
  const std::vector<NextInput> &next;

  /// One file, which is one input's, or of rows of edges the layers'.
  Status read(const std::string &argument,
              std::vector<std::optional<Feed>> &given) const {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0 ||
        equals + 1 == argument.size()) {
      Error error = fail("--input ", argument, ": NAME=FILE expected");
      error.fault = Fault::Usage;
      return error;
    }
    const std::vector<size_t> inputs = named(argument);
    if (inputs.empty())
      return fail("input \"", argument.substr(0, equals),
                  "\": the plan has no such input; it has ", listOf(program));
    const std::string name = givenName(program, program.inputs[inputs[0]]);
    const std::string file = argument.substr(name.size() + 1);
    if (const auto &derived = program.inputs[inputs[0]].derived)
      return fail("input \"", name, "\" is not to be given: it follows from \"",
                  derived->of.back(), "\"");
    if (given[inputs[0]])
      return fail("input \"", name, "\" is given twice");
    auto tensor = io::readTensor(file);
    if (!tensor) {
      Error error = tensor.error();
      error.message = "input \"" + name + "\": " + error.message;
      return error;
    }
    for (size_t i : inputs) {
      auto feed =
          feedOf(i, file, i == inputs.back() ? std::move(*tensor) : *tensor);
      if (!feed)
        return feed.takeError();
      given[i] = std::move(*feed);
    }
    return {};
  }

private:
  /// Names may hold '=': the longest one that fits counts.
  std::vector<size_t> named(const std::string &argument) const {
    std::vector<size_t> found;
    size_t length = 0;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const std::string start = givenName(program, program.inputs[i]) + "=";
      if (argument.compare(0, start.size(), start) != 0 ||
          start.size() < length)
        continue;
      if (start.size() > length)
        found.clear();
      length = start.size();
      found.push_back(i);
    }
    return found;
  }

  Result<Feed> feedOf(size_t input, const std::string &file,
                      Tensor tensor) const {
    const plan::Port &port = program.inputs[input];
    const TensorType &type = typeOf(program, port);
    const auto rows = graphRows(program, graphs, edgeOrders, port);
    auto feed =
        rows ? checkRows(port, type, file, std::move(tensor), steps, *rows)
             : check(port, type, file, std::move(tensor), steps);
    if (feed && feed->perStep && isFed(next, input))
      return fail("input \"", port.name, "\": ", file,
                  " has a value for each step, but --feed gives all but the "
                  "first one: ",
                  toString(type), " expected");
    return feed;
  }
};
} // namespace

Result<std::vector<Feed>>
runtime::readInputs(const plan::Program &program,
                    const std::vector<std::string> &arguments, int steps,
                    uint64_t seed, const std::vector<RunGraph> &graphs,
                    const std::vector<graph::Numbers> &edgeOrders,
                    const std::vector<NextInput> &next) {
  const Reading reading = {program, steps, graphs, edgeOrders, next};
  std::vector<std::optional<Feed>> given(program.inputs.size());
  for (size_t g = 0; g < graphs.size(); ++g)
    if (Status added = addGraph(program, program.graphs[g], graphs[g], given);
        !added)
      return added.takeError();
  for (const std::string &argument : arguments)
    if (Status read = reading.read(argument, given); !read)
      return read.takeError();

  std::vector<Feed> feeds;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const plan::Port &port = program.inputs[i];
    if (port.derived) {
      feeds.emplace_back();
      continue;
    }
    if (!given[i] && !arguments.empty() && isFed(next, i)) {
      // An empty cache, a state at rest.
      Feed zeros{makeTensor(typeOf(program, port)), false, nullptr, 0};
      if (Status valid = inRange(port, "zeros", zeros.value,
                                 *elementCount(zeros.value.type.shape));
          !valid)
        return valid.takeError();
      given[i] = std::move(zeros);
    }
    if (!given[i] && saysWhatCounts(port))
      given[i] = allCount(port, typeOf(program, port),
                          graphRows(program, graphs, edgeOrders, port));
    if (!given[i] && !arguments.empty())
      return fail("input \"", givenName(program, port), "\" is missing: add ",
                  graphOption(program, port), "--input ",
                  givenName(program, port), "=FILE (",
                  toString(typeOf(program, port)),
                  "), or give no input at all to run on synthetic ones");
    if (!given[i]) {
      TensorType type = typeOf(program, port);
      if (const auto rows = graphRows(program, graphs, edgeOrders, port);
          rows && rows->sampled)
        type.shape[0] = rows->rows;
      if (!byteCount(type))
        return fail("input \"", port.name, "\" would be of type ",
                    toString(type), ", which no memory holds");
      given[i] = Feed{makeTensor(type), false, nullptr, 0};
      drawInput(seed, port, given[i]->value);
    }
    feeds.push_back(std::move(*given[i]));
  }
  const bool open = !graphs.empty() && graphs[0].sampled; // see sampleFeeds
  if (Status derived = open ? Status() : deriveInputs(program, steps, feeds);
      !derived)
    return derived.takeError();
  return feeds;
}

Result<std::vector<Feed>> runtime::feedsFor(const plan::Program &other,
                                            const plan::Program &program,
                                            std::vector<Feed> feeds) {
  std::vector<Feed> ordered;
  for (const plan::Port &port : other.inputs) {
    size_t i = 0;
    while (i < program.inputs.size() && program.inputs[i].name != port.name)
      ++i;
    if (i == program.inputs.size() ||
        typeOf(program, program.inputs[i]) != typeOf(other, port))
      return fail("input \"", port.name,
                  "\" of the unpartitioned program is not one of the "
                  "partitioned one");
    ordered.push_back(std::move(feeds[i]));
  }
  return ordered;
}
