// The training step of a model as a model again, which the reference
// interpreter can run.
#ifndef SMEX_TEST_COMPILER_TRAINING_TRAININGSTEP_H
#define SMEX_TEST_COMPILER_TRAINING_TRAININGSTEP_H

#include "compiler/training/TrainingGraph.h"

namespace smex::test {

/// With its training step, and without what that does not need. One that brings
/// its own algorithm stays as it is.
inline Result<frontend::Model>
withTrainingStep(frontend::Model model,
                 const training::TrainingOptions &options) {
  if (model.ownAlgorithm)
    return model;
  if (Status added = training::addTrainingStep(model, options); !added)
    return added.takeError();
  frontend::dropUnused(model);
  return model;
}

} // namespace smex::test

#endif
