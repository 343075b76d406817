// smex-run --rebalance-every: training whose ranges of vertices move where that
// pays (Roc, section 4). A plan is made ahead of time, so ranges move as the
// plan does: the run writes a checkpoint, has the model compiled again with the
// cost model that it has fitted, and goes on from there with the new plan.
#ifndef SMEX_TOOLS_SMEX_RUN_REBALANCE_H
#define SMEX_TOOLS_SMEX_RUN_REBALANCE_H

#include "runtime/balance/LayerTimes.h"
#include "runtime/executor/Snapshot.h"
#include "tools/smex-run/Run.h"

namespace smex::tools {

/// From plan to plan of one run.
class Rebalance {
public:
  explicit Rebalance(const RunArguments &arguments)
      : arguments(arguments), moveSeconds(arguments.moveSeconds) {}

  /// Asked after each step. A move pays if what the slowest worker gains in the
  /// steps that remain is more than a move takes (the last one, or what the
  /// command line says of the first), and more than the model is off. It
  /// prints what it has decided.
  bool wantsMove(int completed, const balance::LayerTimes &times);
  /// Since wantsMove.
  bool isMoving() const { return moving; }

  /// Compiles the model again, into the plan's folder. If the command fails,
  /// `note` is told, the plan that there is stays, and no further move is
  /// tried.
  void recompile();
  /// Before the first step of a plan: what the move has taken.
  void arrive();

  /// Puts what came before this plan in front of a result.
  void join(runtime::RunResult &result) const;
  /// The result without that.
  void part(runtime::RunResult &result) const;
  void keep(const runtime::RunResult &result);
  int firstStep(int own) const { return begun.value_or(own); }
  void begin(int firstStep) { begun = begun.value_or(firstStep); }
  int moves() const { return count; }

private:
  const RunArguments &arguments;
  double moveSeconds;
  double stopped = 0; // clock of the decision
  bool moving = false, isGivenUp = false;
  int count = 0;
  std::optional<int> begun;
  std::vector<double> seconds, losses; // of the plans before
};

/// A checkpoint also where the run ends to move.
class MovingSink : public runtime::ParameterSink {
public:
  MovingSink(runtime::ParameterSink &folder, const Rebalance &rebalance)
      : folder(folder), rebalance(rebalance) {}
  bool wants(int completed) const override {
    return rebalance.isMoving() || folder.wants(completed);
  }
  Status begin(int completed) override { return folder.begin(completed); }
  std::byte *place(int parameter) override { return folder.place(parameter); }
  Status commit() override { return folder.commit(); }

private:
  runtime::ParameterSink &folder;
  const Rebalance &rebalance;
};

} // namespace smex::tools

#endif
