// The part of Restorer for what the optimizer removed: calls that no node is of
// any more, with the parameters that they read. It merges nodes that read the
// same values, equal parameters being one by then, drops sums with zero and
// products with one, and merges what it computed. A call that reads the result
// of such a one still names it.
#include "compiler/frontend/onnx/Restorer.h"

#include <algorithm>
#include <unordered_set>

using namespace smex;
using namespace smex::frontend;

/// The exporter's optimizer merges no larger initializers.
static constexpr int64_t mostMerged = 1024;
/// Nor computes with larger ones, unless it transposes them.
static constexpr int64_t mostFolded = 8192;

/// Parameters of which nothing in the file is noted to be, trained ones. That
/// is as it should be where they share another's tensor: the module of that
/// name reads a parameter of another one.
Restorer::Names Restorer::unseen() const {
  std::set<std::string> tied;
  for (const NodeNotes &noted : notes.nodes)
    if (noted.call && !noted.module.empty())
      for (const std::string &name : parametersOf(*noted.call)) {
        const size_t dot = name.rfind('.');
        const std::string leaf =
            dot == std::string::npos ? name : name.substr(dot + 1);
        if (noted.module + "." + leaf != name)
          tied.insert(noted.module + "." + leaf);
      }
  Names found;
  for (const std::string &name : notes.parameters)
    if (!accounted.count(name) && !frozen.count(name) && !tied.count(name) &&
        !tensors.find(name))
      found.push_back(name);
  return found;
}

/// Is there a parameter that, repeated, chosen from or changed in shape, could
/// be this initializer?
bool Restorer::mayBeParameter(const std::string &stored) const {
  if (tensors.elementsOf(stored) > mostMerged)
    return false;
  const auto copy = tensors.read(stored);
  if (!copy)
    return false;
  std::set<std::string> candidates;
  for (const std::string &name : notes.parameters)
    candidates.insert(name);
  for (const Claim &claim : claims)
    candidates.insert(claim.stored);
  for (const std::string &name : candidates) {
    if (tensors.elementsOf(name) > mostFolded)
      continue;
    const auto tensor = tensors.read(name);
    if (!tensor || tensor->type.dtype != copy->type.dtype)
      continue;
    std::unordered_set<std::string_view> elements;
    for (size_t i = 0; i < elementCountOf(*tensor); ++i)
      elements.insert(elementOf(*tensor, i));
    bool inside = elementCountOf(*copy) > 0;
    for (size_t i = 0; inside && i < elementCountOf(*copy); ++i)
      inside = elements.count(elementOf(*copy, i)) > 0;
    if (inside)
      return true;
  }
  // Zero biases that were left out are nowhere.
  return std::any_of(origins.begin(), origins.end(), [&](const auto &each) {
    return each.second.kind == Origin::Kind::Zeros && isUniform(*copy) &&
           std::all_of(copy->bytes.begin(), copy->bytes.end(),
                       [](std::byte b) { return b == std::byte(0); });
  });
}

/// Another call may have been merged with this one, or, if such a one is what
/// this reads, with one before, that had parameters equal to its own.
bool Restorer::mayHideParameter(const Call &call,
                                std::set<std::string> &visited) const {
  const auto nodes = nodesOf.find(call.name);
  if (nodes == nodesOf.end() || !visited.insert(call.name).second)
    return false;
  for (int n : nodes->second)
    for (const std::string &input : graph.node(n).input()) {
      if (!tensors.isFloat(input))
        continue;
      if (tensors.elementsOf(input) > mostMerged)
        continue;
      std::set<std::string> sharing;
      for (const Claim &claim : claims)
        if (claim.stored == input)
          sharing.insert(claim.parameter);
      if (sharing.size() > 1 || (!missing.empty() && holdsParameter(input)))
        return true;
    }
  for (const std::string &read : call.reads) {
    const auto before = nodesOf.find(read);
    if (before == nodesOf.end())
      continue;
    const Call &source = *notes.nodes[size_t(before->second[0])].call;
    // The merged call has read it, too, if it has a reader more than are left.
    if (source.users <= readers.at(read) && mayHideParameter(source, visited))
      return true;
  }
  return false;
}

/// Whether the operation makes a tensor of numbers: it reads no parameter.
static bool isOfNumbers(std::string operation) {
  const std::string suffix = "_default";
  if (const size_t at = operation.rfind(suffix);
      at != std::string::npos && at + suffix.size() == operation.size())
    operation.resize(at);
  for (const char *name :
       {"arange", "eye", "full", "ones", "scalar_tensor", "zeros"})
    if (operation == name)
      return true;
  return false;
}

