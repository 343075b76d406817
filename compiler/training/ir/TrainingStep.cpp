// Reads the model that the graph is, has the training step added to it, and
// adds what is new to the graph.
#include "compiler/frontend/ir/SemanticGraph.h"
#include "compiler/training/ir/Passes.h"

namespace smex::training {
#define GEN_PASS_DEF_TRAININGSTEP
#include "compiler/training/ir/Passes.h.inc"
} // namespace smex::training

using namespace mlir;
using namespace smex;
using namespace smex::training;

namespace {

struct TrainingStep : training::impl::TrainingStepBase<TrainingStep> {
  using Base::Base;
  TrainingStep() = default;
  explicit TrainingStep(const TrainingOptions &given) {
    loss = given.loss;
    optimizer = given.optimizer;
    freeze = ArrayRef<std::string>(given.freeze);
    lossScale = given.lossScale;
    counted = given.counted;
    set(ignoreIndex, given.ignoreIndex);
    set(learningRate, given.learningRate);
    set(momentum, given.momentum);
    set(weightDecay, given.weightDecay);
  }

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    frontend::Model model = frontend::modelOf(main);
    if (const Status added = addTrainingStep(model, options()); !added) {
      emitError(main.getLoc()) << added.error().message;
      return signalPassFailure();
    }
    frontend::addToGraph(main, model);
  }

private:
  template <typename T>
  static void set(Option<T> &option, const std::optional<T> &given) {
    if (given)
      option = *given;
  }
  template <typename T> static std::optional<T> get(const Option<T> &option) {
    return option.hasValue() ? std::optional<T>(option.getValue())
                             : std::nullopt;
  }

  TrainingOptions options() const {
    TrainingOptions options;
    options.loss = loss;
    options.ignoreIndex = get(ignoreIndex);
    options.freeze.assign(freeze.begin(), freeze.end());
    options.optimizer = optimizer;
    options.learningRate = get(learningRate);
    options.momentum = get(momentum);
    options.weightDecay = get(weightDecay);
    options.lossScale = lossScale;
    options.counted = counted;
    return options;
  }
};

} // namespace

std::unique_ptr<Pass>
training::createTrainingStep(const TrainingOptions &options) {
  return std::make_unique<TrainingStep>(options);
}
