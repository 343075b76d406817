// The order in which nodes are imported: the file's own wherever it is
// topological already, as ONNX demands; an unordered graph is put in order, and
// one without an order is an error that shows the cycle.
#include "compiler/frontend/onnx/Importer.h"
#include "compiler/frontend/onnx/NotedWeights.h"

#include <functional>
#include <queue>

using namespace smex;
using namespace smex::frontend;

/// Calls `use` with each name that the node reads; those of its inner graphs
/// that they do not define themselves included.
static void forEachUse(const onnx::NodeProto &node,
                       const std::function<void(const std::string &)> &use) {
  for (const std::string &name : node.input())
    if (!name.empty())
      use(name);
  for (const auto &attribute : node.attribute()) {
    const auto visit = [&](const onnx::GraphProto &graph) {
      std::unordered_set<std::string> inner;
      for (const auto &input : graph.input())
        inner.insert(input.name());
      for (const auto &initializer : graph.initializer())
        inner.insert(initializer.name());
      for (const auto &n : graph.node())
        inner.insert(n.output().begin(), n.output().end());
      const auto outer = [&](const std::string &name) {
        if (!inner.count(name))
          use(name);
      };
      for (const auto &n : graph.node())
        forEachUse(n, outer);
      for (const auto &output : graph.output())
        outer(output.name());
    };
    if (attribute.has_g())
      visit(attribute.g());
    for (const auto &graph : attribute.graphs())
      visit(graph);
  }
}

/// What to do about a name that nothing defines, if it is a weight's.
static std::string missingHint(const onnx::GraphProto &graph,
                               const std::string &name, bool drawn) {
  for (const auto &value : graph.value_info())
    if (value.name() == name && !drawn)
      return "; if it is a weight that is not stored, give "
             "--draw-missing-weights";
  const auto weights = notedWeights(graph);
  if (weights && weights->count(name))
    return "; it is a weight, and its shape is not stored either: export the "
           "model with keep_initializers_as_inputs=True, and give "
           "--draw-missing-weights";
  return "";
}

std::vector<int> Importer::orderOf(const NodeList &nodes, const Scope &scope,
                                   const Surroundings &in) {
  const auto describe = [&](int i) {
    const auto &node = nodes.Get(i);
    return "node \"" + in.prefix +
           (node.name().empty() && node.output_size() ? node.output(0)
                                                      : node.name()) +
           "\" (" + node.op_type() + ")";
  };
  std::unordered_map<std::string, int> producer;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &name : nodes.Get(i).output())
      if (!name.empty()) {
        if (!producer.emplace(name, i).second)
          error("\"" + name + "\" is computed twice, by " +
                describe(producer[name]) + " and " + describe(i));
        else if (scope.values.count(name))
          error(describe(i) + " computes \"" + name +
                "\", which is the name of an input or initializer");
      }

  std::vector<std::vector<int>> readers(nodes.size());
  std::vector<int> waits(nodes.size(), 0);
  for (int i = 0; i < nodes.size(); ++i)
    forEachUse(nodes.Get(i), [&](const std::string &name) {
      if (const auto p = producer.find(name); p != producer.end()) {
        readers[p->second].push_back(i);
        ++waits[i];
      } else if (scope.find(name) == noValue) {
        error(describe(i) + " reads \"" + name +
              "\", which is no input, initializer or result of a node" +
              missingHint(model->graph(), name, options.drawMissingWeights));
      }
    });
  if (!errors.empty())
    return {};

  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (int i = 0; i < nodes.size(); ++i)
    if (waits[i] == 0)
      ready.push(i);
  std::vector<int> order;
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    order.push_back(i);
    for (int reader : readers[i])
      if (--waits[reader] == 0)
        ready.push(reader);
  }
  if (int(order.size()) == nodes.size())
    return order;

  // What still waits is on a cycle or behind one: walking from reader to
  // producer must come back to where it was.
  std::vector<int> from(nodes.size(), -1);
  int at = -1;
  for (int i = 0; i < nodes.size(); ++i)
    if (waits[i] > 0) {
      at = i;
      for (int reader : readers[i])
        from[reader] = i;
    }
  std::vector<int> step(nodes.size(), -1), walk;
  while (step[at] < 0) {
    step[at] = int(walk.size());
    walk.push_back(at);
    at = from[at];
  }
  std::string cycle;
  for (size_t i = walk.size(); i > size_t(step[at]) && cycle.size() < 500; --i)
    cycle += describe(walk[i - 1]) + " -> ";
  error("the graph has a cycle: " + cycle + "...");
  return {};
}
