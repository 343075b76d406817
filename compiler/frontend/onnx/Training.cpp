// Models that carry their own training: the Gradient operator, and
// TrainingInfoProto, whose algorithm continues the model's graph.
#include "compiler/frontend/onnx/Importer.h"
#include "compiler/training/Backward.h"

using namespace smex;
using namespace smex::frontend;

namespace {

/// What the builder has so far, as reverse mode sees it.
class BuilderTape : public training::Tape {
public:
  explicit BuilderTape(Builder &builder) : builder(builder) {}

  size_t valueCount() const override { return builder.valueCount(); }
  const TensorType &type(int value) const override {
    return builder.type(value);
  }
  const std::string &name(int value) const override {
    return builder.name(value);
  }
  size_t applicationCount() const override {
    return builder.applicationCount();
  }
  const Application &application(size_t number) const override {
    return builder.application(number);
  }
  std::vector<int> append(const tdl::Instance &instance,
                          const std::vector<int> &operands, const std::string &,
                          const std::string &node, int gradientOf) override {
    return builder.append(instance, operands, node, gradientOf);
  }

private:
  Builder &builder;
};

} // namespace

/// d y / d x for each x, summed over the elements of y. The operands are what
/// the attributes name: nothing else can take their place.
void Importer::importGradient(Node &node, Scope &scope, const Surroundings &) {
  for (const char *used : {"xs", "y", "zs"})
    node.ignore(used);
  const auto namesOf = [&](const char *attribute) {
    std::vector<std::string> names;
    if (node.hasAttribute(attribute))
      for (const std::string &name : node.attributes.at(attribute)->strings())
        names.push_back(name);
    return names;
  };
  std::vector<std::string> names = namesOf("xs");
  const size_t count = names.size();
  for (const std::string &other : namesOf("zs"))
    names.push_back(other);
  node.require(node.hasAttribute("y") && names.size() == node.inputs.size(),
               "must name a value for each operand, in xs and zs, and y");
  for (size_t i = 0; i < names.size(); ++i)
    node.require(node.has(i) && scope.find(names[i]) == node.inputs[i],
                 "an operand is not the value that xs and zs name");
  const std::string y = node.attributes.at("y")->s();
  const ValueId result = scope.find(y);
  if (result < 0 || result >= firstStored)
    node.refuse("y is \"", y, "\", which no earlier node computes");

  if (!loss)
    loss = result;
  const std::vector<ValueId> xs(node.inputs.begin(),
                                node.inputs.begin() + int64_t(count));
  std::map<ValueId, ValueId> gradients;
  BuilderTape graph(builder);
  const Status done =
      training::addGradients(graph, result, xs, [&](int x, int gradient) {
        gradients[x] = gradient;
        return Status();
      });
  if (!done)
    node.refuse(done.error().message);
  for (size_t i = 0; i < count; ++i) {
    const auto found = gradients.find(xs[i]);
    node.out(i, found != gradients.end() ? found->second
                                         : node.apply("no_gradient", {xs[i]}));
  }
}

bool smex::frontend::hasOwnAlgorithm(const onnx::ModelProto &model,
                                     const ImportOptions &options) {
  return options.training && options.ownAlgorithm &&
         model.training_info_size() > 0;
}

/// Their nodes, initializers, inputs and outputs stand behind the graph's own:
/// that is what the format means.
std::shared_ptr<const onnx::ModelProto>
smex::frontend::withAlgorithms(const onnx::ModelProto &model) {
  auto joined = std::make_shared<onnx::ModelProto>(model);
  for (const onnx::TrainingInfoProto &info : model.training_info())
    joined->mutable_graph()->MergeFrom(info.algorithm());
  return joined;
}

/// What the algorithms say that initializers become after a step.
void Importer::bindUpdates(const Scope &scope) {
  for (const onnx::TrainingInfoProto &info : model->training_info())
    for (const auto &binding : info.update_binding()) {
      const ValueId parameter = scope.find(binding.key());
      const ValueId value = scope.find(binding.value());
      if (parameter < 0 || value < 0 || value >= firstStored)
        error("training: \"" + binding.key() + "\" is to become \"" +
              binding.value() + "\"; one of them is not there");
      else if (!builder.addUpdate(parameter, value))
        error("training: \"" + binding.key() + "\" cannot become \"" +
              binding.value() + "\": it is no initializer, or of another type");
    }
}

/// What the algorithm's gradients are of; where they are no Gradient nodes, the
/// output that is called so.
std::optional<int>
Importer::lossAmong(const std::vector<std::pair<std::string, ValueId>> &outputs,
                    const Model &result) const {
  for (size_t o = 0; o < result.outputs.size(); ++o) {
    const TensorType &type = result.values[size_t(result.outputs[o])].type;
    if ((loss ? outputs[o].second == *loss : outputs[o].first == "loss") &&
        isFloat(type.dtype) && elementCount(type.shape) == 1)
      return int(o);
  }
  return std::nullopt;
}
