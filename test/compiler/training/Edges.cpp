#include "test/compiler/training/Edges.h"
#include "test/compiler/training/TrainingStep.h"

using namespace smex;
using frontend::Model;

/// The training graph, with what each parameter is after a step as an output.
static Result<Model> trainingStep(const std::string &path) {
  frontend::ImportOptions import;
  import.training = true;
  auto model = frontend::importModel(path, import);
  if (!model)
    return model;
  training::TrainingOptions options;
  options.loss = "given:total";
  options.learningRate = 1;
  auto built = test::withTrainingStep(std::move(*model), options);
  if (!built)
    return built;
  // It is no number in some models, where a run that knew it as the loss would
  // stop.
  built->loss.reset();
  for (const frontend::Update &update : built->updates) {
    built->outputs.push_back(update.value);
    built->outputNames.push_back("next " +
                                 built->values[size_t(update.parameter)].name);
  }
  return built;
}

std::string test::gradientDifferences(const std::string &path,
                                      const Evaluator &run, int &compared) {
  const auto plain = frontend::importModel(path, {});
  const auto expected = plain ? evaluate(*plain, {}) : plain.error();
  if (!expected)
    return expected.error().message;
  const auto step = trainingStep(path);
  const auto stepped = step ? run(*step, {}) : step.error();
  if (!stepped)
    return stepped.error().message;
  std::string text;
  const std::string prefix = "expected ";
  for (const auto &[name, gradient] : *expected) {
    if (name.rfind(prefix, 0) != 0)
      continue;
    ++compared;
    const std::string parameter = name.substr(prefix.size());
    const auto found = stepped->find("next " + parameter);
    // What has no influence is not trained, and stays 0.
    Tensor moved =
        found == stepped->end() ? makeTensor(gradient.type) : found->second;
    for (int64_t i = 0; i < *elementCount(moved.type.shape); ++i)
      moved.data<float>()[i] *= -1;
    if (const std::string problem = difference(moved, gradient);
        !problem.empty())
      text += parameter + ": " + problem + "\n";
  }
  return text;
}
