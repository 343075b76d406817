// Operators of inline text: expanded, printed, run.
#ifndef SMEX_TEST_DIALECTS_TDL_LIBRARY_USE_H
#define SMEX_TEST_DIALECTS_TDL_LIBRARY_USE_H

#include "dialects/tdl/library/Library.h"
#include "test/dialects/tdl/lambda/Tensors.h"

namespace smex::tdl {

/// The first operator of a text, used.
inline Result<Instance> use(const std::string &text,
                            const std::vector<TensorType> &operands,
                            const Attributes &attributes = {}) {
  Library library;
  if (Status added = library.add("t.tdl", text); !added)
    return added.takeError();
  return library.instantiate(library.names().at(0), operands, attributes);
}

inline std::string message(const std::string &text,
                           const std::vector<TensorType> &operands,
                           const Attributes &attributes = {}) {
  const auto instance = use(text, operands, attributes);
  return instance ? "no error" : instance.error().message;
}

/// One line per application, "t0 = lambda of x0, t1 over 2 3", then the results
/// unless they are the last application's.
inline std::string expanded(const std::string &text,
                            const std::vector<TensorType> &operands,
                            const Attributes &attributes = {}) {
  const auto instance = use(text, operands, attributes);
  if (!instance)
    return instance.error().message;
  const auto source = [](int number) {
    return number >= 0 ? "x" + std::to_string(number)
                       : "t" + std::to_string(~number);
  };
  std::string result;
  int count = 0;
  for (const Application &application : instance->applications) {
    result += "t" + std::to_string(count++) + " = " +
              toString(application.lambda) + " of";
    for (int number : application.operands)
      result += " " + source(number);
    result += " over";
    for (int64_t extent : application.extents)
      result += " " + std::to_string(extent);
    result += "\n";
    if (const auto back = parseLambda(toString(application.lambda));
        !back || toString(*back) != toString(application.lambda))
      result += "IS NOT READ BACK\n";
  }
  if (count == 0 || instance->results != std::vector<int>{~(count - 1)}) {
    result += "->";
    for (int number : instance->results)
      result += " " + source(number);
    result += "\n";
  }
  return result;
}

/// Body of the only lambda.
inline std::string body(const std::string &text,
                        const std::vector<TensorType> &operands,
                        const Attributes &attributes = {}) {
  const auto instance = use(text, operands, attributes);
  if (!instance)
    return instance.error().message;
  if (instance->applications.size() != 1)
    return expanded(text, operands, attributes);
  const std::string all = toString(instance->applications[0].lambda);
  return all.substr(all.find("lambda"));
}

inline Result<std::vector<Tensor>>
evaluate(const Instance &instance, const std::vector<Tensor> &operands) {
  std::vector<Tensor> made;
  const auto find = [&](int source) {
    return source >= 0 ? &operands[size_t(source)] : &made[size_t(~source)];
  };
  for (const Application &application : instance.applications) {
    std::vector<const Tensor *> inputs;
    for (int source : application.operands)
      inputs.push_back(find(source));
    auto result = interpret(application.lambda, application.extents, inputs);
    if (!result)
      return result.takeError();
    made.push_back(std::move(*result));
  }
  std::vector<Tensor> results;
  for (int source : instance.results)
    results.push_back(*find(source));
  return results;
}

inline Result<std::vector<Tensor>> run(const std::string &text,
                                       const std::vector<Tensor> &operands,
                                       const Attributes &attributes = {}) {
  std::vector<TensorType> types;
  for (const Tensor &operand : operands)
    types.push_back(operand.type);
  const auto instance = use(text, types, attributes);
  if (!instance)
    return instance.error();
  return evaluate(*instance, operands);
}

} // namespace smex::tdl

#endif
