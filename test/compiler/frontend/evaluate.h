// Runs an imported model with the reference interpreter.
#ifndef SMEX_TEST_COMPILER_FRONTEND_EVALUATE_H
#define SMEX_TEST_COMPILER_FRONTEND_EVALUATE_H

#include "compiler/frontend/Model.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace smex::test {

/// All outputs, by name, for inputs by name; drawn parameters are zero.
Result<std::map<std::string, Tensor>>
evaluate(const frontend::Model &model,
         const std::map<std::string, Tensor> &inputs);

/// Called before each application with its operands' values.
using Visitor = std::function<void(const frontend::Application &,
                                   const std::vector<const Tensor *> &)>;
Result<std::map<std::string, Tensor>>
evaluateVisiting(const frontend::Model &model,
                 const std::map<std::string, Tensor> &inputs,
                 const Visitor &visit);

/// What computes a model's outputs: the interpreter, or all of the product.
using Evaluator = std::function<Result<std::map<std::string, Tensor>>(
    const frontend::Model &, const std::map<std::string, Tensor> &)>;

/// Nothing where the tensor is close enough to what is expected, by the rule of
/// ONNX's own tests; else what is wrong.
std::string difference(const Tensor &got, const Tensor &expected);

/// A test case in a folder: model.onnx with test_data_set_0, inputs and outputs
/// in the order of the model's.
struct Case {
  std::string folder;
  std::vector<std::string> inputNames, outputNames, inputFiles, outputFiles;
  frontend::ImportOptions options;

  /// Each returns what is wrong, or nothing. `run` computes the outputs.
  std::string load(const std::string &folder);
  std::string check(const frontend::Model &model,
                    const Evaluator &run = evaluate) const;
  /// Imports; where that fails, with inputs that look like shapes bound, then
  /// with all of them.
  Result<frontend::Model> import();
};

/// Calls `visit` before each application of every case in a folder of them, in
/// the order of their names; cases that cannot be read or imported are left
/// out (onnx_node_cases lists those).
void visitCases(const std::string &folder, const Visitor &visit);

} // namespace smex::test

#endif
