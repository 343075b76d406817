#include "compiler/frontend/onnx/Restorer.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

static bool startsWith(const std::string &text, const std::string &start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Such a node has the operands of the node that it came from, less a bias.
static bool keepsOperands(const NodeNotes &noted) {
  return std::all_of(noted.rules.begin(), noted.rules.end(),
                     [](const std::string &rule) {
                       return startsWith(rule, "RemoveOptionalBias");
                     });
}

Restorer::Restorer(const onnx::GraphProto &graph, ExporterNotes notes,
                   const std::vector<std::string> &frozen,
                   const TensorSource &source)
    : graph(graph), notes(std::move(notes)),
      frozen(frozen.begin(), frozen.end()), tensors(graph, source) {
  for (int n = 0; n < graph.node_size(); ++n) {
    if (this->notes.nodes[size_t(n)].call)
      nodesOf[this->notes.nodes[size_t(n)].call->name].push_back(n);
    for (const std::string &output : graph.node(n).output())
      producers[output] = n;
  }
}

bool Restorer::isChanged() const {
  for (const std::string &parameter : notes.parameters)
    if (!tensors.find(parameter))
      return true;
  for (const auto &[stored, from] : notes.foldedFrom)
    if (tensors.isFloat(stored) && !parametersIn(stored).empty())
      return true;
  return std::any_of(
      notes.nodes.begin(), notes.nodes.end(), [](const NodeNotes &noted) {
        return std::any_of(noted.rules.begin(), noted.rules.end(),
                           [](const std::string &rule) {
                             return startsWith(rule, "RemoveOptionalBias") ||
                                    startsWith(rule, "FuseBatchNorm");
                           });
      });
}

Restorer::Names Restorer::parametersOf(const Call &call) const {
  Names found;
  for (const std::string &read : call.reads)
    if (const auto name = notes.placeholder("%" + read);
        name && notes.isParameter(*name))
      found.push_back(*name);
  return found;
}

Restorer::Names Restorer::parametersIn(const std::string &stored) const {
  Names found;
  const auto from = notes.foldedFrom.find(stored);
  if (from != notes.foldedFrom.end())
    for (const std::string &name : from->second)
      if (notes.isParameter(name))
        found.push_back(name);
  return found;
}

bool Restorer::isTrained(const Names &parameters) const {
  return std::any_of(
      parameters.begin(), parameters.end(),
      [&](const std::string &name) { return !frozen.count(name); });
}

void Restorer::refuse(const Names &parameters, const std::string &why) {
  std::string list;
  for (const std::string &name : parameters) {
    accounted.insert(name);
    if (!frozen.count(name) && refused.insert(name).second)
      list += (list.empty() ? "\"" : ", \"") + name + "\"";
  }
  if (!list.empty())
    reasons.push_back(list + ": " + why);
}

std::string Restorer::describe(int node) const {
  const auto &proto = graph.node(node);
  return "node \"" + proto.name() + "\" (" + proto.op_type() + ")";
}

void Restorer::addClaim(Claim claim, Origin origin) {
  accounted.insert(claim.parameter);
  if (!tensors.find(claim.parameter))
    origins.try_emplace(claim.parameter, std::move(origin));
  claims.push_back(std::move(claim));
}

void Restorer::detach(int node, int operand) {
  detached.emplace_back(node, operand);
}

bool Restorer::isDefined(const std::string &name) const {
  return nodesOf.count(name) || notes.inputs.count(name) ||
         notes.placeholders.count(name) || tensors.find(name) ||
         producers.count(name);
}

bool Restorer::hasLostReads(const Call &call) const {
  return std::any_of(call.reads.begin(), call.reads.end(),
                     [&](const std::string &name) { return !isDefined(name); });
}

std::vector<std::string> Restorer::claim() {
  for (int n = 0; n < graph.node_size(); ++n) {
    const auto &rules = notes.nodes[size_t(n)].rules;
    const bool fused =
        std::any_of(rules.begin(), rules.end(), [](const std::string &rule) {
          return startsWith(rule, "FuseBatchNorm");
        });
    Names inside;
    if (fused) {
      for (const std::string &input : graph.node(n).input())
        if (isOwn(input))
          inside.push_back(input);
      if (notes.nodes[size_t(n)].call)
        for (const std::string &name :
             parametersOf(*notes.nodes[size_t(n)].call))
          if (std::find(inside.begin(), inside.end(), name) == inside.end())
            inside.push_back(name);
      refuse(inside, "batch normalization was computed into " + describe(n));
      for (int i = 0; i < graph.node(n).input_size(); ++i)
        if (holdsParameter(graph.node(n).input(i)))
          detach(n, i); // frozen, or the model is refused
      continue;
    }
    for (int i = 0; i < graph.node(n).input_size(); ++i)
      if (tensors.isFloat(graph.node(n).input(i)))
        claimOperand(n, i);
    claimBias(n);
  }
  for (const auto &[stored, uses] : folded)
    claimFolded(stored, uses);
  checkMentions();
  checkLost();
  checkShared();
  checkValues();
  return reasons;
}

void Restorer::claimOperand(int n, int i) {
  const NodeNotes &noted = notes.nodes[size_t(n)];
  const std::string &stored = graph.node(n).input(i);
  const bool held = holdsParameter(stored);
  if (!noted.call || !keepsOperands(noted)) {
    if (isOwn(stored))
      assumed.emplace_back(n, i);
    else if (held)
      folded[stored].emplace_back(n, i);
    return;
  }
  const Call &call = *noted.call;
  const auto source = sourceOf(call, graph.node(n), i);
  if (!source)
    return claimUnknown(n, i);
  const std::string &argument = source->argument;
  if (const auto name = notes.placeholder(argument)) {
    if (!notes.isParameter(*name))
      return held && stored != *name ? detach(n, i) : void();
    Claim claim{n, i, *name, {}, stored};
    Origin origin{Origin::Kind::Same, stored, {}, {}};
    const auto shape = StoredTensors::shapeOf(*tensors.find(stored));
    if (source->form == Form::Transposed) {
      claim.copy.kind = Copy::Kind::Transposed;
      origin.kind = Origin::Kind::Transposed;
    } else if (source->form == Form::Flat && shape.size() != 1) {
      claim.copy = {Copy::Kind::Reshaped, shape, {}};
      origin.kind = Origin::Kind::Flat;
    }
    if (source->form == Form::Transposed && shape.size() != 2) {
      refuse({*name}, "what " + describe(n) + " makes of it is not known");
      return isTrained({*name}) ? void() : detach(n, i);
    }
    return addClaim(std::move(claim), std::move(origin));
  }
  if (argument.empty() || argument[0] != '%') { // a number, or left out
    const Names mentioned = parametersOf(call);
    if (std::find(mentioned.begin(), mentioned.end(), stored) !=
        mentioned.end())
      assumed.emplace_back(n, i); // but the call reads it
    else if (held)
      detach(n, i);
    return;
  }
  const std::string read = argument.substr(1);
  if (read == stored) {
    if (held)
      folded[stored].emplace_back(n, i);
  } else if (isOwn(stored)) {
    assumed.emplace_back(n, i); // through something that computes nothing
  } else if (held) {
    const Names from = parametersIn(stored);
    refuse(from, "\"" + stored + "\" is also what \"" + read + "\" was, for " +
                     describe(n));
    if (!isTrained(from))
      detach(n, i);
  }
}

/// Of a call of which it is not known what operands its nodes have: what has
/// its own name is itself.
void Restorer::claimUnknown(int n, int i) {
  const Call &call = *notes.nodes[size_t(n)].call;
  const std::string &stored = graph.node(n).input(i);
  const Names read = parametersOf(call);
  if (isOwn(stored)) {
    if (std::find(read.begin(), read.end(), stored) != read.end()) {
      assumed.emplace_back(n, i);
    } else if (isKnown(call) || (read.empty() && !hasLostReads(call))) {
      detach(n, i); // a number of the call's, equal to the parameter
    } else if (read.empty()) {
      assumed.emplace_back(n, i);
    } else {
      refuse(read, "what " + describe(n) + " makes of it is not known");
      if (!isTrained(read))
        detach(n, i);
    }
    return;
  }
  const Names from = parametersIn(stored);
  if (from.empty())
    return;
  if (std::find(call.reads.begin(), call.reads.end(), stored) !=
      call.reads.end()) {
    folded[stored].emplace_back(n, i);
  } else {
    refuse(from, "\"" + stored + "\" was computed of it, for " + describe(n) +
                     ", in a way that is not known");
    if (!isTrained(from))
      detach(n, i);
  }
}

/// A bias that was zero, and was left out.
void Restorer::claimBias(int n) {
  const NodeNotes &noted = notes.nodes[size_t(n)];
  const auto &node = graph.node(n);
  if (!noted.call || noted.rules.empty() || !keepsOperands(noted) ||
      (node.input_size() > 2 && !node.input(2).empty()) ||
      node.input_size() < 2)
    return;
  const auto bias = biasOf(*noted.call);
  const auto name = bias ? notes.placeholder(*bias) : std::nullopt;
  if (!name) {
    if (bias && !bias->empty() && (*bias)[0] == '%' &&
        !isDefined(bias->substr(1)))
      unclear.push_back("\"" + bias->substr(1) + "\", the bias of " +
                        describe(n));
    return;
  }
  if (!notes.isParameter(*name))
    return;
  const onnx::TensorProto *weight = tensors.find(node.input(1));
  const bool any = noted.call->operation == "addmm" &&
                   name->substr(name->rfind('.') + 1) != "bias";
  if (!weight || weight->dims_size() < 2 || any)
    return refuse({*name}, "it was zero, and " + describe(n) +
                               " does not say which shape it has");
  int64_t extent = weight->dims(0), groups = 1;
  bool turned = false;
  for (const auto &attribute : node.attribute()) {
    if (attribute.name() == "transB")
      turned = attribute.i() != 0;
    if (attribute.name() == "group")
      groups = attribute.i();
  }
  if (node.op_type() == "Gemm")
    extent = turned ? weight->dims(0) : weight->dims(1);
  else if (node.op_type() == "ConvTranspose")
    extent =
        groups > 0 && weight->dims(1) <= StoredTensors::mostElements / groups
            ? weight->dims(1) * groups
            : -1;
  if (extent < 0 || extent > StoredTensors::mostElements)
    return refuse({*name}, "it was zero, and " + describe(n) +
                               " does not say which shape it has");
  addClaim({n, 2, *name, {}, ""},
           {Origin::Kind::Zeros, node.input(1), {extent}, {}});
}

/// Every parameter that a call reads must be an operand of its nodes.
void Restorer::checkMentions() {
  std::set<std::pair<std::string, std::string>> seen; // call, parameter
  for (const Claim &claim : claims)
    if (notes.nodes[size_t(claim.node)].call)
      seen.emplace(notes.nodes[size_t(claim.node)].call->name, claim.parameter);
  for (const auto &[name, nodes] : nodesOf)
    for (int n : nodes)
      for (const std::string &input : graph.node(n).input())
        if (isOwn(input)) {
          seen.emplace(name, input);
        } else {
          for (const std::string &parameter : parametersIn(input))
            seen.emplace(name, parameter);
        }
  for (const auto &[name, nodes] : nodesOf)
    for (const std::string &parameter :
         parametersOf(*notes.nodes[size_t(nodes[0])].call))
      if (!seen.count({name, parameter}))
        refuse({parameter}, "what \"" + name + "\" computes of it, in " +
                                describe(nodes[0]) + ", is not known");
  for (const auto &node : graph.node())
    for (const std::string &input : node.input())
      if (isOwn(input))
        accounted.insert(input);
}

/// What is taken for its initializer must not have been merged into it.
void Restorer::checkShared() {
  std::map<std::string, std::set<std::string>> merged;
  for (const Claim &claim : claims)
    if (claim.parameter != claim.stored && isOwn(claim.stored))
      merged[claim.stored].insert(claim.parameter);
  for (const auto &[n, i] : assumed) {
    const std::string &stored = graph.node(n).input(i);
    const auto others = merged.find(stored);
    if (others == merged.end())
      continue;
    Names all(others->second.begin(), others->second.end());
    all.insert(all.begin(), stored);
    refuse(all, "stored once, and which of them " + describe(n) +
                    " reads is not noted");
  }
  // Likewise in branches and bodies, whose nodes are not looked at.
  std::set<std::string> inner;
  const auto visit = [&](const onnx::GraphProto &body, auto &&visit) -> void {
    for (const auto &node : body.node()) {
      inner.insert(node.input().begin(), node.input().end());
      for (const auto &attribute : node.attribute())
        if (attribute.has_g())
          visit(attribute.g(), visit);
    }
  };
  for (const auto &node : graph.node())
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        visit(attribute.g(), visit);
  for (const std::string &stored : inner) {
    const Names from = parametersIn(stored);
    if (!from.empty())
      refuse(from, "\"" + stored + "\" was computed of it, for a branch");
    if (const auto others = merged.find(stored); others != merged.end()) {
      Names all(others->second.begin(), others->second.end());
      all.insert(all.begin(), stored);
      refuse(all, "stored once, and a branch reads one of them");
    }
  }
}
