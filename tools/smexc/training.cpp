// The options of --train.
#include "tools/smexc/Training.h"

using namespace smex;
using namespace smex::tools;

void smex::tools::declareTraining(CLI::App &app, TrainingArguments &arguments) {
  training::TrainingOptions &options = arguments.options;
  auto *train =
      app.add_flag("--train", arguments.train, "partition the training step");
  const auto needsTrain = [&](CLI::Option *option) {
    return option->needs(train)->group("Training");
  };
  needsTrain(app.add_option("--loss", options.loss,
                            "cross_entropy[:AXIS] (default), mse, l1, "
                            "bce_with_logits, or given:NAME"));
  needsTrain(app.add_option("--ignore-index", options.ignoreIndex,
                            "labels that don't count"));
  needsTrain(app.add_flag("--counted{counted}", options.counted,
                          "an input that says which rows count, 1 or 0 for "
                          "each; those with 0 don't, as nodes that were only "
                          "sampled. Of mse, l1 and bce_with_logits an input is "
                          "added, `counted`, or the name after =; of given "
                          "losses the model has it, and reads it in its loss"));
  needsTrain(app.add_option("--freeze", options.freeze,
                            "NAME: a parameter not to train")
                 ->allow_extra_args(false));
  needsTrain(app.add_option("--optimizer", options.optimizer,
                            "sgd (default), momentum, adam, adamw, adagrad")
                 ->check(CLI::IsMember(training::optimizerNames())));
  needsTrain(app.add_option("--lr", options.learningRate, "learning rate"));
  needsTrain(app.add_option("--momentum", options.momentum, "default: 0.9"));
  needsTrain(app.add_option("--weight-decay", options.weightDecay,
                            "default: 0, adamw: 0.01"));
  needsTrain(app.add_option("--loss-scale", options.lossScale,
                            "take gradients of so many times the loss, for "
                            "f16, where small ones are 0"));
}

bool smex::tools::wantsOwnAlgorithm(const CLI::App &parsed) {
  return parsed.count("--loss") + parsed.count("--optimizer") == 0;
}
