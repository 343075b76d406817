// The options of --train.
#ifndef SMEX_TOOLS_SMEXC_TRAINING_H
#define SMEX_TOOLS_SMEXC_TRAINING_H

#include "compiler/training/TrainingGraph.h"

#include <CLI/CLI.hpp>

namespace smex::tools {

struct TrainingArguments {
  bool train = false;
  training::TrainingOptions options;
};

/// A model's own algorithm is taken unless one of --loss and --optimizer is
/// given: `parsed` says.
bool wantsOwnAlgorithm(const CLI::App &parsed);

void declareTraining(CLI::App &app, TrainingArguments &arguments);

} // namespace smex::tools

#endif
