// One step of an optimizer, as operators of the library (training.tdl).
#ifndef SMEX_COMPILER_TRAINING_OPTIMIZER_H
#define SMEX_COMPILER_TRAINING_OPTIMIZER_H

#include "compiler/training/ModelTape.h"
#include "compiler/training/TrainingGraph.h"

namespace smex::training {

class Optimizer {
public:
  /// An error for an unknown name, or a number out of range.
  static Result<Optimizer> make(const TrainingOptions &options);

  /// Adds the state that the parameter needs, its new value, and the updates of
  /// both.
  Status step(ModelTape &graph, int parameter, int gradient);

private:
  Result<int> stepNumber(ModelTape &graph);

  std::string name;
  double learningRate = 0, momentum = 0, weightDecay = 0;
  std::vector<int> adamScales; // shared by all parameters
};

} // namespace smex::training

#endif
