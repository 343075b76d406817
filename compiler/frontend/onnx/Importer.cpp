#include "compiler/frontend/onnx/Importer.h"

#include "compiler/frontend/InputRanges.h"

#include "compiler/frontend/onnx/ExporterNotes.h"
#include "compiler/frontend/onnx/Import.h"
#include "compiler/frontend/onnx/ModuleParameters.h"
#include "compiler/frontend/onnx/Narrow.h"
#include "compiler/frontend/onnx/Table.h"
#include "dialects/support/File.h"
#include "dialects/support/Text.h"

#include <new>
#include <map>

using namespace smex;
using namespace smex::frontend;

ValueId Scope::find(const std::string &name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (const auto found = scope->values.find(name);
        found != scope->values.end())
      return found->second;
  return noValue;
}

static std::string parentPath(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

static std::string fileName(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

/// "" and "ai.onnx" are the same domain.
static std::string domainOf(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

Importer::Importer(std::shared_ptr<const onnx::ModelProto> model,
                   std::string path, const ImportOptions &options,
                   std::map<std::string, int64_t> rowsAsIf)
    : model(std::move(model)), path(std::move(path)),
      file(fileName(this->path)), options(options),
      rowsAsIf(std::move(rowsAsIf)) {
  source.keepAlive = this->model;
  source.folder = parentPath(this->path);
  source.files = &files;
  source.drawMissing = options.drawMissingWeights;
  files.push_back(this->path);
}

void Importer::error(std::string message) {
  errors.push_back(path + ": " + cleanedLine(message));
}

void Importer::addError(const Error &error) {
  errors.push_back(cleanedLine(error.message));
  if (error.fault != Fault::Input)
    fault = error.fault;
}

void Importer::report(const Node &node, const Surroundings &in,
                      std::string reason) {
  if (reason.empty())
    return;
  std::string opset;
  if (in.opsets.count(""))
    opset = ", opset " + std::to_string(node.opset);
  error("node \"" + node.name + "\" (" + node.op() + opset + "): " + reason);
}

void Importer::addOpsFiles() {
  for (const auto &property : model->metadata_props())
    if (property.key() == operatorsKey)
      if (Status added = builder.addTemplates(path, property.value()); !added)
        addError(added.error());
  for (const std::string &opsFile : options.opsFiles) {
    auto text = readFile(opsFile);
    if (!text) {
      addError(text.error());
      continue;
    }
    if (Status added = builder.addTemplates(opsFile, *text); !added)
      addError(added.error());
    files.push_back(opsFile);
  }
}

static std::map<std::string, int64_t> opsetsOf(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &list) {
  std::map<std::string, int64_t> opsets;
  for (const auto &opset : list)
    opsets[domainOf(opset.domain())] = opset.version();
  return opsets;
}

Error Importer::allErrors() const {
  Error all;
  all.fault = fault;
  for (const std::string &message : errors)
    all.message += (all.message.empty() ? "" : "\n") + message;
  return all;
}

/// An output for each element of a sequence.
void Importer::addElements(
    const std::string &name, ValueId sequence,
    std::unordered_set<std::string> &names,
    std::vector<std::pair<std::string, ValueId>> &outputs) {
  const auto &elements = builder.sequence(sequence);
  for (size_t i = 0; i < elements.size(); ++i) {
    const std::string element = name + "." + std::to_string(i);
    if (isSequence(elements[i]) || elements[i] < 0)
      return error("output \"" + name +
                   "\" is a sequence of something else than tensors, which is "
                   "not supported");
    if (!names.insert(element).second)
      return error("output \"" + element + "\" is there twice");
    outputs.push_back({element, builder.asStored(elements[i]).elements});
  }
}

Result<SampledModel> Importer::run() try {
  const bool ownAlgorithm = hasOwnAlgorithm(*model, options);
  const onnx::GraphProto &graph = model->graph();
  Surroundings in;
  in.opsets = opsetsOf(model->opset_import());
  if (!in.opsets.count(""))
    in.opsets[""] = 1; // what the absence of the field means
  // Old opsets are a matter of each operator; a newer one may mean anything.
  if (in.opsets[""] > newestOpset)
    error("uses opset " + std::to_string(in.opsets[""]) +
          ", newer than the newest that is known, " +
          std::to_string(newestOpset));
  for (const auto &function : model->functions())
    functions[{domainOf(function.domain()), function.name()}] = &function;

  Scope scope;
  addOpsFiles();
  bindConstants(scope);
  bindMode(scope);
  bindGraphs(scope);
  if (!errors.empty())
    return allErrors(); // without a graph's dimensions, much else looks wrong
  addInitializers(scope);
  if (options.drawMissingWeights)
    drawWeights(scope);
  addInputs(scope);
  for (auto &[name, bound] : boundGraphs)
    bound.destinationsValue = scope.find(bound.destinationsName);
  checkEdgeInputs();
  if (errors.empty())
    addLoopRows(scope);
  if (graph.output_size() == 0)
    error("the graph has no outputs");
  std::vector<std::pair<std::string, ValueId>> outputs;
  if (errors.empty() && importNodes(graph.node(), scope, in)) {
    std::unordered_set<std::string> names;
    for (const auto &output : graph.output()) {
      const ValueId v = scope.find(output.name());
      if (v == absentValue)
        error("output \"" + output.name() +
              "\" is an optional without a value");
      else if (v == noValue)
        error("output \"" + output.name() + "\" is not computed by any node");
      else if (!names.insert(output.name()).second)
        error("output \"" + output.name() + "\" is listed twice");
      else if (isSequence(v))
        addElements(output.name(), v, names, outputs);
      else if (v >= 0)
        checkOutput(output, v);
      if (!isSequence(v))
        outputs.push_back({output.name(), builder.asStored(v).elements});
    }
  }
  if (errors.empty() && outputs.empty())
    error("all outputs are empty sequences");
  if (errors.empty() && ownAlgorithm)
    bindUpdates(scope);
  if (errors.empty())
    checkBounds();
  if (!errors.empty())
    return allErrors();
  // How many rows there are is needed by what Lengths.h adds.
  const size_t given = outputs.size();
  for (const CountedRows &rows : chosen)
    outputs.push_back({"", rows.count});
  Model result = builder.finish(outputs, options.training);
  for (size_t k = 0; k < chosen.size(); ++k)
    chosen[k].count = result.outputs[given + k];
  result.outputs.resize(given);
  result.outputNames.resize(given);
  result.ownAlgorithm = ownAlgorithm;
  if (ownAlgorithm)
    result.loss = lossAmong(outputs, result);
  addInputRanges(result);
  addListRanges(result);
  result.graphs = openGraphs(result);
  result.knownGraphs = knownGraphs();
  result.edgeRows = edgeRows(result);
  if (options.training)
    result.listedParameters = listedParameters(graph);
  result.name = file;
  result.files = std::move(files);
  return SampledModel{std::move(result), std::move(chosen),
                      std::move(decisions), std::move(shapes)};
} catch (const std::bad_alloc &) {
  Error error = fail(path, ": not enough memory to import it");
  error.fault = Fault::Environment;
  return error;
}

std::string Importer::nodeName(const onnx::NodeProto &proto,
                               const Surroundings &in) {
  std::string base = proto.name();
  if (base.empty())
    base = proto.op_type() + "_" +
           std::to_string(unnamed[in.prefix + proto.op_type()]++);
  base = in.prefix + base;
  std::string name = base;
  for (int i = 2; !nodeNames.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

/// Outside of functions, where no call gives attributes: the value of a
/// dimension of the model's inputs.
const onnx::AttributeProto *
Importer::dimensionAttribute(Node &node,
                             const onnx::AttributeProto &attribute) {
  const std::string &name = attribute.ref_attr_name();
  const auto value = dims.find(name);
  if (name.empty() || value == dims.end())
    node.refuse("attribute \"", attribute.name(),
                "\": the model has no dimension \"", name, "\"");
  onnx::AttributeProto &made = dimensionValues[name];
  made.set_type(onnx::AttributeProto::INT);
  made.set_i(value->second);
  return &made;
}

bool Importer::importNodes(const NodeList &nodes, Scope &scope,
                           const Surroundings &in) {
  const std::vector<int> order = orderOf(nodes, scope, in);
  if (int(order.size()) != nodes.size())
    return false;
  for (int i : order)
    importNode(nodes.Get(i), scope, in);
  return true;
}

Importer::ConvertApart Importer::importedApart(const std::string &domain,
                                               const std::string &op) {
  static const std::map<std::pair<std::string, std::string>, ConvertApart> all =
      {{{"", "If"}, &Importer::importIf},
       {{"", "Loop"}, &Importer::importLoop},
       {{"", "Scan"}, &Importer::importScan},
       {{"", "SequenceMap"}, &Importer::importSequenceMap},
       {{"", "propagate"}, &Importer::propagate},
       {{"", "reduce_mailboxes"}, &Importer::reduceMailboxes},
       {{"", "reduce_mailboxes_at"}, &Importer::reduceMailboxesAt},
       {{"ai.onnx.preview", "FlexAttention"}, &Importer::importFlexAttention},
       {{"ai.onnx.preview.training", "Gradient"}, &Importer::importGradient}};
  const auto found = all.find({domain, op});
  return found == all.end() ? nullptr : found->second;
}

void Importer::importNode(const onnx::NodeProto &proto, Scope &scope,
                          const Surroundings &in) {
  Node node(builder, proto, source);
  node.name = nodeName(proto, in);
  if (!options.bounds.empty()) {
    if (proto.output_size() > 0)
      node.firstOutput = in.prefix + proto.output(0);
    for (std::string &name : boundsOf(node))
      seenBounds.insert(std::move(name));
  }
  const auto opset = in.opsets.find(domainOf(proto.domain()));
  node.opset = opset == in.opsets.end() ? 1 : opset->second;
  node.training = options.training;
  bool failed = false;
  for (const std::string &input : proto.input()) {
    node.inputs.push_back(input.empty() ? noValue : scope.find(input));
    failed |= node.inputs.back() == failedValue;
    if (node.inputs.back() == absentValue)
      node.inputs.back() = noValue;
  }
  try {
    // Functions that call functions, and unrolled loops, multiply.
    if (++visited > mostNodes)
      throw Refusal{visited == mostNodes + 1 ? tooManyNodes : ""};
    for (const auto &attribute : proto.attribute()) {
      const onnx::AttributeProto *value = &attribute;
      if (!attribute.ref_attr_name().empty()) {
        if (!in.call)
          value = dimensionAttribute(node, attribute);
        else if (!in.call->count(attribute.ref_attr_name()))
          continue;
        else
          value = in.call->at(attribute.ref_attr_name());
      }
      if (!node.attributes.emplace(attribute.name(), value).second)
        node.refuse("attribute \"", attribute.name(), "\" is given twice");
    }
    if (failed) {
      const std::string domain = domainOf(proto.domain());
      bool known = false;
      if (!findRow(domain, proto.op_type(), node.opset, known) &&
          !functions.count({domain, proto.op_type()}) &&
          !builder.libraryOf(proto.op_type()) && !known &&
          !importedApart(domain, proto.op_type()))
        node.refuse("there is no such operator");
      throw Refusal{""};
    }
    convert(node, proto, scope, in);
    const std::string unused = node.unusedAttribute();
    if (!unused.empty())
      node.refuse("attribute \"", unused, "\" is not supported");
    for (int i = 0; i < proto.output_size(); ++i)
      if (node.wants(i) &&
          (size_t(i) >= node.outputs.size() || node.outputs[i] == noValue))
        node.refuse("its output ", i, " is not supported");
  } catch (const Refusal &refusal) {
    report(node, in, refusal.reason);
    node.outputs.assign(proto.output_size(), failedValue);
  }
  for (int i = 0; i < proto.output_size(); ++i)
    if (node.wants(i)) {
      scope.values[proto.output(i)] = node.outputs[i];
      if (node.outputs[i] >= 0)
        builder.setName(node.outputs[i], in.prefix + proto.output(i), in.depth);
      // Nothing depends on rows before some are chosen.
      if (!chosen.empty() && node.outputs[i] >= 0 &&
          !isSequence(node.outputs[i]) && !isStored(node.outputs[i]))
        shapes[in.prefix + proto.output(i)] =
            builder.type(node.outputs[i]).shape;
    }
}

void Importer::convert(Node &node, const onnx::NodeProto &proto, Scope &scope,
                       const Surroundings &in) {
  const std::string domain = domainOf(proto.domain()), &op = proto.op_type();
  if (const auto function = functions.find({domain, op});
      function != functions.end())
    return callFunction(node, *function->second, in);
  if (const ConvertApart convertApart = importedApart(domain, op))
    return (this->*convertApart)(node, scope, in);
  if (domain.empty() && choosesRows(node, op))
    return op == "NonZero"    ? importNonZero(node)
           : op == "Compress" ? importCompress(node)
           : op == "Unique"   ? importUnique(node)
           : op == "Slice"    ? importSlice(node)
                              : importBoxes(node);
  bool known = false;
  if (const Row *row = findRow(domain, op, node.opset, known))
    return domain.empty() && movesElements(op)
               ? convertMoving(node, row->convert)
               : row->convert(node);
  if (known)
    node.refuse(
        "not supported as of opset ", node.opset,
        ": convert the model to a newer one with onnx.version_converter");
  if (builder.libraryOf(op))
    return direct(op.c_str())(node);
  node.refuse("there is no such operator", domain.empty() ? "" : " in domain ",
              domain,
              "; describe it in a file of lambdas and give that with "
              "--ops FILE");
}

Result<Model>
smex::frontend::importOnnx(std::shared_ptr<const onnx::ModelProto> model,
                           const std::string &path,
                           const ImportOptions &options) {
  if (Status named = checkNames(*model, path); !named)
    return named.takeError();
  if (options.training) {
    TensorSource source;
    source.keepAlive = model;
    source.folder = parentPath(path);
    auto restored = withModuleParameters(model, path, options.frozen, source);
    if (!restored)
      return restored.takeError();
    model = std::move(*restored);
  }
  if (hasOwnAlgorithm(*model, options))
    model = withAlgorithms(*model);
  ImportOptions left = options;
  auto plain = withPlainInputs(std::move(model), path, left);
  if (!plain)
    return plain.takeError();
  const ImportWithRows import =
      [&](const std::map<std::string, int64_t> &rowsAsIf) {
        return Importer(*plain, path, left, rowsAsIf).run();
      };
  auto base = import({});
  if (!base)
    return base.takeError();
  auto whole = withLengths(std::move(*base), import, options.training);
  if (!whole)
    return fail(path, ": ", whole.error().message);
  return whole;
}
