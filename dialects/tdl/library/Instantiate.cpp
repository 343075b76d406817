#include "dialects/tdl/library/Instantiation.h"

using namespace smex;
using namespace smex::tdl;

namespace {

class Instantiation {
public:
  Instantiation(const Template &op, const std::vector<TensorType> &operands)
      : op(op), normalizer(operands), evaluator(op, environment, normalizer) {}

  Result<Instance> run(const std::vector<TensorType> &operands,
                       const Attributes &attributes) {
    if (Status bound = bind(op, operands, attributes, environment, evaluator);
        !bound)
      return bound.takeError();
    std::vector<int> results;
    for (const Definition &definition : op.definitions)
      if (!define(definition))
        return evaluator.takeError();
    for (const ResultDeclaration &result : op.results)
      if (!addResult(result, results))
        return evaluator.takeError();
    return normalizer.finish(results);
  }

private:
  bool define(const Definition &definition) {
    Binding binding;
    if (definition.lambda) {
      const auto source = evaluator.lambda(*definition.lambda);
      if (!source)
        return false;
      if (definition.detached)
        normalizer.detach(*source);
      if (definition.ties != Ties::Shared)
        normalizer.setTies(*source, definition.ties);
      binding.kind = Binding::Tensor;
      binding.tensor = normalizer.tensor(*source);
    } else {
      auto values = evaluator.expand(definition.value);
      if (!values)
        return false;
      binding.kind = definition.isPack ? Binding::Pack : Binding::Scalar;
      if (!definition.isPack) {
        if (values->size() != 1) {
          evaluator.fail(definition.place,
                         "several values: write " + definition.name + "... = ");
          return false;
        }
        binding.value = (*values)[0];
      }
      for (const Value &value : *values)
        if (value.kind == Value::Data && !isConstant(value.data)) {
          evaluator.fail(definition.place,
                         "'" + definition.name +
                             "' is not known: make it a lambda");
          return false;
        }
      binding.values = std::move(*values);
    }
    environment[definition.name] = std::move(binding);
    return true;
  }

  bool addResult(const ResultDeclaration &result, std::vector<int> &results) {
    if (result.lambda) {
      const auto source = evaluator.lambda(*result.lambda);
      if (source)
        results.push_back(*source);
      return source.has_value();
    }
    const auto named = environment.find(result.name);
    if (named == environment.end() || named->second.kind != Binding::Tensor) {
      evaluator.fail(result.place, "'" + result.name + "' is no tensor");
      return false;
    }
    results.push_back(named->second.tensor.source);
    return true;
  }

  const Template &op;
  Environment environment;
  Normalizer normalizer;
  TemplateEvaluator evaluator;
};

} // namespace

Result<Instance> tdl::instantiate(const Template &op,
                                  const std::vector<TensorType> &operands,
                                  const Attributes &attributes) {
  return Instantiation(op, operands).run(operands, attributes);
}