void Restorer::checkLostCall(const Call &reader) {
  const auto nodes = nodesOf.find(reader.name);
  if (nodes == nodesOf.end())
    return;
  // What was computed of it may be read in its place.
  std::set<std::string> computed;
  for (int n : nodes->second)
    for (const std::string &input : graph.node(n).input())
      if (const auto from = notes.foldedFrom.find(input);
          from != notes.foldedFrom.end() && tensors.find(input))
        computed.insert(from->second.begin(), from->second.end());
  Names lost;
  for (const std::string &name : reader.reads)
    if (!isDefined(name) && !computed.count(name) && !isOfNumbers(baseOf(name)))
      lost.push_back(name);
  if (lost.empty())
    return;
  // What its nodes read instead.
  std::set<std::string> inside, values, stored;
  for (int n : nodes->second)
    inside.insert(graph.node(n).output().begin(), graph.node(n).output().end());
  for (int n : nodes->second)
    for (int i = 0; i < graph.node(n).input_size(); ++i) {
      const std::string &input = graph.node(n).input(i);
      if (input.empty() || inside.count(input))
        continue;
      if (tensors.find(input)) {
        const bool claimed =
            std::any_of(claims.begin(), claims.end(), [&](const Claim &claim) {
              return claim.node == n && claim.operand == i;
            });
        const bool named = std::find(reader.reads.begin(), reader.reads.end(),
                                     input) != reader.reads.end();
        if (!claimed && !named && tensors.isFloat(input))
          stored.insert(input);
        continue;
      }
      const auto producer = producers.find(input);
      const auto &call = producer == producers.end()
                             ? std::nullopt
                             : notes.nodes[size_t(producer->second)].call;
      if (!call || std::find(reader.reads.begin(), reader.reads.end(),
                             call->name) == reader.reads.end())
        values.insert(input);
    }
  if (values.size() < lost.size())
    for (const std::string &name : stored)
      if (!missing.empty() || mayBeParameter(name))
        unclear.push_back("\"" + lost[0] + "\", for which " +
                          describe(nodes->second[0]) + " reads \"" + name +
                          "\"");
  for (const std::string &name : lost)
    for (const std::string &value : values) {
      const auto producer = producers.find(value);
      if (producer == producers.end())
        continue;
      const auto &call = notes.nodes[size_t(producer->second)].call;
      if (call && baseOf(call->name) == baseOf(name)) {
        std::set<std::string> visited;
        if (mayHideParameter(*call, visited))
          unclear.push_back("\"" + name + "\", merged with \"" + call->name +
                            "\"");
      } else if (!isMovement(baseOf(name)) && !missing.empty()) {
        unclear.push_back("\"" + name + "\", which " +
                          describe(nodes->second[0]) + " read");
      }
    }
}

void Restorer::checkLost() {
  const bool noted = !nodesOf.empty();
  missing = unseen();
  for (const auto &[name, nodes] : nodesOf)
    for (const std::string &read : notes.nodes[size_t(nodes[0])].call->reads)
      ++readers[read];
  for (const auto &[name, nodes] : nodesOf)
    checkLostCall(*notes.nodes[size_t(nodes[0])].call);
  for (const std::string &output : notes.outputs)
    if (!isDefined(output) && !isMovement(baseOf(output)) && !missing.empty() &&
        noted)
      unclear.push_back("\"" + output + "\", a result");
  if (!noted) {
    if (!missing.empty())
      refuse(missing, "not in the file, which does not note what its nodes are "
                      "of");
    return;
  }
  if (unclear.empty())
    return;
  std::sort(unclear.begin(), unclear.end());
  unclear.erase(std::unique(unclear.begin(), unclear.end()), unclear.end());
  std::string list;
  for (size_t i = 0; i < unclear.size() && i < 3; ++i)
    list += (i ? "; " : "") + unclear[i];
  if (unclear.size() > 3)
    list += "; and " + std::to_string(unclear.size() - 3) + " more";
  if (!missing.empty())
    return refuse(missing, "nothing in the file is of it, and what the module "
                           "computed here is gone: " +
                               list);
  reasons.push_back("what the module computed here is gone, and with it which "
                    "parameters that read: " +
                    list);
}
