// Samples for nodes that are given (--nodes).
#include "runtime/executor/Samples.h"
#include "runtime/graph/Part.h"
#include "runtime/io/ReadTensor.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::runtime;

Status runtime::readNodes(const plan::Program &program,
                          const std::string &argument, Sampling &sampling) {
  std::string file = argument;
  const RowKinds kinds(program);
  // A file's name may hold '='.
  for (const std::string &type : kinds.types())
    if (!type.empty() &&
        argument.compare(0, type.size() + 1, type + "=") == 0) {
      sampling.type = type;
      file = argument.substr(type.size() + 1);
    }
  if (kinds.types().size() == 1)
    sampling.type = kinds.types()[0];
  const auto tensor = io::readTensor(file);
  if (!tensor)
    return fail("--nodes: ", tensor.error().message);
  if (tensor->type.dtype != DType::I64 || tensor->type.rank() != 1)
    return fail("--nodes: ", file, " is ", toString(tensor->type),
                ", i64[nodes] expected");
  const int64_t *first = tensor->data<int64_t>();
  sampling.nodes.emplace(first, first + tensor->type.shape[0]);
  return {};
}

Status runtime::keepNodes(const plan::Program &program,
                          const Sampling &sampling,
                          std::vector<Tensor> &outputs) {
  if (!sampling.nodes)
    return {};
  graph::Numbers rows(sampling.nodes->size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto isRoom = [&](int64_t count) {
    return std::any_of(program.graphs.begin(), program.graphs.end(),
                       [&](const plan::GraphInputs &graph) {
                         return (graph.nodeType == sampling.type &&
                                 graph.nodes == count) ||
                                (graph.sourceType == sampling.type &&
                                 graph.sourceNodes == count);
                       });
  };
  for (Tensor &output : outputs) {
    if (output.type.rank() == 0 || !isRoom(output.type.shape[0]))
      continue;
    auto kept = graph::gatherRows(output, rows);
    if (!kept)
      return kept.takeError();
    output = std::move(*kept);
  }
  return {};
}
